"""The addresses of the server, below the token."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from weft.base.errors import WeftError
from weft.faces.server.documents import FILE_NAME, Documents
from weft.faces.server.folders import RunFolders, read_meta
from weft.faces.server.samples import MOST, SELECTED_BY
from weft.faces.server.views import Views
from weft.faces.server.watch import Watches, encode

STATIC = Path(__file__).parent / "static"
PART_BYTES = 1 << 16
DAMAGED = 422
"""The status for an existing run that cannot be read."""


class RunServer:
    """Serves the runs of a folder; each method is an address."""

    def __init__(self, folders: RunFolders) -> None:
        self._folders = folders
        self._views = Views()
        self._documents = Documents()
        self.watches = Watches(self._views)

    def close(self) -> None:
        """End computations that are still running."""
        self._views.close()
        self._documents.close()

    async def page(self, request: Request) -> Response:
        """The page, which reads from its own address which run to show."""
        return FileResponse(STATIC / "index.html")

    async def run_page(self, request: Request) -> Response:
        """The page of a run; everything in the page is relative to the address of the list."""
        name = request.path_params["name"]
        # Counted as browsers do, for which an encoded slash is not a separator.
        up = "../" * (request.scope["raw_path"].count(b"/") - 2)
        return RedirectResponse(f"{up}?run={quote(name)}")

    async def runs(self, request: Request) -> Response:
        """All runs, the newest first."""
        return _json({"runs": await asyncio.to_thread(self._folders.listed)})

    async def run(self, request: Request) -> Response:
        """The content of run.json, and the document of `weft show --json`; slower documents have addresses of their
        own."""
        path = self._path(request)
        show = (await self._documents.get("show", path) / FILE_NAME).open("rb")
        beside = {name: name for name in ("points", "figures")}
        head = encode({"meta": read_meta(path), "diagnosis": None, **beside}).removesuffix(b"}")
        return _stream(chain([head, b',"show":'], _parts(show), [b"}"]))

    async def meta(self, request: Request) -> Response:
        """The content of run.json, at once."""
        return _json(read_meta(self._path(request)))

    async def diagnosis(self, request: Request) -> Response:
        """The document of `weft diagnose --json`."""
        folder = await self._documents.get("diagnosis", self._path(request))
        return _stream(_parts((folder / FILE_NAME).open("rb")))

    async def points(self, request: Request) -> Response:
        """Every size of every step between two nodes, with its intervals."""
        look = await self._views.look(self._path(request))
        return _json({**look.status, "points": [point.to_json() for point in look.points]})

    async def matrix(self, request: Request) -> Response:
        """The matrices of rates (weft.faces.server.content)."""
        return _json((await self._views.look(self._path(request))).matrix)

    async def xray(self, request: Request) -> Response:
        """The state of the search for limits (weft.faces.server.content); null if the run has no search."""
        return _json((await self._views.look(self._path(request))).xray)

    async def samples(self, request: Request) -> Response:
        """The batches that the query selects."""
        path, query = self._path(request), dict(request.query_params)
        limit = _number(query.pop("limit", str(MOST)))
        if unknown := query.keys() - SELECTED_BY.keys():
            raise HTTPException(400, f"unknown: {', '.join(sorted(unknown))}")
        selected = {name: _number(value) for name, value in query.items()}
        return _json(await self._views.samples(path, selected, limit))

    async def figures(self, request: Request) -> Response:
        """The report's figures and their addresses."""
        folder = await self._documents.get("figures", self._path(request))
        return _stream(_parts((folder / FILE_NAME).open("rb")))

    async def figure(self, request: Request) -> Response:
        """A figure as SVG."""
        folder = await self._documents.get("figures", self._path(request))
        found = {file.name: file for file in folder.glob("*.svg")}
        if file := found.get(request.path_params["figure"]):
            return _stream(_parts(file.open("rb")), "image/svg+xml")
        raise HTTPException(404, "no such figure")

    async def events(self, request: Request) -> Response:
        """Changes, as server-sent events."""
        last = request.headers.get("last-event-id", "0")
        stream = self.watches.events(self._path(request), _number(last) if last else 0)
        return StreamingResponse(stream, media_type="text/event-stream")

    def _path(self, request: Request) -> Path:
        path = self._folders.find(request.path_params["name"])
        if path is None:
            raise HTTPException(404, "no such run")
        return path


def application(served: RunServer) -> Starlette:
    """The application: its addresses and its error responses."""
    of_run = {
        name: getattr(served, name)
        for name in (
            "meta",
            "diagnosis",
            "points",
            "matrix",
            "xray",
            "samples",
            "figures",
            "events",
        )
    }
    routes: list[Route | Mount] = [
        Route("/", served.page),
        Route("/run/{name:path}/", served.run_page),
        Route("/api/runs", served.runs),
        *(Route(f"/api/runs/{{name:path}}/{name}", answer) for name, answer in of_run.items()),
        Route("/api/runs/{name:path}/figures/{figure}", served.figure),
        Route("/api/runs/{name:path}", served.run),
        Mount("/static", StaticFiles(directory=STATIC, check_dir=False)),
    ]
    handlers: dict[Any, Callable[[Request, Any], Awaitable[Response]]] = {
        HTTPException: _refused,
        WeftError: _damaged,
        FileNotFoundError: _gone,
        OSError: _unreadable,
    }
    application = Starlette(routes=routes, exception_handlers=handlers)
    application.router.redirect_slashes = False
    return application


async def _refused(request: Request, error: HTTPException) -> Response:
    return _json({"error": {"message": error.detail, "hint": ""}}, error.status_code)


async def _damaged(request: Request, error: WeftError) -> Response:
    return _json({"error": {"message": error.message, "hint": error.hint}}, DAMAGED)


async def _gone(request: Request, error: FileNotFoundError) -> Response:
    """The response if a folder was deleted while it was read."""
    return _json({"error": {"message": "no such run", "hint": ""}}, 404)


async def _unreadable(request: Request, error: OSError) -> Response:
    return _json({"error": {"message": str(error.strerror), "hint": ""}}, DAMAGED)


def _stream(parts: Iterable[bytes], media_type: str = "application/json") -> Response:
    return StreamingResponse(parts, media_type=media_type)


def _parts(file: BinaryIO) -> Iterator[bytes]:
    """The content of an open file, which may be deleted meanwhile."""
    with file:
        while part := file.read(PART_BYTES):
            yield part


def _json(document: Any, status: int = 200) -> Response:
    return Response(encode(document), status, media_type="application/json")


def _number(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 19):
        raise HTTPException(400, f"not a number: {text[:20]!r}")
    return int(text)
