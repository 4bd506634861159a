"""English words by what they do in a sentence, and the forms of nouns."""

from souvenir.memory.local_extract.words import word_set

DETERMINERS = word_set("a an the this that these those some any every each another both either neither such all")
POSSESSIVES = word_set("my your his her its their our")
SUBJECTS_OF_ANYBODY = word_set(
    """
    i you we one me us someone somebody people anyone anybody everyone everybody there nobody yourself myself ourselves
    oneself nothing something anything everything
    """
)
PRONOUNS = SUBJECTS_OF_ANYBODY | word_set("he she it they him them himself herself itself themselves hers theirs mine")
PREPOSITIONS = word_set(
    """
    of in on at to for with from by about between among against during before after around behind over under through
    into onto upon within without across above below near like as than per via versus vs besides except despite toward
    towards along inside outside off until till since throughout amid beyond concerning regarding beside
    """
)
CONJUNCTIONS = word_set("and or but nor so if because although though while whereas unless whether plus")
QUESTION_WORDS = word_set("what who whom whose which when where why how what's")
AUXILIARIES = word_set(
    """
    am is are was were be been being do does did have has had can could will would should shall may might must 'm 's
    're 've 'd 'll ai
    """
)
PLURAL_AUXILIARIES = word_set("are were do have 're")
SINGULAR_AUXILIARIES = word_set("is was does has 's")
ADVERBS = word_set(
    """
    not n't also too very really quite just only even still yet already always never often sometimes usually mostly
    ever then now here again more most less least much so far well long ago soon later early together apart away back
    up down out instead maybe perhaps please generally exactly first else rather almost about ahead alone anyway
    nowadays today tomorrow yesterday tonight yes no thanks thank ok okay hi hello hey sure sorry wow hmm oh ah
    """
)
NUMBERS = word_set(
    """
    one two three four five six seven eight nine ten eleven twelve dozen hundred thousand million billion many few
    several
    """
)
ORDINALS = word_set("first second third fourth fifth last next former latter")
# adjectives that no ending gives away
ADJECTIVES = word_set(
    """
    good bad best worst better worse big bigger biggest small large larger largest great little old older oldest new
    young younger youngest high higher highest low lower lowest long longer longest short main major minor key common
    other others same different similar important popular famous early late many few several much own real true false
    right wrong safe dangerous easy hard difficult simple complex strong weak hot cold warm cool fast slow rich poor
    cheap expensive free open closed full empty clean dirty dark light heavy public private local recent modern
    ancient possible impossible likely available certain sure ready able unable effective harmful healthy unhealthy
    sick ill dead alive male female human average total whole entire single double red blue green yellow black white
    brown pink purple gray grey orange top bottom first second third last next previous current latest newest original
    specific particular various typical special unusual rare normal strange weird interesting amazing independent
    worth far near deep wide thick thin tall taller tallest tough rough smooth soft loud quiet wet dry sweet sour
    bitter fresh raw ripe blind deaf mental direct exact fair firm fit formal foreign front glad happy sad angry
    grand huge tiny vast legal illegal ethical moral married divorced single pregnant allergic vegan vegetarian born
    known responsible successful powerful useful due primary secondary present absent elderly urban rural nuclear
    unique intermittent excellent frequent permanent ancient recent urgent innocent relevant significant dominant
    constant distant elegant brilliant efficient sufficient patient violent silent visible genetic organic toxic
    basic academic economic domestic electric electronic genuine routine obvious serious precise concrete abstract
    adequate accurate appropriate moderate separate immediate remote obsolete absolute acute cute mature pure rare
    secure severe sincere bare square fine divine alive awake aware alike equal annual casual mutual actual usual
    virtual visual global local vocal rural moral oral final vital fatal total brutal mental dental legal royal loyal
    social special initial partial essential potential crucial facial racial official commercial financial artificial
    natural cultural structural federal general several central neutral normal formal thermal external internal
    eternal national rational regional traditional additional optional emotional professional international personal
    seasonal original criminal medical physical typical chemical biological political historical critical practical
    classical identical electrical musical mechanical tropical technical logical ethical environmental continental
    experimental fundamental digital horizontal vertical coastal orbital
    solar lunar polar northern southern eastern western long-term short-term so-called
    """
)
ADJECTIVE_ENDINGS = ("able", "ible", "ful", "less", "ous", "ive", "ish", "ical", "ional", "ary")
NO_ADJECTIVES = word_set(
    """
    table cable vegetable fable archive detective executive native motive alternative perspective narrative objective
    initiative relative representative olive fish dish parish library diary salary dictionary anniversary
    documentary summary secretary boundary january february military missionary english spanish polish danish swedish
    radish variable british turkish irish finnish scottish finish wish
    """
)
NO_ADVERBS = word_set("family italy assembly supply july butterfly")
# verbs of questions about the world, beside those that people say of themselves
MORE_VERBS = word_set(
    """
    affect cause contain compare differ impact kill describe define explain tell show list spread evolve arise
    originate emerge influence consist act prevent determine indicate reveal absorb digest produce consume boost
    increase decrease reduce create found invent discover conquer defeat rule reign govern colonize domesticate mate
    hibernate erupt orbit collapse expand shrink dissolve react regulate legalize abolish ban tax vote elect nominate
    inspire portray depict star air premiere debut win lose earn cost weigh taste smell happen occur exist last
    interact relate refer stand correspond depend result involve require attract repel harm damage hurt heal cure treat
    diagnose infect transmit mutate survive thrive extinct endanger protect preserve destroy pollute recycle
    manufacture assemble export import trade invest bankrupt merge acquire launch shift drop rise fall grow decline
    peak vary range measure calculate estimate predict prove disprove argue claim suggest propose reject accept
    oppose support criticize praise condemn justify clarify summarize elaborate outline discuss contrast name give
    bloom ripen taste sleep dream lay hatch breed feed hunt hide swim fly
    """
)
COMMANDS = word_set(
    """
    tell describe explain list compare define discuss outline elaborate name give show clarify contrast identify
    """
)
_NO_SUPERLATIVES = word_set(
    """
    test forest west chest interest request guest nest pest rest contest protest harvest conquest quest priest arrest
    invest suggest vest crest digest manifest honest modest dishonest tempest unrest northwest southwest midwest
    """
)
IRREGULAR_PLURALS = {
    "people": "person",
    "children": "child",
    "men": "man",
    "women": "woman",
    "mice": "mouse",
    "geese": "goose",
    "feet": "foot",
    "teeth": "tooth",
    "wolves": "wolf",
    "lives": "life",
    "wives": "wife",
    "knives": "knife",
    "leaves": "leaf",
    "shelves": "shelf",
    "thieves": "thief",
    "halves": "half",
    "criteria": "criterion",
    "phenomena": "phenomenon",
    "bacteria": "bacterium",
    "analyses": "analysis",
    "crises": "crisis",
    "theses": "thesis",
    "diagnoses": "diagnosis",
    "hypotheses": "hypothesis",
    "fungi": "fungus",
    "cacti": "cactus",
    "nuclei": "nucleus",
    "oxen": "ox",
    "potatoes": "potato",
    "tomatoes": "tomato",
    "heroes": "hero",
    "volcanoes": "volcano",
    "movies": "movie",
    "cookies": "cookie",
    "pies": "pie",
    "ties": "tie",
    "calories": "calorie",
    "zombies": "zombie",
    "selfies": "selfie",
    "police": "police",
    "cattle": "cattle",
    "sheep": "sheep",
    "deer": "deer",
    "fish": "fish",
    "series": "series",
    "species": "species",
}
_SINGULARS = {one: many for many, one in IRREGULAR_PLURALS.items()}
_SINGULAR_IN_S = word_set(
    """
    news series species gas bus lens tennis chess diabetes rabies measles mumps rickets herpes physics mathematics
    economics politics athletics gymnastics aerobics genetics ethics linguistics statistics robotics mechanics
    electronics atlas canvas christmas texas kansas paris athens brussels wales alias bias always perhaps
    """
)
_SINGULAR_ENDINGS = ("ss", "us", "is", "'s")


def is_plural(noun: str) -> bool:
    """Whether a noun in small letters looks like more than one."""
    if noun in IRREGULAR_PLURALS:
        return IRREGULAR_PLURALS[noun] != noun or noun in {"police", "cattle"}
    return len(noun) > 3 and noun.endswith("s") and noun not in _SINGULAR_IN_S and not noun.endswith(_SINGULAR_ENDINGS)


def is_most(word: str) -> bool:
    """Whether a word in small letters is a superlative by its ending."""
    return word.endswith("est") and len(word) > 4 and word not in _NO_SUPERLATIVES


def singular(noun: str) -> str:
    """One of many; a noun that is no plural stays as it is. Capitals are kept."""
    low = noun.lower()
    if not is_plural(low):
        return noun
    if low in IRREGULAR_PLURALS:
        return _like(noun, IRREGULAR_PLURALS[low])
    if low.endswith("ies") and len(low) > 4:
        return noun[:-3] + "y"
    if low.endswith(("sses", "shes", "ches", "xes", "zes")):
        return noun[:-2]
    return noun[:-1]


def plural(noun: str) -> str:
    """Many of one; a plural stays as it is. Capitals are kept."""
    low = noun.lower()
    if is_plural(low):
        return noun
    if low in _SINGULARS:
        return _like(noun, _SINGULARS[low])
    if low.endswith("y") and low[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + ("es" if low.endswith(("s", "x", "z", "ch", "sh")) else "s")


def _like(model: str, word: str) -> str:
    return word[:1].upper() + word[1:] if model[:1].isupper() else word
