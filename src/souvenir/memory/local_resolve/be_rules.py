"""What "is …" and "has …" say in English: which slot they fill, with what, and whether it holds one value."""

from souvenir.memory.local_resolve.rules import (
    AS,
    DATE,
    EMPLOYED,
    EMPLOYER,
    GRADE,
    HOME,
    JOBLESS,
    LIKE,
    NEW_EMPLOYER,
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
    rule,
    state,
)

_STAGE = (
    r"kindergarten|pre-?school|day ?care|elementary school|primary school|middle school|high school|secondary school"
    r"|college|university|uni|grad(?:uate)? school"
)
_MONTH = (
    r"(?:(?:early |late |mid-?)?(?:January|February|March|April|May|June|July|August|September|October"
    r"|November|December)"
    r"\b.*|(?:19|20)\d\d)"
)
BE_RULES = (
    rule(rf"in (?P<v>{_STAGE})", GRADE),
    rule(rf"(?:in|this|next) (?P<v>{_MONTH})", Fill("when", kind="when", single=True)),
    rule(r"(?:subscribed|a subscriber) to (?P<v>.+)", SUBSCRIPTION),
    rule(
        rf"(?:aged |about |around )?(?P<v>{NUMBER})(?:[- ]years?[- ]old| years? of age|)",
        Fill("age", kind="whole", single=True),
    ),
    rule(r"(?P<v>\d.*?) tall", Fill("height", kind="whole", single=True)),
    rule(r"(?P<v>\d[\d.,]* ?(?:kg|kilos?|kilograms?|pounds|lbs))", Fill("weight", kind="whole", single=True)),
    rule(r"(?:\w+ly )?(?:married|wed|wedded) to (?P<v>.+)", SPOUSE, state("marital", "married", implied=True)),
    rule(r"engaged to (?P<v>.+)", PARTNER, state("marital", "engaged", implied=True)),
    rule(
        r"(?:in a (?:\w+[ -])*relationship|together|going out|involved) with (?P<v>.+)",
        PARTNER,
        state("marital", "partnered", implied=True),
    ),
    rule(r"in a (?:\w+[ -])*relationship", state("marital", "relationship")),
    rule(r"(?:separated|divorced) from (?P<v>.+)", SEPARATED[1], state("marital", "separated", implied=True)),
    rule(r"(?:\w+ly )?married(?: with .+)?", state("marital", "married")),
    rule(r"(?:named|called|known as) (?P<v>.+)", Fill("name", kind="name", single=True)),
    rule(r"(?:based|living|settled|residing|housed) (?:in|near|at|out of) (?P<v>.+)", HOME),
    rule(rf"born (?:in|on) (?P<v>{DATE})", Fill("birthday", kind="whole", single=True), ever=True),
    rule(r"born (?:and raised )?in (?P<v>.+)", Fill("birthplace", kind="place", single=True), ever=True),
    rule(rf"employed (?:full-time |part-time )?(?:by|at|with) (?P<e>.+?){AS}", EMPLOYER, TITLE, EMPLOYED),
    rule(r"employed as (?:an? |the )?(?P<t>.+?)(?: (?:at|by|with|for) (?P<e>.+))?", TITLE, EMPLOYER, EMPLOYED),
    rule(rf"(?:hired|recruited) (?:by|at) (?P<e>.+?){AS}", NEW_EMPLOYER, NEW_TITLE, EMPLOYED, ever=True),
    rule(r"(?:promoted|appointed|elected)(?: to| as)? (?:an? |the )?(?P<t>.+)", NEW_TITLE, ever=True),
    rule(r"(?:laid off|fired|let go|dismissed|made redundant)(?: (?:from|by) (?P<v>.+))?", NO_JOB, JOBLESS, ever=True),
    rule(r"(?:out of work|between jobs|out of a job|looking for (?:a|work)\b.*)", state("employment", "unemployed")),
    rule(
        r"an? native (?:speaker of (?P<v>.+)|(?P<v>\w+) speaker)",
        Fill("attr native language ", kind="name", single=True),
    ),
    rule(r"an? (?:\w+ )?(?P<v>\p{Lu}\w+) speaker", Fill("speak")),
    rule(r"(?:diagnosed|living|struggling|afflicted) with (?P<v>.+)", Fill("have"), ever=True),
    rule(r"to (?P<v>\p{Lu}.+)", Fill("visit"), ever=True),
    rule(r"(?:originally |natively )?from (?P<v>.+?)(?: originally)?", Fill("origin", kind="place", single=True)),
    rule(r"(?:\w+ly )?allergic to (?P<v>.+)", Fill("allergy")),
    rule(r"(?:\w+ly |very )?(?:fond of|into|keen on|passionate about|crazy about|obsessed with) (?P<v>.+)", LIKE),
    rule(r"an? (?:\w+ )?(?:fan|lover|enthusiast) of (?P<v>.+)", LIKE),
    rule(r"(?:\w+ly |very )?interested in (?P<v>.+)", Fill("interest")),
    rule(r"(?:\w+ly )?(?:fluent|proficient) in (?P<v>.+)", Fill("speak", kind="fluent")),
    rule(r"(?:\w+ly |very |so )?(?:afraid|scared|terrified|frightened) of (?P<v>.+)", Fill("fear")),
    rule(r"(?:on|following) (?:a|an|the) (?P<v>.+ diet)", Fill("diet", kind="state")),
    rule(r"in (?:the |his |her |their )?(?P<v>\w+)[- ](?:grade|year)\b.*", GRADE),
    rule(r"in grade (?P<v>\w+)", GRADE),
    rule(r"due (?:on |by |in |at )?(?P<v>.+)", Fill("deadline", kind="due", single=True)),
    rule(r"(?:a )?(?:heavy |occasional |regular )?smoker", Fill("smoke", None)),
    rule(r"(?:a )?non-?smoker", Fill("smoke", None, negative=True)),
    rule(r"(?:an employee|a member of staff) (?:of|at) (?P<e>.+)|an? (?P<e>\p{Lu}\S*) employee", EMPLOYER, EMPLOYED),
    rule(r"(?:strongly |firmly )?(?:against|opposed to) (?P<v>.+)", Fill("support", negative=True)),
    rule(r"(?:strongly )?(?:in favou?r of|supportive of) (?P<v>.+)", Fill("support")),
    rule(r"a citizen of (?P<v>.+)", Fill("citizen", kind="exact", single=True, loose=True)),
    rule(r"located (?:in|at|on) (?P<v>.+)", Fill("location", kind="exact", single=True)),
    rule(
        r"(?:moved|postponed|rescheduled|pushed(?: back)?|changed|extended|delayed|brought forward|shifted)"
        r" (?:to|until) (?P<v>.+)",
        Fill("when", kind="when", single=True, changed=True),
        ever=True,
    ),
    rule(r"(?:studying|enrolled|a student) at (?P<v>[\p{Lu}].+)", SCHOOL),
    rule(r"an? (?P<t>[^,]+?) (?:at|for) (?P<e>.+)", Fill("title", "t", "occupation", single=True)),
    rule(r"(?:at|starting at|beginning at) (?P<v>(?:\d|noon|midnight).*)", Fill("when", kind="when", single=True)),
    rule(r"(?:on|scheduled for|set for|planned for) (?P<v>.+)", Fill("when", kind="when", single=True)),
)

HAVE_RULES = (
    rule(rf"an? (?:\w+ )?(?:job|position|role) (?:at|with) (?P<e>.+?){AS}", NEW_EMPLOYER, NEW_TITLE, EMPLOYED),
    rule(
        r"an? (?:\w+ )?(?:job|position) as (?:an? |the )?(?P<t>.+?)(?: (?:at|for|with) (?P<e>.+))?",
        NEW_TITLE,
        NEW_EMPLOYER,
        EMPLOYED,
    ),
    rule(r"an? (?:\w+ )?allergy to (?P<v>.+)", Fill("allergy")),
    rule(r"an? (?:severe |mild |bad )?(?P<v>.+?) allergy", Fill("allergy")),
    rule(r"an? (?:\w+ )?(?:fear|phobia) of (?P<v>.+)", Fill("fear")),
    rule(r"an? (?:\w+ )?interest in (?P<v>.+)", Fill("interest")),
    rule(r"been (?:to|in) (?P<v>.+)", Fill("visit")),
    rule(r"no (?P<v>.+)", NOT_HAVE),
    rule(
        r"an? (?:new )?(?P<r>wife|husband|partner|girlfriend|boyfriend|fiancée?|boss|manager|supervisor"
        r"|landlord|landlady"
        r"|dentist|therapist|best friend) (?:named|called) (?P<v>.+)",
        Fill("relation", kind="relation"),
    ),
)
