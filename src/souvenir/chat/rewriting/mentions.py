"""Short names of what was named before: "the movie", "the largest one", "the latter", "Anne", "there"."""

from souvenir.chat.rewriting.entities import Entity, Kind, is_vague, one_of, owned_by, pair, without_article
from souvenir.chat.rewriting.kinds import CLASSES, NAMING, PLACES
from souvenir.chat.rewriting.phrases import Phrase, Sentence
from souvenir.chat.rewriting.references import MOST_EDITS, Draft
from souvenir.chat.rewriting.thread import Thread
from souvenir.chat.rewriting.words import plural, singular
from souvenir.memory.local_extract.words import word_set

_POINTING = word_set("the this that these those")
_ILLS = word_set("disease illness condition disorder syndrome virus infection")
_GOES_ON = word_set("of that which who whose where called named")
_EVALUATING = word_set("popular important good great famous common main other some any big small new notable known")
_MOVING = word_set("get go travel fly drive move come walk return went moved")
_NEAR = 2  # exchanges in which a thing is still called by its class


def resolve_mentions(draft: Draft, thread: Thread) -> None:
    """Give full names to what is called by a part of them."""
    for place, phrase in enumerate(draft.sentence.phrases):
        if len(draft.edits) >= MOST_EDITS:
            return
        for rule in (_ordered, _one, _headless, _pointed, _unclassed, _first_name, _last_word, _narrowed):
            if rule(draft, thread, place, phrase):
                break
    _there(draft, thread)
    _any_one(draft, thread)


def _ordered(draft: Draft, thread: Thread, _: int, phrase: Phrase) -> bool:
    """ "the former", "the latter"."""
    if len(phrase.words) < 2 or phrase.words[1].low not in {"former", "latter"} or phrase.head is not None:
        return False
    both = next((one for one in thread.entities() if len(one.parts) == 2), None)
    if both is None:
        return False
    meant = both.parts[phrase.words[1].low == "latter"]
    draft.put(phrase.start, phrase.words[1].end, meant.name, meant)
    return True


def _one(draft: Draft, thread: Thread, _: int, phrase: Phrase) -> bool:
    """ "the largest one", "popular ones"; "this one" is the thing itself."""
    if phrase.head is None or phrase.noun not in {"one", "ones"}:
        return False
    if len(phrase.words) < 2 and draft.sentence.tag(phrase.first - 1) != "ask":
        return False
    if phrase.words[0].low in {"this", "that"} and len(phrase.words) == 2:
        topic = thread.topic
        if topic is not None:
            draft.put(phrase.start, phrase.end, topic.name, topic)
        return topic is not None
    kind = _counted(thread)
    if kind is None:
        return False
    same = phrase.superlative or all(word.low in _EVALUATING for word in phrase.words[:-1])
    core = kind.core if same else kind.noun  # "traditional ones" are of another make
    core = plural(core) if phrase.noun == "ones" else core
    draft.put(phrase.head.start, phrase.head.end, core, kind)
    return True


def _any_one(draft: Draft, thread: Thread) -> None:
    """ "Where can I buy one?"."""
    sentence = draft.sentence
    for place, word in enumerate(sentence.words):
        if word.low == "one" and sentence.tag(place - 1) == "verb" and sentence.tag(place + 1) in {"mark", "prep"}:
            kind = _counted(thread)
            if kind is not None:
                draft.put(word.start, word.end, one_of(kind), kind)
            return


def _headless(draft: Draft, thread: Thread, place: int, phrase: Phrase) -> bool:
    """ "the largest in the world", "the first" that was invented."""
    if phrase.head is not None or not phrase.superlative or draft.sentence.low(phrase.last + 1) == "of":
        return False
    if any(one.head is not None for one in draft.sentence.phrases[:place]):
        return False  # "Which tree is the tallest?"
    topic = thread.topic
    if topic is not None and topic.proper and topic.plural:
        draft.put(phrase.end, phrase.end, f" of {topic.name}", topic)
        return True
    kind = _counted(thread)
    if kind is not None and (kind.plural or kind.countable):
        draft.put(phrase.end, phrase.end, f" {kind.core}", kind)
    return kind is not None


def _counted(thread: Thread) -> Entity | None:
    """The newest thing that there are many of."""
    common = [one for one in thread.entities() if not (one.proper or one.weak or one.aside or one.parts)]
    return next((one for one in common if one.plural or one.countable), common[0] if common else None)


def _pointed(draft: Draft, thread: Thread, place: int, phrase: Phrase) -> bool:
    """ "the experiment", "this disease", "the studies"."""
    if not _points(draft.sentence, place):
        return False
    meant = _same_noun(thread, phrase) or _of_class(thread, phrase)
    if meant is None or meant.key in {one.key for one in draft.used}:
        return False
    name = owned_by(meant.name) if phrase.owner else meant.name
    draft.put(phrase.start, draft.sentence.words[phrase.last + phrase.owner].end, name, meant)
    return True


def _unclassed(draft: Draft, thread: Thread, place: int, phrase: Phrase) -> bool:
    """ "this tradition", "the term"."""
    topic = thread.topic
    if topic is None or not _points(draft.sentence, place):
        return False
    if phrase.noun in NAMING:
        draft.put(phrase.end, phrase.end, f" {topic.core}", topic)
        return True
    if phrase.determiner in {"this", "that"} and topic.proper and not is_vague(phrase):
        draft.put(phrase.start, phrase.end, f"the {phrase.noun} of {topic.name}", topic)
        return True
    return False


def _points(sentence: Sentence, place: int) -> bool:
    """Whether a phrase is a noun and a word that points, and the sentence does not say which one it is."""
    phrase = sentence.phrases[place]
    if phrase.head is None or phrase.proper or phrase.owned or len(phrase.words) != 2:
        return False
    told = sentence.low(phrase.last + 1) in _GOES_ON
    joined = any(one.joined for one in sentence.phrases[place : place + 2])
    return phrase.determiner in _POINTING and not told and not joined


def _same_noun(thread: Thread, phrase: Phrase) -> Entity | None:
    """What was named with the same noun and more words."""
    noun = singular(phrase.noun)
    alike = [one for one in thread.entities() if one.noun == noun and not one.weak and _is_fuller(one, phrase)]
    if not phrase.plural:
        return next((one for one in alike if not one.plural), None)
    whole = next((one for one in alike if one.plural), None)
    return whole or (pair(alike[1::-1]) if len(alike) > 1 else None)


def _is_fuller(entity: Entity, phrase: Phrase) -> bool:
    words = without_article(entity.name).lower().split()
    return len(words) > 1 and not entity.parts and words != [phrase.noun] and not entity.name.lower().startswith("my ")


def _of_class(thread: Thread, phrase: Phrase) -> Entity | None:
    """The newest name of the kind that the noun is a word for."""
    noun = singular(phrase.noun)
    kind = CLASSES.get(noun)
    if kind is None:
        return None
    if phrase.plural:
        named = [one for one in thread.entities() if one.proper and not one.parts and one.kind == "thing"]
        alike = [one for one in named if one.noun == named[0].noun]
        return pair(alike[1::-1]) if kind == "thing" and len(alike) > 1 else None
    return _named(thread, noun, "place" if kind == "place" else "person" if kind == "person" else "thing")


def _named(thread: Thread, noun: str, kind: Kind) -> Entity | None:
    for exchange in thread.recent[: _NEAR if kind == "thing" else None]:
        for one in exchange.entities:
            fits = (
                one.kind in {"", kind} or (kind == "thing" and one.plural) or (kind == "place" and one.kind == "thing")
            )
            named = one.proper and not one.parts and fits
            if named or (noun in _ILLS and not one.weak and not one.plural and one.kind == kind):
                if kind != "thing":
                    thread.learn(one, kind)
                return one
    return None


def _first_name(draft: Draft, thread: Thread, _: int, phrase: Phrase) -> bool:
    """ "Anne" for "Anne Bonny"."""
    if not phrase.proper or len(phrase.words) != 1 or phrase.noun in PLACES:
        return False
    first = f"{phrase.noun} "
    people = (one for one in thread.entities() if one.kind == "person" and not one.parts)
    full = next((one for one in people if one.key.startswith(first)), None)
    if full is not None:
        draft.put(phrase.start, phrase.end, full.name, full)
    return full is not None


def _last_word(draft: Draft, thread: Thread, _: int, phrase: Phrase) -> bool:
    """ "the Academy" for "the Royal Academy"."""
    if not phrase.proper or phrase.determiner != "the" or len(phrase.words) != 2:
        return False
    ending = f" {phrase.noun}"
    full = next((one for one in thread.entities() if one.proper and not one.parts and one.key.endswith(ending)), None)
    if full is not None:
        draft.put(phrase.start, phrase.end, full.name, full)
    return full is not None


def _narrowed(draft: Draft, thread: Thread, _: int, phrase: Phrase) -> bool:
    """ "types of plans" after a question about savings plans."""
    if not phrase.plural or phrase.proper or phrase.preposition != "of" or len(phrase.words) != 1:
        return False
    noun = singular(phrase.noun)
    fuller = next((one for one in thread.entities() if one.noun == noun and not one.weak and not one.parts), None)
    if fuller is None or " " not in fuller.core:
        return False
    draft.put(phrase.start, phrase.end, plural(fuller.core), fuller)
    return True


def _there(draft: Draft, thread: Thread) -> None:
    """ "How many people live there?"."""
    sentence = draft.sentence
    for place, word in enumerate(sentence.words):
        if word.low != "there" or sentence.tag(place + 1) not in {"mark", "prep", "conj"}:
            continue
        if sentence.tag(place - 1) == "aux" or sentence.tag(place + 1) == "aux":
            continue
        topic = thread.topic
        named = topic if topic is not None and topic.proper and topic.kind == "" else None
        where = next((one for one in thread.entities() if one.kind == "place"), named)
        if where is not None:
            before = sentence.low(place - 1)
            leads = "" if before in {"from", "near"} else "to " if before in _MOVING else "in "
            draft.put(word.start, word.end, f"{leads}{where.name}", where)
            return
