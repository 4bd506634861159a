"""The socket a server listens on."""

import socket

_BACKLOG = 2048


def open_listener(host: str, port: int) -> socket.socket:
    """A listening TCP socket. Raises OSError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # the protocol is named because asyncio turns Nagle's algorithm off only where it is; a stream without that waits
    # 40 ms for an acknowledgement before its second token
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(_BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener
