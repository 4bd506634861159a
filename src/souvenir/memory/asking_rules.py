"""How people ask to have something remembered or forgotten, in English; and what a rule of any language is made of."""

# ruff: noqa: RUF001 - the dashes that people type

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, cast

from souvenir.memory.local_extract.patterns import compiled, joined

Kind = Literal["remember", "forget"]
Form = Literal["statement", "subordinate", "plan", "topic", "all", "above", "below"]
"""What follows the words of asking: a main clause, one whose verb comes last, something to do, a noun or "where I
live", or nothing, because everything is meant, or the sentence before, or those after."""


class Rule(NamedTuple):
    """Words of asking; the group `c` is what is to be remembered or forgotten.

    `sure`: it can hardly mean anything else. What is not sure asks for nothing unless it is about the user.
    """

    kind: Kind
    form: Form
    pattern: re.Pattern[str]
    sure: bool


@dataclass(frozen=True, slots=True)
class Tongue:
    """The rules of a language, tried in order, and the content that makes an ordinary sentence of one.

    `own` is how somebody begins to speak of themselves, `after` is "…, remember that", `trailing` are the polite words
    at the end, `reason` is why something is to be forgotten, `small_talk` is a sentence beside the request that asks
    for nothing else.
    """

    rules: tuple[Rule, ...]
    refused: re.Pattern[str]
    own: re.Pattern[str]
    after: re.Pattern[str]
    trailing: re.Pattern[str]
    reason: re.Pattern[str]
    small_talk: re.Pattern[str]


def rules_of(opening: str, rows: str) -> tuple[Rule, ...]:
    """Rules that may all be opened alike, one a row: "forget topic: pattern", with a "?" for what is not sure."""
    return tuple(_rules(joined(opening), rows))


def _rules(opening: str, rows: str) -> Iterator[Rule]:
    for row in re.split(r"\n(?=\S)", rows.strip()):
        head, _, pattern = row.partition(": ")
        kind, form = head.rstrip("?").split()
        whole = compiled(f"{opening}({joined(pattern)})$", re.IGNORECASE)
        yield Rule(cast("Kind", kind), cast("Form", form), whole, not head.endswith("?"))


def whole(pattern: str) -> re.Pattern[str]:
    """A pattern of any case."""
    return compiled(pattern, re.IGNORECASE)


_OPENING = r"""
((hi|hello|hey|hiya|ok|okay|oh|ah|so|well|and|also|but|btw|by the way|fyi|actually|yes|yeah|no|sure|great|thanks|
thank you|alright|right|now|then|anyway|one more thing|another thing|first|second|finally|lastly|important|reminder|
quick note|quick thing|for the record|for (future )?reference|from now on|going forward|souvenir|assistant|there|bot|
chatgpt|claude|if you can|if possible)\b[ ,!.:;–—-]*){0,6}
((?P<polite>can you|could you|would you|will you|can u|could u|would you mind|do you mind)\b,? *)?
((please|pls|plz|kindly|just|also|i want you to|i need you to|i'd like you to|i would like you to|you should|you must|
you have to|you need to|you can|you could|you may|feel free to|make sure you|make sure to|be sure to|be sure you|
try to|go ahead and|help me|now|too|ever|always|simply|then|again|maybe)\b,? *){0,5}
"""
_FORGET = "(forget|forgetting)"
_DELETE = "(delete|deleting|remove|removing|erase|erasing|clear|drop|discard|wipe|wiping|purge|get rid of|scrap)"
_NO_MORE = joined(r"""
(stop remembering|unremember|(do not|don't|dont) remember|no need to remember|you (do not|don't|dont) (need|
have) to remember|no longer remember)
""")
_REMEMBER = joined(r"""
(remember|remembering|memori[sz]e|(do not|don't|dont|never)( you)?( ever)? forget|commit( this| that| it)? to memory|
(save|store|put|add|keep|record|write)( this| that| it| the following)? (to|in|into) (your |my |the )?(long[- ]term )?
memor(y|ies)|(make|take|keep)( yourself)? (a |an )?(mental |quick )?note( of the fact| of this| of that)?|note down|
write down|jot down|note to self|remind yourself|save the fact|store the fact|
(save|store|note|record|log)( down)? (this|
that|the following)(?= ?:| that\b| ?,? ?that\b| ?[–—-]))
""")
_TAIL = joined(r"""
( (this|these|the following|it|down|also|too|please|for me|about me|for later|for next time|for the future|
for future reference|in future|in your memory|to your memory|the facts?|(two |three |some |a few )?(things?|
facts?|details?)( about me)?|one thing|something|info|information|forever|always|well|carefully))*
""")
_MARK = "( ?[:–—-] ?(that )?| that:? | of the fact that |, that )"
_WEAK = joined(r"""
(note|keep in mind|keep it in mind|bear in mind|be aware|mind|take into account|take into consideration|consider)
""")
_THAT = "(that|this|it|all that|all this|all of that|all of this|those things|these things)"
_KEEP_THAT = joined(rf"""
((remember|memori[sz]e|save|store|note|keep|(do not|don't|dont|never) forget) {_THAT}|(make|take) (a )?note of {_THAT}|
(write|note) {_THAT} down|(save|add|store|commit) {_THAT} to (your |my )?memory)( in mind| down)?
""")
_FOR_LATER = "( please| ok| okay| for (me|later|next time|the future|future reference))*"
_ABOUT = joined(r"""
(all |everything |anything )?((that )?(you know|you remember|you have|you've (saved|stored)|you (saved|stored)|
i (told|said to|gave) you|i've told you|i (said|mentioned)) )?(about|regarding|concerning)
""")
_WHAT_ABOUT = joined(r"""
what (i|you|i've|i have|you've) (ever )?(said|told you|told|know|mentioned|remember|saved|learned)( to you)? (about|of)
""")
_MEMORY = joined(r"""
(the |that |this |any |all |every |all of the |all of your |my |your |one |those )?(saved |stored |old )?(memor(y|ies)|
(things?|facts?|info|information|details?|notes?)( that)? (you (have|know|remember|saved|stored|kept)|you've (saved|
stored|got)|i told you|i gave you))( you have| you've got| you (saved|stored|made)| i gave you| entry| entries)?
""")
_OWN = r"(i|i'm|i've|i'd|i'll|im|ive|my|mine|we|we're|we've|our|both my|all my|one of my)\b"
_VERB = joined(r"""
\b(is|are|was|were|isn't|aren't|am|has|have|hasn't|had|can|can't|cannot|will|won't|does|doesn't|do|don't|likes?|loves?|
hates?|prefers?|lives?|works?|goes|needs?|wants?|plays?|moved|got|turns?|starts?|ends?|begins?|speaks?|died|takes?|eats?|
drinks?|uses?|stud(y|ies)|wears?|drives?|owns?|runs?|enjoys?|became|teach(es)?|visits?|comes?|expires?|should|must|may|
might|never|always|[a-z]+ed|fell|left|sold|bought|made|said|told|means?|stands? for|costs?|flies|fly|leaves?|arrives?|
opens?|closes?|'s|'re|'m|'ve|dislikes?|celebrates?)\b
""")
# what an assistant is told to do in the task at hand
_TASKS = joined(r"""
(add|include|use|write|explain|handle|check|mention|format|cite|keep|make|show|return|close|test|comment|indent|import|
rhyme|convert|translate|give|provide|answer|be|end|start|put|list|describe|escape|validate|document|consider)\b
""")
_FOR_NOW = joined(r"""
(i|we)( only| just| also| really|'m| am|'ve| have)* (need|want|tried|trying|asking|looking|would like|'d like|already|
got|get|can only|have to)\b
""")

ENGLISH = Tongue(
    rules=rules_of(
        _OPENING,
        rf"""
forget all: ({_FORGET}|{_DELETE}) (everything|all( of it)?)( that)? (you (know|remember|have|stored|saved|learned|
    have stored|have saved)|you've (stored|saved|learned)|i told you|i've( ever)? told you)( (about|of|on) me| so far)?|
    {_FORGET} (everything|all) about me|{_DELETE}( all)?( of)? (my|your) (saved |stored )?memor(y|ies)( (of|about) me)?
forget statement: ({_FORGET}|{_DELETE}) {_MEMORY},? (that|saying that|saying|which says) (?P<c>.+)
forget topic: ({_FORGET}|{_DELETE}) {_MEMORY} (about|of|on|regarding|concerning|with) (?P<c>.+)
forget topic: ({_DELETE}|take|taking|forget) (?P<c>.+?) (from|out of) (your (long[- ]term )?memor(y|ies)|my memories|
    what you (know|remember)( about me)?)
forget statement: ({_FORGET}|{_NO_MORE}) (the fact )?that (?P<c>{_OWN}.+)
forget statement?: {_FORGET} (the fact )?that (?P<c>.+)
forget statement: {_FORGET},? (?P<c>(i|i'm|i've|im|we|we're)\b.+)
forget topic: ({_FORGET}|{_NO_MORE}) {_WHAT_ABOUT} (?P<c>.+)
forget topic: ({_FORGET}|{_NO_MORE}) {_ABOUT} (?P<c>(my|our)\b.+)
forget topic?: ({_FORGET}|{_NO_MORE}) {_ABOUT} (?P<c>.+)
forget topic: ({_FORGET}|{_NO_MORE}) (?P<c>(my|our)\b.+)
forget topic: ({_FORGET}|{_NO_MORE}) (?P<c>(where|what|who|when|which|how( old| tall)?)( \w+)? (i|i'm|my|we|our)\b.+)
remember above: {_KEEP_THAT}{_FOR_LATER}
remember plan: (remember|remind yourself) to (?P<c>.+)
remember plan: (don't|dont|do not|never) forget to (?P<c>(?!{_TASKS}).+)
remember plan: (remember|don't forget)( that|,)? you (should|must|need to|have to) (?P<c>.+)
remember statement?: {_WEAK}( also| too| please)*({_MARK}|,? )(?P<c>(?!{_FOR_NOW}){_OWN}.+)
remember statement: {_REMEMBER}{_TAIL}{_MARK}(?P<c>.+)
remember statement: {_REMEMBER}{_TAIL}, ?(?P<c>{_OWN}.+)
remember below: {_REMEMBER}{_TAIL} ?:?(?<=[:\w])(?<!remember)(?<!forget)|(remember|don't forget):
remember statement: {_REMEMBER}{_TAIL} (?P<c>({_OWN}|(the|a|it|it's|there's|she|he|they)\b(?! (?-i:[A-Z])))
    .*{_VERB}.*)
        """,
    ),
    refused=whole(
        r"""
        (when|how|what|where|why|who|whom|whose|whether|if|which|because)\b(?!.* (i|my|we|our)\b)|
        (me|you|us|him|her|them|it|this|that|these|those|one|everything|all|anything|nothing|something|the rest|
        what i said|that one|for now)\W*$|you( are|'re)\b|(i|we)('ve|'d)? (ever |just |even |already )?(asked|said|told|
        mentioned|wrote|typed|brought|suggested|sent|did)\b(?! you (that )?(i|my)\b)|(my|our|the|your|all|any)( \w+)? ?(
        previous|last|earlier|first|second|above|prior|former|old|initial|original|questions?|messages?|requests?|
        prompts?|instructions?|comments?|answers?|points?|ideas?|suggestions?|remarks?|rules|guidelines|mistakes?)\b|
        (time|times|day|days|night|week|weekend|summer|year|moment|one|guy|girl|man|woman|dude|person|movie|film|song|
        book|show|episode|place|restaurant|trip|party|game|thing|stuff|conversation|chat|email|joke|story|article|
        video|photo|scene|part|bit|idea|noise|nonsense|last|crap)\b( (we|i|you|he|she|they|from|with|who|where|when|in|
        at|about|called|named|that|which|on|of|for)\b|\W*$)|(the|that|last|our) (last |first |other |old )?(time|day|
        night|good|days|moment)\b(?!.* (is|are|was|has)\b)|to\b|(i|we)\b.* (for|with|by|behind|of|love|trust|in) you\W*$
        """
    ),
    own=whole(rf"({_OWN}|(where|what|who|when|which|how)\b.* (i|i'm|my|we|our)\b)"),
    after=whole(
        rf"""
        (?P<c>.+?) ?[,;–—-]+ ?(so |and |but )?(please,? )?({_KEEP_THAT}|please remember|don't forget){_FOR_LATER}$
        """
    ),
    trailing=whole(
        r"""
        ([ ,;–—-]*\b(please|pls|plz|thanks|thank you|ok|okay|alright|for (me|later|next time|the future|
        future reference)|from now on|going forward|any ?more|if you can|would you|will you|can you|right)\b)+\W*$
        """
    ),
    reason=whole(r", (i|it|that|this|we|because|since|as|so|she|he|they)\b.*$"),
    small_talk=whole(
        r"""
        ((hi|hello|hey|good (morning|afternoon|evening)|thanks?|thank you|please|ok|okay|great|sorry|cheers|bye|
        that's all|that is all|got it|cool|nice|yes|no|one more thing|by the way|btw)\b[^.!?]{0,40}|
        ((and|but|also|so|well|oh|actually) )*(i|i'm|i've|i'd|im|my|we|we're|our)\b.*)$
        """
    ),
)
