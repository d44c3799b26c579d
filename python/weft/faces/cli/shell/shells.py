"""How bash, zsh and fish ask for words: click's machinery, for names with colons such as `lab:pair`."""

from __future__ import annotations

import os

from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
    split_arg_string,
)

_BASH = """\
%(complete_func)s() {
    local IFS=$'\\n' type value
    while IFS=, read -r type value; do
        case $type in
        dir) compopt -o dirnames ;;
        file) compopt -o default ;;
        open) compopt -o nospace && COMPREPLY+=("$value") ;;
        plain) COMPREPLY+=("$value") ;;
        esac
    done < <(COMP_LINE=${COMP_LINE:0:COMP_POINT} COMP_WORDBREAKS=$COMP_WORDBREAKS \\
        %(complete_var)s=bash_complete "$1" 2>/dev/null)
}
complete -o nosort -F %(complete_func)s %(prog_name)s
"""

_ZSH = """\
#compdef %(prog_name)s
%(complete_func)s() {
    local -a plain open
    local type key descr
    while read -r type && read -r key && read -r descr; do
        case $type in
        dir) _path_files -/ ;;
        file) _path_files -f ;;
        open) open+=("$key:$descr") ;;
        plain) plain+=("$key:$descr") ;;
        esac
    done < <(COMP_WORDS="${(F)words[1,CURRENT]}" %(complete_var)s=zsh_complete "$words[1]" 2>/dev/null)
    (( $#open )) && _describe -V unsorted open -S ''
    (( $#plain )) && _describe -V unsorted plain
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    %(complete_func)s "$@"
else
    compdef %(complete_func)s %(prog_name)s
fi
"""

_FISH = """\
function %(complete_func)s
    set -l line (commandline -cp)
    for completion in (COMP_WORDS="$line" COMP_CWORD=(commandline -ct) \\
            %(complete_var)s=fish_complete %(prog_name)s 2>/dev/null)
        set -l found (string split -m 1 , -- $completion)
        switch $found[1]
            case dir
                __fish_complete_directories $found[2]
            case file
                __fish_complete_path $found[2]
            case '*'
                echo $found[2]
        end
    end
end
complete --no-files --keep-order --command %(prog_name)s --arguments '(%(complete_func)s)'
"""


def _kind(item: CompletionItem) -> str:
    """The kind of a word; an open one continues, so no space follows it."""
    return "open" if item.type == "plain" and item.value.endswith((":", "/")) else item.type


class Bash(BashComplete):
    """Bash splits words at colons. Here the line is split as the shell reads it."""

    source_template = _BASH

    @staticmethod
    def _check_version() -> None:
        """Skip click's check of Bash's version, because the script may be for another machine."""

    def get_completion_args(self) -> tuple[list[str], str]:
        line = os.environ["COMP_LINE"]
        words = split_arg_string(line)
        self._start = "" if line[-1:].isspace() else words.pop()
        return words[1:], self._start

    def format_completion(self, item: CompletionItem) -> str:
        """The word without the part up to its last colon, which Bash treats as another word."""
        value: str = item.value
        if ":" in os.environ.get("COMP_WORDBREAKS", ":") and item.type == "plain":
            value = value[self._start.rfind(":") + 1 :]
        return f"{_kind(item)},{value}"


class Zsh(ZshComplete):
    """Words may be empty, so each has a line of its own."""

    source_template = _ZSH

    def get_completion_args(self) -> tuple[list[str], str]:
        _, *words, last = os.environ["COMP_WORDS"].split("\n")
        return words, last

    def format_completion(self, item: CompletionItem) -> str:
        return "\n".join(
            [_kind(item), item.value.replace(":", r"\:"), _line(item.help) or item.value]
        )


class Fish(FishComplete):
    """Fish never adds a space after a colon or a slash."""

    source_template = _FISH


def _line(text: str | None) -> str:
    return " ".join((text or "").split())


SHELLS: dict[str, type[ShellComplete]] = {"bash": Bash, "zsh": Zsh, "fish": Fish}


def register() -> None:
    """Make click answer shells with these classes."""
    for one in SHELLS.values():
        add_completion_class(one)
