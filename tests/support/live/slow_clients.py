"""Clients that connect and keep the server waiting."""

import socket


def slow_ones(port: int, count: int) -> list[socket.socket]:
    """Connections that have sent a part of a request, and do not go on."""
    slow = [socket.create_connection(("127.0.0.1", port)) for _ in range(count)]
    for one in slow:
        try:
            one.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        except (BrokenPipeError, ConnectionResetError):
            continue
    return slow


def is_closed(one: socket.socket) -> bool:
    one.settimeout(10)
    try:
        return one.recv(1) == b""
    except ConnectionResetError:
        return True
