"""Commands of the CLI as real processes that need not import anything: they are forked from one that has.

`forked_command()` is what to run in place of `souvenir`. Behind it a small client hands its arguments, environment,
folder and standard streams to the process that forks, passes signals on, and ends as the command ended.
"""

import array
import atexit
import contextlib
import functools
import io
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from pathlib import Path
from typing import Any

CLIENT = Path(__file__).with_name("forked_client.py")
READY = "ready\n"

_HEAD = 4
_STREAMS = 3


@functools.cache
def forked_command() -> tuple[str, ...]:
    """The beginning of a command line; what follows is what follows `souvenir`. The first call takes a second."""
    folder = tempfile.TemporaryDirectory(prefix="souvenir-forks-")
    where = str(Path(folder.name) / "socket")
    # it ends when its standard input does, so with us, however we end
    server = subprocess.Popen(
        [sys.executable, "-m", "souvenir.testing.forked", where],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert server.stdout is not None
    if server.stdout.readline() != READY:
        raise RuntimeError("the process that forks commands did not start")
    atexit.register(_close, server, folder)
    return (sys.executable, "-I", "-S", str(CLIENT), where)


def _close(server: "subprocess.Popen[str]", folder: "tempfile.TemporaryDirectory[str]") -> None:
    server.kill()
    server.wait(10)
    folder.cleanup()


def serve(where: str) -> None:
    """Fork a command for each who connects, until standard input ends."""
    _import_all()
    woken, wake = socket.socketpair()
    for end in (woken, wake):
        end.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake.fileno())
    selector = selectors.DefaultSelector()
    running: dict[int, socket.socket] = {}
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(where)
        listener.listen(64)
        for source in (listener, woken, sys.stdin):
            selector.register(source, selectors.EVENT_READ)
        sys.stdout.write(READY)
        sys.stdout.flush()
        while True:
            for key, _ in selector.select():
                if key.fileobj is sys.stdin:
                    return
                if key.fileobj is listener:
                    client, _ = listener.accept()
                    pid = _start(client)
                    running[pid] = client
                    selector.register(client, selectors.EVENT_READ, pid)
                elif key.fileobj is woken:
                    woken.recv(4096)
                elif key.data in running and isinstance(key.fileobj, socket.socket):
                    # a client that was killed
                    selector.unregister(key.fileobj)
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(key.data, signal.SIGKILL)
            _reap(running, selector)


def _import_all() -> None:
    import typer  # noqa: PLC0415

    from souvenir.cli.main import app  # noqa: PLC0415 - only the process that forks
    from souvenir.patterns import compile_all  # noqa: PLC0415

    root: Any = typer.main.get_command(app)
    list(root.commands.items())
    compile_all()


def _start(client: socket.socket) -> int:
    head, streams = _received(client)
    size = int.from_bytes(head, "big")
    request = b""
    while len(request) < size:
        request += client.recv(size - len(request))
    pid = os.fork()
    if not pid:
        _run(json.loads(request), streams)
    for stream in streams:
        os.close(stream)
    client.sendall(pid.to_bytes(_HEAD, "big"))
    return pid


def _received(client: socket.socket) -> tuple[bytes, list[int]]:
    numbers = array.array("i")
    head, extra, *_ = client.recvmsg(_HEAD, socket.CMSG_LEN(_STREAMS * numbers.itemsize))
    for _, _, data in extra:
        numbers.frombytes(data)
    return head, list(numbers)


def _reap(running: dict[int, socket.socket], selector: selectors.BaseSelector) -> None:
    while running:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            return
        client = running.pop(pid)
        with contextlib.suppress(KeyError, ValueError):
            selector.unregister(client)
        with contextlib.suppress(OSError):
            client.sendall(os.waitstatus_to_exitcode(status).to_bytes(_HEAD, "big", signed=True))
        client.close()


def _run(request: dict[str, Any], streams: list[int]) -> None:
    """Be the command, and end as it ends."""
    status = 1
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        os.closerange(_STREAMS, 1024)
        sys.stdin = io.TextIOWrapper(io.FileIO(0, closefd=False), encoding="utf-8", errors="surrogateescape")
        sys.stdout = _text(1, "surrogateescape")
        sys.stderr = _text(2, "backslashreplace")
        os.environ.clear()
        os.environ.update(request["environ"])
        os.chdir(request["cwd"])
        sys.argv = ["souvenir", *request["arguments"]]
        from souvenir.cli.main import main  # noqa: PLC0415

        main()
        status = 0
    except SystemExit as ending:
        status = ending.code if isinstance(ending.code, int) else 0 if ending.code is None else 1
    except BaseException:  # noqa: BLE001 - as the interpreter would
        traceback.print_exc()
    finally:
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        with contextlib.suppress(BaseException):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


def _text(number: int, errors: str) -> io.TextIOWrapper:
    raw = open(number, "wb", closefd=False)  # noqa: SIM115 - it lives as long as the process
    return io.TextIOWrapper(raw, encoding="utf-8", errors=errors, line_buffering=os.isatty(number), write_through=False)


if __name__ == "__main__":
    serve(sys.argv[1])
