"""What somebody asked to remember, in words that stand alone: for the extraction's rules, or where these find none."""

import re

from souvenir.memory.asking_parse import TONGUES, Forget, Remember
from souvenir.memory.local_extract.patterns import compiled
from souvenir.patterns import lazy

_VERB_LAST = compiled(
    r"(?P<subject>(mein\w*|unser\w*|der|die|das|ein|eine) \S+) (?P<rest>.+) (?P<verb>\S+)$", re.IGNORECASE
)
_SUBJECT = compiled("(el|la|los|las|un|una|le|les|l'|une|des|su|sus|son|sa|ses)\\b", re.IGNORECASE)
_TO_DO = {
    "en": "User needs to {}",
    "de": "Der Nutzer muss daran denken, {}",
    "es": "El usuario tiene que {}",
    "fr": "L'utilisateur doit {}",
    "zh": "用户要{}",
}
_QUOTED = {
    "en": "User says: “{}”",
    "de": "Der Nutzer sagt: „{}“",
    "es": "El usuario dice: «{}»",
    "fr": "L'utilisateur dit : « {} »",
    "zh": "{}",
}
# the first person in what somebody else reports
_REPORTED = {
    "ich": "er", "mich": "ihn", "mir": "ihm", "wir": "sie", "uns": "sie", "mein": "sein", "meine": "seine",
    "meinen": "seinen", "meinem": "seinem", "meiner": "seiner", "meines": "seines", "unser": "sein", "unsere": "seine",
    "unseren": "seinen", "unserem": "seinem", "bin": "sei", "mag": "möge", "kann": "könne", "will": "wolle",
    "muss": "müsse", "darf": "dürfe", "soll": "solle", "weiß": "wisse",
}  # fmt: skip
_WORD = lazy(r"[^\W\d_]+")


def told(request: Remember | Forget) -> str:
    """The content as the local extraction reads it best: what is asked to be remembered, said plainly."""
    lines = request.content.split("\n")
    if request.form == "plan":
        return f"Remember to {request.content}" if request.language == "en" else ""
    if request.language == "de" and request.form == "subordinate":
        return f"Merk dir: {_main_clause(request.content)}\nMerk dir, dass {request.content}"
    opening = {
        "en": "Remember that ",
        "de": "Merk dir: ",
        "es": "Recuerda que ",
        "fr": "Souviens-toi que ",
        "zh": "记住",
    }
    return "\n".join(opening[request.language] + line for line in lines)


def standalone(request: Remember | Forget) -> str:
    """The content as a sentence of its own, in its language, where no rule rephrases it."""
    content = " ".join(request.content.split())
    own = TONGUES[request.language].own.match(content) is not None
    if request.language == "zh":
        content = re.sub("我们?", "用户", content)
    if request.form == "plan":
        return _TO_DO[request.language].format(content)
    if request.form == "subordinate":
        return _reported(content, own=own)
    # a Spanish verb needs no subject, so that what has none may be the user's
    if own or (request.language == "es" and not _SUBJECT.match(content)):
        return _QUOTED[request.language].format(content)
    return _capitalised(content)


def _reported(content: str, *, own: bool) -> str:
    """A German clause whose verb comes last."""
    clause = _main_clause(content)
    if not own and clause != content:
        return _capitalised(clause)
    reported = _WORD.sub(lambda word: _REPORTED.get(word.group(), word.group()), content)
    return f"Der Nutzer sagt, dass {reported}"


def _main_clause(content: str) -> str:
    """ "meine Frau Anna heißt" in the order of a main clause."""
    return _VERB_LAST.sub(r"\g<subject> \g<verb> \g<rest>", content)


def _capitalised(content: str) -> str:
    return content[:1].upper() + content[1:]
