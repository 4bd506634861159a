"""`souvenir chat`: talk to a running server from a terminal, see what it remembers and why, and let it forget."""

import contextlib
import sys
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from souvenir.api.memory_schemas import MemoryEntry, MemoryHistory
from souvenir.cli.chat_client import ChatClient, Event, address, checked_user
from souvenir.cli.run import plain, settings_from_environment
from souvenir.errors import BadInput, SouvenirError, StartError
from souvenir.stores.chat_rules import is_ulid
from souvenir.types import JsonObject

_NEW = "new"
_LISTED = 100
_OFFERED = 20
_SHOWN = 5
_SHOWN_CHARACTERS = 70
_HELP = """\
/memories [TEXT]    what is remembered of you; with a text, only what contains it
/forget TEXT or ID  forget it; asks which if several fit
/why                where the memories of the last answer are from
/new                another thread
/quit               leave, as does Ctrl-D
Ctrl-C breaks off an answer. A space before / says it instead."""


def chat(
    thread: Annotated[str | None, typer.Option(help="Go on with this thread; unset: a new one.")] = None,
    model: Annotated[str | None, typer.Option(help="The model to answer; unset: the one that suits.")] = None,
    url: Annotated[
        str | None, typer.Option(help="Where the server is; unset: SOUVENIR_HOST and SOUVENIR_PORT.")
    ] = None,
    user: Annotated[
        str | None,
        typer.Option(help="Who you are, where the server lets you say so: without auth, or by a service key."),
    ] = None,
    no_memory: Annotated[bool, typer.Option("--no-memory", help="Neither recall nor learn anything.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Also tell which model answers, and why.")] = False,
) -> None:
    """Talk to a running server. With text piped in, every line is a message; exit 1 if an answer failed."""
    settings = settings_from_environment()
    key = settings.api_key.get_secret_value() if settings.api_key is not None else None
    is_prompt = sys.stdin.isatty() and sys.stdout.isatty()
    with ChatClient(address(url, settings), key, checked_user(user)) as client:
        who = client.whoami()
        screen = Screen(verbose=verbose, apart=not is_prompt)
        talk = Talk(client, screen, thread=thread or _NEW, model=model, use_memory=not no_memory)
        if is_prompt:
            screen.note(f"You are {who or 'nobody in particular'} at {client.url}. /help tells what else there is.")
            Prompt(talk, client, screen).run()
        elif not _say_all(talk):
            raise typer.Exit(1)


class Screen:
    """What people see: answers as they come, and notes about them, dim; apart, on stderr, where answers are piped."""

    def __init__(self, *, verbose: bool, apart: bool) -> None:
        self.verbose = verbose
        self._apart = apart
        self._notes = Console(stderr=apart, highlight=False)
        self._errors = Console(stderr=True, highlight=False)
        self._dim = "" if self._notes.no_color else "dim"
        self._is_midline = False

    def write(self, words: str) -> None:
        """More of an answer."""
        sys.stdout.write(plain(words.replace("\r", "")))
        sys.stdout.flush()
        self._is_midline = bool(words) and not words.endswith("\n")

    def end(self) -> None:
        """End the line of an answer, if one was begun."""
        if self._is_midline:
            self.write("\n")

    def note(self, text: str) -> None:
        """Something about an answer."""
        if not self._apart:
            self.end()
        self._notes.print(Text(plain(text), style=self._dim), soft_wrap=True)

    def tell(self, text: str) -> None:
        """Something that was asked for."""
        self._notes.print(Text(plain(text)), soft_wrap=True)

    def fail(self, error: str) -> None:
        """What went wrong."""
        self.end()
        self._errors.print(Text(f"souvenir: {plain(error)}", style="red"), soft_wrap=True)


class Talk:
    """One conversation: the thread it is in, and the memories of its last answer."""

    def __init__(self, client: ChatClient, screen: Screen, *, thread: str, model: str | None, use_memory: bool) -> None:
        self._client = client
        self._screen = screen
        self._options = {"use_memory": use_memory} | ({"model": model} if model is not None else {})
        self.thread = thread
        self.memories: list[JsonObject] = []

    def renew(self) -> None:
        """Begin another thread."""
        self.thread, self.memories = _NEW, []

    def say(self, text: str) -> bool:
        """Send a message and show its answer; whether it came whole. Raises StartError when there is no server.

        Ctrl-C stops the answer, and is raised on.
        """
        self.memories = []
        failed = False
        try:
            with contextlib.closing(self._client.say(self.thread, {"content": text, **self._options})) as events:
                for event in events:
                    self._show(event)
                    failed = event.name == "error"
        except KeyboardInterrupt:
            self._stop()
            raise
        except StartError:
            self._screen.end()
            raise
        except SouvenirError as error:
            self._screen.fail(str(error))
            failed = True
        return not failed

    def _show(self, event: Event) -> None:
        data, screen = event.data, self._screen
        match event.name:
            case "thread":
                self._enter(str(data.get("thread_id")))
            case "memory":
                self.memories = [one for one in data.get("memories") or () if isinstance(one, dict)]
            case "rewrite":
                screen.note(f"understood as: {data.get('rewritten')}")
            case "delta":
                screen.write(str(data.get("content") or ""))
            case "done":
                screen.end()
                if self.memories:
                    screen.note(_line_of(self.memories))
            case "error":
                screen.fail(str(data.get("message")))
            case _ if screen.verbose:
                screen.note(_inner(event))

    def _enter(self, thread: str) -> None:
        if self.thread not in {_NEW, thread}:
            self._screen.note(f"You have no thread {self.thread}; this is a new one: {thread}")
        self.thread = thread

    def _stop(self) -> None:
        self._screen.end()
        if self.thread == _NEW:
            self._screen.note("(left; the answer had not begun)")
            return
        try:
            self._client.stop(self.thread)
            self._screen.note("(stopped)")
        except SouvenirError as error:
            self._screen.fail(str(error))


class Prompt:
    """Asks for messages and commands until its user leaves."""

    def __init__(self, talk: Talk, client: ChatClient, screen: Screen) -> None:
        self._talk = talk
        self._client = client
        self._screen = screen
        self._commands: dict[str, Callable[[str], None]] = {
            "/memories": self._list,
            "/forget": self._forget,
            "/why": lambda _: self._why(),
            "/new": lambda _: self._renew(),
            "/help": lambda _: self._screen.tell(_HELP),
        }

    def run(self) -> None:
        """Go on until Ctrl-D or /quit."""
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401, PLC0415 - makes input() a line that can be edited; not on every system
        while (line := self._next()) is not None:
            try:
                self._take(line)
            except SouvenirError as error:
                self._screen.fail(str(error))
            except KeyboardInterrupt:
                self._screen.end()
        if self._talk.thread != _NEW:
            self._screen.note(f"Go on with: souvenir chat --thread {self._talk.thread}")

    def _next(self) -> str | None:
        """What is typed next; None when the user leaves."""
        while True:
            try:
                line = input("> ")
            except EOFError:
                self._screen.tell("")
                return None
            except KeyboardInterrupt:
                self._screen.tell("\n(Ctrl-D leaves)")
            except UnicodeDecodeError:
                self._screen.fail("that was not UTF-8")
            else:
                return None if line.strip() == "/quit" else line.encode(errors="replace").decode()

    def _take(self, line: str) -> None:
        name, _, rest = line.partition(" ")
        if not line.strip():
            return
        if not line.startswith("/"):
            self._talk.say(line.strip())
        elif (command := self._commands.get(name)) is not None:
            command(rest.strip())
        else:
            self._screen.fail(f"there is no command {name}; /help lists them, and a space before it says it instead")

    def _renew(self) -> None:
        self._talk.renew()
        self._screen.note("A new thread.")

    def _list(self, containing: str) -> None:
        found = self._client.memories(containing, _LISTED)
        for memory in found.memories:
            self._screen.tell(f"{memory.memory_id}  {_day(memory.created_at)}  {memory.category:<12}  {memory.content}")
        if not found.memories:
            self._screen.tell("Nothing is remembered that contains this." if containing else "Nothing is remembered.")
        if found.next_cursor is not None:
            self._screen.note(
                f"These are the newest {len(found.memories)}; with a text it lists only what contains it."
            )

    def _forget(self, what: str) -> None:
        if not what:
            raise BadInput("/forget", "say what: some of its words, or its id as /memories shows it")
        for memory in self._meant(what):
            self._client.forget(memory.memory_id)
            self._screen.tell(f"Forgotten: {memory.content}")

    def _meant(self, what: str) -> Sequence[MemoryEntry]:
        known = self._client.memory(what) if is_ulid(what) else None
        if known is not None and known.deleted_at is None:
            return [known]
        found = self._client.memories(what, _OFFERED)
        if len(found.memories) > 1:
            return self._chosen(found.memories, more=found.next_cursor is not None)
        if not found.memories:
            self._screen.tell("Nothing is remembered that contains this.")
        return found.memories

    def _chosen(self, memories: Sequence[MemoryEntry], *, more: bool) -> Sequence[MemoryEntry]:
        for number, memory in enumerate(memories, start=1):
            self._screen.tell(f"{number:>3}. {memory.content}")
        if more:
            self._screen.note("There are more; say more of what you mean to see others.")
        try:
            answer = input("Forget which? Numbers, or nothing: ")
        except (EOFError, KeyboardInterrupt):
            self._screen.tell("")
            answer = ""
        words = answer.replace(",", " ").split()
        if not set(words) <= {str(number) for number in range(1, len(memories) + 1)}:
            raise BadInput("/forget", f"the numbers are 1 to {len(memories)}; nothing was forgotten")
        if not words:
            self._screen.tell("Nothing was forgotten.")
        return [memories[number - 1] for number in sorted(set(map(int, words)))]

    def _why(self) -> None:
        if not self._talk.memories:
            self._screen.tell("The last answer had no memories to go by.")
        for memory in self._talk.memories:
            memory_id = memory.get("memory_id")
            history = self._client.history(str(memory_id)) if memory_id else None
            self._screen.tell("\n     ".join(_reasons(memory, history, self._talk.thread)))


def _say_all(talk: Talk) -> bool:
    """Say every line of standard input, also after one that failed; whether all were answered."""
    failed = 0
    for line in _lines():
        failed += not talk.say(line)
    return not failed


def _lines() -> Iterable[str]:
    for number, line in enumerate(sys.stdin.buffer, start=1):
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8").strip()
        except UnicodeDecodeError:
            raise BadInput(f"line {number}", "is not UTF-8") from None
        if text:
            yield text


def _line_of(memories: Sequence[JsonObject]) -> str:
    """The memories of an answer in one line."""
    more = f" · and {len(memories) - _SHOWN} more: /why" if len(memories) > _SHOWN else ""
    return "memory: " + " · ".join(_short(one) for one in memories[:_SHOWN]) + more


def _short(memory: JsonObject) -> str:
    content = _content(memory)
    cut = content if len(content) <= _SHOWN_CHARACTERS else f"{content[: _SHOWN_CHARACTERS - 1]}…"
    score = memory.get("score")
    citation = f"{memory['citation']} " if memory.get("citation") else ""
    return f"{citation}{cut}{f' ({score:.2f})' if isinstance(score, int | float) else ''}"


def _content(memory: JsonObject) -> str:
    content = " ".join(str(memory.get("content") or "").split())
    if memory.get("kind") != "fact":
        return content
    rank = f" {memory['rank']}" if memory.get("rank") else ""
    return f"{str(memory.get('topic')).replace('_', ' ')}{rank}: {content}"


def _reasons(memory: JsonObject, history: MemoryHistory | None, thread: str) -> list[str]:
    """A memory of an answer: what it says, how well it fits, where it is from, and why it is kept."""
    score = memory.get("score")
    fit = [f"score {score:.2f}"] if isinstance(score, int | float) else ["known to the letter"]
    source = memory.get("source") or {}
    lines = [f"{memory.get('citation') or '    '} {_content(memory)}"]
    versions = history.versions if history is not None else []
    own = next((one for one in versions if one.memory_id == memory.get("memory_id")), None)
    if own is not None:
        source = source or (own.source.model_dump() if own.source is not None else {})
    kind = " ".join(filter(None, (memory.get("category"), memory.get("kind"))))
    lines.append(
        ", ".join([kind or "memory", *fit, f"from {_moment(memory.get('created_at'))}{_place(source, thread)}"])
    )
    if own is not None and own.reasoning:
        lines.append(f"kept because: {own.reasoning}")
    lines += [f"before: {one.content}" for one in versions if own is not None and one.version < own.version]
    return lines


def _place(source: JsonObject, thread: str) -> str:
    if source.get("shared_by"):
        return f", shared by {source['shared_by']}"
    if not source.get("chat_id"):
        return ""
    return ", said in this thread" if source["chat_id"] == thread else f", said in thread {source['chat_id']}"


def _inner(event: Event) -> str:
    """What only somebody who wants to know all of it sees."""
    data = event.data
    match event.name:
        case "route":
            return f"{data.get('provider')}/{data.get('model')}: {data.get('reason')}"
        case "tool_call":
            return f"looks up {data.get('name')} {data.get('arguments')}"
        case "tool_result":
            return f"looked it up in {data.get('milliseconds')} ms"
        case "usage":
            return f"{data.get('prompt_tokens')} tokens read, {data.get('completion_tokens')} written"
    return event.name


def _moment(value: object) -> str:
    try:
        return f"{datetime.fromisoformat(str(value)).astimezone():%Y-%m-%d %H:%M}"
    except ValueError:
        return "some time"


def _day(moment: datetime) -> str:
    return f"{moment.astimezone():%Y-%m-%d}"
