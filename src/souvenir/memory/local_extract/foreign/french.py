"""French: "J'habite à Lyon" becomes "L'utilisateur habite à Lyon"."""

# ruff: noqa: RUF001 - the apostrophes and dashes that people type

import re

from souvenir.memory.local_extract.english.rephrase import tidy
from souvenir.memory.local_extract.foreign.book import Book, Owned, Said, rule_table, verb_table
from souvenir.memory.local_extract.patterns import compiled, joined
from souvenir.memory.local_extract.words import word_set
from souvenir.patterns import lazy

_USER = "L'utilisateur"
_VERBS = verb_table(
    """
    HOME habite>habite vis>vit habitons>habite vivons>vit
    NAME appelle>appelle
    WORK travaille>travaille enseigne>enseigne dirige>dirige gère>gère travaillons>travaille
    STUDY étudie>étudie
    LEARNING apprends>apprend
    TASTE aime>aime adore>adore déteste>déteste préfère>préfère hais>hait intéresse>intéresse aimons>aime
    DIET bois>boit mange>mange fume>fume évite>évite
    SKILL parle>parle
    HABIT joue>joue lis>lit écris>écrit cours>court cuisine>cuisine peins>peint chante>chante danse>danse voyage>voyage
    HABIT nage>nage conduis>conduit collectionne>collectionne pratique>pratique jardine>jardine
    TOOL utilise>utilise
    POSSESSION possède>possède
    HEALTH souffre>souffre
    PLAN déménage>déménage
    WISH veux>veut voudrais>voudrait aimerais>aimerait pourrais>pourrait pense>pense
    UNKNOWN suis>est sommes>est ai>a avons>a viens>vient vais>va fais>fait sais>sait prends>prend porte>porte
    UNKNOWN étais>était supporte>supporte
    """
)
_ANY_VERB = "|".join(sorted(_VERBS))
_RULES = rule_table(
    r"""
HEALTH est sont:(très |sévèrement )?(allergique|diabétique|asthmatique|intolérant|dyslexique|autiste|enceinte|sourd|
    aveugle|daltonien|épileptique)
DIET est sont:(\w+ )?(végétari|végan|vegan|végétalien|pescétarien)
ORIGIN est sont:né|originaire|d' ?origine|de (?!retour|bonne|mauvaise|plus)\w
FAMILY est sont:(marié|divorcé|célibataire|veuf|veuve|fiancé|séparé|en couple|père|mère|papa|maman|grand-mère|
    grand-père)
TASTE est sont:(passionné|fan|amateur|accro)
ROLE est sont était:(un |une )?(\w+ )?(infirmi|ingénieur|professeur|prof|étudiant|développeu|avocat|médecin|enseignant|
    cuisini|boulang|retraité|chauffeur|vendeu|architecte|comptable|journaliste|photographe|musicien|graphiste|pompier|
    policier|plombier|électricien|coiffeu|pharmacien|dentiste|vétérinaire|chercheu|traduct|écrivain|artiste|serveu|
    consultant|chef|directeu|directrice|agricult|secrétaire|caissi|fonctionnaire|entrepreneu|freelance|indépendant|
    designer|lycéen|psycholog)|à la retraite|au chômage|sans emploi
ROLE est sont:(gauch|droiti|introverti|timide|bilingue|français|belge|suisse|canadien|québécois|algérien|marocain|
    espagnol|italien|allemand|portugais|musulman|catholique|juif|juive|athée|un \w|une \w)
PASSING est sont:.
AGE a ont:(\d{1,3}|(vingt|trente|quarante|cinquante|soixante)[\w-]*) ans\b
FAMILY a ont:(un |une |deux |trois |quatre |cinq |\d+ |des |pas d' ?|pas de )?(\w+ )?(enfants?|fils|filles?|frères?|
    sœurs?|soeurs?|garçons?|bébé|petits-enfants|jumeaux|jumelles|mari|femme|copine|copain)\b
PET a ont:(un |une |deux |trois |quatre |\d+ |des )?(\w+ )?(chiens?|chats?|chatte|cheval|chevaux|lapins?|hamsters?|
    perroquets?|poissons?)\b
HEALTH a ont:.*\b(allergie|asthme|diabète|migraines?|hypertension|épilepsie|arthrite|arthrose|maladie|tdah|
    intolérance)\b
EVENT a ont:.*\b(examen|entretien|mariage|rendez-vous|opération)\b
POSSESSION a ont:(un |une |deux |\d+ )?(\w+ )?(voiture|maison|appartement|moto|vélo|guitare|piano|entreprise|
    restaurant|jardin|blog|permis)\b|acheté (un|une) \S
ORIGIN a ont:grandi\b
HOME a ont:(déménagé|emménagé)\b
PAST a ont:(vécu|travaillé|étudié|fondé|épousé)\b
CHANGE a ont:arrêté de\b
PASSING a ont:.
ORIGIN vient:d(e|u|es|' ?) ?(?!finir|faire|voir)\S
HABIT va:(à la salle|à l' ?église|au gymnase|courir|nager)
PLAN va:(déménager|me marier|partir|commencer|ouvrir)\b
HABIT fait:(du |de la |de l' ?|un doctorat|une thèse|un master|des études)
SKILL sait:(pas )?(nager|conduire|cuisiner|jouer|parler|coder|danser)\b
HEALTH porte:des (lunettes|lentilles)|un appareil auditif
HEALTH prend:.*\b(tous les jours|médicament|insuline|traitement)\b
TASTE supporte:pas \S
GOAL veut:(devenir|apprendre)\b
UNKNOWN aime:(pas )?(ça|cette|ce que|ta|ton|votre|bien (ta|ton|votre))\b
FAMILY s'appelle s'appellent est_mort est_morte:
HOME vivent habitent:
WORK travaillent:
"""
)
_PEOPLE = word_set("""
    femme mari épouse époux conjoint conjointe compagnon compagne copine copain mère père maman papa parents sœur
    soeur frère sœurs frères fille fils filles enfants enfant bébé grand-mère grand-père grands-parents tante oncle
    cousine cousin nièce neveu belle-mère beau-père ami amie amis collègue chef patron patronne voisin voisine
    professeur famille fiancé fiancée
    """)
_PETS = word_set("chien chienne chat chatte chiens chats cheval lapin hamster perroquet")
_VOWEL = lazy(r"[aeiouyhéèêàâîôûœ]", re.IGNORECASE)
_ELISION = lazy(r"\b([jmntslcd]|qu)['’] ", re.IGNORECASE)
_ANY_THIRD = joined(
    """
    est|sont|s['’] ?appelle|s['’] ?appellent|a|ont|vit|vivent|habite|habitent|travaille|travaillent|étudie|aime|aiment|
    déteste|parle|joue|mange|était|vient|est mort|est morte
    """
)
_OWN = compiled(
    rf"""
    (?P<my>mon|ma|mes|notre|nos) (?P<noun>.{{2,60}}?) (?P<no>ne |n['’] ?)?(?P<verb>{_ANY_THIRD})\b(?P<rest>.*)
    """,
    re.IGNORECASE | re.DOTALL,
)
_STATED = compiled(
    r"""
    (?P<before>((depuis|en|à|actuellement|maintenant|tous les|le|chaque|pendant|au) [^,]{0,40}?,? )?)(?P<je>je |
    j['’] ?|nous )?(?P<no>ne |n['’] ?)?(?P<me>me |m['’] ?)?(?P<y>y |en )?(?P<verb>[^\W\d_]+)\b(?P<rest>.*)
    """,
    re.IGNORECASE | re.DOTALL,
)


def _joined(said: str) -> str:
    return _ELISION.sub(r"\1'", tidy(said))


def _elided(short: str, long: str, word: str) -> str:
    return short if _VOWEL.match(word) else long


def _said(book: Book, clause: str, going_on: bool) -> Said | None:
    stated = _STATED.match(clause)
    if stated is None or not (stated["je"] or going_on) or stated["verb"].lower() not in book.verbs:
        return None
    third = book.verbs[stated["verb"].lower()][0]
    me = _elided("s'", "se ", third) if stated["me"] else ""
    no = _elided("n'", "ne ", me or third) if stated["no"] else ""
    before = stated["before"].strip(" ,")
    rest = f"{stated['rest'].strip()} {before[:1].lower()}{before[1:]}".strip()
    return Said(f"{_USER} {no}{me}{stated['y'] or ''}{third}", third, rest)


def _owned(book: Book, clause: str) -> Owned | None:
    own = _OWN.match(clause)
    if own is None:
        return None
    words = own["noun"].split()
    lows = [word.lower() for word in words]
    noun = next((low for low in lows if low in book.people or low in book.pets), lows[0])
    place = lows.index(noun) + 1
    if place < len(words) and book.favourite.match(lows[place]):
        place += 1
    whose = " ".join([*words[:place], "de l'utilisateur", *words[place:]])
    verb = re.sub(r"['’] ?", "'", own["verb"].lower())
    no = _elided("n'", "ne ", verb) if own["no"] else ""
    return Owned(f"{_article(own['my'].lower(), words[0], noun)}{whose} {no}".rstrip(), noun, verb, own["rest"].strip())


def _article(my: str, first: str, noun: str) -> str:
    if my in {"mes", "nos"}:
        return "Les "
    if _VOWEL.match(first) and first[0].lower() != "h":
        return "L'"
    female = my == "ma" or (my == "notre" and noun.endswith(("e", "ion")) and noun not in {"frère", "père"})
    return "La " if female else "Le "


FRENCH = Book(
    verbs=_VERBS,
    rules=_RULES,
    swaps={
        "mon": "son", "ma": "sa", "mes": "ses", "me": "se", "moi": "lui", "m'": "s'", "m’": "s'", "notre": "son",
        "nos": "ses", "je": "il", "j'": "il ", "j’": "il ",
    },
    people=_PEOPLE,
    pets=_PETS,
    leads=compiled(
        r"""
        ^((bonjour|salut|bonsoir|coucou|oui|non|alors|donc|et|mais|au fait|d'ailleurs|en fait|merci|ok|bon|sinon|
        pour info|aussi|malheureusement)\b[ ,!:.-]*)+(?=\S)
        """,
        re.IGNORECASE,
    ),
    explicit=compiled(
        r"""
        (s'il te plaît,? )?(souviens-toi|rappelle-toi|retiens|n'oublie pas|note|garde en tête|mémorise)( bien)?([ ]que|
        :|,|[ ]qu['’])? ?(?=\S)
        """,
        re.IGNORECASE,
    ),
    asks=compiled(
        r"""
        (peux|pourrais|pouvez|pourriez|est-ce|qu'est|que |quel|quelle|quels|comment|où|qui|quand|pourquoi|as-tu|écris|
        donne|explique|fais|dis|aide|traduis|recommande|propose|imagine|suppose|si |s'il|as tu|tu )
        """
    ),
    hedges=compiled(
        r"""
        \b(peut-être|probablement|je pense|je crois|aimerais|voudrais|devrais|pourrais|sans doute|j'hésite|un jour)\b
        """
    ),
    passing=compiled(
        r"\b(aujourd['’]hui|en ce moment|maintenant que|ce (matin|soir)|hier|tout de suite|en train de tester)\b"
    ),
    joints=compiled(
        rf"""
        [;–—]| - |, (?=(je|j['’]|mon|ma|mes|mais|et|peux|pourrais|quel|comment|donc|car|parce|tu|qui|as-tu|il|elle|ils|
        elles|c['’]est)\b)| (et|mais|car) (?=(je |j['’]|mon |ma |mes |nous |il |elle |ils |elles |c['’]est|
        ({_ANY_VERB}|{_ANY_THIRD})\b))
        """,
        re.IGNORECASE,
    ),
    favourite=compiled("préféré|favori"),
    years_old="ans",
    called=f"{_USER} s'appelle",
    third=compiled(rf"(?P<verb>{_ANY_THIRD})\b(?P<rest>.*)", re.DOTALL),
    said=_said,
    owned=_owned,
    join=_joined,
)  # fmt: skip
