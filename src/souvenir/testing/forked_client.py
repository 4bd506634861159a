"""The small end of `forked`: imports nothing that takes time, and stands for the command to whoever started it."""

import array
import json
import os
import signal
import socket
import sys

_HEAD = 4
_PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


def main() -> None:
    """Hand everything over, then wait."""
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(sys.argv[1])
        whole = {"arguments": sys.argv[2:], "environ": dict(os.environ), "cwd": os.getcwd()}  # noqa: PTH109
        request = json.dumps(whole).encode()
        streams = array.array("i", [0, 1, 2])
        server.sendmsg(
            [len(request).to_bytes(_HEAD, "big")], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, streams.tobytes())]
        )
        server.sendall(request)
        pid = int.from_bytes(_read(server), "big")
        for number in _PASSED_ON:
            signal.signal(number, lambda number, _: os.kill(pid, number))
        status = int.from_bytes(_read(server), "big", signed=True)
    if status < 0:
        signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    sys.exit(status)


def _read(server: socket.socket) -> bytes:
    read = b""
    while len(read) < _HEAD:
        more = server.recv(_HEAD - len(read))
        if not more:
            sys.exit("the process that forks commands is gone")
        read += more
    return read


if __name__ == "__main__":
    main()
