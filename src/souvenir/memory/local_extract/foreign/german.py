"""German: "Ich wohne in Berlin" becomes "Der Nutzer wohnt in Berlin"."""

import re

from souvenir.memory.local_extract.foreign.book import Book, Owned, Said, rule_table, verb_table
from souvenir.memory.local_extract.patterns import compiled
from souvenir.memory.local_extract.words import word_set

_USER = "Der Nutzer"
_VERBS = verb_table(
    """
    HOME wohne>wohnt lebe>lebt wohnen>wohnt leben>lebt
    NAME heiße>heißt heisse>heißt
    WORK arbeite>arbeitet leite>leitet unterrichte>unterrichtet betreibe>betreibt arbeiten>arbeitet
    STUDY studiere>studiert
    LEARNING lerne>lernt
    ORIGIN stamme>stammt
    TASTE mag>mag liebe>liebt hasse>hasst bevorzuge>bevorzugt genieße>genießt verabscheue>verabscheut mögen>mag
    TASTE lieben>liebt interessiere>interessiert begeistere>begeistert
    DIET esse>isst trinke>trinkt rauche>raucht vertrage>verträgt vermeide>vermeidet ernähre>ernährt
    HABIT spiele>spielt lese>liest schreibe>schreibt koche>kocht backe>backt laufe>läuft jogge>joggt schwimme>schwimmt
    HABIT sammle>sammelt fahre>fährt male>malt singe>singt tanze>tanzt wandere>wandert trainiere>trainiert höre>hört
    HABIT reite>reitet programmiere>programmiert fotografiere>fotografiert
    SKILL spreche>spricht
    TOOL nutze>nutzt benutze>benutzt verwende>verwendet
    POSSESSION besitze>besitzt
    PROJECT baue>baut entwickle>entwickelt
    PLAN plane>plant heirate>heiratet fliege>fliegt
    WISH möchte>möchte will>will würde>würde könnte>könnte brauche>braucht
    UNKNOWN komme>kommt bin>ist sind>ist habe>hat hab>hat haben>hat war>war wurde>wurde kann>kann gehe>geht mache>macht
    UNKNOWN ziehe>zieht trage>trägt leide>leidet nehme>nimmt
    """
)
_ANY_VERB = "|".join(sorted(_VERBS))
_RULES = rule_table(
    r"""
AGE ist sind:\d{1,3}( jahre( alt)?)?$
HEALTH ist sind:.*\b(allergisch|laktoseintolerant|schwanger|diabetiker|asthmatiker|autist|legastheni|blind|taub|
    gehörlos|farbenblind|trocken)
DIET ist sind:(\w+ )?(vegetarier|veganer|vegan|vegetarisch|pescetarier)
ORIGIN ist sind:(ursprünglich )?aus \S|.*\b(geboren|aufgewachsen)$|gebürtig
FAMILY ist sind:(\w+ )?(verheiratet|geschieden|ledig|verwitwet|verlobt|single|vater|mutter|oma|opa|alleinerziehend)\b
HOME ist sind:.*\b(gezogen|umgezogen|ausgewandert)$
TASTE ist sind:(ein |eine )?(großer |große |riesen)?-?fan von
ROLE ist sind:linkshänder|rechtshänder|introvertiert|schüchtern|zweisprachig
WORK ist sind:(rentner|in rente|pensioniert|arbeitslos|selbstständig|selbständig|freiberuf|von beruf|angestellt)
PASSING ist sind:(so |sehr |total |echt |zu |gerade )?(müde|krank|hungrig|traurig|glücklich|froh|sicher|da|hier|fertig|
    bereit|verwirrt|gestresst)\b
ROLE ist sind:(eine? )?(\w+ ){0,2}\w{2,}(er|erin|in|ist|istin|ent|entin|ant|antin|or|eur|mann|frau|kraft|schwester|
    arzt|ärztin|koch|köchin|anwalt|anwältin|wirt)\b
FAMILY hat haben:(keine?n? |eine?n? |zwei |drei |vier |fünf |\d+ )?(\w+ )?(kind|kinder|sohn|söhne|tochter|töchter|
    bruder|brüder|schwester|schwestern|geschwister|frau|mann|freundin|freund|enkel|enkelin|enkelkinder|zwillinge|
    baby)\b
PET hat haben:(keine?n? |eine?n? |zwei |drei |vier |fünf |\d+ )?(\w+ )?(hund|hunde|katze|katzen|kater|pferd|pferde|
    hamster|kaninchen|vogel|papagei)\b
HEALTH hat haben:.*\b(\w*allergie|asthma|diabetes|migräne|adhs|zöliakie|bluthochdruck|laktoseintoleranz|epilepsie|
    arthrose|rheuma|herzschrittmacher|tinnitus)\b
EVENT hat haben:.*\b(prüfung|klausur|termin|vorstellungsgespräch|hochzeit|operation)\b
POSSESSION hat haben:(keine?n? |eine?n? |zwei |drei |\d+ )?(\w+ )?(auto|haus|wohnung|garten|fahrrad|boot|firma|
    motorrad|klavier|gitarre|führerschein|abitur|doktortitel|blog|podcast)\b
PAST hat haben:.*\b(gearbeitet|studiert|gelebt|gewohnt|geheiratet|promoviert|gegründet|gewechselt|gekauft)$
CHANGE hat haben:.*\b(aufgehört|gekündigt)\b
PASSING hat haben:(keine |eine |ein |viel )?(hunger|durst|frage|fragen|problem|probleme|zeit|lust|ahnung|angst|idee)
ORIGIN kommt kommen:(ursprünglich )?aus \S
PAST war waren:(\w+ )?(jahre |lange )*(\w+ )?\w+(er|erin|ist|in)\b
ORIGIN wurde:.*\bgeboren$
HEALTH wurde:.*\bdiagnostiziert$
SKILL kann:(nicht |gut |kein |keine )?(schwimmen|autofahren|auto fahren|kochen|singen|tanzen|klavier spielen|
    gitarre spielen)$
HABIT geht:.*\b(jeden|jede|wöchentlich|täglich|regelmäßig|zweimal|dreimal|einmal)\b
HABIT macht:(gern |gerne )?(yoga|pilates|musik|eine ausbildung|ein praktikum|sport)
PLAN zieht:.*\b(um|nach \w+)\b
GOAL will:.*\b(werden|lernen|auswandern)$
HEALTH leidet:(an|unter) \S
HEALTH trägt:(eine brille|hörgeräte|kontaktlinsen)
HEALTH nimmt:.*\b(tabletten|medikamente|insulin|täglich|blutverdünner)\b
FAMILY heißen starb verstarb:
"""
)
_PEOPLE = word_set("""
    frau mann ehefrau ehemann partner partnerin freund freundin mutter vater mama papa eltern bruder brüder schwester
    schwestern geschwister sohn söhne tochter töchter kind kinder baby oma opa großmutter großvater großeltern enkel
    enkelin enkelkind enkelkinder tante onkel nichte neffe cousin cousine schwiegermutter schwiegervater schwager
    schwägerin verlobte verlobter chef chefin kollege kollegin mitbewohner mitbewohnerin nachbar nachbarin lehrer
    lehrerin familie zwillinge
    """)
_PETS = word_set(
    "hund hunde hündin katze katzen kater pferd pferde hamster kaninchen vogel papagei hase haustier haustiere"
)
_THIRD = word_set("""
    ist sind heißt heißen hat haben wohnt wohnen lebt leben arbeitet arbeiten studiert studieren mag mögen liebt
    lieben hasst spielt spielen kommt kommen isst spricht war waren wurde geht lernt leidet starb verstarb trinkt
    lautet
    """)
_TIMES = word_set("""
    seit in am an im mit für von bei nach vor derzeit momentan aktuell jetzt früher heute jeden jede außerdem morgens
    abends zurzeit beruflich leider ursprünglich
    """)
_NEUTER = compiled(
    r"""
    (kind|auto|haus|baby|hobby|team|projekt|unternehmen|tier|haustier|pferd|kaninchen|mädchen|enkelkind|fahrrad|handy|
    büro|ziel|\w*(essen|buch|tier|lied|gericht|spiel|fach|getränk|land|chen|gemüse|obst|instrument|auto|album|gewürz|
    bier))$
    """
)
_VERB = r"(?P<verb>[^\W\d_]+)"
_STRAIGHT = compiled(rf"(ich|wir) {_VERB}(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_INVERTED = compiled(rf"(?P<before>[^,]{{1,60}}?) {_VERB} (ich|wir)\b(?P<rest>.*)", re.DOTALL)
_VERB_FIRST = compiled(rf"{_VERB}(?P<rest>.*)", re.DOTALL)
_VERB_LAST = compiled(rf"dass (ich|wir) (?P<rest>.+) {_VERB}$", re.IGNORECASE | re.DOTALL)
_SUBORDINATE = compiled(
    r"(weil|dass|wenn|ob|falls|obwohl|damit|als|während|bevor|nachdem|wo|wie|was|warum|wer)\b", re.IGNORECASE
)
_ANY_THIRD = "|".join(sorted(_THIRD))
_OWN = compiled(
    rf"(?P<my>mein|meine|unser|unsere) (?P<noun>.{{2,60}}?) (?P<verb>{_ANY_THIRD})\b(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)


def _said(book: Book, clause: str, going_on: bool) -> Said | None:
    found = _VERB_LAST.match(clause)
    if found is None and _SUBORDINATE.match(clause):
        return None
    before = ""
    if found is None:
        found = _STRAIGHT.match(clause)
    if found is None:
        found = _INVERTED.match(clause)
        if found is not None and found["verb"].lower() in book.verbs:
            before = found["before"]
        else:
            found = _VERB_FIRST.match(clause) if going_on else None
    if found is None or found["verb"].lower() not in book.verbs or "ich" in found["rest"].lower().split():
        return None
    third = book.verbs[found["verb"].lower()][0]
    return Said(f"{_USER} {third} {_uncapitalised(before)}".strip(), third, found["rest"].strip())


def _uncapitalised(before: str) -> str:
    first = before.partition(" ")[0].lower()
    return before[:1].lower() + before[1:] if first in _TIMES else before


def _owned(book: Book, clause: str) -> Owned | None:
    own = _OWN.match(clause)
    if own is None or {"ich", "du"} & set(own["noun"].lower().split()):
        return None
    words = own["noun"].split()
    lows = [word.lower() for word in words]
    noun = next((low for low in lows if low in book.people or low in book.pets), lows[-1])
    article = "Die" if own["my"].lower().endswith("e") else "Das" if _NEUTER.match(noun) else "Der"
    if article != "Die":  # "mein kleiner Bruder" is "der kleine Bruder"
        words = [re.sub(r"(?<=\w)e[rs]$", "e", word) if word[:1].islower() else word for word in words]
    place = lows.index(noun) + 1
    whose = " ".join([article, *words[:place], "des Nutzers", *words[place:]])
    return Owned(whose, noun, own["verb"].lower(), own["rest"].strip())


GERMAN = Book(
    verbs=_VERBS,
    rules=_RULES,
    swaps={
        "mein": "sein", "meine": "seine", "meinen": "seinen", "meinem": "seinem", "meiner": "seiner",
        "meines": "seines", "unser": "sein", "unsere": "seine", "unseren": "seinen", "unserem": "seinem",
        "unserer": "seiner", "mich": "sich", "mir": "sich", "uns": "sich",
    },
    people=_PEOPLE,
    pets=_PETS,
    leads=compiled(
        r"""
        ^((hallo|hi|hey|moin|servus|guten (morgen|tag|abend)|ja|nein|also|übrigens|und|aber|naja|na ja|ok|okay|danke|
        zur info|kurz zu mir|eigentlich|ehrlich gesagt|nur zur info|außerdem|tatsächlich|zum kontext|
        leider)\b[ ,!:.-]*)+(?=\S)
        """,
        re.IGNORECASE,
    ),
    explicit=compiled(
        r"""
        (bitte )?(merke? dir|denke? daran|vergiss nicht|vergiss bitte nicht|behalte im kopf|speichere|notiere?( dir)?|
        erinnere dich( daran)?)( bitte)?[,:]? ?(?=\S)
        """,
        re.IGNORECASE,
    ),
    asks=compiled(
        r"""
        (kannst|könntest|könnten|würdest|hast|bist|magst|was|wie|wo|wer|warum|wieso|wann|welche\w*|gibt|ist|sind|soll|
        sollte|darf|kann|schreib\w*|gib|zeig|erklär\w*|hilf|mach|sag|erzähl\w*|übersetz\w*|bitte|empfiehl|schlag|
        nenn\w*|finde|suche|stell|angenommen|tu so|wenn|falls|test)\b
        """
    ),
    hedges=compiled(
        r"""
        \b(vielleicht|wahrscheinlich|möglicherweise|eventuell|vermutlich|glaube|denke|überlege|würde|könnte|irgendwann|
        hätte|möchte|evtl)\b
        """
    ),
    passing=compiled(r"\b(heute|gerade eben|im moment|jetzt gerade|gestern|nur ein test|teste)\b"),
    joints=compiled(
        rf"""
        [;–—]| - |, (?=(ich|wir|mein\w*|unser\w*|aber|kannst|könntest|was|wie|wo|und|weil|denn|bitte|daher|deshalb|
        also|der|die|das|er|sie|es|gibt|hast|schreib|gib)\b)| (und|aber|sowie|denn) (?=(ich|wir|er|sie|es|mein\w*|
        unser\w*|{_ANY_VERB}|
        {_ANY_THIRD})\b)
        """,  # noqa: RUF001 - dashes that people type
        re.IGNORECASE,
    ),
    favourite=compiled("liebling"),
    years_old="Jahre alt",
    called=f"{_USER} heißt",
    third=compiled(rf"(?P<verb>{_ANY_THIRD})\b(?P<rest>.*)", re.DOTALL),
    said=_said,
    owned=_owned,
)  # fmt: skip
