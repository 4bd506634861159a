"""What English verbs say: which slot each fills, with what, and whether the slot holds one value."""

from dataclasses import replace

from souvenir.memory.local_resolve.lists import listed, word_set
from souvenir.memory.local_resolve.moods import lemma
from souvenir.memory.local_resolve.rules import (
    AS,
    EMPLOYED,
    EMPLOYER,
    HIS,
    HOME,
    JOBLESS,
    NEW_EMPLOYER,
    NEW_HOME,
    NEW_TITLE,
    NO_JOB,
    NOT_HAVE,
    NUMBER,
    PARTNER,
    SCHOOL,
    SEPARATED,
    SPOUSE,
    SUBSCRIPTION,
    TITLE,
    Fill,
    Rule,
    rule,
    state,
)

_TO_WORK = r"(?:(?:his|her|their|the|a) \w+ )?to (?:work|school|university|the office)(?: .*)?"
_BY = rule(
    r"(?:the |an? |(?:his|her|their) )?(?P<v>bus|train|subway|metro|tram|ferry|car|bike|bicycle|motorcycle"
    r"|motorbike|scooter"
    r"|underground|taxi) to (?:work|school|university|the office)(?: .*)?",
    Fill("commute", single=True),
)
_WORK = (
    rule(r"(?P<v>part-time|full-time)(?: .*)?", Fill("work time", kind="whole", single=True)),
    rule(r"(?:\w+ )?(?:remotely|from home)(?: .*)?", Fill("work mode", None, single=True, value="remote")),
    rule(
        r"(?:\w+ )?(?:in (?:the|an) office|from (?:the|an) office|on-?site|in person)(?: .*)?",
        Fill("work mode", None, single=True, value="office"),
    ),
    rule(r"(?:in )?(?:a )?hybrid.*", Fill("work mode", None, single=True, value="hybrid")),
    rule(r"as (?:an? |the )?(?P<t>.+?)(?: (?:at|for|with) (?P<e>.+))?", TITLE, EMPLOYER, EMPLOYED),
    rule(rf"(?:at|for|with) (?P<e>.+?){AS}", EMPLOYER, TITLE, EMPLOYED),
    rule(
        r"in (?:the field of )?(?P<v>(?:\p{Ll}|(?:IT|HR|PR|AI|UX|R&D)\b)[^,]*?)(?: as (?:an? |the )?(?P<t>.+))?",
        Fill("field", kind="whole", single=True),
        TITLE,
    ),
    rule(r"in (?P<v>\p{Lu}.*)", Fill("workplace", kind="place", single=True)),
)
_SWITCH = (
    rule(
        r"(?:over )?(?:from (?P<x>.+?) )?(?:over )?to (?P<v>.+?)(?: from (?P<x>.+))?",
        Fill("use", kind="switch", changed=True),
    ),
    rule(r"(?P<x>.+?) (?:for|with|by) (?P<v>.+)", Fill("use", kind="switch", changed=True)),
)
_MOVE = (
    rule(r"in with (?P<v>.+)", Fill("household", changed=True)),
    rule(r"out of (?P<v>.+)", Fill("left", kind="name", negative=True)),
    rule(
        r"(?:back |over |away )*(?:from (?P<x>.+?) )?(?:back |over )*(?:to|in(?=to )to) (?P<v>.+)",
        Fill("residence", kind="move", single=True, changed=True),
    ),
)
_TIME = r"(?:at |around |about |by )+(?P<v>(?:\d|noon|midnight).*)"

VERB_RULES: dict[str, tuple[Rule, ...]] = {
    lemma(verb): rules
    for verbs, rules in {
        "live reside dwell": (
            rule(
                r"(?:all )?(?:alone|by \w+sel\w+|on \w+ own)(?: in (?P<v>.+))?",
                Fill("household", None, negative=True),
                HOME,
            ),
            rule(r"with (?P<w>.+?) (?:in|near|at) (?P<v>.+)", HOME, Fill("household", "w")),
            rule(r"with (?P<v>.+)", Fill("household")),
            rule(r"(?:in|at|near|around|within|outside|just outside(?: of)?|on) (?P<v>.+)", HOME),
            rule(r"(?P<v>abroad)", HOME),
        ),
        "move relocate settle return emigrate immigrate": (*_MOVE, rule(r"(?:down )?in (?P<v>.+)", NEW_HOME)),
        "work": _WORK,
        "join": (rule(r"(?P<e>\p{Lu}.+?)" + AS, NEW_EMPLOYER, NEW_TITLE, EMPLOYED),),
        "start begin": (
            rule(r"(?:on|at) (?P<v>\d.*|\p{Lu}.*|noon.*)", Fill("start", kind="moment", single=True)),
            rule(
                rf"(?:an? |{HIS} )?(?:\w+ )?(?:job|position|role|work|career) (?:at|with) (?P<e>.+?){AS}",
                NEW_EMPLOYER,
                NEW_TITLE,
                EMPLOYED,
            ),
            rule(
                rf"(?:(?:an? |{HIS} )?(?:\w+ )?(?:job|position|role|work|career) )?as (?:an? |the"
                rf" )?(?P<t>.+?)(?: (?:at|for|with) (?P<e>.+))?",
                NEW_TITLE,
                NEW_EMPLOYER,
                EMPLOYED,
            ),
            rule(r"at (?P<e>.+)", NEW_EMPLOYER, EMPLOYED),
        ),
        "get land accept take secure find": (
            _BY,
            rule(
                rf"an? (?:\w+ )?(?:job|position|offer|role) (?:at|with|from) (?P<e>.+?){AS}",
                NEW_EMPLOYER,
                NEW_TITLE,
                EMPLOYED,
            ),
            rule(
                r"an? (?:\w+ )?(?:job|position|role) as (?:an? |the )?(?P<t>.+?)(?: (?:at|for|with) (?P<e>.+))?",
                NEW_TITLE,
                NEW_EMPLOYER,
                EMPLOYED,
            ),
            rule(rf"hired (?:by|at) (?P<e>.+?){AS}", NEW_EMPLOYER, NEW_TITLE, EMPLOYED),
            rule(r"promoted to (?:an? |the )?(?P<t>.+)", NEW_TITLE),
            rule(r"(?:laid off|fired)(?: (?:from|by) (?P<v>.+))?", NO_JOB, JOBLESS),
            rule(r"(?:re)?married to (?P<v>.+)", SPOUSE, state("marital", "married")),
            rule(r"(?:re)?married(?P<w>.*)", state("marital", "married")),
            rule(r"engaged to (?P<v>.+)", PARTNER, state("marital", "engaged")),
            rule(r"engaged(?P<w>.*)", state("marital", "engaged")),
            rule(
                r"(?:a divorce|divorced|separated)(?: from (?P<v>\p{Lu}.*)| .*)?",
                SEPARATED[1],
                state("marital", "divorced"),
            ),
            rule(r"rid of (?P<v>.+)", NOT_HAVE),
            rule(rf"up {_TIME}", Fill("wake", kind="whole", single=True)),
        ),
        "marry wed": (rule(r"(?P<v>.+)", SPOUSE, state("marital", "married")),),
        "divorce": (
            rule(r"(?:from )?(?P<v>\p{Lu}.+)", SEPARATED[1], state("marital", "divorced")),
            rule(r".*", state("marital", "divorced")),
        ),
        "date": (rule(r"(?P<v>\p{Lu}.+)", PARTNER, state("marital", "partnered", implied=True)),),
        "break split separate": (
            rule(r"off (?:\w+ )?(?:engagement|relationship)(?: (?:to|with) (?P<v>.+))?", *SEPARATED),
            rule(r"up with (?P<v>.+)|(?:up )?from (?P<v>.+)|with (?P<v>.+)", *SEPARATED),
            rule(r"(?:up)?(?: \w+ \w+)?", *SEPARATED),
        ),
        "become": (
            rule(
                r"(?:an? |the )?(?P<t>.+?)(?: (?:at|for) (?P<e>.+))?",
                Fill("title", "t", "occupation", single=True, changed=True),
            ),
        ),
        "turn": (
            rule(
                rf"(?P<v>{NUMBER})(?:[- ]years?[- ]old)?(?: .*)?", Fill("age", kind="whole", single=True, changed=True)
            ),
        ),
        "switch transition migrate upgrade downgrade": _SWITCH,
        "change": (
            rule(
                r"(?:\w+ )?(?:(?:first|last|legal) )?name (?:from (?P<x>.+?) )?to (?P<v>.+)",
                Fill("name", kind="name", single=True, changed=True),
            ),
            rule(
                r"(?:his|her|their) (?P<r>[\p{Ll} \-]+?) (?:from (?P<x>.+?) )?to (?P<v>.+)",
                Fill("changed", kind="attribute", changed=True),
            ),
            rule(r"(?:\w+ ){0,2}from (?P<x>.+?) to (?P<v>.+)", Fill("use", kind="switch", changed=True)),
        ),
        "replace swap trade exchange": (_SWITCH[1],),
        "resign": (rule(r"(?:from )?(?:(?:his|her|their) (?:job|position) (?:at|with) )?(?P<v>\p{Lu}.+)", NO_JOB),),
        "quit leave": (
            rule(r"at (?P<v>(?:\d|noon|midnight).*)", Fill("leave", kind="moment", single=True)),
            rule(
                rf"(?:from )?(?:{HIS} )?(?:old |current |\w+ )?(?:job|position|work)(?: (?:at|with|as|in)"
                rf" (?P<v>.+?))?(?: last .*| in .*)?",
                NO_JOB,
            ),
            rule(
                r"(?:from )?(?:the )?(?P<v>\p{Lu}\S*(?: (?:\p{Lu}\S*|of|the|and|&))*)(?: (?:in|last|this"
                r"|after|for) .+)?",
                Fill("left", kind="name", negative=True),
            ),
            rule(r"(?P<v>.+)", Fill("any", negative=True)),
        ),
        "give cut": (
            rule(r"away (?P<v>.+)|(?P<v>.+) away", NOT_HAVE),
            rule(r"(?:up|out|off) (?:on )?(?P<v>.+)", Fill("any", negative=True)),
        ),
        "retire": (rule(r".*", state("employment", "retired")),),
        "drop withdraw": (rule(r"(?:out of|from|out from) (?P<v>.+)", Fill("left", kind="name", negative=True)),),
        "overcome conquer beat outgrow": (
            rule(rf"(?:{HIS} )?(?P<v>.+?) allergy", Fill("allergy", negative=True)),
            rule(rf"{HIS} (?:fear|phobia) of (?P<v>.+)", Fill("fear", negative=True)),
            rule(r"(?P<v>.+)", NOT_HAVE),
        ),
        "recover": (rule(r"from (?P<v>.+)", NOT_HAVE),),
        "suffer": (rule(r"from (?P<v>.+)", Fill("have")),),
        "want expect request": (
            rule(
                r"(?:all )?(?:answers?|responses?|replies|explanations) (?:to be )?in (?P<v>\p{Lu}\w+)",
                Fill("answers in", kind="whole", single=True),
            ),
            rule(r"(?P<v>.*(?:answers?|responses?|replies|explanations|summaries))", Fill("prefer")),
        ),
        "lose": (rule(rf"{HIS} job(?: (?:at|with) (?P<v>.+))?.*", NO_JOB, JOBLESS),),
        "weigh": (rule(r"(?P<v>.*\d.*)", Fill("weight", kind="whole", single=True)),),
        "earn make": (rule(r"(?:about |around )?(?P<v>[^\w\s]?\d.*)", Fill("income", kind="whole", single=True)),),
        "pay": (
            rule(
                r"(?P<v>[^\w\s]?\d\S*(?: \w+)?) (?:in|for|of|as) (?P<w>rent)\b.*",
                Fill("rent paid", kind="whole", single=True),
            ),
        ),
        "wake": (rule(rf"(?:up )?{_TIME}", Fill("wake", kind="whole", single=True)),),
        "go": (
            rule(rf"to (?:bed|sleep) {_TIME}", Fill("bedtime", kind="whole", single=True)),
            rule(r"by (?P<v>.+)", Fill("name", kind="name", single=True)),
            rule(r"vegan", state("diet", "vegan")),
            rule(r"vegetarian", state("diet", "vegetarian")),
        ),
        "report": (rule(r"to (?P<v>\p{Lu}.+)", Fill("manager", kind="manager", single=True)),),
        "commute": (rule(r"(?:to work )?by (?P<v>.+)", Fill("commute", single=True)),),
        **{
            verb: (rule(r"(?:on|at|in|by|around) (?P<v>.+)", Fill(verb, kind="moment", single=True)),)
            for verb in listed("end expire close open depart arrive land finish")
        },
        "transfer": (
            rule(r"(?:from (?P<x>.+?) )?to (?P<v>\p{Lu}.+)", Fill("school", kind="name", single=True, changed=True)),
        ),
        "attend": (
            rule(
                r"(?P<v>\p{Lu}.*(?:University|College|School|Institute|Academy|MIT|UCLA|ETH|TU|Stanford"
                r"|Harvard|Oxford|Cambridge|Yale).*)",
                SCHOOL,
            ),
        ),
        "study": (
            rule(r"at (?P<v>\p{Lu}.+)", SCHOOL),
            rule(r"(?P<f>.+?) at (?P<v>\p{Lu}.+)", Fill("learn", "f"), SCHOOL),
        ),
        "major": (rule(r"in (?P<v>.+)", Fill("major", single=True)),),
        "convert": (rule(r"(?:from (?P<x>.+?) )?to (?P<v>.+)", Fill("religion", kind="state", changed=True)),),
        "die": (
            rule(r"in (?:the city of )?(?P<v>\p{Lu}.+)", Fill("deathplace", kind="exact", single=True)),
            rule(r".*", state("living", "dead")),
        ),
        "pass": (rule(r"away.*", state("living", "dead")),),
        "follow": (rule(r"an? (?P<v>.+ diet)", Fill("diet", kind="state")),),
        "sell": (rule(r"(?P<v>.+)", NOT_HAVE),),
        "cancel": (rule(r"(?P<v>.+)", NOT_HAVE),),
        "subscribe": (rule(r"to (?P<v>.+)", SUBSCRIPTION),),
        "unsubscribe": (rule(r"from (?P<v>.+)", replace(SUBSCRIPTION, negative=True)),),
        "shave": (rule(r"off (?P<v>.+)", NOT_HAVE),),
        "stay": (rule(r"(?:in|at) (?P<v>\p{Lu}.+)", Fill("stay", kind="place", single=True)),),
        "ride": (_BY,),
        "walk": (rule(_TO_WORK, Fill("commute", None, single=True, value="foot")),),
        "cycle bike": (rule(_TO_WORK, Fill("commute", None, single=True, value="bike")),),
        "drive": (
            rule(_TO_WORK, Fill("commute", None, single=True, value="car")),
            rule(r"(?P<v>(?:an? |\p{Lu}).+)", Fill("drive", single=True, loose=True)),
        ),
        "grow": (rule(r"up (?:in|near) (?P<v>.+)", Fill("hometown", kind="place", single=True), ever=True),),
        "come": (rule(r"(?:originally )?from (?P<v>.+)", Fill("origin", kind="place", single=True)),),
        "prefer": (
            rule(
                r"(?:all )?(?:answers?|responses?|replies|explanations) (?:to be )?in (?P<v>\p{Lu}\w+)",
                Fill("answers in", kind="whole", single=True),
            ),
            rule(
                r"(?:to (?=\w+ ))?(?P<v>.+?) (?:over|rather than|instead of|more than|to|than) (?P<x>.+)",
                Fill("prefer"),
            ),
            rule(r"(?:to )?(?P<v>.+)", Fill("prefer")),
        ),
        "like love enjoy": (rule(r"(?P<v>.+?) (?:more than|better than|over) (?P<x>.+)", Fill("prefer")),),
        "speak": (rule(r"fluent (?P<v>.+)|(?P<v>.+) fluently", Fill("speak", kind="fluent")),),
        "call": (
            rule(r"off (?:\w+ )?(?:engagement|wedding)(?: (?:to|with) (?P<v>.+))?", *SEPARATED),
            rule(r"off (?P<v>.+)", Fill("any", negative=True)),
        ),
        "stop": (rule(r"(?P<v>.+)", Fill("any", negative=True)),),
        "celebrate": (
            rule(r"\w+ (?P<v>\d+)(?:st|nd|rd|th) birthday.*", Fill("age", kind="whole", single=True, changed=True)),
        ),
    }.items()
    for verb in verbs.split()
    for rules in (rules,)
}

# verbs of one meaning; a leading "-" says that it is the contrary
_CLASSES = {
    "like": "like love enjoy adore appreciate fancy -hate -dislike -detest -loathe -despise -mind",
    "have": "have own possess keep buy adopt acquire get hold",
    "learn": "learn study",
    "found": "start open launch establish",
    "use": "use utilize utilise",
    "visit": "visit tour",
    "eat": "eat -avoid -skip",
    "do": "do practise",
    "speak": "speak",
    "want": "want need",
    "play": "play",
    "watch": "watch",
    "support": "support -oppose",
}
VERB_CLASS: dict[str, tuple[str, bool]] = {
    lemma(verb.removeprefix("-")): (name, verb.startswith("-"))
    for name, verbs in _CLASSES.items()
    for verb in verbs.split()
}

# finite verbs that end a subject or begin another clause, beside those of the tables
_MORE = """
    accept act agree aim apply argue arrive ask attend bake become begin believe belong blog build call camp care carry
    celebrate climb code collect commute complain consider contribute cook count cover craft cycle dance decide design
    develop donate draw dream drink eat exercise expect experience explore fear feel fish fly follow forget garden give
    go grow hate have hear help hike hope host invest jog keep knit know lack lead listen look maintain manage meditate
    meet mentor miss need notice offer order organize paint participate pay perform plan practice prepare program
    promise publish rate read recommend regret rent ride run save say see seek sell send serve share shop sing sit skate
    ski sleep smoke spend stand struggle suffer support surf swim take talk teach tell tend think train travel try
    understand value volunteer vote wait walk want watch wear win wish worry write use
"""
KNOWN_VERBS = (
    frozenset(VERB_RULES) | frozenset(VERB_CLASS) | {lemma(verb) for verb in _MORE.split()} | {"be", "have", "do"}
)
AUXILIARIES = word_set(
    "is are was were has have had will would can cannot could may might must does do did no never not"
    " now also currently recently just still already probably always usually often used"
)
PREPOSITIONS = word_set("to in on at with for about from of up out into as after over off through down around by")
