"""English verbs: which words are verbs, their base forms, and their third person."""

from typing import Literal, NamedTuple

from souvenir.memory.local_extract.words import word_set

Form = Literal["base", "s", "past", "participle", "ing"]


class Reading(NamedTuple):
    """What a word is as a verb."""

    lemma: str
    form: Form


# base, past, participle where it differs
_IRREGULAR = """
become became become|begin began begun|break broke broken|bring brought|build built|buy bought|catch caught|
choose chose chosen|come came come|cost cost|cut cut|deal dealt|do did done|draw drew drawn|drink drank drunk|
drive drove driven|eat ate eaten|fall fell fallen|feed fed|feel felt|fight fought|find found|fly flew flown|
forget forgot forgotten|get got gotten|give gave given|go went gone|grow grew grown|have had|hear heard|hit hit|
hold held|hurt hurt|keep kept|know knew known|lead led|leave left|lend lent|let let|lose lost|make made|mean meant|
meet met|pay paid|put put|quit quit|read read|ride rode ridden|run ran run|say said|see saw seen|sell sold|send sent|
set set|shoot shot|sing sang sung|sit sat|split split|sleep slept|speak spoke spoken|spend spent|stand stood|
swim swam swum|take took taken|teach taught|tear tore torn|tell told|think thought|throw threw thrown|
understand understood|wake woke woken|wear wore worn|win won|write wrote written|bite bit bitten|breed bred|flee fled|
lie lay lain|dig dug|shine shone|steal stole stolen|stick stuck|strike struck|swear swore sworn|swing swung|bend bent|
bleed bled|blow blew blown|burst burst|cling clung|creep crept|forbid forbade forbidden|rise rose risen|
forgive forgave forgiven|freeze froze frozen|overcome overcame overcome|seek sought|shake shook shaken|sink sank sunk|
slide slid|spin spun|ring rang rung|weave wove woven|grind ground|hang hung|knit knit|shut shut|sweep swept|
withdraw withdrew withdrawn|misplace misplaced|outgrow outgrew outgrown|
"""
_REGULAR = """
abstain accept add adopt adore agree answer apply appreciate ask attend avoid bake battle believe belong bike blog
breastfeed brew call camp care carry celebrate change chair clean climb close coach code collaborate collect commute
compete complete compose consider consult contemplate convert cook count cover crave create crochet cycle dabble dance
date decide despise design detest develop die direct dislike dislocate divorce donate double dream drop earn emigrate
employ end enjoy enrol enroll exercise expect expire fail fancy farm fast favor favour feel file finish fish follow
foster co-found fracture freelance garden graduate handle hate head help hike hire hope host hunt identify immigrate
include inherit injure intend intern interview invest involve jog join juggle kayak lack laugh launch learn like
listen live loathe look love maintain major manage marry matter measure meditate mentor migrate mind minor miss move
need open operate order organise organize own paint parent participate pass perform photograph pilot plan plant play
podcast practice practise pray prefer prepare produce program publish raise react reach recommend record recover
redesign reduce release relocate renovate rent repair report research reside resign restore retire root row sail save
schedule serve sew share ship shop sign skate sketch ski skip smoke snore snowboard specialise specialize start stay
stop stream struggle study stutter suffer supervise support surf switch talk tend test tolerate tour train transfer
transition travel try turn tutor type undergo upgrade use vape visit volunteer vote wait walk want watch weigh wish
wonder work worry worship
"""
# less common, or more often nouns
_RARER = """
backpack busk contribute trek windsurf hitchhike journal accompany achieve adapt adjust admire admit advise advocate
age aim allow alternate amaze analyse analyze announce annoy appeal appear argue arrange arrive assemble assign assist
assume assure attach attempt audit babysit balance ban barbecue base bathe become behave benefit bill blame blend boil
borrow bother box browse burn campaign cancel cater challenge charge chat check cheer chew choose choreograph chop
claim click coordinate copy crash crawl craft critique cross cry curate cut damage declare decline decorate define
delete deliver demand deny depart depend deploy deserve destroy detail diagnose diet dig disagree disappear discover
discuss distribute dive divide doubt download draft dress drum dye edit educate email embroider encounter encourage
enter entertain evaluate examine exchange excel exhibit exist expand experience experiment explain explore express
face facilitate fear feature feed fence fill film fit fix fiddle flip floss focus fold forage force forecast foster
frame freeze fry function fund furnish gain gamble garnish generate glue govern grade greet grill groom guess guide
hang happen haul heal hesitate hide highlight homeschool hug identify ignore illustrate imagine implement import
improve include inform insist inspect inspire install instruct insure interpret introduce iron invite invent jam judge
jump kick kiss knead knock land last laugh lay lecture lend lick lift limit link load log loop lower mail major market
massage match medicate melt mention merge microdose milk mix model moderate monitor motivate mow multiply nail narrate
navigate negotiate note notice nurse nurture observe occupy occur offer outsource owe oversee pack parody park patrol
pause pedal peel perceive permit persuade pet phone photograph pick pitch place plough plow point polish pollinate pop
post pour praise preach predict present preserve press pretend prevent print process procrastinate profit promise
promote pronounce proofread protect protest prove provide pull pump punch purchase push quilt race raid rake rank rap
rate realise realize receive recite recall recognise recognize recycle refer referee refuse register regret rehearse
reject relate relax rely remain remember remind remove replace reply represent request require rescue resell reserve
resist respect respond rest restrict return reuse review rewrite roast rollerblade roller-skate ruin rush salsa sample
scan score scream scrub scuba search season seat seem select sense separate settle sew shake shape shave shelve shout
show shuffle sigh simplify skateboard skydive slice smell smile sneeze snack snorkel socialise socialize solve sort
sound source spar speculate sponsor spray spread stack staff stage stare steam steer stick stitch stock store stretch
strip subscribe substitute succeed suggest suit supply suppose surprise surround suspect sustain swap sweat swear
sweep swing tailor tackle tap taste tattoo taxi teleport telework tell text thank thrift thrive tick tie tinker tip
toast touch track trade trail transcribe translate transport trap treat tremble trim trust tune tweet twist undertake
unwind update upload urge vacuum value vary vlog volunteer vomit warm warn wash waste water weave weed weld welcome
whisper whistle wipe wire woodwork wrap wrestle yell
"""
# words that are as often nouns: between nouns they are read as such ("food and travel")
NOUNS_TOO = word_set("""
    work study play love run walk cook drink dance travel swim paint code program design research plan move drive hike
    bike ski surf train practice cycle fish garden camp sing use start lead support visit volunteer share rent farm
    blog sketch stream smoke fast exercise sleep dream hope struggle turn count head host hunt intern major minor mind
    open order pilot plant podcast record report sail ship shop sign stay stop switch talk test tour tutor wait
    watch wish wonder worry fight break cut call date end file help hurt cover care change
    """) | word_set(_RARER)


def _forms() -> dict[str, Reading]:
    forms: dict[str, Reading] = {}

    def add(word: str, lemma: str, form: Form) -> None:
        forms.setdefault(word, Reading(lemma, form))

    add("founded", "found", "past")  # "found" itself is rather of "find"
    irregular = [verb.split() for verb in _IRREGULAR.split("|") if verb.strip()]
    lemmas = [verb[0] for verb in irregular] + _REGULAR.split() + _RARER.split()
    for lemma in lemmas:
        add(lemma, lemma, "base")
    for lemma, past, *participle in irregular:
        add(past, lemma, "past")
        add((participle or [past])[0], lemma, "participle")
    for lemma in lemmas:
        add(third_person(lemma), lemma, "s")
        for past in _regular_pasts(lemma):
            add(past, lemma, "past")
        for ing in _ings(lemma):
            add(ing, lemma, "ing")
    return forms


def third_person(base: str) -> str:
    """The form after "she"."""
    if base in {"have", "be", "do", "go"}:
        return {"have": "has", "be": "is", "do": "does", "go": "goes"}[base]
    if base.endswith(("s", "x", "z", "ch", "sh", "o")):
        return base + "es"
    if base.endswith("y") and base[-2:-1] not in "aeiou":
        return base[:-1] + "ies"
    return base + "s"


def _stems(base: str) -> list[str]:
    """What an ending with a vowel is put to: "stop" gives "stopp" too."""
    if base.endswith("e") and not base.endswith(("ee", "oe", "ye")):
        return [base[:-1]]
    doubled = len(base) > 2 and base[-1] not in "aeiouwxyh" and base[-2] in "aeiou" and base[-3] not in "aeiou"
    return [base, base + base[-1]] if doubled else [base]


def _regular_pasts(base: str) -> list[str]:
    if base.endswith("y") and base[-2] not in "aeiou":
        return [base[:-1] + "ied"]
    return [stem + "ed" for stem in _stems(base)]


def _ings(base: str) -> list[str]:
    return ["dying"] if base == "die" else [stem + "ing" for stem in _stems(base)]


_FORMS = _forms()
_BASE_IN_ED = {"need", "feed", "bleed", "breed", "speed", "proceed", "succeed", "exceed", "embed", "shed", "wed"}
# the same in past and present, and said of the past
_RATHER_PAST = {"quit", "hurt", "cut", "hit", "put", "set", "shut"}


def verb_form(word: str) -> Reading | None:
    """The verb a word is a form of, if it is a known verb."""
    return _FORMS.get(word)


def guess_form(word: str) -> Reading:
    """The verb a word is a form of where a verb must stand."""
    known = _FORMS.get(word)
    if known is not None:
        return Reading(known.lemma, "past") if word in _RATHER_PAST else known
    if word.endswith("ing") and len(word) > 4:
        return Reading(word[:-3], "ing")
    if word.endswith("ed") and len(word) > 3 and word not in _BASE_IN_ED:
        return Reading(word[:-2], "past")
    return Reading(word, "base")


def is_participle(word: str) -> bool:
    """Whether it can follow "have"."""
    reading = guess_form(word)
    return word == "been" or reading.form in {"past", "participle"} or word in {"come", "become", "run", "read"}
