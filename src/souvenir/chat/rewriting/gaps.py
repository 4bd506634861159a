"""What a question leaves out: whose symptoms, types of what, where; it is what the thread is about."""

from collections.abc import Sequence
from itertools import pairwise

from souvenir.chat.rewriting.entities import Entity, is_side, is_vague, many, without_article
from souvenir.chat.rewriting.kinds import OF_PEOPLE, OUTWARD, SECOND_SIDE, SIGHTS
from souvenir.chat.rewriting.phrases import Phrase, Sentence, is_superlative
from souvenir.chat.rewriting.references import Draft
from souvenir.chat.rewriting.thread import Thread
from souvenir.chat.rewriting.words import SUBJECTS_OF_ANYBODY
from souvenir.memory.local_extract.english.lexicon import EVENTS, PASSING_THINGS, POSSESSIONS, SECRETS
from souvenir.memory.local_extract.words import word_set

_FILLERS = word_set("of for to between with from about behind against around over that which who among by than")
_BESIDE = word_set("in on at during")  # what follows these does not tell whose it is
_KINDS = word_set("type types kind kinds sort sorts form forms variety varieties version versions example examples")
_MEMBERS = word_set("member members part example")
_IDIOMS = word_set("problem issue point name date number state rate date score part price")
_TWO_SIDED = word_set("difference differences similarity similarities relationship relation connection comparison")
_OTHER_PREPOSITIONS = dict.fromkeys(word_set("treatment treatments cure cures prognosis prevention"), "for") | (
    dict.fromkeys(word_set("alternative alternatives solution solutions"), "to")
)
_OF_PLACES = word_set(
    """
    population capital climate history size economy culture language languages currency government name area origin
    importance religion location age
    """
)
_RECOMMENDING = word_set(
    "popular famous good best great nice interesting important local typical traditional top fun cheap historic notable"
)
_WEIGHING = _RECOMMENDING | word_set(
    "main key important major other different common biggest known basic current early"
)
_MOST_WORDS = 14  # a longer question says what it is about
_PLACE_EXCHANGES = 6
_LASTING = 4
_EVERYDAY = EVENTS | POSSESSIONS | PASSING_THINGS | SECRETS  # what everybody has one of


def fill_gaps(draft: Draft, thread: Thread) -> None:
    """Add what a question leaves out; at most one thing."""
    sentence = draft.sentence
    topic = thread.topic
    if topic is None or len(sentence.words) > _MOST_WORDS:
        return
    if _similar(draft, thread, topic) or _sight(draft, thread) or _mentions(sentence, topic):
        return
    for rule in (_which, _held_against, _side, _second_side, _compared, _helping, _how_much, _somewhere, _definite):
        if rule(draft, thread, topic):
            return


def _mentions(sentence: Sentence, topic: Entity) -> bool:
    nouns = {topic.noun, *(part.noun for part in topic.parts)}
    return any(phrase.noun in nouns or phrase.noun.rstrip("s") in nouns for phrase in sentence.phrases)


def _side(draft: Draft, thread: Thread, topic: Entity) -> bool:
    """ "What are the symptoms?"."""
    sentence = draft.sentence
    for place, phrase in enumerate(sentence.phrases):
        if not _is_open(sentence, place):
            continue
        last = _last_joined(sentence.phrases, place)
        if not _is_about_it(sentence, place, last):
            return False
        end = sentence.phrases[last]
        if sentence.low(end.last + 1) in _FILLERS and not _is_outward(sentence, end):
            return False
        if phrase.noun in _TWO_SIDED:
            return _between(draft, thread, end)
        owner = topic if topic.kind != "person" or phrase.noun in OF_PEOPLE else _thing(thread)
        if owner is None:
            return False
        draft.put(end.end, end.end, f" {_preposition(phrase, owner)} {_whose(phrase, owner)}", owner)
        return True
    return False


def _thing(thread: Thread) -> Entity | None:
    """The newest topic that is nobody."""
    things = (one for one in thread.entities() if one.kind != "person" and not one.weak and not one.aside)
    return next(things, None)


def _is_open(sentence: Sentence, place: int) -> bool:
    """Whether a phrase is a side of something that is not told."""
    phrase = sentence.phrases[place]
    if not is_side(phrase) or phrase.owned or phrase.joined:
        return False
    if len(phrase.core) == 1 and phrase.noun in _IDIOMS:
        return False
    if phrase.determiner in {"a", "an"}:
        return phrase.noun in _MEMBERS
    defined = not phrase.determiner and sentence.low(0) == "what" and phrase.first == 2
    if defined and any(word.low not in _WEIGHING and not is_superlative(word) for word in phrase.core[:-1]):
        return False  # "What are literary elements?"
    return phrase.determiner in {"", "the", "any", "some"}


def _last_joined(phrases: Sequence[Phrase], place: int) -> int:
    while place + 1 < len(phrases) and phrases[place + 1].joined:
        place += 1
    return place


def _is_about_it(sentence: Sentence, place: int, last: int) -> bool:
    """Whether the question names nothing else that it could be about."""
    phrase = sentence.phrases[place]
    others = [one for at, one in enumerate(sentence.phrases) if not place <= at <= last and not is_vague(one)]
    before = [one for one in others if one.last < phrase.first]
    after = [one for one in others if one.first > phrase.last]
    if before and phrase.noun not in _MEMBERS:
        return False
    if phrase.noun in _KINDS and sentence.low(phrase.first - 1) in {"what", "which"}:
        return True
    if any(one.preposition not in _BESIDE and not _follows_outward(one, phrase) and not one.joined for one in after):
        return False
    asks_me = any(word.low in SUBJECTS_OF_ANYBODY - {"there", "me"} for word in sentence.words)
    return not asks_me or phrase.noun in _KINDS


def _follows_outward(one: Phrase, side: Phrase) -> bool:
    return side.noun in OUTWARD and one.preposition in {"for", "on"}


def _is_outward(sentence: Sentence, phrase: Phrase) -> bool:
    return phrase.noun in OUTWARD and sentence.low(phrase.last + 1) in {"for", "on"}


def _preposition(phrase: Phrase, topic: Entity) -> str:
    if topic.kind == "place" and phrase.noun not in _OF_PLACES:
        return "in"
    return _OTHER_PREPOSITIONS.get(phrase.noun, "of")


def _whose(phrase: Phrase, topic: Entity) -> str:
    return many(topic) if phrase.noun in _KINDS and topic.countable else topic.name


def _between(draft: Draft, thread: Thread, phrase: Phrase) -> bool:
    both = next((one for one in thread.entities() if one.parts), None)
    if both is not None:
        draft.put(phrase.end, phrase.end, f" between {both.name}", both)
    return both is not None


def _which(draft: Draft, thread: Thread, _: Entity) -> bool:
    """ "Which is older?" of the two that were compared."""
    sentence = draft.sentence
    if sentence.low(0) != "which" or sentence.tag(1) != "aux" or sentence.tag(2) != "adj" or thread.last is None:
        return False
    both = next((one for one in thread.last.entities if one.parts), None)
    if both is not None:
        draft.put(sentence.words[0].end, sentence.words[0].end, f" of {both.name}", both)
    return both is not None


def _held_against(draft: Draft, _: Thread, topic: Entity) -> bool:
    """ "What is the difference with tea?"."""
    sentence = draft.sentence
    for phrase, other in pairwise(sentence.phrases):
        if phrase.noun in _TWO_SIDED and other.preposition == "with" and other.first == phrase.last + 2:
            word = sentence.words[other.first - 1]
            draft.put(word.start, word.end, f"between {topic.name} and", topic)
            return True
    return False


def _how_much(draft: Draft, _: Thread, topic: Entity) -> bool:
    """ "How much should I take?"."""
    sentence = draft.sentence
    lows = [word.low for word in sentence.words[:5]]
    if lows[:2] != ["how", "much"] or sentence.tag(2) != "aux" or lows[3:4] not in (["i"], ["you"], ["we"], ["one"]):
        return False
    if lows[4:] not in _TAKEN or sentence.tag(5) not in {"mark", "prep"} or topic.kind in {"person", "place"}:
        return False
    draft.put(sentence.words[1].end, sentence.words[1].end, f" {without_article(topic.name)}", topic)
    return True


_TAKEN = [["eat"], ["drink"], ["take"], ["use"], ["consume"], ["need"], ["buy"], ["have"]]


def _second_side(draft: Draft, _: Thread, topic: Entity) -> bool:
    """ "What is the role of iron?" in what was asked about."""
    sentence = draft.sentence
    for phrase, of in pairwise(sentence.phrases):
        ends = sentence.tag(of.last + 1) == "mark"
        if phrase.noun in SECOND_SIDE and of.preposition == "of" and of.first == phrase.last + 2 and ends:
            draft.put(of.end, of.end, f" {SECOND_SIDE[phrase.noun]} {topic.name}", topic)
            return True
    return False


def _similar(draft: Draft, _: Thread, topic: Entity) -> bool:
    """ "What are other similar plants?"."""
    sentence = draft.sentence
    for phrase in sentence.phrases:
        alike = any(word.low == "similar" for word in phrase.words)
        if alike and phrase.plural and sentence.tag(phrase.last + 1) == "mark":
            draft.put(phrase.end, phrase.end, f" to {topic.name}", topic)
            return True
    return False


def _compared(draft: Draft, _: Thread, topic: Entity) -> bool:
    """ "How does a tablet compare?", "How is a tablet different?"."""
    words = [word for word in draft.sentence.words if word.tag != "mark"]
    links = _LINKS.get(words[-1].low) if words else None
    if links is None or words[0].low != "how":
        return False
    subject = draft.sentence.phrases[-1:]
    if not subject or subject[0].plural or is_side(subject[0]):
        return False
    draft.put(words[-1].end, words[-1].end, f" {links} {topic.name}", topic)
    return True


_LINKS = {"compare": "to", "differ": "from", "different": "from", "similar": "to", "better": "than"}


def _helping(draft: Draft, _: Thread, topic: Entity) -> bool:
    """ "Does ginger help?"."""
    sentence = draft.sentence
    words = [word for word in sentence.words if word.tag != "mark"]
    if not words or words[0].low not in {"does", "do", "can", "will", "did"} or words[-1].low != "help":
        return False
    if not sentence.phrases:
        return False
    draft.put(words[-1].end, words[-1].end, f" with {topic.name}", topic)
    return True


def _definite(draft: Draft, thread: Thread, topic: Entity) -> bool:
    """ "Who are the most famous artists?", "How reliable is the engine?": what is definite belongs to the topic."""
    sentence = draft.sentence
    named = [phrase for phrase in sentence.phrases if not is_vague(phrase)]
    thing = topic if topic.kind != "person" else _thing(thread)
    if len(named) != 1 or thing is None or not _may_belong(named[0], thing):
        return False
    phrase = named[0]
    if _is_asked_for(sentence, phrase):
        draft.put(phrase.end, phrase.end, f" {_preposition(phrase, thing)} {thing.name}", thing)
        return True
    if len(phrase.words) == 2 and sentence.low(phrase.last + 1) not in _FILLERS and _is_lasting(thread, thing):
        draft.put(phrase.words[1].start, phrase.words[1].start, f"{without_article(thing.name)} ", thing)
        return True
    return False


def _may_belong(phrase: Phrase, thing: Entity) -> bool:
    if phrase.head is None or phrase.proper or phrase.determiner != "the" or phrase.preposition:
        return False
    if phrase.noun in _EVERYDAY and not thing.name.startswith(("my ", "our ")):
        return False  # "When is the meeting?" is of no topic either
    return phrase.plural or not phrase.superlative or thing.kind == "place"  # "What is the fastest animal?" neither


def _is_asked_for(sentence: Sentence, phrase: Phrase) -> bool:
    """Whether the question is what or who it is, and nothing but praise is said of it."""
    told = any(not is_superlative(word) and word.low not in _WEIGHING for word in phrase.core[:-1])
    ends = sentence.tag(phrase.last + 1) == "mark" and sentence.tag(phrase.first - 1) == "aux"
    return ends and not told and sentence.low(0) in {"what", "who", "which"}


def _is_lasting(thread: Thread, topic: Entity) -> bool:
    """Whether the thread has been about it for more than one exchange."""
    return sum(any(one.key == topic.key for one in exchange.entities) for exchange in thread.recent[:_LASTING]) > 1


def _somewhere(draft: Draft, thread: Thread, _: Entity) -> bool:
    """ "Are there any festivals?", in the place that the thread is about."""
    sentence = draft.sentence
    where = _place(thread)
    if where is None or any(one.proper for one in sentence.phrases):
        return False
    if not _asks_what_there_is(sentence):
        return False
    end = max((word.end for word in sentence.words if word.tag != "mark"), default=0)
    draft.put(end, end, f" in {where.name}", where)
    return True


def _sight(draft: Draft, thread: Thread) -> bool:
    """ "Is the Art Museum free?", in the place that the thread is about."""
    where = _place(thread)
    phrases = draft.sentence.phrases
    if where is None or any(phrase.preposition in {"in", "around", "near"} and phrase.proper for phrase in phrases):
        return False
    for phrase in phrases:
        words = {word.low for word in phrase.core}
        if words & SIGHTS and phrase.head is not None and not words & set(where.key.split()):
            draft.put(phrase.end, phrase.end, f" in {where.name}", where)
            return True
    return False


def _asks_what_there_is(sentence: Sentence) -> bool:
    lows = [word.low for word in sentence.words]
    exists = any(both in _EXISTS for both in pairwise(lows))
    asked = lows[:2] in (["what", "are"], ["which", "are"]) and any(map(_is_recommended, sentence.phrases))
    told = any(word.low in {"that", "where", "which", "who"} for word in sentence.words[1:])
    return (exists or asked) and not told


_EXISTS = {("is", "there"), ("are", "there"), ("there", "to")}


def _is_recommended(phrase: Phrase) -> bool:
    return phrase.plural and any(word.low in _RECOMMENDING for word in phrase.words)


def _place(thread: Thread) -> Entity | None:
    """Where the thread is set: a place it asked about, or that its first question named."""
    exchanges = thread.recent
    for exchange in exchanges[:_PLACE_EXCHANGES]:
        places = [one for one in exchange.entities if one.kind == "place"]
        found = next((one for one in places if not one.aside or exchange is exchanges[-1]), None)
        if found is not None or any(map(_is_elsewhere, exchange.entities)):
            return found
    return None


def _is_elsewhere(entity: Entity) -> bool:
    """Whether it is a name that is no sight of a place, so that the thread has turned to something else."""
    named = entity.proper and entity.kind != "place" and not entity.aside and not entity.weak
    return named and not set(entity.key.split()) & SIGHTS
