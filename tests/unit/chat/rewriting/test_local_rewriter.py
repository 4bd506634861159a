"""Questions that lean on a thread: what they stand for, whom they may mean, and what is never touched."""

# ruff: noqa: RUF001 - the apostrophes that people type

import asyncio

import pytest

from souvenir.chat.rewriting import LocalRewriter, Rewritten, Turn

TRUMP = (
    "Who is Donald Trump?",
    "A: Donald Trump is an American politician, media personality and businessman who served as the 45th president.",
)
CANCER = ("What is throat cancer?",)


def turns(*messages: str) -> list[Turn]:
    """A thread; what begins with "A:" is the assistant's."""
    return [
        Turn("assistant", message[2:].strip()) if message.startswith("A:") else Turn("user", message)
        for message in messages
    ]


def rewrite(question: str, *before: str) -> Rewritten:
    return asyncio.run(LocalRewriter().rewrite(question, turns(*before)))


def test_the_children_of_the_seeds_thread_are_donald_trumps() -> None:
    found = rewrite("who are his children", *TRUMP)
    assert found == Rewritten("Who are Donald Trump's children?", True, ("Donald Trump",))
    assert rewrite("who are his children", TRUMP[0]) == found


@pytest.mark.parametrize(
    ("before", "question", "expected"),
    [
        # pronouns
        (CANCER, "Is it treatable?", "Is throat cancer treatable?"),
        (CANCER, "What are its symptoms?", "What are throat cancer's symptoms?"),
        (CANCER, "how much does it cost", "How much does throat cancer cost?"),
        (CANCER, "Tell me more about it.", "Tell me more about throat cancer."),
        (CANCER, "IS IT TREATABLE?", "Is throat cancer treatable?"),
        (CANCER, "What happens if it’s not treated?", "What happens if throat cancer is not treated?"),
        (CANCER, "Describe it’s main stages.", "Describe throat cancer's main stages."),
        (("What are mammals?",), "How many legs do they have?", "How many legs do mammals have?"),
        (("How much does a Great Dane weigh?",), "How long do they live?", "How long do Great Danes live?"),
        (("Who is Ada Lovelace?",), "What was she famous for?", "What was Ada Lovelace famous for?"),
        (("Who is Dr. Smith?",), "Where does he work?", "Where does Dr. Smith work?"),
        (("who is donald trump",), "who are his children", "Who are donald trump's children?"),
        (("Who is Angela Merkel?", "Who is Donald Trump?"), "How old is she?", "How old is Angela Merkel?"),
        (("what is kubernetes",), "how do i install it", "How do i install kubernetes?"),
        (CANCER, "👍 is it treatable? 😀", "👍 is throat cancer treatable? 😀"),
        (CANCER, "Thanks! Is it treatable?", "Thanks! Is throat cancer treatable?"),
        # a question that names something in passing goes on with its own topic
        (
            ("How was Netflix started?", "How does it compare to Blockbuster?"),
            "How did it change television?",
            "How did Netflix change television?",
        ),
        (
            ("What is yoga?", "Is it the same as zumba?"),
            "What is the difference in their origins?",
            "What is the difference in yoga and zumba's origins?",
        ),
        # demonstratives and short names
        (("What is blockchain?",), "How does that work?", "How does blockchain work?"),
        (("Tell me about Inception.",), "When was the movie released?", "When was Inception released?"),
        (("Tell me about Inception.",), "who directed the movie", "Who directed Inception?"),
        (("What was the Stanford Experiment?",), "Was the experiment ethical?", "Was the Stanford Experiment ethical?"),
        (("Why is Boise called the city of trees?",), "When was the city founded?", "When was Boise founded?"),
        (CANCER, "How is this disease treated?", "How is throat cancer treated?"),
        (("What is better, tea or coffee?",), "Is the latter healthy?", "Is coffee healthy?"),
        (("What is better, tea or coffee?",), "Is the former healthy?", "Is tea healthy?"),
        (("What are mammals?",), "What is the largest one on land?", "What is the largest mammal on land?"),
        (("What are mammals?",), "What is the largest in the world?", "What is the largest mammal in the world?"),
        (("I want to buy an electric car.",), "Which ones are cheap?", "Which electric cars are cheap?"),
        (("Who was Anne Bonny?",), "What happened to Anne?", "What happened to Anne Bonny?"),
        (
            ("What is the capital of Australia?", "A: The capital of Australia is Canberra."),
            "How many people live there?",
            "How many people live in Canberra?",
        ),
        # what is left out
        (CANCER, "What are the symptoms?", "What are the symptoms of throat cancer?"),
        (CANCER, "what are the alternatives", "What are the alternatives to throat cancer?"),
        (("What are toilets?",), "How many types are there?", "How many types of toilets are there?"),
        (("How do you sleep after jet lag?",), "Does melatonin help?", "Does melatonin help with jet lag?"),
        (("What is a tablet?",), "How does a laptop compare?", "How does a laptop compare to a tablet?"),
        (("What is depression?",), "What is the role of genes?", "What is the role of genes in depression?"),
        (("What is tea?",), "What's the difference with cocoa?", "What's the difference between tea and cocoa?"),
        (
            ("What are some interesting things around Ann Arbor?",),
            "Are there any film festivals?",
            "Are there any film festivals in Ann Arbor?",
        ),
        (
            ("How does oceanic crust differ from continental crust?",),
            "Which is younger?",
            "Which of oceanic crust and continental crust is younger?",
        ),
        # what takes up the question before
        (("What is the largest city in France?",), "What about in Europe?", "What is the largest city in Europe?"),
        (("How old is Donald Trump?",), "What about Joe Biden?", "How old is Joe Biden?"),
        (("How old is Donald Trump?",), "And Joe Biden?", "How old is Joe Biden?"),
        (("Is chilli a stew?",), "How about goulash?", "Is goulash a stew?"),
        (("Is throat cancer treatable?",), "Why?", "Why is throat cancer treatable?"),
        (TRUMP, "And his wife?", "And Donald Trump's wife?"),
    ],
)  # fmt: skip
def test_a_reference_is_replaced_by_what_it_stands_for(before: tuple[str, ...], question: str, expected: str) -> None:
    found = rewrite(question, *before)
    assert found.text == expected
    assert found.changed
    assert found.ambiguous == ()


@pytest.mark.parametrize(
    ("before", "question", "expected"),
    [
        (("Who founded SpaceX?", "A: Elon Musk founded SpaceX in 2002."), "How old is he?", "How old is Elon Musk?"),
        (("Who founded SpaceX?", "A: Elon Musk founded it in 2002."), "Where is it based?", "Where is SpaceX based?"),
        (("What's the tallest mountain?", "A: Mount Everest."), "Who climbed it?", "Who climbed Mount Everest?"),
        (
            ("Who is Marie Curie?", "A: Marie Curie was a physicist. She worked with her husband Pierre Curie."),
            "What did he discover?",
            "What did Pierre Curie discover?",
        ),
        (
            ("Who is Tuva Novotny?", "A: Tuva Novotny is Swedish. She acts.", "Who is Brad Pitt?", "A: He acts too."),
            "Where was she born?",
            "Where was Tuva Novotny born?",
        ),
        (
            (*TRUMP, "Who is his wife?", "A: Melania Trump."),
            "Where was she born?",
            "Where was Melania Trump born?",
        ),
        (
            ("Who climbed Everest?", "A: Edmund Hillary and Tenzing Norgay did, in **1953**."),
            "Where did they start?",
            "Where did Edmund Hillary and Tenzing Norgay start?",
        ),
        (("Who wrote Dobby?", "A: J. K. Rowling did."), "Where does she live?", "Where does J. K. Rowling live?"),
    ],
)
def test_an_answer_names_whom_the_next_question_means(before: tuple[str, ...], question: str, expected: str) -> None:
    assert rewrite(question, *before).text == expected


@pytest.mark.parametrize(
    ("before", "question", "expected"),
    [
        ("My dog Rex is a beagle.", "What does he eat?", "What does my dog Rex eat?"),
        ("My sister moved to Berlin last year.", "Does she like it?", "Does my sister like Berlin?"),
        ("I have a sister and a brother.", "How old is she?", "How old is my sister?"),
        ("I have two cats.", "What do they eat?", "What do my two cats eat?"),
        ("Tell me about my project Atlas.", "What is the deadline?", "What is the deadline of my project Atlas?"),
        ("A: Your project Atlas is due on May 3.", "Who works on it?", "Who works on my project Atlas?"),
    ],
)
def test_what_is_the_users_own_stays_their_own(before: str, question: str, expected: str) -> None:
    assert rewrite(question, before).text == expected


def test_names_that_were_put_in_are_told_once() -> None:
    found = rewrite("Is it treatable? And what are its causes?", *CANCER)
    assert found.text == "Is throat cancer treatable? And what are throat cancer's causes?"
    assert found.entities == ("throat cancer",)


@pytest.mark.parametrize(
    ("before", "question", "expected", "options"),
    [
        (("Tell me about Barack Obama and Joe Biden.",), "Where was he born?", "Where was Barack Obama born?",
         ("Barack Obama", "Joe Biden")),
        (("Who is Donald Trump?", "Who is Joe Biden?"), "who are his children", "Who are Joe Biden's children?",
         ("Joe Biden", "Donald Trump")),
        (("Compare Messi and Ronaldo.",), "How old is he?", "How old is Messi?", ("Messi", "Ronaldo")),
        (("Who won?", "A: Steve Jobs beat Bill Gates."), "How old is he?", "How old is Steve Jobs?",
         ("Steve Jobs", "Bill Gates")),
        (("Compare Python and Ruby.",), "Is it fast?", "Is Python fast?", ("Python", "Ruby")),
    ],
)  # fmt: skip
def test_two_that_fit_are_both_offered(
    before: tuple[str, ...], question: str, expected: str, options: tuple[str, ...]
) -> None:
    found = rewrite(question, *before)
    assert found.text == expected
    assert found.ambiguous == options


@pytest.mark.parametrize(
    ("before", "question", "expected"),
    [
        (("Who is Joe Biden?", "Who is Jill Biden?"), "How old is she?", "How old is Jill Biden?"),
        (
            ("Who is Donald Trump?", "Who is Joe Biden?", "How old is he?"),
            "Who are his children?",
            "Who are Joe Biden's children?",
        ),
        (TRUMP, "How old is he?", "How old is Donald Trump?"),
    ],
)
def test_gender_and_what_was_meant_before_leave_one(before: tuple[str, ...], question: str, expected: str) -> None:
    found = rewrite(question, *before)
    assert found.text == expected
    assert found.ambiguous == ()


ALONE = (
    "What is the fastest animal?",
    "What is lung cancer?",
    "Tell me about the history of jazz.",
    "What is CBT and how does it work?",
    "How did Boise get its name?",
    "What is the relationship between inflation and unemployment?",
    "What are good sources of vitamin C?",
    "Is it possible to learn French in a year?",
    "How long does it take to learn French?",
    "Is it true that cats always land on their feet?",
    "What time is it?",
    "Is it raining?",
    "How's it going?",
    "How are you?",
    "What's your name?",
    "What is the weather like today?",
    "If you don't eat meat, is it bad for you?",
    "I love Paris. What is its population?",
    "Why is that?",
    "Who is Marie Curie and where was she born?",
    "When is the meeting?",
    "What is the wifi password?",
    "Did you get the email?",
    "What should I do this week?",
    "What do you know about me?",
    "When is my wife's birthday?",
)
NO_QUESTIONS = (
    "He is a nice person.",
    "I think it is great, and they know it.",
    "Hello!",
    "Thanks",
    "ok",
    "yes please",
    "Do it again",
    "Make it shorter",
    "Translate it to French",
    "Can you summarize it?",
    "Write a poem about it",
    "Remember that she likes tea",
    "def it(): return its",
    "```python\nprint(it)\n```\nwhat does it do?",
    "SELECT it FROM they;",
    "👍",
    "🙂🙂🙂",
    "???",
    " \n\t ",
    "",
    "\0",
)
FOREIGN = (
    "Wie alt ist er und was macht sie?",
    "¿Cuántos años tiene él?",
    "Quel âge a-t-il ?",
    "Quanti anni ha lui?",
    "他多大了？",
    "Сколько ему лет?",
    "彼は何歳ですか？",
    "كم عمره؟",
)
THREADS = (CANCER, TRUMP, ("What are mammals?", "How big are they?"), ("My sister lives in Berlin.",))


@pytest.mark.parametrize("question", ALONE)
def test_a_question_that_stands_alone_is_left_in_every_thread(question: str) -> None:
    for thread in THREADS:
        assert rewrite(question, *thread) == Rewritten(question)


@pytest.mark.parametrize("message", [*NO_QUESTIONS, *FOREIGN], ids=lambda text: repr(text)[:40])
def test_what_is_no_english_question_is_left_in_every_thread(message: str) -> None:
    for thread in THREADS:
        assert rewrite(message, *thread) == Rewritten(message)


def test_a_question_with_nothing_before_it_is_left() -> None:
    assert rewrite("Who are his children?") == Rewritten("Who are his children?")
    assert rewrite("Who are his children?", "Hello!", "A: Hi! How can I help?").changed is False


def test_nobody_is_made_up_for_a_pronoun_that_nothing_fits() -> None:
    assert rewrite("How old is she?", *TRUMP) == Rewritten("How old is she?")


def test_a_long_question_is_given_back_as_it_is() -> None:
    for text in ("is it " * 20_000, "his children? " * 8_000, "(" * 100_000, "a" * 100_000, "It's " * 25_000):
        assert rewrite(text, *TRUMP) == Rewritten(text)


def test_of_a_long_thread_the_last_messages_count() -> None:
    history = turns(*(f"What is thing number {number}?" for number in range(9_998)), *TRUMP)
    found = asyncio.run(LocalRewriter().rewrite("who are his children", history))
    assert found.text == "Who are Donald Trump's children?"
    forgotten = turns(*TRUMP, *("Thank you very much!" for _ in range(9_998)))
    assert not asyncio.run(LocalRewriter().rewrite("who are his children", forgotten)).changed


def test_long_messages_of_the_thread_are_read_from_their_beginning() -> None:
    long = "A: Donald Trump is a politician. " + "He did this and that, and then it was that. " * 20_000
    assert rewrite("who are his children", "Who is he?", long).text == "Who are Donald Trump's children?"
    assert rewrite("who are his children", TRUMP[0], "x" * 100_000).text == "Who are Donald Trump's children?"
