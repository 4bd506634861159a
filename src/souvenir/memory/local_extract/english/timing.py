"""Whether something is said of a life or of the moment: how often, how far ahead, and which verbs and nouns pass."""

from souvenir.memory.local_extract.english.tables import CODE
from souvenir.memory.local_extract.patterns import compiled
from souvenir.memory.local_extract.words import word_set

OFTEN = compiled(
    r"""
    \b(every (\w+ )?(day|morning|night|week|month|year|weekend|evening|afternoon|summer|winter|spring|fall|\w+day|
    \w+days|few|hour)|daily|weekly|twice a|once a|times a|on (\w+days|weekends)|most (days|mornings|evenings|nights)|
    (days|times|nights|hours|evenings|mornings) (a|per) (week|month|year|day)|all the time|in my (free|spare) time|
    before bed|for a living)\b
    """
)
AHEAD = compiled(
    r"""
    \b(next (week|month|year|spring|summer|fall|autumn|winter|\w+day)|(in|on|this) (january|february|march|april|may|
    june|july|august|september|october|november|december)|on (the \d|\w+day)|in (two|three|four|\d+) (weeks|months|
    days))\b
    """
)
_TECHNICAL = compiled(
    r"""
    \b(api|apis|server|database|db|json|csv|html|css|repo|git|branch|commit|variable|object|endpoint|package|library|
    output|input|error|exception|log|container|cluster|node|column|row|screen|window|tab|folder|path|url|link|cell|
    formula|spreadsheet|slide|data|dataset|battery|internet|wifi|guess|point|understanding|opinion|bad|pleasure|
    concern|apologies|order|feeling|plan|hope|theory|result)s?\b|\b"""
    + CODE
)
# in the present they tell of the chat
_OF_THE_CHAT = word_set("""
    get see end wonder think feel want have say ask tell guess hope mean hear find forget remember notice appreciate
    agree apologize apologise thank try seem understand know wish need suppose assume doubt expect bet swear let miss
    add fail worry laugh cry look happen be go push come
    """)
# and these of the moment
_OF_THE_MOMENT = _OF_THE_CHAT | word_set("""
    accept admit advise run aim allow announce answer appear apply argue arrive assure attach attempt begin become
    blame bother break bring call cancel change check choose claim click close complete confirm consider continue copy
    crash create cut deal declare define delete demand deny depart deploy deserve disagree disappear discover discuss
    download draft email encounter enter examine exist experience explain express face fall fill finish fit fix focus
    freeze give hesitate hit hold ignore imagine implement import include inform insist install intend introduce
    invite join jump keep launch lay lead leave link load log lose love make matter meet mention merge mind move note
    occur open owe pass pause pick place point post prepare present press pretend promise propose prove provide pull
    put quit reach react realise realize recall receive recognise recognize recommend refer refuse regret reject
    remain remind remove repeat replace reply report represent request require respect respond return rush save scan
    scream select send sense set settle share show sigh smell smile solve sort sound stare start stay stick stop
    submit succeed suggest suit surprise suspect switch take talk test text throw tie touch turn update upload urge
    wait warn welcome yell win sign expand improve search print process review model loop benefit rest prevent order
    """)


def is_momentary(lemma: str, *, chat_only: bool = False) -> bool:
    """Whether a verb tells of the moment, or of the chat only."""
    return lemma in (_OF_THE_CHAT if chat_only else _OF_THE_MOMENT)


def is_technical(low: str) -> bool:
    """Whether it is about a program or the chat rather than a life."""
    return _TECHNICAL.search(low) is not None
