"""`weft serve` as a process, and a client that sends exactly what it is told to."""

import http.client
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen
from typing import Any

from support.command import start


@dataclass(frozen=True)
class RunServer:
    process: Popen[str]
    address: str
    port: int

    @property
    def root(self) -> str:
        """The path that all addresses begin with."""
        return self.address.removeprefix(f"http://127.0.0.1:{self.port}")

    def ask(
        self, path: str, method: str = "GET", headers: dict[str, str] | None = None
    ) -> http.client.HTTPResponse:
        """The response to a request for a whole path; its body is still to be read."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        sent = {"Host": f"127.0.0.1:{self.port}"} | (headers or {})
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in sent.items():
            connection.putheader(name, value)
        connection.endheaders()
        return connection.getresponse()

    def get(self, address: str, status: int = 200) -> Any:
        """The JSON document at an address behind the token."""
        response = self.ask(self.root + address)
        text = response.read()
        assert response.status == status, text
        return json.loads(text)

    def events(self, run: str, last: int = 0) -> Iterator[tuple[int, str, Any]]:
        """Number, name and data of the events of a run."""
        headers = {"Last-Event-ID": str(last)} if last else {}
        response = self.ask(f"{self.root}api/runs/{run}/events", headers=headers)
        assert response.status == 200
        lines: dict[str, str] = {}
        while line := response.readline().decode():
            if line != "\n":
                name, _, value = line.rstrip("\n").partition(": ")
                lines[name] = value
            elif "event" in lines:
                yield int(lines["id"]), lines["event"], json.loads(lines["data"])
                lines = {}


@contextmanager
def serving(folder: Path, *arguments: str) -> Iterator[RunServer]:
    """A server of the runs in a folder, which Ctrl-C ends without a word."""
    process = start("serve", folder, "--json", *arguments)
    assert process.stdout and process.stderr
    said = json.loads("".join(iter(process.stdout.readline, "}\n")) + "}")
    address = said["address"]
    assert said == {"address": address, "port": said["port"], "folder": str(folder.resolve())}
    try:
        yield RunServer(process, address, said["port"])
    finally:
        process.send_signal(2)
        errors = process.communicate(timeout=30)[1]
    assert (process.returncode, errors) == (0, "")
