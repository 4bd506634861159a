"""The connection to Redis: a single server or a Cluster, checked at start, bounded, with errors in our own words."""

import asyncio
import contextlib
import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

import structlog
from redis import exceptions
from redis.asyncio import Redis, RedisCluster
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from souvenir.config import Settings
from souvenir.errors import DatabaseError, Unavailable
from souvenir.stores.redis.scripts import Script

log = structlog.get_logger(__name__)

OLDEST_SERVER = (6, 2)

_SCAN_COUNT = 1000

# what a server says when it cannot serve now: redis-py has classes for some, and knows none inside a script's error,
# where the word stands before version 7
_REFUSALS = (
    exceptions.OutOfMemoryError,
    exceptions.ReadOnlyError,
    exceptions.NoPermissionError,
    exceptions.TryAgainError,
)
_REFUSING_WORDS = ("OOM ", "READONLY", "NOPERM", "TRYAGAIN", "MISCONF", "NOREPLICAS", "BUSY", "MASTERDOWN")


class RedisConnection:
    """One process's connections. Replies come back as bytes; nothing is sent twice unless the caller says it may be."""

    def __init__(self, settings: Settings) -> None:
        self._url = settings.redis_url.get_secret_value()
        self._seconds = settings.database_timeout_seconds
        self._size = settings.database_pool_size
        # redis-py's pools refuse what is over their size; ours waits
        self._free = asyncio.Semaphore(self._size)
        self._client: Redis | RedisCluster | None = None

    async def open(self) -> None:
        """Reach the server, find out what it is, and check it. Raises DatabaseError."""
        place = describe(self._url)
        try:
            await self._connect()
        except (
            exceptions.RedisError,
            exceptions.RedisClusterException,
            OSError,
            TypeError,
            ValueError,
            Unavailable,
        ) as error:
            await self.aclose()
            raise DatabaseError(f"cannot use Redis at {place}: {_reason(error)}; check SOUVENIR_REDIS_URL") from None
        except BaseException:
            await self.aclose()
            raise

    async def aclose(self) -> None:
        """Close every connection. Calling it twice is fine."""
        client, self._client = self._client, None
        if client is None:
            return
        await client.aclose()
        if isinstance(client, RedisCluster):
            # it forgets its connections when it has just lost a node
            await client.nodes_manager.aclose()
            await client.nodes_manager.aclose("startup_nodes")

    async def execute(self, *command: Any, resend: bool, **options: Any) -> Any:
        """One command and its reply. Raises Unavailable.

        With `resend` it is sent once more when the connection broke, although the server may have run it already.
        """
        if self._client is None:
            raise Unavailable("Redis is not open")
        try:
            async with asyncio.timeout(self._seconds):
                await self._free.acquire()
        except TimeoutError:
            raise Unavailable("Redis does not answer: every connection is waiting") from None
        try:
            return await self._send(self._client, command, options, sends=2 if resend else 1)
        finally:
            self._free.release()

    async def run(self, script: Script, keys: Sequence[str], arguments: Sequence[str | int], *, resend: bool) -> Any:
        """Run a script on the server that has the keys. Raises Unavailable."""
        operands = (len(keys), *keys, *arguments)
        try:
            return await self.execute("EVALSHA", script.sha, *operands, resend=resend)
        except exceptions.NoScriptError:
            # EVAL also makes this server, and on a Cluster only this one, know the script from now on
            return await self.execute("EVAL", script.text, *operands, resend=resend)

    async def on_every_primary(self, *command: Any) -> list[Any]:
        """The replies of the single server, or of each of a Cluster's primaries, to a command that only reads."""
        return [await self.execute(*command, resend=True, **node) for node in self._primaries()]

    async def scan(self, pattern: str) -> set[bytes]:
        """Every key that matches, of every server."""
        found: set[bytes] = set()
        for node in self._primaries():
            cursor = 0
            while True:
                command = ("SCAN", cursor, "MATCH", pattern, "COUNT", _SCAN_COUNT)
                reply, keys = await self.execute(*command, resend=True, **node)
                found |= set(keys)
                # a Cluster's client names the server with its cursor
                cursor = int(next(iter(reply.values())) if isinstance(reply, dict) else reply)
                if cursor == 0:
                    break
        return found

    def _primaries(self) -> list[dict[str, Any]]:
        # for each server that holds data, the options that send a command there
        if isinstance(self._client, RedisCluster):
            return [{"target_nodes": node} for node in self._client.get_primaries()]
        return [{}]

    async def _send(
        self, client: Redis | RedisCluster, command: Sequence[Any], options: dict[str, Any], sends: int
    ) -> Any:
        while True:
            sends -= 1
            try:
                return await client.execute_command(*command, **options)
            except exceptions.ConnectionError as error:
                if sends == 0:
                    raise Unavailable("Redis does not answer") from error
            except (exceptions.TimeoutError, exceptions.ClusterError, exceptions.RedisClusterException) as error:
                raise Unavailable("Redis does not answer") from error
            except exceptions.ResponseError as error:
                if not _refuses(error):
                    raise
                await self._drop_idle(client)
                raise Unavailable(f"Redis refuses to serve now: {str(error).split(' script: ')[0]}") from error

    async def _drop_idle(self, client: Redis | RedisCluster) -> None:
        # a primary that became a replica keeps its connections; new ones reach the new primary under the same name
        if isinstance(client, Redis):
            await client.connection_pool.disconnect(inuse_connections=False)

    async def _connect(self) -> None:
        options: dict[str, Any] = {
            # what may be sent again is decided above, command by command
            "retry": Retry(NoBackoff(), 0),
            "socket_timeout": self._seconds,
            "socket_connect_timeout": self._seconds,
            # more than are used at once: a broken one counts until it is put away
            "max_connections": 2 * self._size,
            "protocol": 2,
        }
        self._client = Redis.from_url(self._url, **options)
        # not by `execute`: what goes wrong here is told as it is
        info = await self._client.execute_command("INFO")  # type: ignore[no-untyped-call]
        _verify(info)
        if info.get("cluster_enabled"):
            await self._client.aclose()
            self._client = RedisCluster.from_url(self._url, **options)
            await self._client.initialize()
        elif info.get("role") != "master":
            raise DatabaseError("Redis is a read-only replica; point SOUVENIR_REDIS_URL at the primary")
        await self._warn(await self.on_every_primary("INFO"))

    async def _warn(self, infos: Sequence[dict[str, Any]]) -> None:
        if not all(info.get("aof_enabled") for info in infos):
            log.warning(
                "redis keeps no append-only file: acknowledged messages may be lost when it stops; "
                "set 'appendonly yes' and 'appendfsync always' in its configuration"
            )
        elif not await self._syncs_always():
            log.warning(
                "redis acknowledges messages before they are on disk: the last second or two may be lost in a crash; "
                "set 'appendfsync always' in its configuration"
            )
        if any(info.get("maxmemory") and "allkeys" in info.get("maxmemory_policy", "") for info in infos):
            log.warning("redis may evict chats when its memory is full: set 'maxmemory-policy noeviction'")

    async def _syncs_always(self) -> bool:
        """Whether every server syncs before it answers; managed ones do not tell, and are not doubted."""
        with contextlib.suppress(exceptions.ResponseError, Unavailable):
            replies = await self.on_every_primary("CONFIG GET", "appendfsync")
            return all(reply.get("appendfsync") == "always" for reply in replies)
        return True


def describe(url: str) -> str:
    """Where a Redis URL points, without its credentials. Raises DatabaseError when it is none."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "localhost", parts.port or 6379
    except ValueError:
        parts = None
    # an @ behind the host is the rest of a password with / ? or # in it, of which the host is then a piece
    if parts is None or parts.scheme not in {"redis", "rediss", "unix"} or "@" in parts.path + parts.query:
        raise DatabaseError(
            "SOUVENIR_REDIS_URL is not a Redis URL: it looks like redis://user:password@host:6379/0, "
            "with special characters in the password percent-encoded"
        )
    return parts.path if parts.scheme == "unix" else f"{host}:{port}"


def _refuses(error: exceptions.ResponseError) -> bool:
    return isinstance(error, _REFUSALS) or any(word in str(error) for word in _REFUSING_WORDS)


def _verify(info: dict[str, Any]) -> None:
    version = str(info.get("redis_version"))
    found = re.match(r"(\d+)\.(\d+)", version)
    if found is None or (int(found[1]), int(found[2])) < OLDEST_SERVER:
        oldest = ".".join(map(str, OLDEST_SERVER))
        raise DatabaseError(f"Redis is version {version}; Souvenir needs {oldest} or newer")


def _reason(error: Exception) -> str:
    """One line for people; never a part of the URL."""
    if isinstance(error, exceptions.AuthenticationError) or "NOAUTH" in str(error) or "WRONGPASS" in str(error):
        return "it does not accept the user or password"
    if isinstance(error, TypeError | ValueError):
        return "the URL has an option that is not known"
    cause = error.__cause__ if isinstance(error.__cause__, OSError) else error
    return str(cause).strip().splitlines()[0].rstrip(".") if str(cause).strip() else type(cause).__name__
