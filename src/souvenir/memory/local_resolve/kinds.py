"""What is a kind, a version or a rival of what: the little knowledge of the world that resolution needs."""

from collections.abc import Iterable, Iterator

from souvenir.memory.local_resolve.words import canonical, tokens_of

# every member says its kind too: who has a poodle has a dog
_KINDS = {
    "dog": "poodle labrador retriever terrier dachshund bulldog beagle husky collie corgi chihuahua shepherd spaniel"
    " dalmatian rottweiler greyhound schnauzer pug labradoodle mastiff malinois",
    "cat": "siamese persian tabby ragdoll sphynx",
    "bird": "parrot canary budgie parakeet cockatiel finch",
    "pet": "dog cat bird hamster rabbit bunny goldfish tortoise ferret gerbil gecko",
    "animal": "pet horse cow sheep goat pig",
    "horse": "pony mare stallion",
    "instrument": "guitar piano violin cello drum flute saxophone trumpet clarinet bass harp ukulele banjo viola oboe"
    " trombone accordion",
    "music": "jazz techno opera reggae rap",
    "sport": "soccer tennis basketball volleyball hockey baseball rugby cricket badminton golf handball",
    "nut": "peanut cashew almond hazelnut walnut pistachio pecan",
    "fruit": "apple banana orange strawberry mango pear grape cherry pineapple blueberry raspberry peach kiwi",
    "vegetable": "carrot broccoli spinach cucumber cabbage",
    "seafood": "shellfish",
    "shellfish": "shrimp prawn crab lobster mussel oyster clam",
    "meat": "beef pork chicken lamb steak bacon",
    "alcohol": "wine beer whiskey whisky vodka gin rum",
    "wine": "riesling merlot chardonnay cabernet rioja malbec",
    "tea": "matcha rooibos oolong",
    "coffee": "espresso cappuccino latte",
    "car": "toyota tesla bmw audi honda ford volkswagen vw mazda nissan volvo subaru kia hyundai porsche mercedes"
    " skoda fiat renault peugeot jeep lexus chevrolet corolla civic sedan suv",
    "vehicle": "car motorbike truck van bike scooter",
    "computer": "laptop pc",
    "laptop": "macbook thinkpad chromebook",
    "phone": "iphone",
    "child": "son daughter baby toddler",
    "sibling": "brother sister",
    "parent": "mother father",
    "spouse": "wife husband",
    "doctor": "pediatrician paediatrician cardiologist surgeon dermatologist psychiatrist neurologist gynecologist"
    " radiologist oncologist",
    "engineer": "developer",
    "scientist": "physicist chemist biologist geologist",
    "artist": "painter sculptor illustrator",
    "language": "english german french spanish italian portuguese dutch polish russian mandarin japanese korean arabic"
    " hindi turkish greek swedish norwegian danish finnish czech hebrew latin",
    "pasta": "spaghetti lasagna penne ravioli",
}
# a more exact way of liking the other; but hating the other does not deny it
_VERSIONS = {"typescript": "javascript", "neovim": "vim"}

# one of each group at a time. "=": using one says that the other is not used; "~": usual, but both are possible;
# "-": only as two answers to what is preferred; "!": only as two things said of one
_RIVALS = (
    ("=", "node | bun | deno"),
    ("=", "npm | yarn | pnpm"),
    ("=", "dark mode | light mode"),
    ("=", "iphone, ios | android"),
    ("=", "metric | imperial"),
    ("=", "celsius | fahrenheit"),
    ("~", "tabs | spaces"),
    ("~", "vim, neovim | emacs | vs code | sublime | intellij | pycharm | nano | zed | atom"),
    ("~", "windows | macos, mac | linux, ubuntu, fedora, debian, arch"),
    ("~", "chrome | firefox | safari | edge | brave | opera"),
    ("~", "bash | zsh | fish | powershell"),
    ("~", "spotify | tidal | deezer"),
    ("~", "mysql | postgresql | sqlite | mariadb"),
    ("~", "react | vue | angular | svelte"),
    ("~", "notion | obsidian | evernote | onenote"),
    ("~", "github | gitlab | bitbucket"),
    ("~", "aws | azure | gcp"),
    ("~", "slack | teams | discord"),
    ("~", "qwerty | dvorak | colemak | qwertz | azerty"),
    ("~", "webpack | vite | rollup | parcel"),
    ("~", "jest | vitest | mocha"),
    ("-", "javascript, typescript | python | rust | go | java | kotlin | ruby | php"),
    ("-", "tea | coffee"),
    ("-", "beer | wine"),
    ("-", "cats | dogs"),
    ("-", "window | aisle"),
    ("-", "short | detailed"),
    ("-", "morning, mornings | afternoon, afternoons | evening, evenings, night, nights"),
    ("-", "formal | informal, casual"),
    ("-", "hot, warm | cold, iced"),
    ("-", "sweet | savory, savoury, salty"),
    ("-", "email, emails | phone, call, calls | text, texts, sms"),
    ("-", "remote | office, onsite, on-site, in-person"),
    ("-", "red | white"),
    ("-", "dark | light | milk"),
    ("-", "city | countryside | suburbs"),
    ("-", "train, trains | plane, flying | car, driving | bus"),
    ("-", "manual | automatic"),
    ("-", "mountains | beach"),
    ("-", "summer | winter | spring | autumn"),
    ("-", "paper, physical, printed | digital, electronic | audio"),
    ("-", "cash | card"),
    ("-", "small | large, big"),
    ("-", "early | late"),
    ("-", "day | night"),
    ("-", "quiet | loud, lively"),
    ("-", "spicy | mild"),
    ("-", "video | written, text"),
    ("-", "bullet | prose"),
    ("-", "alone | team, group, others"),
    ("-", "american | british"),
    ("-", "paperback, hardcover | e-book, ebook | audiobook"),
    ("!", "part-time | full-time"),
    ("!", "healthy, well | ill, sick, unwell"),
    ("!", "well, good | badly, bad, poorly, terrible"),
    ("!", "happy | sad, unhappy, miserable"),
    ("!", "rich, wealthy | poor, broke"),
    ("!", "east | west | north | south"),
    ("!", "optimist | pessimist"),
    ("!", "fit | unfit"),
    ("!", "busy | free"),
    ("!", "liberal | conservative"),
    ("!", "cheap | expensive"),
    ("!", "short | long, detailed"),
    ("!", "curly | straight"),
    ("!", "blond, blonde | brown, brunette | black | red | grey, gray"),
    ("!", "open | closed"),
    ("!", "day | night"),
)
# opposites that two sentences of one meaning never differ in
_OPPOSITES = (
    "left-handed | right-handed",
    (
        "sister | brother | son | daughter | mother | father | wife | husband | cousin | aunt | uncle | nephew |"
        " niece | friend"
        " | manager | colleague | neighbour | grandmother | grandfather | girlfriend | boyfriend | partner | spouse"
        " | roommate | classmate | child | grandchild | mentor | landlord | teacher | doctor | dog | cat"
    ),
    "read | write | cook | eat | drink",
    "night | day | weekend",
    "left | right",
    "introvert | extrovert",
    "before | after",
    "more | less",
    "first | second | third | last",
    "old | new, young",
    "north | south | east | west",
    "start | stop | finish",
    "vegan | vegetarian",
    "employed | unemployed",
    "buy | sell",
)
# being one of a group excludes the others of it
_STATES = {
    "temper": "introvert | extrovert | ambivert",
    "hand": "left-handed, lefty | right-handed, righty | ambidextrous",
    "rhythm": "morning person | night owl",
    "religion": "catholic, catholicism | protestant, lutheran | muslim, islam | jewish, judaism | buddhist, buddhism"
    " | hindu, hinduism | atheist, atheism | agnostic | christian, christianity | mormon | sikh",
    "diet": "vegetarian | vegan | pescatarian | omnivore | carnivore | flexitarian | keto, ketogenic | paleo",
    "party": "democrat | republican",
    "outlook": "optimist | pessimist | realist",
    "living": "alive | dead, deceased",
    "employment": "employed | unemployed, jobless | retired | self-employed, freelancer",
    "marital": "single | married | divorced | engaged | widowed | separated | relationship | partnered",
}
# true of one person at one time all the same
_TOGETHER = (
    "divorced relationship, divorced single, divorced engaged, widowed single, widowed relationship, separated single"
    ", separated relationship, engaged relationship, partnered married, partnered engaged, partnered relationship"
    ", partnered divorced, partnered widowed, partnered separated, self-employed employed, catholic"
    " christian, protestant christian"
)
_COMPANIES = (
    "google meta facebook amazon microsoft apple netflix ibm oracle nvidia intel tesla siemens bosch sap openai uber"
    " airbnb stripe shopify salesforce adobe samsung sony nokia ericsson accenture deloitte kpmg pwc mckinsey"
)
_DWELLINGS = "apartment house studio dorm dormitory villa cottage loft van houseboat bungalow townhouse penthouse cabin"
_OCCUPATIONS = """
    attendant associate representative rep host hostess aide ranger referee sculptor skipper supervisor owner partner
    head vp chair
    accountant actor actress administrator advisor adviser agent analyst apprentice architect artist assistant astronaut
    auditor author baker banker barber barista bartender biologist bookkeeper bricklayer broker builder butcher captain
    caregiver caretaker carpenter cashier ceo chef chemist cleaner clerk coach consultant contractor cook counselor
    courier cto curator dancer dentist designer detective developer diplomat director dj doctor driver economist editor
    electrician engineer entrepreneur executive farmer firefighter fisherman florist founder freelancer gardener
    geologist guard hairdresser historian illustrator inspector instructor intern interpreter janitor jeweler journalist
    judge laborer lawyer lead lecturer librarian lifeguard locksmith machinist manager marketer mechanic midwife miner
    model musician nanny nurse nutritionist officer operator optician painter paralegal paramedic pediatrician
    pharmacist photographer physicist physiotherapist pilot planner plumber poet policeman politician postdoc principal
    producer professor prosecutor psychiatrist psychologist realtor receptionist recruiter reporter researcher roofer
    sailor salesman salesperson scientist sculptor secretary singer soldier specialist statistician strategist student
    stylist surgeon surveyor sysadmin tailor teacher technician therapist trader trainee trainer translator tutor
    veterinarian vet waiter waitress welder writer zoologist cardiologist dermatologist neurologist
"""
# what many are beside what they live on
_SIDELINES = (
    "artist musician writer author photographer painter poet singer dancer dj coach model founder cook actor actress"
    " entrepreneur sculptor illustrator gardener student trainer tutor"
)


def term(text: str) -> str:
    """A word, or a phrase that is one thing, as it stands among the terms of a sentence."""
    return " ".join(canonical(tokens_of(text.replace("_", " "))))


def closed(table: dict[str, str]) -> dict[str, frozenset[str]]:
    """Every member of a table of groups, with all that it belongs to at any distance."""
    direct: dict[str, set[str]] = {}
    for kind, members in table.items():
        for member in members.split():
            direct.setdefault(term(member), set()).add(term(kind))
    return {member: _above(member, direct) for member in direct}


def _above(member: str, direct: dict[str, set[str]]) -> frozenset[str]:
    found: set[str] = set()
    left = [member]
    while left:
        new = direct.get(left.pop(), set()) - found
        found |= new
        left.extend(new)
    return frozenset(found)


def _members(rivals: str) -> Iterator[tuple[int, str]]:
    for number, names in enumerate(rivals.split("|")):
        for name in names.split(","):
            yield number, term(name)


def _grouped(groups: Iterable[str]) -> dict[str, dict[int, int]]:
    """For every member the groups it is of, and which of the rivals it is in each."""
    found: dict[str, dict[int, int]] = {}
    for group, rivals in enumerate(groups):
        for number, name in _members(rivals):
            found.setdefault(name, {})[group] = number
    return found


_KINDS_OF = closed(_KINDS)
_VERSION_OF = {term(new): frozenset({term(old)}) for new, old in _VERSIONS.items()}
_RIVAL_OF = _grouped(rivals for _, rivals in _RIVALS)
_OPPOSITE_OF = _grouped([*_OPPOSITES, *(rivals for _, rivals in _RIVALS)])
_STATE_OF = {
    name: (group, term(classes.split("|")[number].split(",")[0]))
    for group, classes in _STATES.items()
    for number, name in _members(classes)
}
_PAIRS = frozenset(frozenset(term(word) for word in pair.split()) for pair in _TOGETHER.split(","))
_COMPANY = frozenset(term(name) for name in _COMPANIES.split())
_OCCUPATION = frozenset(term(name) for name in _OCCUPATIONS.split())
_SIDELINE = frozenset(term(name) for name in _SIDELINES.split())
_DWELLING = frozenset(term(name) for name in _DWELLINGS.split())
_TOOL = frozenset(name for mark, rivals in _RIVALS if mark != "-" for _, name in _members(rivals))


def kinds_of(name: str) -> frozenset[str]:
    """All that it is a kind of."""
    return _KINDS_OF.get(name, frozenset())


def versions_of(name: str) -> frozenset[str]:
    """What it is a version of."""
    return _VERSION_OF.get(name, frozenset())


def rivalry(old: frozenset[str], new: frozenset[str]) -> str:
    """The marks of the groups of which the one thing in which two sets of terms differ is, on both sides."""
    gone, come = old - new, new - old
    if len(gone) != 1 or len(come) != 1:
        return ""
    (first,), (second,) = gone, come
    ours, theirs = _RIVAL_OF.get(first, {}), _RIVAL_OF.get(second, {})
    return "".join(_RIVALS[group][0] for group in ours.keys() & theirs.keys() if ours[group] != theirs[group])


def opposed(old: frozenset[str], new: frozenset[str]) -> bool:
    """Whether two sets of terms differ in opposites."""
    return any(
        _OPPOSITE_OF.get(other, {}).get(group, number) != number
        for name in old - new
        for group, number in _OPPOSITE_OF.get(name, {}).items()
        for other in new - old
    )


def state_of(name: str) -> tuple[str, str] | None:
    """The group of states a word belongs to, and which of them it is."""
    return _STATE_OF.get(name)


def go_together(one: str, other: str) -> bool:
    """Whether two states of one group hold at the same time."""
    return frozenset((one, other)) in _PAIRS


def is_company(name: str) -> bool:
    """Whether a name is that of a well-known employer."""
    return name in _COMPANY


def is_dwelling(name: str) -> bool:
    """Whether people live in one of these."""
    return name in _DWELLING


def is_tool(name: str) -> bool:
    """Whether a name is that of a tool that is used in another's stead."""
    return name in _TOOL


def is_occupation(name: str) -> bool:
    """Whether a noun is what people work as."""
    return name in _OCCUPATION or name.endswith(("ologist", "ician", "smith"))


def is_sideline(name: str) -> bool:
    """Whether people are that beside what they work as."""
    return name in _SIDELINE
