"""Names with an `and` or commas of their own, which a row of values is not split at."""

import re

from souvenir.patterns import lazy

_NAMES = """
mac & cheese | fish & chips | rock & roll | rhythm & blues | peanut butter & jelly | peanut butter & jam
| salt & vinegar | cheese & onion | sour cream & onion | rum & coke | cream & sugar | lemon & lime | salt & pepper |
bread & butter | drum & bass | cookies & cream | ham & cheese | bacon & eggs
| gin & tonic | surf & turf | hide & seek | sweet & sour | hot & sour | hot & spicy | chicken & waffles
| biscuits & gravy | rice & beans | spaghetti & meatballs | bangers & mash | strawberries & cream | milk & cookies
| burger & fries | burgers & fries | country & western | arts & crafts | tom & jerry | rick & morty | romeo & juliet
| lilo & stitch | pride & prejudice | war & peace | crime & punishment | sense & sensibility | of mice & men
| beauty & the beast | lady & the tramp | the king & i | king & i | guns & roses | simon & garfunkel | hall & oates
| florence & the machine | dungeons & dragons | chutes & ladders | snakes & ladders | law & order | parks & recreation
| parks & rec | will & grace | key & peele | fast & furious | the young & the restless | black & decker
| trinidad & tobago | antigua & barbuda | bosnia & herzegovina | turks & caicos | ben & jerry's | procter & gamble
| johnson & johnson | smith & wesson | marks & spencer | dolce & gabbana | abercrombie & fitch | earth, wind & fire
| crosby, stills & nash | emerson, lake & palmer | blood, sweat & tears | crouching tiger, hidden dragon
| the good, the bad & the ugly | eat, pray, love | the lion, the witch & the wardrobe | guns, germs & steel
"""


def _pattern(name: str) -> str:
    spelt = re.escape(" ".join(name.split()))
    return spelt.replace(r"\ \&\ ", r",?\ (?:and|&|n|'n'|n')\ ").replace(",", ",?").replace("'", "['\u2019]?")


PAIRS = lazy(rf"\b(?:{'|'.join(_pattern(name) for name in _NAMES.split('|'))})(?!\w)", re.IGNORECASE)
