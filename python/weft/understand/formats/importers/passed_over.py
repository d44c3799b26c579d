"""Lines of a log that are not the tool's: prompts, warnings of libraries, start-up messages."""

from __future__ import annotations

from dataclasses import dataclass, field

from weft.understand.formats.importers.text import SourceLine

Warned = tuple[str, str, str]


@dataclass
class SkippedLines:
    """The lines that a reader skipped, for a warning."""

    lines: list[SourceLine] = field(default_factory=list)

    def add(self, line: SourceLine) -> None:
        """Records a skipped line; blank lines are ignored."""
        if line.text.strip():
            self.lines.append(line)

    def warnings(self, tool: str) -> list[Warned]:
        """A warning with the number of lines and the first of them; none if no line was skipped."""
        if not self.lines:
            return []
        count, first = len(self.lines), self.lines[0]
        what = "1 line was" if count == 1 else f"{count} lines were"
        return [
            (
                "passed-over",
                f"{what} passed over that {tool} does not print, "
                f"{'such as ' if count > 1 else ''}line {first.number}: {first.shown}",
                "see that no result is among them",
            )
        ]
