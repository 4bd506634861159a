"""`souvenir chat` as a person uses it on a terminal, and as a script does."""

import contextlib
import re
import signal
import socket
import subprocess
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from souvenir.cli.chat_client import address
from souvenir.config import Settings
from souvenir.errors import BadInput
from souvenir.testing.forked import forked_command
from souvenir.testing.openai_server import HttpError, Reply, ScriptedOpenAI, Stall, ToolCall
from souvenir.testing.postgres import PostgresForTests
from souvenir.testing.processes import environment, eventually
from souvenir.testing.server import RunningSouvenir
from tests.acceptance.conftest import Serve, scripted
from tests.acceptance.terminal import Terminal, terminal
from tests.acceptance.test_identity import create_key
from tests.conftest import MakeSettings

pytestmark = pytest.mark.req("OPS-1")


@pytest.fixture
def user() -> str:
    return f"user-{uuid.uuid4()}"


class Scripted:
    """Pipes lines into the command, for one user of a server."""

    def __init__(self, url: str, user: str | None = None, key: str | None = None) -> None:
        self.options = ["--url", url] + (["--user", user] if user is not None else [])
        self.environ = {"SOUVENIR_API_KEY": key} if key is not None else {}

    def __call__(self, *said: str | bytes, status: int = 0, options: tuple[str, ...] = ()) -> tuple[str, str]:
        """What it printed: the answers, and the notes."""
        lines = b"".join(one if isinstance(one, bytes) else f"{one}\n".encode() for one in said)
        ended = subprocess.run(
            [*forked_command(), "chat", *self.options, *options],
            env=environment(self.environ), check=False, input=lines, capture_output=True, timeout=60,
        )  # fmt: skip
        notes = ended.stderr.decode()
        assert ended.returncode == status, notes
        assert "Traceback" not in notes
        assert "\x1b" not in ended.stdout.decode() + notes
        return ended.stdout.decode(), notes


@pytest.fixture
def piped(shared: RunningSouvenir, user: str) -> Scripted:
    return Scripted(shared.url, user)


@pytest.fixture
def routes(shared: RunningSouvenir, user: str) -> Iterator[httpx2.Client]:
    """The server's routes for the same user."""
    with httpx2.Client(base_url=shared.url, headers={"x-openwebui-user-id": user}, timeout=30) as client:
        yield client


def remember(routes: httpx2.Client, content: str, category: str = "identity") -> str:
    answer = routes.post("/memories", json={"content": content, "category": category})
    assert answer.status_code == 200, answer.text
    return str(answer.json()["memory"]["memory_id"])


@contextlib.contextmanager
def talking(url: str, user: str, tmp_path: Path, *options: str, **environ: str) -> Iterator[Terminal]:
    with terminal(["chat", "--url", url, "--user", user, *options], {"TZ": "UTC", **environ}, tmp_path) as shown:
        shown.wait_for(r"\n> $")
        yield shown


@pytest.fixture
def screen(shared: RunningSouvenir, user: str, tmp_path: Path) -> Iterator[Terminal]:
    with talking(shared.url, user, tmp_path) as shown:
        yield shown


# in a script


def test_every_line_is_a_message_of_one_thread_and_only_answers_are_on_stdout(
    piped: Scripted, host: ScriptedOpenAI, routes: httpx2.Client
) -> None:
    host.script("First answer.", "Zweite Antwort: Grüße 👋\nwith a line more.")
    answers, notes = piped("Tell me one thing.", "", "   ", "/help is what I say")
    assert answers == "First answer.\nZweite Antwort: Grüße 👋\nwith a line more.\n"
    assert "souvenir:" not in notes
    said = [message["content"] for message in host.chats[-1]["messages"] if message["role"] != "system"]
    assert said == ["Tell me one thing.", "First answer.", "/help is what I say"]
    (chat,) = routes.post("/chats/list", json={}).json()["conversations"]
    assert chat["title"] == "Tell me one thing."


def test_an_answer_that_fails_is_told_and_makes_the_exit_status_1_and_the_rest_goes_on(
    piped: Scripted, host: ScriptedOpenAI
) -> None:
    host.script(HttpError(403, "You are not wanted."), "Fine.")
    answers, notes = piped("One thing please.", "Another thing please.", status=1)
    assert answers == "Fine.\n"
    assert notes.startswith("souvenir: ")
    assert "You are not wanted." in notes


def test_what_the_answer_rests_on_how_it_was_understood_and_who_answered_is_beside_it(
    piped: Scripted, host: ScriptedOpenAI, routes: httpx2.Client
) -> None:
    remember(routes, "User is called Ada and works as an engineer in the old town of Lyon, with a long commute")
    host.script("A president.", "Five.")
    answers, notes = piped("Who is Donald Trump?", "who are his children", options=("-v",))
    assert answers == "A president.\nFive.\n"
    assert "understood as: Who are Donald Trump's children?\n" in notes
    assert "memory: [M1] User is called Ada and works as an engineer in the old town of Lyon, …" in notes
    assert re.search(r"^default/scripted: \S", notes, re.MULTILINE)
    assert re.search(r"^\d+ tokens read, 1 written$", notes, re.MULTILINE)
    _, brief = piped("Who is Donald Trump?")
    assert "default/scripted" not in brief


def test_without_memory_nothing_is_recalled_and_nothing_learned(
    piped: Scripted, host: ScriptedOpenAI, routes: httpx2.Client
) -> None:
    remember(routes, "User plays the cello")
    _, notes = piped("What do you remember of me?", options=("--no-memory",))
    assert "memory:" not in notes
    assert "cello" not in str(host.chats[-1]["messages"])
    _, notes = piped("What do you remember of me?")
    assert "[M1] User plays the cello" in notes
    assert "cello" in str(host.chats[-1]["messages"])


def test_a_thread_is_gone_on_with_and_a_foreign_one_is_not(
    shared: RunningSouvenir, piped: Scripted, host: ScriptedOpenAI, routes: httpx2.Client
) -> None:
    piped("The ferry leaves at seven.")
    (chat,) = routes.post("/chats/list", json={}).json()["conversations"]
    thread = str(chat["id"])
    piped("Noted?", options=("--thread", thread))
    assert "The ferry leaves at seven." in str(host.chats[-1]["messages"])
    _, notes = Scripted(shared.url, "somebody else")("Hello there, who is it?", options=("--thread", thread))
    assert f"You have no thread {thread}; this is a new one: " in notes
    assert "ferry" not in str(host.chats[-1]["messages"])


def test_a_model_is_asked_for_by_name(piped: Scripted, host: ScriptedOpenAI) -> None:
    piped("Good morning to you.", options=("--model", "other"))
    assert host.chats[-1]["model"] == "other"
    _, notes = piped("Good morning to you.", options=("--model", "nobody"), status=1)
    assert "nobody" in notes


def test_codes_that_a_terminal_would_obey_are_shown_not_sent(piped: Scripted, host: ScriptedOpenAI) -> None:
    host.script("\x1b[31mred\x1b]0;title\x07 and\r\n[red]markup[/red]")
    answers, _ = piped("Show me some colours.")
    assert answers == "�[31mred�]0;title� and\n[red]markup[/red]\n"


def test_lines_that_are_not_utf8_are_named(piped: Scripted) -> None:
    answers, notes = piped("\ufeffHello to you there.", b"caf\xe9\n", status=1)
    assert answers == "You said: Hello to you there.\n"
    assert notes.splitlines()[-1] == "souvenir: line 2: is not UTF-8"


def test_a_message_that_the_server_refuses_is_told_and_the_rest_goes_on(piped: Scripted) -> None:
    answers, notes = piped("x" * 1_000_001, "Still there, I hope?", status=1)
    assert answers == "You said: Still there, I hope?\n"
    assert "over 1000000 characters" in notes


def test_ctrl_c_in_a_script_stops_the_answer_and_ends_the_command(piped: Scripted, host: ScriptedOpenAI) -> None:
    host.script(Reply("one two three four", fault=Stall("middle")))
    process = subprocess.Popen(
        [*forked_command(), "chat", *piped.options], env=environment({}),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"Count slowly, please.\nAnd on, please.\n")
    process.stdin.flush()
    assert process.stdout.read(8) == b"one two "
    process.send_signal(signal.SIGINT)
    _, notes = process.communicate(timeout=30)
    assert process.returncode == 130
    assert notes == b"(stopped)\n"
    host.wait_for_disconnects()
    assert len(host.chats) == 1


def test_a_lookup_between_the_words_leaves_the_answer_whole(piped: Scripted, host: ScriptedOpenAI) -> None:
    host.script(Reply("I will look. ", tool_calls=[ToolCall("getUserMemories", {"query": "cello"})]), "Nothing there.")
    answers, notes = piped("Do I play any instrument at all?", options=("-v",))
    assert answers == "I will look. Nothing there.\n"
    assert 'looks up getUserMemories {"query": "cello"}' in notes
    assert re.search(r"^looked it up in \S+ ms$", notes, re.MULTILINE)


def closed_port() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"


def test_without_a_server_it_says_how_to_start_one() -> None:
    url = closed_port()
    _, notes = Scripted(url)("Hello", status=1)
    assert notes == f"souvenir: no server answers at {url}; start one with: make run\n"


def test_what_is_not_souvenir_is_not_talked_to(host: ScriptedOpenAI) -> None:
    url = host.base_url.removesuffix("/v1")
    _, notes = Scripted(url)("Hello", status=1)
    assert notes == f"souvenir: what answers at {url} is not Souvenir\n"
    assert host.chats == []


def test_the_address_may_be_the_one_of_openai_clients(shared: RunningSouvenir, user: str) -> None:
    assert Scripted(f"{shared.url}/v1/", user)("Good morning to you.")[0] == "You said: Good morning to you.\n"


@pytest.mark.parametrize("url", ["ftp://x", "127.0.0.1:5858", "http://", "http://a\tb", ""])
def test_an_address_that_is_none_is_refused(url: str, settings: Settings) -> None:
    with pytest.raises(BadInput, match="--url: must be the server's address"):
        address(url, settings)


@pytest.mark.parametrize(
    ("listens", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:5859"),
        ("0.0.0.0", "http://127.0.0.1:5859"),
        ("::1", "http://[::1]:5859"),
        ("souvenir.example", "http://souvenir.example:5859"),
    ],
)
def test_unless_told_it_talks_to_the_server_of_its_own_settings(
    make_settings: MakeSettings, listens: str, url: str
) -> None:
    assert address(None, make_settings(host=listens, port=5859, auth="keys")) == url


def test_a_port_that_is_left_open_needs_an_address(settings: Settings) -> None:
    with pytest.raises(BadInput, match="--url: is needed"):
        address(None, settings)


@pytest.mark.req("ID-3")
def test_two_users_with_keys_never_see_each_others_memories_or_threads(serve: Serve, host: ScriptedOpenAI) -> None:
    running = serve(auth="keys")
    alice, bob = (create_key(running, user=name)[1] for name in ("alice", "bob"))
    with httpx2.Client(base_url=running.url, headers={"Authorization": f"Bearer {alice}"}) as routes:
        remember(routes, "User plays the cello")
        _, notes = Scripted(running.url, key=alice)("What do you remember of me?")
        assert "User plays the cello" in notes
        thread = routes.post("/chats/list", json={}).json()["conversations"][0]["id"]
    # a person's key is its holder's, whatever name comes with it
    _, notes = Scripted(running.url, "alice", bob)("What do you remember of me?", options=("--thread", thread))
    assert "cello" not in notes + str(host.chats[-1]["messages"])
    assert f"You have no thread {thread}" in notes
    for key in (None, "sv-wrong"):
        _, notes = Scripted(running.url, key=key)("Hello", status=1)
        assert "SOUVENIR_API_KEY" in notes
        assert "cello" not in notes


def test_a_service_key_speaks_for_the_user_it_names(serve: Serve) -> None:
    running = serve(auth="keys")
    service = create_key(running)[1]
    Scripted(running.url, "Zoë", service)("Good morning to you.")
    headers = {b"Authorization": f"Bearer {service}".encode(), b"x-openwebui-user-id": "Zoë".encode()}
    listed = httpx2.post(f"{running.url}/chats/list", headers=headers, json={}).json()["conversations"]
    assert [chat["title"] for chat in listed] == ["Good morning to you."]


# when the connection drops


class Cutting:
    """Stands before a server and hangs up in the middle of an answer, as often as told."""

    def __init__(self, url: str, cuts: int) -> None:
        self._server = ("127.0.0.1", int(url.rpartition(":")[2]))
        self._cuts = cuts
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self.requests: list[bytes] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> "Cutting":
        return self

    def __exit__(self, *_: object) -> None:
        for one in (self._listener, *self._open):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(self._server)
                self._open += [client, server]
                threading.Thread(target=self._forward, args=(client, server), daemon=True).start()
                threading.Thread(target=self._answer, args=(server, client), daemon=True).start()

    def _forward(self, client: socket.socket, server: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while part := client.recv(65536):
                self.requests.append(part)
                server.sendall(part)

    def _answer(self, server: socket.socket, client: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while part := server.recv(65536):
                client.sendall(part)
                if self._cuts and b"event: delta" in part:
                    self._cuts -= 1
                    break
            client.shutdown(socket.SHUT_RDWR)
            server.shutdown(socket.SHUT_RDWR)


WORDS = " ".join(f"word{number}" for number in range(20))


def test_an_answer_whose_connection_drops_is_taken_up_where_it_was(
    shared: RunningSouvenir, user: str, host: ScriptedOpenAI
) -> None:
    host.script(Reply(WORDS, delay_seconds=0.02), "And on.")
    with Cutting(shared.url, cuts=1) as cutting:
        answers, notes = Scripted(cutting.url, user)("Say many words now.", "And then, what else?")
    assert answers == f"{WORDS}\nAnd on.\n"
    assert "souvenir:" not in notes
    assert len(host.chats) == 2
    assert sum(b"last-event-id" in request.lower() for request in cutting.requests) == 1


def test_an_answer_whose_connection_drops_twice_is_given_up(
    shared: RunningSouvenir, user: str, host: ScriptedOpenAI
) -> None:
    host.script(Reply(WORDS, delay_seconds=0.02))
    with Cutting(shared.url, cuts=2) as cutting:
        answers, notes = Scripted(cutting.url, user)("Say many words now.", status=1)
    assert WORDS.startswith(answers.strip())
    assert notes == "souvenir: the connection broke off before the answer was complete\n"


# on a terminal


def test_words_appear_as_they_come_and_ctrl_c_stops_the_answer_without_leaving(
    screen: Terminal, host: ScriptedOpenAI, routes: httpx2.Client
) -> None:
    host.script(Reply("one two three four", fault=Stall("middle")), "All right.")
    screen.type("Count slowly, please.")
    screen.wait_for("one two ?$")
    screen.interrupt()
    screen.wait_for(r"\n\(stopped\)\n> $")
    host.wait_for_disconnects()
    assert "All right." in screen.ask("Are you still there?")
    screen.type("/quit")
    assert screen.wait() == 0
    (chat,) = routes.post("/chats/list", json={}).json()["conversations"]
    assert f"Go on with: souvenir chat --thread {chat['id']}" in screen.text
    kept = routes.get("/chats/messages", params={"chat_id": chat["id"]}).json()["messages"]
    texts = [(message["role"], message["content"].strip()) for message in reversed(kept)]
    assert texts == [
        ("user", "Count slowly, please."), ("assistant", "one two"),
        ("user", "Are you still there?"), ("assistant", "All right."),
    ]  # fmt: skip


def test_ctrl_c_at_the_prompt_drops_the_line_and_ctrl_d_leaves(screen: Terminal, host: ScriptedOpenAI) -> None:
    screen.press("never mind")
    screen.wait_for("never mind")
    screen.interrupt()
    screen.wait_for(r"\(Ctrl-D leaves\)\n> $")
    assert "You said: Good morning to you." in screen.ask("Good morning to you.")
    screen.press("\x04")
    assert screen.wait() == 0
    assert len(host.chats) == 1


def test_what_is_remembered_is_listed_and_forgotten_by_its_words_or_its_id(
    screen: Terminal, routes: httpx2.Client
) -> None:
    assert "Nothing is remembered.\n" in screen.ask("/memories")
    cello = remember(routes, "User plays the cello")
    remember(routes, "User has a brother in Lyon", "relationship")
    remember(routes, "User [b]prefers[/b] \x1b[31mtea", "preference")
    listed = screen.ask("/memories")
    assert listed.index("tea") < listed.index("Lyon") < listed.index("cello")
    assert "preference    User [b]prefers[/b] �[31mtea" in listed
    only = screen.ask("/memories LYON")
    assert "brother" in only
    assert "cello" not in only
    assert "Forgotten: User plays the cello\n" in screen.ask(f"/forget {cello}")
    assert "Forgotten: User has a brother in Lyon\n" in screen.ask("/forget brother")
    assert "Nothing is remembered that contains this.\n" in screen.ask("/forget conflicts")
    assert "Nothing is remembered that contains this.\n" in screen.ask(f"/forget {cello}")
    assert "say what" in screen.ask("/forget")
    left = routes.get("/memories").json()["memories"]
    assert [memory["category"] for memory in left] == ["preference"]


def test_where_several_memories_fit_it_asks_which_to_forget(screen: Terminal, routes: httpx2.Client) -> None:
    for what in ("has a red bicycle", "works in a bicycle shop", "fears bicycle thieves", "won a bicycle race in May"):
        remember(routes, f"User {what}", "context")
    screen.type("/forget bicycle")
    offered = screen.wait_for(r"Forget which\? Numbers, or nothing: $")
    numbers = {verb: number for number, verb in re.findall(r"(\d)\. User (\w+) ", offered)}
    assert numbers.keys() == {"has", "works", "fears", "won"}
    screen.type(f"{numbers['has']}, {numbers['fears']}")
    told = screen.wait_for(r"\n> $")
    assert "Forgotten: User has a red bicycle" in told
    assert "Forgotten: User fears bicycle thieves" in told
    for answer, says in (("", "Nothing was forgotten."), ("3", "the numbers are 1 to 2"), ("all", "the numbers are")):
        screen.type("/forget bicycle")
        screen.wait_for(r"nothing: $")
        screen.type(answer)
        assert says in screen.wait_for(r"\n> $")
    screen.type("/forget bicycle")
    screen.wait_for(r"nothing: $")
    screen.interrupt()
    screen.wait_for(r"Nothing was forgotten.\n> $")
    assert len(routes.get("/memories").json()["memories"]) == 2


def test_why_tells_where_the_memories_of_the_last_answer_are_from(screen: Terminal, routes: httpx2.Client) -> None:
    assert "no memories to go by" in screen.ask("/why")
    old = remember(routes, "User plays the violin")
    edited = routes.patch(f"/memories/{old}", json={"content": "User plays the cello"})
    assert edited.status_code == 200
    answered = screen.ask("What do you remember of me?")
    assert "memory: [M1] User plays the cello (1.00)\n" in answered
    why = screen.ask("/why")
    assert "[M1] User plays the cello\n     identity memory, score 1.00, from 20" in why
    assert "before: User plays the violin" in why
    assert "A new thread." in screen.ask("/new")
    assert "no memories to go by" in screen.ask("/why")


def test_why_names_the_thread_in_which_something_was_said(screen: Terminal, routes: httpx2.Client) -> None:
    said = {"chat_id": "trip", "role": "user", "content": "The ferry to Naxos leaves at seven from Piraeus."}
    assert routes.post("/index-chat-message", json=said).status_code == 200
    answered = screen.ask("Do you remember when the ferry to Naxos leaves from Piraeus?")
    assert "The ferry to Naxos leaves at seven from Piraeus." in answered
    assert ", said in thread trip" in screen.ask("/why")


def test_a_new_thread_knows_nothing_of_the_old_one(screen: Terminal, host: ScriptedOpenAI) -> None:
    screen.ask("Let us talk about zebras.")
    screen.ask("/new")
    screen.ask("Say something.")
    assert [message["content"] for message in host.chats[-1]["messages"] if message["role"] == "user"] == [
        "Say something."
    ]


def test_help_lists_the_commands_and_an_unknown_one_is_not_said(screen: Terminal, host: ScriptedOpenAI) -> None:
    shown = screen.ask("/help")
    assert all(name in shown for name in ("/memories", "/forget", "/why", "/new", "/quit"))
    assert "there is no command /etc/hosts" in screen.ask("/etc/hosts is odd")
    assert host.chats == []
    assert "You said: /etc/hosts is odd" in screen.ask(" /etc/hosts is odd")


def test_notes_are_dim_and_plain_where_no_colour_is_wanted(shared: RunningSouvenir, user: str, tmp_path: Path) -> None:
    with talking(shared.url, user, tmp_path) as shown:
        assert "\x1b[2m" in shown.raw
    with talking(shared.url, user, tmp_path, NO_COLOR="1") as shown:
        shown.ask("Good morning to you.")
        shown.ask("/nothing")
        assert not re.search(r"\x1b\[[0-9;]*m", shown.raw)


def test_a_server_that_goes_away_is_told_and_the_prompt_stays(
    make_settings: MakeSettings, host: ScriptedOpenAI, tmp_path: Path
) -> None:
    with contextlib.ExitStack() as serving:
        running = serving.enter_context(RunningSouvenir(make_settings(**scripted(host))))
        with terminal(["chat", "--url", running.url], {}, tmp_path) as shown:
            assert "You are local at http://" in shown.wait_for(r"\n> $")
            serving.close()
            assert "start one with: make run" in shown.ask("Anybody there at all?")
            assert "start one with: make run" in shown.ask("/memories")
            shown.type("/quit")
            assert shown.wait() == 0


# as it is on a fresh machine


@pytest.fixture(scope="module")
def offline(postgres: PostgresForTests, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSouvenir]:
    folder = tmp_path_factory.mktemp("offline")
    with (
        postgres.database() as url,
        RunningSouvenir(Settings(database_url=url, data_dir=folder), works=True) as running,
    ):
        yield running


@pytest.mark.req("TURN-12")
def test_without_a_model_it_answers_from_what_was_said_and_says_how_to_connect_one(
    offline: RunningSouvenir, user: str, tmp_path: Path
) -> None:
    said, asked = "The ferry to Naxos leaves at 7:30 from Piraeus.", "When does the ferry to Naxos leave?"
    Scripted(offline.url, user)(said)
    answers, notes = Scripted(offline.url, user)(asked)
    assert said in answers
    assert "SOUVENIR_LLM_BASE_URL" in answers
    assert f"memory: [M1] {said} (0." in notes


@pytest.mark.req("TURN-12")
def test_without_a_model_exact_facts_are_answered_with_the_fact_beside_them(
    offline: RunningSouvenir, user: str
) -> None:
    answers, notes = Scripted(offline.url, user)(
        "My favorite colors are 1) Blue, 2) Green, 3) Black", "What is my second favorite color?"
    )
    assert "Green" in answers.splitlines()[-1]
    assert "memory: favorite colors 2: Green\n" in notes


@pytest.mark.req("TURN-12")
def test_what_one_says_of_oneself_is_remembered_and_can_be_forgotten(
    offline: RunningSouvenir, user: str, tmp_path: Path
) -> None:
    with talking(offline.url, user, tmp_path) as shown:
        shown.ask("I live in Lyon and I work as a baker.")
        eventually(lambda: "Lyon" in listed(offline, user))
        assert "Lyon" in shown.ask("/memories lyon")
        assert "Forgotten: " in shown.ask("/forget lives in Lyon")
        assert "Lyon" not in listed(offline, user)


def listed(running: RunningSouvenir, user: str) -> str:
    return httpx2.get(f"{running.url}/memories", headers={"x-openwebui-user-id": user}).text
