"""The archive that a guest boots into, as the kernel's documentation describes it."""

from weft.measure.testbed.vm.boot.cpio import archive


def read(data: bytes) -> dict[str, tuple[int, bytes]]:
    """By path mode and content."""
    found, at = {}, 0
    while True:
        assert data[at : at + 6] == b"070701"
        numbers = [int(data[at + 6 + 8 * i : at + 14 + 8 * i], 16) for i in range(13)]
        name = data[at + 110 : at + 110 + numbers[11] - 1].decode()
        start = (at + 110 + numbers[11] + 3) // 4 * 4
        if name == "TRAILER!!!":
            return found
        found[name] = (numbers[1], data[start : start + numbers[6]])
        at = (start + numbers[6] + 3) // 4 * 4


def test_files_come_after_their_folders() -> None:
    made = read(archive([("bin/a/b", b"12345"), ("init", b"")], [("dev/console", 5, 1)]))
    assert list(made) == ["bin", "bin/a", "dev/console", "bin/a/b", "init"]
    assert made["bin/a/b"] == (0o100755, b"12345")
    assert made["bin"] == (0o040755, b"")
    assert made["dev/console"][0] == 0o020600
