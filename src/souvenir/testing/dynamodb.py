"""A DynamoDB-compatible server for tests: moto behind HTTP, in a process of its own that can be killed and restarted.

moto keeps everything in memory. The journal written here stands in for DynamoDB's own durability, which no test of ours
can prove: each write that succeeded is in a file before its answer goes out, and a new process replays the file. What
tests with `kill` show is that Souvenir loses and doubles nothing over an engine that keeps what it acknowledged.

Mended here, because moto 5.2 does otherwise: a transaction's token is honoured for as long as the journal lives;
transactions over 4 MB are refused; requests run one at a time, so that none sees half a transaction (which also means
that there is never a TransactionConflict); and transactions and queries cost what they touch, not what the tables hold.
"""

import argparse
import contextlib
import copy
import io
import json
import os
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from souvenir.testing.processes import SouvenirProcess, environment

# exactly these, so that nothing of the machine's own AWS configuration comes in
CREDENTIALS: Mapping[str, str] = {
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    "AWS_EC2_METADATA_DISABLED": "true",
}
REGION = "eu-central-1"

_WRITES = {
    "CreateTable", "UpdateTable", "DeleteTable", "UpdateContinuousBackups",
    "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems",
}  # fmt: skip
_MOST_BYTES = 4 * 1024 * 1024

Environ = dict[str, Any]
StartResponse = Callable[..., Any]
WsgiApp = Callable[[Environ, StartResponse], Iterable[bytes]]


class DynamoDbForTests:
    """A server over a folder: what was written is there again after `kill` and `restart`, at the same address."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: SouvenirProcess | None = None
        self._port = 0

    def __enter__(self) -> "DynamoDbForTests":
        self._folder.mkdir(parents=True, exist_ok=True)
        self.restart()
        return self

    def __exit__(self, *_exc: object) -> None:
        self.kill()

    @property
    def endpoint_url(self) -> str:
        """For SOUVENIR_DYNAMODB_ENDPOINT_URL; the region is REGION and the credentials are CREDENTIALS."""
        return f"http://127.0.0.1:{self._port}"

    def kill(self) -> None:
        """`kill -9`; nothing answers until `restart`."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()

    def restart(self) -> None:
        """Start it with what its journal holds, and wait until it listens."""
        self.kill()
        journal = self._folder / "dynamodb.journal"
        command = [sys.executable, "-m", "souvenir.testing.dynamodb", "--journal", str(journal)]
        self._process = SouvenirProcess([*command, "--port", str(self._port)], environment({}), self._folder)
        self._port = int(self._process.url.rpartition(":")[2])


class JournaledDynamoDb:
    """moto's DynamoDB as a WSGI application that writes down what it did."""

    def __init__(self, app: WsgiApp, journal: Path) -> None:
        self._app = app
        self._lock = threading.Lock()
        self._tokens: dict[str, tuple[str, bytes]] = {}
        self._replay(journal)
        self._file = journal.open("ab", buffering=0)

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request; requests wait for each other."""
        target = environ.get("HTTP_X_AMZ_TARGET", "").rpartition(".")[2]
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0)).decode()
        auth = environ.get("HTTP_AUTHORIZATION", "")
        with self._lock:
            status, headers, answer = self._answer(environ, target, body)
            if target in _WRITES and status.startswith("200"):
                # one unbuffered write: after kill -9 a line is there whole or is the torn last one
                self._file.write(json.dumps([target, auth, body]).encode() + b"\n")
        start_response(status, headers)
        return [answer]

    def _answer(self, environ: Environ, target: str, body: str) -> tuple[str, list[tuple[str, str]], bytes]:
        if target != "TransactWriteItems":
            return self._execute(environ, body)
        request = json.loads(body)
        token = request.pop("ClientRequestToken", "")
        if sum(_size(item) for item in request["TransactItems"]) > _MOST_BYTES:
            return _refusal("ValidationException", "Transaction request exceeds the maximum size of 4 MB")
        known = self._tokens.get(token)
        content = json.dumps(request, sort_keys=True)
        if known is not None and known[0] != content:
            return _refusal("IdempotentParameterMismatchException", "the token was used for another request")
        if known is not None:
            return "200 OK", [_JSON, ("Content-Length", str(len(known[1])))], known[1]
        status, headers, answer = self._execute(environ, body)
        if token and status.startswith("200"):
            self._tokens[token] = content, answer
        return status, headers, answer

    def _execute(self, environ: Environ, body: str) -> tuple[str, list[tuple[str, str]], bytes]:
        started: list[Any] = []
        data = body.encode()
        fresh = environ | {"wsgi.input": io.BytesIO(data), "CONTENT_LENGTH": str(len(data))}
        answer = b"".join(self._app(fresh, lambda *response: started.extend(response)))
        return started[0], started[1], answer

    def _replay(self, journal: Path) -> None:
        """Do again what is written down; a torn last line was never acknowledged and is cut off."""
        if not journal.exists():
            return
        whole, _, torn = journal.read_bytes().rpartition(b"\n")
        for line in whole.splitlines():
            target, auth, body = json.loads(line)
            self._answer(_environ(target, auth), target, body)
        if torn:
            os.truncate(journal, journal.stat().st_size - len(torn))


_JSON = ("Content-Type", "application/x-amz-json-1.0")


def _refusal(name: str, message: str) -> tuple[str, list[tuple[str, str]], bytes]:
    error = {"__type": f"com.amazonaws.dynamodb.v20120810#{name}", "message": message}
    answer = json.dumps(error).encode()
    return "400 Bad Request", [_JSON, ("Content-Length", str(len(answer)))], answer


def _size(value: Any) -> int:
    """About what DynamoDB counts a transaction as: names and values, binaries as they are."""
    if isinstance(value, dict):
        if set(value) == {"B"} and isinstance(value["B"], str):
            return len(value["B"]) * 3 // 4
        return sum(len(name) + _size(inner) for name, inner in value.items())
    if isinstance(value, list):
        return sum(_size(inner) for inner in value)
    return len(value.encode()) if isinstance(value, str) else 1


def _environ(target: str, auth: str) -> Environ:
    from werkzeug.test import EnvironBuilder  # noqa: PLC0415 - only in the server's process

    headers = [("X-Amz-Target", f"DynamoDB_20120810.{target}"), ("Authorization", auth), _JSON]
    return EnvironBuilder(method="POST", path="/", headers=headers).get_environ()


def _mend_moto() -> None:
    """Undo item by item what moto undoes by copying both tables, and query one partition rather than all."""
    from moto.dynamodb.models import DynamoDBBackend  # noqa: PLC0415 - only in the server's process
    from moto.dynamodb.models.table import Table  # noqa: PLC0415

    transact, query = DynamoDBBackend.transact_write_items, Table.query

    def transact_by_item(self: DynamoDBBackend, transact_items: list[dict[str, Any]]) -> None:
        before = [_place(self, item) for item in transact_items]
        try:
            transact(self, transact_items)
        except Exception:
            for items, key, old in before:
                if old is None:
                    items.pop(key, None)
                else:
                    items[key] = old
            raise

    def query_partition(self: Table, hash_key: Any, *args: Any, **kwargs: Any) -> Any:
        conditions = kwargs.get("hash_key_conditions")
        wanted = conditions[0][1] if conditions else hash_key
        partition = copy.copy(self)
        partition.items = defaultdict(dict, {wanted: self.items.get(wanted, {})})
        return query(partition, hash_key, *args, **kwargs)

    DynamoDBBackend.transact_write_items = transact_by_item  # type: ignore[method-assign]
    Table.query = query_partition  # type: ignore[method-assign]
    Table.__deepcopy__ = lambda self, _memo: self  # type: ignore[attr-defined]


def _place(backend: Any, item: dict[str, Any]) -> tuple[dict[Any, Any], Any, Any]:
    """Where a transaction's item lies, its key there, and a copy of what is there now."""
    from moto.dynamodb.models.dynamo_type import DynamoType  # noqa: PLC0415 - only in the server's process

    (operation,) = item.values()
    table = backend.get_table(operation["TableName"])
    keyed = operation["Item"] if "Item" in operation else operation["Key"]
    items = table.items[DynamoType(keyed[table.hash_key_attr])]
    key = DynamoType(keyed[table.range_key_attr])
    return items, key, copy.deepcopy(items.get(key))


def _end_with(parent: int) -> None:
    """End when the test run does, however it ended."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(0)


def main() -> None:
    """Serve until killed."""
    from moto.moto_server.werkzeug_app import create_backend_app  # noqa: PLC0415 - slow, and only needed here
    from werkzeug.serving import WSGIRequestHandler, make_server  # noqa: PLC0415

    class Quiet(WSGIRequestHandler):
        """Without a line per request, and without waiting for more to send."""

        disable_nagle_algorithm = True

        def log(self, type: str, message: str, *args: Any) -> None:  # noqa: A002
            """Say nothing."""

    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--journal", type=Path, required=True)
    chosen = parser.parse_args()
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    _mend_moto()
    app = JournaledDynamoDb(create_backend_app("dynamodb"), chosen.journal)
    server = make_server("127.0.0.1", chosen.port, app, threaded=True, request_handler=Quiet)
    print(f"dynamodb is on http://127.0.0.1:{server.port}", flush=True)  # noqa: T201
    with contextlib.suppress(KeyboardInterrupt):
        server.serve_forever()


if __name__ == "__main__":
    main()
