"""Spanish: "Vivo en Madrid" becomes "El usuario vive en Madrid"."""

import re

from souvenir.memory.local_extract.foreign.book import Book, Owned, Said, rule_table, verb_table
from souvenir.memory.local_extract.patterns import compiled, joined
from souvenir.memory.local_extract.words import word_set

_VERBS = verb_table(
    """
    HOME vivo>vive resido>reside vivimos>vive
    NAME llamo>llama
    WORK trabajo>trabaja enseño>enseña dirijo>dirige trabajamos>trabaja dedico>dedica jubilé>jubiló
    STUDY estudio>estudia estudié>estudió
    LEARNING aprendo>aprende
    DIET bebo>bebe fumo>fuma evito>evita
    TASTE prefiero>prefiere odio>odia amo>ama adoro>adora detesto>detesta
    SKILL hablo>habla
    HABIT toco>toca juego>juega leo>lee escribo>escribe corro>corre nado>nada cocino>cocina pinto>pinta canto>canta
    HABIT bailo>baila viajo>viaja conduzco>conduce colecciono>colecciona practico>practica entreno>entrena
    TOOL uso>usa utilizo>utiliza
    HEALTH sufro>sufre padezco>padece
    ORIGIN nací>nació crecí>creció
    FAMILY casé>casó divorcié>divorció
    PAST trabajé>trabajó viví>vivió
    PLAN planeo>planea
    WISH quiero>quiere quisiera>quisiera necesito>necesita
    UNKNOWN soy>es somos>es estoy>está tengo>tiene tenemos>tiene voy>va vengo>viene he>ha sé>sabe llevo>lleva hago>hace
    UNKNOWN era>era doy>da como>come mudé>mudó dejé>dejó compré>compró
    """
)
_ANY_VERB = "|".join(sorted(_VERBS))
_RULES = rule_table(
    r"""
ORIGIN es son:de (?!los|las|acuerdo|la opinión)\S
HEALTH es son:.*\b(alérgic[oa]|diabétic[oa]|celíac[oa]|celiac[oa]|asmátic[oa]|intolerante|autista|disléxic[oa]|
    sord[oa]|ciego|ciega|daltónic[oa])\b
DIET es son:(\w+ )?(vegetarian[oa]|vegan[oa])\b
FAMILY es son:(\w+ )?(padre|madre|abuel[oa]|viud[oa]|solter[oa]|hij[oa] únic[oa])\b
TASTE es son:(muy |un gran |una gran )?(fan|fanátic[oa]|aficionad[oa])\b
PASSING es son:(yo|feliz|así|quien|el que|la que|el único|consciente|capaz|un desastre|nuev[oa] aquí)\b
ROLE es son:\w
STUDY está:estudiando\b
LEARNING está:aprendiendo\b
PROJECT está:trabajando (en un|en una|en mi|en el)\b|(escribiendo|construyendo|desarrollando|creando) (un|una|mi)\b
WORK está:trabajando\b|(jubilad|retirad|desemplead|parad)[oa]\b|en paro
HOME está:viviendo\b
SEARCH está:buscando (trabajo|piso|casa|empleo)
HEALTH está:embarazada\b|a dieta|en silla de ruedas
FAMILY está:(casad|divorciad|solter|separad|comprometid)[oa]\b
PLAN está:planeando\b
PASSING está:.
AGE tiene tienen:(\d{1,3}|(veinte|treinta|cuarenta|cincuenta|sesenta|setenta)( y \w+)?) años
FAMILY tiene tienen:(un |una |dos |tres |cuatro |cinco |\d+ |muchos )?(\w+ )?(hij[oa]s?|herman[oa]s?|niet[oa]s?|
    niñ[oa]s?|bebés?|espos[oa]|novi[oa]|gemel[oa]s|sobrin[oa]s?|prim[oa]s?)\b
PET tiene tienen:(un |una |dos |tres |cuatro |\d+ )?(\w+ )?(perr[oa]s?|gat[oa]s?|caballos?|conejos?|hámster|loros?|
    peces)\b
HEALTH tiene tienen:.*\b(alergia|asma|diabetes|migrañas?|tdah|hipertensión|epilepsia|artritis|intolerancia|celiaquía|
    ansiedad|depresión)\b
EVENT tiene tienen:.*\b(examen|entrevista|boda|cita|operación)\b|que .*\b(para el|antes del?)\b
POSSESSION tiene tienen:(un |una |dos |tres |\d+ )?(\w+ )?(coche|carro|casa|piso|apartamento|moto|bicicleta|guitarra|
    piano|empresa|negocio|restaurante|jardín|blog|podcast)\b
PASSING tiene tienen:.
TASTE le:(?!esto|eso|esta (idea|respuesta)|tu|lo que|que)\S
FAMILY se_llama se_llaman murió falleció:
HOME vive viven:
WORK trabaja trabajan:
HABIT va:(al gimnasio|a misa|a la iglesia|a clases|a yoga|a correr)
PLAN va:a (mudar|casar|viajar|jubilar|empezar|abrir)
ORIGIN viene:de \S
PAST ha:(vivido|trabajado|estudiado|sido)\b
SKILL sabe:(nadar|conducir|cocinar|tocar|hablar|programar|bailar|francés|inglés|italiano)\b
SITUATION lleva:.*\baños\b
HEALTH lleva:gafas|lentes|audífonos
HABIT hace:(yoga|pilates|ejercicio|deporte|crossfit|natación|senderismo)
WORK da:clases
PAST era:(un |una )?\w+(or|ora|ista|ero|era|ente|ico|ica)\b
DIET come:(carne|pescado|mariscos?|cerdo|gluten|huevos|verduras?|lácteos|pollo|azúcar|sano|fuera)\b
POSSESSION compró:(un|una) (\w+ )?(casa|coche|carro|piso|moto|perro|apartamento)
CHANGE dejó:de (fumar|beber|comer|trabajar)|mi trabajo
GOAL quiere:(aprender|ser|estudiar|mudarme|vivir)\b
HOME mudó:(a|de|desde|aquí)\b
"""
)
_PEOPLE = word_set("""
    esposa esposo mujer marido pareja madre padre mamá papá padres hermana hermano hermanas hermanos hija hijo hijas
    hijos abuela abuelo abuelos tía tío prima primo novia novio amiga amigo nieta nieto nietos sobrina sobrino suegra
    suegro cuñada cuñado jefa jefe compañera compañero vecina vecino profesora profesor familia bebé
    """)
_PETS = word_set("perro perra gato gata perros gatos caballo conejo hámster loro mascota mascotas")
_FEMALE = compiled(r"(mujer|madre|mamá|ciudad|canción|tesis|serie|flor|clase|\w+(a|as|ción|dad))$")
_FOOD = compiled(r"\s*(carne|pescado|marisco|verdura|mucho|sano|fuera)", re.IGNORECASE)
_ANY_THIRD = joined(
    """
    es|son|se llama|se llaman|tiene|tienen|vive|viven|trabaja|trabajan|estudia|estudian|está|están|le gusta|habla|
    juega|come|era|murió|falleció|nació|odia|ama|prefiere
    """
)
_OWN = compiled(
    rf"""
    (?P<my>mi|mis|nuestro|nuestra|nuestros|
    nuestras) (?P<noun>.{{2,60}}?) (?P<no>no )?(?P<verb>{_ANY_THIRD})\b(?P<rest>.*)
    """,
    re.IGNORECASE | re.DOTALL,
)
_LIKED = compiled(
    r"""
    (a m[íi] )?(?P<no>(no |nunca |también |siempre )*)(me|nos) (?P<how>(gusta|encanta|fascina|interesa|molesta|
    apasiona|disgusta|aburre)n?)\b (?P<rest>\S.*)
    """,
    re.IGNORECASE | re.DOTALL,
)
_STATED = compiled(
    r"""
    (?P<before>((desde|hace|en|actualmente|ahora|normalmente|siempre|todos los|cada|
    los) ?[^,]{0,30}?,? )?)(yo )?(?P<no>(no |nunca |ya no |casi nunca |siempre |también |normalmente |
    actualmente )*)(?P<me>me |nos )?(?P<verb>[^\W\d_]+)\b(?P<rest>.*)
    """,
    re.IGNORECASE | re.DOTALL,
)


def _said(book: Book, clause: str, _: bool) -> Said | None:
    liked = _LIKED.match(clause)
    if liked is not None:
        return Said(f"Al usuario {_negation(liked)}le {liked['how']}", "le", liked["rest"].strip())
    stated = _STATED.match(clause)
    if stated is None or stated["verb"].lower() not in book.verbs:
        return None
    third = book.verbs[stated["verb"].lower()][0]
    if third == "come" and not stated["no"] and not _FOOD.match(stated["rest"]):
        return None  # "como" is "as" too
    before = stated["before"].strip(" ,")
    rest = f"{stated['rest'].strip()} {before[:1].lower()}{before[1:]}".strip()
    return Said(f"El usuario {_negation(stated)}{'se ' if stated['me'] else ''}{third}", third, rest)


def _negation(found: re.Match[str]) -> str:
    return found["no"].lower().replace("también ", "")


def _owned(book: Book, clause: str) -> Owned | None:
    own = _OWN.match(clause)
    if own is None:
        return None
    words = own["noun"].split()
    lows = [word.lower() for word in words]
    noun = next((low for low in lows if low in book.people or low in book.pets), lows[0])
    female = _FEMALE.match(noun) is not None
    articles = ("Los", "Las") if own["my"].lower().endswith("s") else ("El", "La")
    place = lows.index(noun) + 1
    if place < len(words) and book.favourite.match(lows[place]):
        place += 1
    whose = " ".join([articles[female], *words[:place], "del usuario", *words[place:]])
    return Owned(f"{whose}{' no' if own['no'] else ''}", noun, own["verb"].lower(), own["rest"].strip())


SPANISH = Book(
    verbs=_VERBS,
    rules=_RULES,
    swaps={
        "mi": "su", "mis": "sus", "me": "se", "conmigo": "consigo", "mío": "suyo", "mía": "suya", "nuestro": "su",
        "nuestra": "su", "nuestros": "sus", "nuestras": "sus", "mudarme": "mudarse",
    },
    people=_PEOPLE,
    pets=_PETS,
    leads=compiled(
        r"""
        ^((hola|buenas|buenos días|buenas tardes|sí|no,|bueno|pues|además|por cierto|y|pero|en realidad|la verdad|
        gracias|ok|oye|mira|para que sepas|también)\b[ ,!:.-]*)+(?=\S)
        """,
        re.IGNORECASE,
    ),
    explicit=compiled(
        r"""
        (por favor,? )?(recuerda|no olvides|ten en cuenta|anota|guarda|apunta)( esto)?( que|:|,)? ?(?=\S)
        """,
        re.IGNORECASE,
    ),
    asks=compiled(
        r"""
        (puedes|podrías|qué|cómo|cuál|cuáles|dónde|quién|cuándo|por qué|me (puedes|recomiendas|ayudas|das|dices)|
        escribe|dame|explica|haz|dime|ayúdame|recomienda|traduce|hay|si |imagina|finge|supón|ojalá)
        """
    ),
    hedges=compiled(
        r"""
        \b(quizás?|tal vez|a lo mejor|probablemente|creo que|pienso en|pensando en|gustaría|podría|quisiera|puede que|
        supongo|algún día)\b
        """
    ),
    passing=compiled(r"\b(hoy|ahora mismo|esta (mañana|tarde|noche)|ayer|en este momento|probando)\b"),
    joints=compiled(
        rf"""
        [;–—¿]| - |, (?=(yo|mi|mis|pero|y|me|no|soy|tengo|vivo|trabajo|puedes|podrías|qué|cómo|así|porque|que|hay|él|
        ella|es)\b)| (y|pero|e) (?=(yo |no |me |también |siempre )*(mi|mis|me|él|ella|{_ANY_VERB}|
        {_ANY_THIRD})\b)
        """,  # noqa: RUF001 - dashes that people type
        re.IGNORECASE,
    ),
    favourite=compiled("favorit[oa]s?|preferid[oa]s?"),
    years_old="años",
    called="El usuario se llama",
    third=compiled(rf"(?P<verb>{_ANY_THIRD})\b(?P<rest>.*)", re.DOTALL),
    said=_said,
    owned=_owned,
)  # fmt: skip
