"""One spelling for a noun: singular and plural, British and American forms are the same noun.

The rules are our own: the libraries there are make "bus" out of "buses" and "bu" out of "bus", which splits one topic
in two. Here a word that no rule is sure of stays as it is, so that no two nouns become one.
"""

from functools import lru_cache

_IRREGULAR = {
    "people": "person", "persons": "person", "children": "child", "men": "man", "women": "woman", "feet": "foot",
    "teeth": "tooth", "geese": "goose", "mice": "mouse", "lice": "louse", "oxen": "ox", "dice": "die",
    "cacti": "cactus", "foci": "focus", "fungi": "fungus", "nuclei": "nucleus", "alumni": "alumnus",
    "syllabi": "syllabus", "stimuli": "stimulus", "octopi": "octopus", "radii": "radius",
    "analyses": "analysis", "theses": "thesis", "crises": "crisis", "hypotheses": "hypothesis", "oases": "oasis",
    "diagnoses": "diagnosis", "parentheses": "parenthesis", "syntheses": "synthesis", "axes": "axis",
    "phenomena": "phenomenon", "criteria": "criterion", "bacteria": "bacterium", "curricula": "curriculum",
    "millennia": "millennium", "indices": "index", "matrices": "matrix", "vertices": "vertex",
    "appendices": "appendix", "vortices": "vortex", "genera": "genus", "quizzes": "quiz", "knives": "knife",
    "wives": "wife", "lives": "life", "leaves": "leaf", "wolves": "wolf", "halves": "half", "shelves": "shelf",
    "bookshelves": "bookshelf", "thieves": "thief", "loaves": "loaf", "calves": "calf", "selves": "self",
    "elves": "elf", "scarves": "scarf", "hooves": "hoof", "dwarves": "dwarf", "buses": "bus", "gases": "gas",
    "lenses": "lens", "biases": "bias", "atlases": "atlas", "canvases": "canvas", "irises": "iris",
    "aliases": "alias", "shoes": "shoe", "toes": "toe", "canoes": "canoe", "oboes": "oboe", "foes": "foe",
    "monarchs": "monarch", "patriarchs": "patriarch", "stomachs": "stomach", "epochs": "epoch", "lochs": "loch",
    "tvs": "tv", "menus": "menu", "gurus": "guru", "emus": "emu", "tofus": "tofu", "haikus": "haiku",
    "tutus": "tutu", "caches": "cache", "niches": "niche", "aches": "ache", "headaches": "headache",
    "quiches": "quiche", "mustaches": "mustache", "brioches": "brioche", "avalanches": "avalanche",
}  # fmt: skip

_COMPOUNDS = {
    "women": "woman", "men": "man", "wives": "wife", "wolves": "wolf", "shelves": "shelf", "children": "child",
    "people": "person", "teeth": "tooth", "geese": "goose", "mice": "mouse",
}  # fmt: skip
"""Ends of words: firemen, housewives, grandchildren, dormice."""

_NOT_COMPOUNDS = frozenset(
    """human german roman norman ottoman shaman talisman caiman cayman specimen omen regimen abdomen acumen stamen ramen
    semen yemen mongoose""".split()
)

_PLURALS = {one: many for many, one in reversed(_IRREGULAR.items())}

_SAME = frozenset(
    """series species sheep fish deer moose salmon trout aircraft spacecraft news chess tennis mathematics math physics
    economics politics athletics gymnastics genetics statistics electronics ethics linguistics logistics robotics
    aerobics graphics jeans pants shorts trousers scissors pajamas glasses sunglasses binoculars leggings tights clothes
    headquarters crossroads means kudos chaos cosmos ethos pathos rhinoceros asparagus hummus couscous citrus christmas
    texas canvas atlas gas bias alias pancreas iris axis oasis lens analysis thesis crisis basis hypothesis diagnosis
    emphasis synthesis parenthesis pelvis trellis metropolis acropolis clematis debris chassis ibis paris mars
    sushi ramen pho rice music software hardware furniture advice information luggage equipment anime manga sudoku
    js css aws ios gps dns sms os""".split()
)

_IE = frozenset(
    """movie cookie pie tie die lie zombie hoodie smoothie brownie selfie calorie prairie genie indie foodie rookie
    cutie newbie birdie veggie doggie magpie hippie auntie budgie collie bookie junkie goalie pixie sweetie talkie
    groupie homie beanie bootie freebie goodie laddie lassie necktie bowtie potpie cabbie menagerie reverie boogie
    nightie onesie oldie roadie softie techie trekkie wedgie scrunchie dearie brie""".split()
)

_OES = (
    "hero",
    "potato",
    "tomato",
    "echo",
    "veto",
    "torpedo",
    "mango",
    "volcano",
    "mosquito",
    "tornado",
    "buffalo",
    "domino",
)

_SPELLINGS = {
    "colour": "color", "favour": "favor", "favourite": "favorite", "flavour": "flavor", "neighbour": "neighbor",
    "neighbourhood": "neighborhood", "honour": "honor", "humour": "humor", "behaviour": "behavior",
    "labour": "labor", "harbour": "harbor", "armour": "armor", "rumour": "rumor", "odour": "odor",
    "vapour": "vapor", "savoury": "savory", "parlour": "parlor", "endeavour": "endeavor", "saviour": "savior",
    "centre": "center", "theatre": "theater", "litre": "liter", "metre": "meter", "fibre": "fiber",
    "calibre": "caliber", "spectre": "specter", "grey": "gray", "tyre": "tire", "jewellery": "jewelry",
    "aluminium": "aluminum", "catalogue": "catalog", "dialogue": "dialog", "programme": "program",
    "licence": "license", "defence": "defense", "offence": "offense", "pyjamas": "pajamas",
    "doughnut": "donut", "yoghurt": "yogurt", "mould": "mold", "moustache": "mustache", "artefact": "artifact",
    "whiskey": "whisky", "cosy": "cozy", "enquiry": "inquiry", "aeroplane": "airplane", "mum": "mom",
    "maths": "math", "omelette": "omelet", "plough": "plow", "traveller": "traveler", "travelling": "traveling",
    "modelling": "modeling", "counsellor": "counselor", "jeweller": "jeweler", "organisation": "organization",
    "civilisation": "civilization", "visualisation": "visualization", "encyclopaedia": "encyclopedia",
    "archaeology": "archeology", "manoeuvre": "maneuver", "barbeque": "barbecue", "chilli": "chili",
}  # fmt: skip


@lru_cache(maxsize=4096)
def singular(word: str) -> str:
    """The singular of a noun in lower case, in American spelling; itself when it is one."""
    return american(_singular(american(word)))


@lru_cache(maxsize=4096)
def plural(word: str) -> str:
    """The plural of a noun that `singular` gave."""
    if word in _PLURALS:
        return _PLURALS[word]
    if word in _SAME or not word.isascii() or not word.isalpha():
        return word
    if (compound := _compound(word, {one: many for many, one in _COMPOUNDS.items()})) is not None:
        return compound
    if word.endswith(("s", "x", "z", "ch", "sh")) or word.endswith(_OES):
        return word + "es"
    if word.endswith("y") and word[-2:-1] not in tuple("aeiou"):
        return word[:-1] + "ies"
    return word + "s"


@lru_cache(maxsize=4096)
def several(word: str) -> str:
    """The plural of a noun in either number, the same for both; and of itself."""
    many = plural(singular(word))
    # of a word no rule is made for the plural may look like another singular
    return many if plural(singular(many)) == many else plural(singular(many))


def american(word: str) -> str:
    """The American spelling of a word, singular or with a plural -s."""
    if word.endswith("s") and word[:-1] in _SPELLINGS:
        return _SPELLINGS[word[:-1]] + "s"
    return _SPELLINGS.get(word, word)


def is_plural(word: str) -> bool:
    """Whether a noun in lower case is a plural."""
    return singular(word) != american(word)


def _compound(word: str, ends: dict[str, str]) -> str | None:
    """The other number of a word by its end; the longest end that fits, as woman before man."""
    end = next((end for end in ends if word.endswith(end) and word not in _NOT_COMPOUNDS), None)
    return word.removesuffix(end) + ends[end] if end is not None else None


def _singular(word: str) -> str:
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if (compound := _compound(word, _COMPOUNDS)) is not None:
        return compound
    if not word.endswith("s") or len(word) < 3 or word in _SAME or not word.isascii() or _is_singular(word):
        return word
    if word.endswith("ies") and word[:-1] not in _IE and len(word) > 4:
        return word[:-3] + "y"
    return word[:-2] if _takes_es(word) else word[:-1]


def _is_singular(word: str) -> bool:
    """A word in -ss is one, and one in -us, as virus; the few plurals in -us are irregular here."""
    return word.endswith("ss") or (word.endswith("us") and not word.endswith("ous"))


def _takes_es(word: str) -> bool:
    if word.endswith("uses"):
        return not word.endswith(("auses", "ouses")) and _is_us(word[:-2])
    return word.endswith(("sses", "shes", "xes", "tzes", "ches", "oes"))


def _is_us(word: str) -> bool:
    """Whether -uses is of a noun in -us and not of one in -use, as excuse and muse."""
    return len(word) > 2 and (
        not word.endswith(("cus", "fus", "mus")) or word in {"circus", "focus", "crocus", "hippopotamus"}
    )
