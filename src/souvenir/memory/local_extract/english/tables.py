r"""What verbs say of a person: from a verb, its time and what follows it to a kind.

A row is a kind, verbs and a pattern of what follows them in small letters; of the rows of a verb the first that fits
counts. A row goes on over indented lines. `<own>` and the like stand for the patterns of `_SHARED`. Groups capture
nothing. A genitive's "'s" stands apart, as words do here: "master 's".
"""

import re
from collections.abc import Mapping, Sequence

from souvenir.memory.local_extract import kinds
from souvenir.memory.local_extract.kinds import Kind
from souvenir.memory.local_extract.patterns import joined
from souvenir.patterns import lazy

Table = Mapping[str, Sequence[tuple[re.Pattern[str], Kind]]]

_SHARED = {
    "own": "(a|an|my|our|the)",
    # what points at something in the chat, and says nothing by itself
    "pointing": r"""
        ((option|version|choice|number|answer) \S+$|i|we|he|she|it|this|that|these|those|him|her|his|them|they|you|
        your|yours|myself|ourselves|the thought|all the|what|how|why|where|here|there|something|anything|nothing|
        everything(?! on)|stuff|things?|both|either|neither|one|some|(the|a|my|your)( \w+)? (idea|ideas|approach|
        answer|answers|choice|option|options|first|second|third|last|latter|former|result|results|way|version|
        suggestion|suggestions|plan|look|style|code|solution|example|examples|explanation|response|draft|list|one|ones|
        same|following|above|new|other|rest|part|fact|sound|function|command|loop|file|script|method|class|variable|
        error|bug|issue|problem|output|tone|ending|title|colou?rs?|texture|photo|picture|pic|vibes?|view|necklace|
        design|layout|energy|concept|point|details?))(?= |$)""",
    "durable": """
        (car|truck|van|minivan|house|flat|home|apartment|condo|bike|boat|motorcycle|business|company|shop|farm|land|
        cabin)""",
    "business": r"""
        (business|company|startup|shop|store|bakery|restaurant|café|cafe|bar|studio|agency|farm|clinic|practice|school|
        salon|gym|hotel|hostel|b&b|food truck|franchise|nonprofit|charity|blog|podcast|channel|newsletter|label|
        gallery|firm|brewery|winery|daycare|kennel|workshop|club|group|team|department|lab|server|marketplace|
        bookstore|boutique|location)s?\b""",
    "writing": r"""
        (book|novel|memoir|thesis|dissertation|paper|album|screenplay|script|blog|series|musical|symphony|opera|play|
        game|cookbook|textbook|trilogy|biography|autobiography|comic|manuscript|songs?|soundtrack|ep|podcast|
        documentary|film|fantasy|novella|short stories|poetry|grant proposal|phd|master 's|app|website|compiler|engine|
        library|framework|tool|platform)\b""",
    # what is made in a chat, or at the table
    "code": r"""
        (function|loop|query|test|tests|class|method|regex|email|letter|message|list|docker|file|component|script|
        image|table|array|string|prompt|dinner|cake|lunch|breakfast|sandwich|request|api call|form|button|page|
        cover letter|speech|essay|poem|resume|cv|report|summary|presentation|code|shell|terminal|build|
        migration script|unit test|dataframe|model|chart|plot|diagram)s?\b""",
    "degree": r"""
        (phd|master 's|masters?|degree|bachelor 's|bachelor|mba|internship|residency|apprenticeship|postdoc|bootcamp|
        fellowship|diploma|training|doctorate|msc|bsc|ma|ba|a-levels|gcses|traineeship|placement|undergrad|studies|
        thesis|dissertation)\b""",
    "goal": r"""
        to (learn (?!how|about this|more about|what|why|this|from)|become|move|travel|retire|quit|lose|
        run a (half[ -])?marathon|get (fit|in shape|married|a phd|better at|into (med|law|grad|college|shape)|healthy|
        sober|pregnant|my)|run for|start (a|my) (business|company|family|own|podcast|blog)|open (a|my)|have (kids|
        children|a baby|a family)|buy (a|my) (house|home|flat|first|car)|visit|study|live|go (to (college|med|law|
        grad)|back to school|vegan)|work (as|in|abroad|for)|be (a|an) |save|stop (smoking|drinking)|speak|climb|adopt|
        publish|pay off|improve my|write (a|my) (\w+ )?(novel|book|memoir|screenplay)|play (the|in|for)|major in|
        emigrate|switch careers|graduate)""",
    "month": "(january|february|march|april|may|june|july|august|september|october|november|december)",
    "ahead": r"""
        (next|tomorrow|until|this (spring|summer|fall|autumn|winter|weekend|month|year|week|<month>|\w+day)|in (\d+|
        two|three|four|a|<month>|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|the (spring|summer|fall|autumn|winter))|
        on (\w+day|the \d|\d|<month>)|over (christmas|easter)|for (christmas|easter|thanksgiving))\b""",
    "affliction": r"""
        (anxiety|depression|insomnia|addiction|adhd|burnout|infertility|alcoholism|ptsd|weight|grief|ocd|dyslexia|
        chronic|sleep|panic|migraines)""",
    "age": r"(\d{1,3}|eighteen|twenty|thirty|forty|fifty|sixty|seventy|eighty)\b",
    "sport": r"""
        (running|hiking|swimming|climbing|fishing|camping|jogging|cycling|skiing|surfing|dancing|bouldering|hunting|
        birding|diving|sailing|kayaking|rowing)""",
    "body": r"""
        (leg|arm|foot|ankle|knee|hip|wrist|hand|finger|shoulder|back|neck|ribs?|collarbone|toe|elbow|hamstring|acl|
        achilles|meniscus|jaw|nose|spine|pelvis|thumb|rotator cuff|cuff|ligament|tendon|muscle)\b""",
}

_PROGRESSIVE = r"""
TASK work: with (a|an|the|this|that|it)\b|on (<pointing>|for |and |,|.{0,30}\b<code>)
PROJECT work: on |towards? |to (become|get|improve|build)
WORK work: (as|at|for|in|with|part|full|remotely|freelance|night|two|from home(?! today)|on a)\b
TASK build develop create design prototype program code make: .{0,60}\b<code>
PROJECT build develop create design prototype found co-found: (<own>|two|several) <named>
PROJECT make: <own> (\w+ ){0,3}(film|movie|documentary|game|album|podcast|app|quilt|short film)
PROJECT write compose record produce publish illustrate translate: <own> (.{0,40} )?<writing>
PROJECT record produce: (a|an|my|our) \S
DEADLINE launch release ship: (<own>|on|in)\b
PROJECT renovate restore redesign remodel refurbish organize organise curate direct: <own> \S
PROJECT migrate port rewrite refactor upgrade: (<own>|from|to|\w+ to) ?(?!function|class|method|loop|file)
TASK learn: (about|to (use|write|do)) (this|it|that)|a (ton|lot)|so much|new|more|much|how
LEARNING learn practise practice: <thing>
PROJECT study: (for|to become|to be) \S
STUDY study major minor: (in |at |abroad|towards? )?<thing>
PROJECT train prepare revise rehearse cram: (for|to be|to become) (?!this|that|it|dinner|work)
STUDY train: (as|to) \S
SEARCH look search hunt: for (a|an|my|new|another|some)? ?(\w+ ){0,3}(job|position|work|internship|apprenticeship|role|
    career|promotion|contract|gig|apartment|flat|house|place to live|roommate|flatmate|co-?founder|school|room|
    investors?|therapist|cto|ceo|developer|designer|intern|tenant|buyer|doctor|daycare|nanny|home|publisher|agent|
    scholarship)
PLAN plan: (to|on) (?!use|do|call|implement|add|refactor|ask|make it|try)|(a|an|my|our) (\w+ ){0,3}(trip|wedding|move|
    vacation|holiday|party|honeymoon|trek|birthday|retirement|sabbatical|event|conference)
PLAN move relocate emigrate immigrate: (to|into|in|out|abroad|back|from|house|overseas|next|home) ?(?!on\b)
FAMILY expect: (a|our|my|twins|triplets|another)( \w+)? ?(baby|child|girl|boy|son|daughter|kid|grandchild)\b|twins|
    triplets
PROJECT raise: (money|funds|a round|seed|capital|a seed)
FAMILY raise parent foster homeschool home-school: .
EVENT get: (married|divorced|engaged|(\w+ ){0,2}(surgery|operation|chemo|braces|mri))\b
PLAN get: (a|an|my|our) (\w+ ){0,2}(dog|puppy|cat|kitten|divorce|visa|license|licence|tattoo|<degree>)
PLAN start begin: <own> (\w+ ){0,3}(job|business|company|program|programme|position|role|family|diet|podcast|blog|
    school|career|course|garden|treatment|chemo|therapy|<degree>)|(at|school|university|college|chemo|kindergarten|
    therapy|med school|grad school)\b
PROJECT open: <own> (\w+ ){0,4}<business>
WORK run: <own> (\w+ ){0,4}<business>
PROJECT run: (for (office|mayor|president|council)|a (half[ -])?marathon|the \S)
HOME live: (?!the dream|on coffee)(in|with|at|on|near|alone|abroad|by|off|together|between|out|off-grid|here|there)
SITUATION stay: (in|at|with) .*\b(until|till|for (a|two|three|the)|this (week|month|summer))
SITUATION rent share own: <thing>
SITUATION take: (care of|a|an|my|our)? ?(\w+ ){0,3}(course|class|classes|lessons|medication|meds|antibiotics|
    antidepressants|pills|insulin|supplements|sabbatical|gap year|parents?|mother|father|mom|dad|online)\b
TASK use: (a|an|the|this|that|my|your|it|some|for)\b
TOOL use: <thing>
STUDY do: <own> (\w+ ){0,3}<degree>
GOAL save: (up )?(for|to|money|towards?)\b
HEALTH have: (\w+ ){0,2}(pains?|migraines|headaches|panic attacks|seizures|palpitations|hot flashes)\b.*\b(for|since|
    every)\b
EVENT have: (\w+ ){0,3}(surgery|operation|procedure|scan|mri|biopsy|c-section)\b
FAMILY have: (a|another|our|my) (\w+ ){0,2}(baby|child)\b
HEALTH recover battle fight undergo suffer: (from|a|cancer|with|chemo|depression|treatment|for|radiation|dialysis)\b
WORK teach coach manage lead tutor mentor freelance consult volunteer intern specialise specialize supervise
    moonlight apprentice substitute:
HEALTH see: a (therapist|psychiatrist|specialist|doctor|physio)
FAMILY date see: (a|an|someone|somebody|my)\b
SITUATION go: through (a divorce|menopause|ivf|chemo|a break-?up)
STUDY go: (back )?to (college|university|grad school|med school|law school|school|rehab|therapy)\b
PASSING come: (over|back|by|with)\b
PLAN go travel fly visit leave head drive come sail cruise backpack tour: .*\b<ahead>
SITUATION go: (bald|blind|deaf|vegan|vegetarian|keto|gray|grey)
PROJECT apply: (for|to|at) (?!this|that|it|the (patch|filter|function))
PLAN retire:
PLAN switch transition convert transfer change: (to|from|careers?|jobs?|schools?|my (name|major|career|job)|fields?|
    into)\b
PLAN buy sell: <own> (\w+ ){0,2}<durable>
GOAL try: to (quit|lose|get (pregnant|fit|in shape|healthy|better at|sober|back in)|conceive|learn|save|eat|cut (down|
    back|out)|stop (smoking|drinking|eating|procrastinating)|reduce my|gain|become|improve my|have a baby|go vegan|
    drink (less|more)|be more|live|exercise)
PROJECT compete perform tour exhibit:
STUDY finish complete: <own> (\w+ ){0,2}<degree>
HEALTH struggle: with (\w+ ){0,2}<affliction>
STUDY attend: (a|an|the)? ?(\w+ ){0,3}(school|university|college|bootcamp|course|academy|[a-z]+ state)
EVENT celebrate: .*\b(anniversary|birthday)\b
EVENT visit: (us|me)?.*\b(next|this|in|on|tomorrow|for|from)\b
EVENT turn: <age>
HABIT trade invest: in |stocks|crypto
DIET follow: (a|the) .*\bdiet\b
DIET eat avoid cut: (low|less|no|out|gluten|dairy|sugar|keto|vegan|vegetarian|mostly)
WISH think consider contemplate toy debate lean hope wonder:
TASTE get: (into|back into) (?!trouble|bed|it|this|the car)
"""

_PRESENT = r"""
PASSING live reside dwell: (for|without|up|nearby|here|there|upstairs|next door|close by)\b
HOME live reside dwell: .
HOME split: my time
PASSING work: (fine|well|out|great|for me|perfectly|now|it)\b
WORK work:
TASK study major minor: (this|that|it)\b
STUDY study major minor:
WORK teach coach tutor manage lead supervise chair direct: (to )?<thing>
WORK specialise specialize freelance consult moonlight intern:
ROLE consider call: myself (an?|to be) \S
WORK report: to (?!you)
WORK serve: (in|as|on) \S
WORK run operate: (<own>|two|three|several) (.{0,50} )?<business>
HABIT run: (\d|every|marathons?|ultras?|regularly|daily|in the|a lot|on the|three|two|four|five|half|competitively|
    to)\b
POSSESSION own: <thing>
SITUATION owe lack: .
PASSING play: (around|with|dead|along|it|this|that|ever since|since|for)\b
HABIT play: .
PASSING speak: (to|with|up|for|about|of)\b
SKILL speak: .
SKILL sign: (fluently|asl|bsl)
SKILL know: (how to (?!do (this|that|it)|fix|use this)|a (bit|little|lot|fair bit) (of|about) (?!it|this|that|them))
SKILL understand: (a (bit|little) (of )?)?(english|german|french|spanish|italian|portuguese|russian|arabic|hindi|
    mandarin|cantonese|japanese|korean|dutch|polish|turkish|greek|hebrew|swedish|sign language)
TRAIT tend: to \S
TASTE learn: (best|better|by|visually|faster)
TASK use: ((<own>|your|this) (\w+ )?<code>|to )
TOOL use: <thing>
VAGUE like love enjoy hate dislike adore detest loathe despise favor favour fancy prefer crave: (it when|being stuck|
    to (think|know|see|ask|say|bother|be (that|the one)|admit|hear|interrupt|break)|the fact|when (you|it|my)|that |
    for |seeing)
TASTE like love enjoy hate dislike adore detest loathe despise favor favour fancy prefer crave: <thing>
PASSING mind: (if|waiting|you|it|the (wait|delay))
TASTE mind stand bear: <thing>
TASTE support root follow cheer: (for )?<thing>
TASTE care: (deeply |a lot )?about (?!it|this|that|you)
TASK avoid: (<code>|this|that|it|errors?|using)
DIET avoid eat drink skip tolerate digest: <thing>
DIET drink eat smoke vape:
HABIT cook bake brew grill: <thing>
HABIT cook bake brew:
HABIT have: (breakfast|lunch|dinner|coffee|tea) (at|every|with|around|in the)
FAMILY take: (care of|after) (?!it|this|that|you)
HABIT take: (the|a) (\w+ ){0,2}(bus|train|subway|tram|metro|ferry|tube|nap)
HEALTH take: (\w+ ){0,4}(every|daily|twice|once|each|for my|pills?|tablets?|medication|meds|medicine|insulin|
    supplements|thinners|antidepressants|antihistamines|statins|vitamins?|metformin|blood pressure|mg|birth control|
    beta blockers|lithium|ssris)\b
HEALTH take: [a-z]{4,}(cillin|statin|formin|pril|sartan|olol|azole|azepam|idone|ine|arin|oxin|ium|mab|ide)\b
HABIT take: (\w+ ){0,3}(lessons|classes|courses|photos|photographs|milk|sugar)\b
HEALTH wear: (\w+ ){0,2}(glasses|hearing aids?|contacts|contact lenses|a (brace|prosthesis|insulin)|dentures|
    compression)
HABIT wear: (a )?(size|mostly|only|black)|<thing>
HEALTH need: (glasses|insulin|a wheelchair|a cane|hearing aids?|subtitles|captions|a walker|dialysis|reading glasses|
    crutches)
HEALTH suffer: (from|with) \S
PASSING struggle: to \S
HEALTH struggle: with (\w+ ){0,2}<affliction>
HEALTH stutter snore breastfeed:
HEALTH see: (a|my) (\w+ )?(therapist|psychiatrist|specialist|physio|physiotherapist|counselor|counsellor|psychologist)
HEALTH react: (badly|to) \S
HEALTH get: (\w+ ){0,2}(migraines|seasick|carsick|motion sick|airsick|panic attacks|hay fever|cold sores|seizures|
    nosebleeds)
EVENT get: (married|divorced|engaged)\b.*\b(in|on|next|this)\b
HABIT get: up (at|early|late|around|before)
DEADLINE need have_to must: to .*\b(by|before|until|due)\b(?! (the way|hand|myself))
GOAL want: (kids|children|a family|to have (kids|children))\b
WISH need want have_to:
HABIT read write: a (lot|ton)\b
PASSING read write: (<code>|(a|an|the|few|some|your) |about (this|that|it)|<pointing>|to (you|ask))
HABIT read write: .
HABIT read:
NAME go: by (?!the)
PASSING go: to (bed|sleep|the (store|shop|bathroom|doctor|dentist)|hell|this|that|work(?! by| at))
STUDY go: to (school|college|university|uni|\w+ (state|university|college|high|school|academy))
HABIT go: (to|for|on|by|home|out|without|<sport>)\b.*\b(every|each|daily|weekly|twice|once|on \w+days|a week|times|
    most|in the (morning|evening)s?|regularly|a lot)\b
HABIT go: <sport>
HABIT go: to (church|mosque|temple|synagogue|mass|therapy|the gym|aa|night school|yoga|pilates)
STUDY go: to [a-z]
ATTRIBUTE belong: to \S
ATTRIBUTE identify: as \S
ATTRIBUTE weigh measure: (about |around )?\d
ATTRIBUTE believe: in <named>
ATTRIBUTE hold: (<own>|two) (\w+ ){0,3}(license|licence|passport|patents?|certificate|record|citizenship|visa|position|
    title|belt|<degree>)
STUDY attend: .
HABIT volunteer donate commute meditate pray worship travel vote:
HABIT swim hike bike cycle jog ski surf climb sail row skate snowboard kayak:
HABIT garden paint draw sketch knit sew crochet sing dance blog code program podcast stream fish camp hunt photograph
    juggle exercise fast ride compose: (?!this|that|it\b)
PASSING collect grow breed raise keep: (getting|on|telling|track|up|going|forgetting|seeing|having|trying)\b
FAMILY raise: (\w+ ){0,2}(kids|children|sons?|daughters?)
HABIT collect grow breed raise: <thing>
HABIT keep: (\w+ ){0,2}(kosher|halal|bees|chickens|horses|goats|pigeons|rabbits|ducks|sheep|pigs|geese|a (journal|
    diary|garden)|shabbat|sabbath)
HABIT train practice practise:
HABIT sleep wake: (?!badly|well|in today)
HABIT drive: <thing>
HABIT walk: (my|our|the|to|\d|every|a lot|at least|with|home|everywhere|five|ten|three|two)\b
HABIT listen: to <named>
HABIT watch: (?!the (video|clip))<thing>
SITUATION share: (joint |full )?custody|<own> (\w+ )?(flat|house|apartment|room|office|place|home|car|studio|kitchen|
    bathroom|bedroom)
HABIT spend pay rent earn host mentor save invest trade sell design build develop maintain organize organise restore
    repair perform produce photograph: (?!.{0,40}\b<code>)<named>(?!you|time|hours (on|debugging)|attention|bug|
    a lot of time).
PROJECT maintain: (<own>|two|several) \S
TASK build design develop restore: (a|an|the|this)\b
HABIT make: (\$|€|£)?\d|(my|our) own|(jewelry|jewellery|pottery|furniture|candles|quilts|music|films|videos|cheese|
    wine|beer|games|clothes|dresses|money|soap|art|sourdough|bread)\b|a living|(around|about) \$?\d
FAMILY look: after (?!it|this|that|you)
FAMILY care: for (my|our|a|two) \S
FAMILY die: .
HABIT fly: (drones|planes|helicopters|gliders|a \S|often|for)
PLAN fly: (to .*\b(next|on|tomorrow|in)\b|out \S)
PLAN leave arrive depart return: .*\b(next|on|tomorrow|in)\b
PLAN start begin finish: .*\b(next|on|tomorrow|in (\w+ )?(weeks|days|a week|a month|two|<month>))\b
HABIT start begin finish: (my|the|every) (day|morning)|work at
PLAN move relocate: (to|into|out) .*\b(next|in|on)\b
PLAN retire: (in|next|at|soon)\b
PLAN graduate: (in|next|from|this)\b
PLAN plan intend aim: (to|on) (?!use|do|call|implement|add|refactor|ask|make it|try)
GOAL dream: of |about (becoming|owning|opening)
EVENT turn: <age>
EVENT end: .*\b(on|in|next)\b
DEADLINE expire: .
DEADLINE launch ship open close release: .*\b(on|in|next|by|this|tomorrow)\b
HABIT do: (yoga|pilates|crossfit|karate|judo|taekwondo|ballet|gymnastics|bjj|martial arts|kickboxing|boxing|keto|
    research|intermittent fasting|stand-?up|improv|triathlons|ceramics|pottery|calligraphy|origami|crosswords|sudoku|
    volunteer|freelance|woodworking|archery|fencing|capoeira|parkour|meal prep|the (cooking|dishes|laundry|shopping)|
    my own|photography|cross-stitch|cosplay|magic|weightlifting|night shifts|shift work|home dialysis|marketing|design|
    accounting|sales|tai chi|aerobics|graphic design|data)\b
HABIT help: (my|our|out at|at|run) \S
PASSING worry fear: about (my|climate)
EPISODE adopt: .
HABIT type: (with|at|in|on) \S
HABIT compete participate dabble: in \S
"""

_PAST = r"""
EPISODE move relocate emigrate immigrate: (the|it|this|that|on|my (file|code|mouse))\b
HOME move relocate emigrate immigrate: (to|from|here|back|into|in|out|abroad|away|houses?|countries|with|around|again|
    last|over)\b
HOME come: (here|over )?(to|from) .*\b(in \d{4}|as a|years? ago|when|from)\b|here (in|from|as|when)\b
HOME flee: .
ORIGIN grow: up\b
STUDY graduate:
EPISODE study major minor: (for (the|my|this)|it|this|that|all (day|night)|hard|yesterday)\b
STUDY study major minor: .
STUDY attend: .*\b(university|college|school|academy|mit|nyu|ucla|institute|seminary|conservatory|bootcamp|state)\b
STUDY train: (as|to be|to become) \S
STUDY do: <own> (\w+ ){0,2}<degree>
STUDY earn receive: <own> (\w+ ){0,3}(license|certificate|certification|black belt|scholarship|award|diagnosis|
    <degree>)
STUDY drop: out of (college|school|university|high|med|law|grad)
PAST work live serve teach volunteer coach freelance intern manage: .*\b(for \S+ (\S+ )?(years?|months?|decades?)|
    as (a|an)|in (19|20)\d\d|until|from (19|20)\d\d|when|before|since|years|at|in (?!the morning|bed)|most of)\b
PAST live: (in|with|abroad|on)\b
PAST serve: .
WORK retire resign:
EPISODE quit: (this|that|it|the (app|game|terminal))\b
CHANGE quit: .
CHANGE leave: (my|the|our) (job|army|navy|church|company|position|military|husband|wife|country|team|band|profession|
    firm|industry)|school|home (at|when)|college|academia|teaching
EPISODE join: (this|in|up|both|two|three|\d|the (call|meeting|channel))\b
WORK join found co-found: .
WORK open: (a|an|my|our) (\w+ ){0,4}<business>
CHANGE start begin: <own> (\w+ ){0,3}(company|business|job|podcast|blog|startup|school|diet|role|position|family|
    channel|garden|band|program|practice|nonprofit|bakery|career|treatment|newsletter|course|medication|<degree>)|
    (working|learning|playing|taking|running|teaching|studying|college|university|school|medical|med|therapy|chemo|
    high|freelancing|kindergarten|law|grad|at|seeing|dating|writing (a|my)|my own|intermittent|keto|going to|doing|
    meditating|painting|knitting)\b
PAST lose: my (job|father|mother|husband|wife|dad|mom|mum|son|daughter|brother|sister|hearing|sight|leg|arm|house|dog|
    cat|grandmother|grandfather|grandma|grandpa|parents|sense)|\d+ ?(kg|kilos|pounds|lbs)
PAST get: <own> (\w+ ){0,4}(job|promotion|dog|puppy|cat|kitten|visa|green card|divorce|license|licence|position|
    citizenship|scholarship|tattoo|diagnosis|raise|grant|place at|pacemaker|<degree>)\b|(braces|glasses|hearing aids|
    married|divorced|engaged|promoted|laid off|fired|hired|diagnosed|sober|pregnant|accepted|my (black belt|first)|
    remarried|certified|naturalized|into (college|med|law|grad|harvard|stanford|[a-z]+ university))\b
CHANGE switch convert transition migrate change: (from|to|my (name|major|career|job|diet)|careers?|jobs?|majors?|
    schools?|over to)\b
ROLE become: (a|an|the|vegan|vegetarian|pregnant|disabled|blind|deaf|\w+ citizen|interested|friends|obsessed|ceo|head|
    manager)\b
AGE turn: <age>
FAMILY marry divorce adopt foster: <thing>
FAMILY meet: my (father|mother|dad|mom|grandfather|grandmother|wife|husband|partner|girlfriend|boyfriend|fiancé|
    fiancée|best friend|spouse)
FAMILY raise: (my|our|\w+) (kids|children|sons?|daughters?)
FAMILY die:
FAMILY pass: away\b
FAMILY give: birth
EPISODE buy inherit: (\w+ ){0,4}(coffee|tickets?|eggs?|milk|bread|pizza|sandwich|groceries|beer|lunch|drinks?|snacks?|
    some)\b
POSSESSION buy inherit adopt: (a|an|my|our|two|three) \S
POSSESSION inherit: .
CHANGE drop cut: .*\b(from|out of) my (diet|life)
CHANGE start: (eating|drinking|wearing|sleeping|smoking|vaping|driving|cooking|cycling|lifting)\b
CHANGE sell: (my|our|the) (\w+ ){0,3}<durable>
HEALTH break fracture injure hurt sprain tear dislocate twist: my (\w+ ){0,2}<body>
HEALTH put: me on (a|an|the|\w+$|\w+ for)
HEALTH have: (<own>|open|two|three) (\w+ ){0,3}(stroke|heart attack|surgery|operation|miscarriage|c-section|concussion|
    transplant|mastectomy|hysterectomy|bypass|cancer|seizure|breakdown|replacement|replaced|removed|appendix|
    tonsils)\b|(cancer|covid|chemo|surgery)
FAMILY have: (a|our|my|twins) (\w+ ){0,2}(baby|daughter|son|child|kid|girl|boy)\b|twins
CHANGE give: up (?!on|now|and|trying)
CHANGE stop: (smoking|drinking|eating|working|using|taking|playing|running|watching|driving|teaching|dancing)\b
PAST write publish release record: (<own>|two|three|several) (.{0,40} )?<writing>
PAST win: (<own>|two|three|gold|silver|bronze|first) \S
PAST run finish complete climb: .*\b(marathon|ironman|triathlon|everest|kilimanjaro|camino|10k|ultra|<degree>)\b
PAST pass: (the bar|my (driving|citizenship|boards|licensing|bar|theory))
PAST build: (a|an|my|our) (?!.{0,40}\b<code>)
PAST go: to (college|university|school|(law|med|art|film|culinary|boarding) school)|vegan|vegetarian|keto|gluten-free|
    freelance|blind|deaf|part-time
SKILL learn: (to (?!use|do)|\w+ (as a|in|when|from|at))
PROJECT raise: (\S+ ){0,2}(million|k|seed|funding|money)
PAST play: .*\b(in (college|high school|school|a band)|for \S+ years|professionally|when|growing up|as a)\b
PLAN decide: <goal>
EVENT schedule book: (a|an|my|our) \S
TASTE love hate enjoy like adore: (?!it|this|that|the|you|your|talking|chatting|how|every).*\b(as a|when|growing up|
    back)\b
"""

_PERFECT = r"""
PAST live work teach study play know own practise practice run coach manage drive use love hate like serve volunteer
    suffer struggle: .*\b(for|since|all my life|my (whole|entire) life|in \w+|at|as|forever|ever)\b
SKILL work: with \S
SITUATION have: .*\b(for|since|two|three|four|surgery|surgeries|cancer|asthma|diabetes|a (stroke|heart attack))\b
PAST be: to \S
PLAN decide: <goal>
PAST lose: \d
DIET eat drink smoke touch: .
"""


def _patterns() -> dict[str, str]:
    shared = {name: joined(text) for name, text in _SHARED.items()}
    shared["named"] = f"(?!{shared['pointing']})"
    shared["thing"] = rf"{shared['named']}\S"
    return shared


_PATTERNS = _patterns()


def expanded(pattern: str) -> str:
    """A pattern with the shared ones put in, of which some have others in them."""
    for _ in range(3):
        pattern = re.sub(r"<(\w+)>", lambda name: _PATTERNS[name[1]], pattern)
    return pattern.replace("(", "(?:").replace("(?:?", "(?").replace("\\(?:", "\\(")


def _rows(text: str) -> Table:
    table: dict[str, list[tuple[re.Pattern[str], Kind]]] = {}
    for row in re.sub(r"\|\n +", "|", text).replace("\n    ", " ").strip().splitlines():
        head, _, pattern = row.partition(":")
        name, *lemmas = head.split()
        compiled = lazy(expanded(pattern.removeprefix(" ")))
        for lemma in lemmas:
            table.setdefault(lemma.replace("_", " "), []).append((compiled, getattr(kinds, name)))
    return table


PROGRESSIVE = _rows(_PROGRESSIVE)
PRESENT = _rows(_PRESENT)
PAST = _rows(_PAST)
PERFECT = _rows(_PERFECT)

POINTING = lazy(expanded("<pointing>"))
GOAL = lazy(expanded("<goal>"))
CODE = expanded("<code>")


def look_up(table: Table, lemma: str, low: str) -> Kind | None:
    """The kind of the first row that fits."""
    for pattern, kind in table.get(lemma, ()):
        if pattern.match(low):
            return kind
    return None
