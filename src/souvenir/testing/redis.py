"""A real Redis for tests: one server or a Cluster of three, started in a folder, killed and restarted at will."""

import contextlib
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from redis import Redis
from redis.exceptions import RedisError

from souvenir.testing.processes import eventually

_NODES = 3
_SLOTS = 16384
# a Cluster's servers talk to each other on their port plus this
_BUS = 10_000
_STARTS = 5

# Tests of durability say `appendfsync: always`. With `everysec` Redis answers before it has written to its file while
# a sync is still running, for up to two seconds, so that even `kill -9` of the process alone can lose what it answered.
_OPTIONS = {"appendonly": "yes", "appendfsync": "everysec", "save": "", "bind": "127.0.0.1", "daemonize": "no"}
_CLUSTER_OPTIONS = {"cluster-enabled": "yes", "cluster-config-file": "nodes.conf", "cluster-node-timeout": "2000"}


class RedisForTests:
    """Belongs to the process that starts it. `options` are lines of redis.conf that differ from an AOF every second."""

    def __init__(self, folder: Path, *, cluster: bool = False, options: Mapping[str, str] | None = None) -> None:
        if shutil.which("redis-server") is None:
            raise RuntimeError("redis-server is not on the PATH: install it with `apt-get install redis-server`")
        self._cluster = cluster
        own = {**_OPTIONS, **(_CLUSTER_OPTIONS if cluster else {}), **(options or {})}
        count = _NODES if cluster else 1
        self._servers = [_Server(folder / str(number), own) for number in range(count)]

    def __enter__(self) -> "RedisForTests":
        try:
            for server in self._servers:
                server.start()
            if self._cluster:
                self._join()
        except BaseException:
            self.kill()
            raise
        return self

    def __exit__(self, *_exc: object) -> None:
        self.kill()

    @property
    def port(self) -> int:
        """The port of the server, or of the Cluster's first."""
        return self._servers[0].port

    @property
    def url(self) -> str:
        """Where it answers, with the password if it has one."""
        return self._servers[0].url

    def kill(self) -> None:
        """`kill -9` of every server: nothing is flushed, nothing is said."""
        for server in self._servers:
            server.kill()

    def restart(self) -> None:
        """Start what was killed, on the same ports and files, and wait until it answers."""
        for server in self._servers:
            server.restart()
        if self._cluster:
            self._wait_until_joined()

    @contextlib.contextmanager
    def clients(self) -> Iterator[list["Redis"]]:
        """A plain client of each server, to look behind the store's back."""
        with contextlib.ExitStack() as stack:
            yield [stack.enter_context(server.client()) for server in self._servers]

    def _join(self) -> None:
        share = -(-_SLOTS // _NODES)
        with self.clients() as clients:
            for number, client in enumerate(clients):
                slots = range(number * share, min((number + 1) * share, _SLOTS))
                _ask(client, "CLUSTER ADDSLOTS", *slots)
                _ask(client, "CLUSTER SET-CONFIG-EPOCH", number + 1)
                _ask(client, "CLUSTER MEET", "127.0.0.1", self.port)
        self._wait_until_joined()

    def _wait_until_joined(self) -> None:
        with self.clients() as clients:
            for client in clients:
                eventually(_knows_all(client), 30)


class _Server:
    """One redis-server process in a folder of its own."""

    def __init__(self, folder: Path, options: Mapping[str, str]) -> None:
        self._folder = folder
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None
        self.port = 0

    @property
    def url(self) -> str:
        password = self._options.get("requirepass")
        return f"redis://{f':{password}@' if password else ''}127.0.0.1:{self.port}/0"

    def start(self) -> None:
        self._folder.mkdir(parents=True)
        for _ in range(_STARTS):
            self.port = _free_port()
            self._launch()
            if self._answers():
                return
        raise RuntimeError(f"redis-server does not start: {(self._folder / 'redis.log').read_text()}")

    def restart(self) -> None:
        self._launch()
        if not self._answers():
            raise RuntimeError(f"redis-server does not start again: {(self._folder / 'redis.log').read_text()}")

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(10)
            self._process = None

    def client(self) -> Redis:
        return Redis.from_url(self.url, decode_responses=True)

    def _launch(self) -> None:
        own = {**self._options, "port": str(self.port), "dir": str(self._folder), "logfile": "redis.log"}
        arguments = [part for name, value in own.items() for part in (f"--{name}", value)]
        self._process = subprocess.Popen(["redis-server", *arguments], stdin=subprocess.DEVNULL)

    def _answers(self) -> bool:
        """Wait for the first answer; False when the process ended instead, for example because the port was taken."""
        process = self._process
        assert process is not None
        with self.client() as client:
            eventually(lambda: process.poll() is not None or _pings(client), 30)
        return process.poll() is None


def _pings(client: Redis) -> bool:
    try:
        return bool(client.ping())
    except RedisError:
        return False


def _knows_all(client: Redis) -> Callable[[], bool]:
    def joined() -> bool:
        info = _ask(client, "CLUSTER INFO")
        return bool(info["cluster_state"] == "ok" and info["cluster_known_nodes"] == str(_NODES))

    return joined


def _ask(client: Redis, *command: Any) -> Any:
    return client.execute_command(*command)  # type: ignore[no-untyped-call]


def _free_port() -> int:
    """A port that nobody listens on, and neither on the one that goes with it in a Cluster."""
    while True:
        with socket.socket() as first, socket.socket() as bus:
            first.bind(("127.0.0.1", 0))
            port = int(first.getsockname()[1])
            if port + _BUS > 65_535:
                continue
            with contextlib.suppress(OSError):
                bus.bind(("127.0.0.1", port + _BUS))
                return port
