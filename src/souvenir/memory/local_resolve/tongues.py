"""The tables of German, Spanish and French: how each says the main slots."""

from dataclasses import dataclass

import regex

from souvenir.memory.local_resolve.frames import Language
from souvenir.memory.local_resolve.values import Grammar
from souvenir.patterns import lazy_regex

Pattern = regex.Pattern[str]


@dataclass(frozen=True, slots=True)
class Line:
    """A predicate of a language and the slot it fills, with what it names (`v`, `t`) or with a constant."""

    pattern: Pattern
    slot: str
    kind: str = "exact"
    single: bool = True
    changed: bool = False
    negative: bool = False
    value: str = ""


@dataclass(frozen=True, slots=True)
class Tongue:
    """What is to be known of a language. Patterns see words without those of `now` and `negation`."""

    language: Language
    starts: frozenset[str]  # the first words of what it says of the user
    user: Pattern
    owned: Pattern  # `r`: what of the user's
    fact: Pattern  # "The `r` of `z` is `v`"
    value: Pattern  # "is `v`", "is called `v`"
    attribute: Pattern  # of a folded word: there is one of it
    now: Pattern
    negation: Pattern
    article: Pattern
    lines: tuple[Line, ...]
    relations: dict[str, str]  # folded word to the slot of a name; "" when people have several
    verbs: dict[str, tuple[str, bool]]  # folded verb to its slot, and whether it is the contrary
    grammar: Grammar


def _line(pattern: str, slot: str, kind: str = "exact", *, single: bool = True, changed: bool = False) -> Line:
    return Line(lazy_regex(pattern), slot, kind, single, changed)


def _states(group: str, verb: str, table: str) -> tuple[Line, ...]:
    """Lines for "value: word, word; value: …"."""
    rows = (row.split(":") for row in table.split(";"))
    return tuple(
        Line(
            lazy_regex(
                rf"{verb} (?:un |une |una |ein |eine )?(?:{'|'.join(word.strip() for word in words.split(','))})"
            ),
            f"state {group}",
            value=value.strip(),
        )
        for value, words in rows
    )


def _verbs(table: dict[str, str]) -> dict[str, tuple[str, bool]]:
    return {
        verb.removeprefix("-"): (slot, verb.startswith("-")) for slot, verbs in table.items() for verb in verbs.split()
    }


def _relations(**table: str) -> dict[str, str]:
    named = {word: slot for slot, words in table.items() for word in words.split()}
    return {word: {"many": "", "one": f"name of {word}"}.get(slot, slot) for word, slot in named.items()}


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_GERMAN_JOBS = (
    "Lehrer Lehrerin Arzt Ärztin Koch Köchin Ingenieur Ingenieurin Anwalt Anwältin Krankenpfleger Krankenschwester"
    " Student Studentin Programmierer Entwickler Softwareentwickler Softwareentwicklerin Informatiker Bäcker Mechaniker"
    " Elektriker Verkäufer Verkäuferin Buchhalter Buchhalterin Polizist Polizistin Journalist Journalistin Architekt"
    " Architektin Pilot Designer Designerin Erzieher Erzieherin Professor Professorin Rentner Rentnerin Landwirt"
)
_SPANISH_JOBS = (
    "profesora? maestr[oa] médic[oa] enfermer[oa] ingenier[oa] abogad[oa] cociner[oa] estudiante"
    " programadora? camarer[oa]"
    " periodista arquitect[oa] contable policía pilot[oa] diseñadora? vendedora? escritora? electricista mecánic[oa]"
)
_FRENCH_JOBS = (
    "professeure? médecin infirmi(?:er|ère) ingénieure? avocate? cuisini(?:er|ère) étudiante? développeu(?:r|se)"
    " serveu(?:r|se) journaliste architecte comptable polici(?:er|ère) pilote vendeu(?:r|se) boulang(?:er"
    "|ère) enseignante?"
)


def _jobs(be: str, table: str) -> Line:
    """ "ist Lehrer": a job has no article of its own there, or a plain one."""
    return _line(rf"{be} (?:une? |una |eine? )?(?P<t>(?:\p{{Ll}}+ )?(?:{'|'.join(table.split())})\b.*)", "title")


GERMAN = Tongue(
    language="de",
    starts=_set("Der Die Das Dem Benutzer Benutzerin Nutzer Nutzerin Anwender User"),
    user=lazy_regex(
        r"(?:(?:Der|Die|Dem) )?(?:Benutzer|Nutzer|Anwender)(?:in)? (?=\p{Ll})|User (?=wohnt|lebt|arbeitet"
        r"|heißt|mag|hat |trinkt|isst|ist nach)"
    ),
    owned=lazy_regex(
        r"(?:Der|Die|Das) (?P<r>[\p{L}\-]+(?: \p{Lu}[\p{L}\-]+)?) (?:(?:des|vom) (?:Benutzers?|Nutzers?)|der"
        r" (?:Benutzerin|Nutzerin)|von User) "
    ),
    fact=lazy_regex(
        r"(?:Der|Die|Das) (?P<r>\p{Lu}[\p{L}\-]+) (?:von|des|der|für|vom) (?P<z>.+?) (?:ist|heißt|lautet"
        r"|war)(?: jetzt)? (?P<v>[\p{Lu}\d].*)"
    ),
    value=lazy_regex(r"(?:ist|heißt|lautet|sind|ist am|nennt sich)(?: am)? (?P<v>.+)"),
    attribute=lazy_regex(
        r"^lieblings|nummer$|adresse$|datum$|frist$|termin$|geburtstag$|deadline$|^name$|alter$|sprache$"
        r"|beruf$|arbeitgeber$|grosse$|gewicht$|gehalt$|miete$|budget$|zeitzone$|chef$|email$|^e-mail$"
        r"|hauptstadt$|wohnort$"
    ),
    now=lazy_regex(
        r"\b(?:jetzt|nun|derzeit|aktuell|momentan|inzwischen|mittlerweile|seit kurzem|neuerdings|gerade"
        r"|wieder|immer noch|sehr gerne?|gerne?|sehr)\b"
    ),
    negation=lazy_regex(
        r"\b(?:nicht mehr|nicht|nie(?:mals)?|kein(?:e[nmrs]?)?\b(?= )|(?<=kein.*) mehr$)|(?<=\S) mehr$"
    ),
    article=lazy_regex(r"^(?:der|die|das|dem|den|ein|eine|einen|einem|einer) "),
    lines=(
        _line(r"(?:wohnt|lebt) (?:in|bei|auf) (?P<v>.+)", "residence"),
        _line(
            r"ist (?:\p{Ll}+ )*?(?:von \S+ )?nach (?P<v>.+?) (?:um|ge|umge)?(?:gezogen|gezogen)",
            "residence",
            changed=True,
        ),
        _line(r"(?:zog|zieht) (?:von \S+ )?nach (?P<v>.+?)(?: um)?", "residence", changed=True),
        _line(r"arbeitet (?:bei|für) (?P<v>.+?)(?: als (?P<t>.+))?", "employer", "name"),
        _line(r"arbeitet als (?P<t>.+?)(?: (?:bei|für) (?P<v>.+))?", "employer", "name"),
        _line(r"ist (?:bei|von) (?P<v>.+?) (?:angestellt|beschäftigt|eingestellt worden)", "employer", "name"),
        _line(r"hat (?:\p{Ll}+ )*bei (?P<v>.+?) angefangen", "employer", "name", changed=True),
        _line(r"ist von Beruf (?P<t>.+)", "title"),
        _jobs("(?:ist|wurde)", _GERMAN_JOBS),
        _line(r"(?:ist|wurde) (?P<v>\d+)(?: Jahre alt)?(?: geworden)?", "age", "whole"),
        _line(r"(?:heißt|nennt sich) (?P<v>.+)", "name", "name"),
        _line(r"(?:ist|wurde) (?:\p{Ll}+ )*in (?P<v>.+?) geboren", "birthplace"),
        _line(r"(?:ist|wurde) am (?P<v>.+?) geboren", "birthday", "whole"),
        _line(r"ist mit (?P<v>.+?) verheiratet|ist verheiratet mit (?P<v>.+)", "spouse", "name"),
        _line(r"kommt (?:ursprünglich )?aus (?P<v>.+)", "origin"),
        *_states(
            "marital",
            "(?:ist|wurde|hat sich|hat|lebt)",
            "single: ledig, Single, single; marri: verheiratet, geheiratet; divorc: geschieden, scheiden"
            " lassen, sich scheiden lassen;"
            "engag: verlobt; widow: verwitwet; separ: getrennt",
        ),
        *_states(
            "diet",
            "(?:ist|lebt|isst|ernährt sich)",
            "vegan: vegan, Veganer, Veganerin; vegetarian: vegetarisch, Vegetarier, Vegetarierin",
        ),
    ),
    relations=_relations(
        spouse="frau mann ehefrau ehemann gattin gatte",
        partner="freundin partner partnerin verlobte verlobter lebensgefahrte",
        one="mutter vater chef chefin vermieter vermieterin vorgesetzte vorgesetzter",
        many="schwester bruder sohn tochter hund katze freund kollege kollegin cousin cousine tante onkel"
        " nachbar kater kind",
    ),
    verbs=_verbs(
        {
            "like": "mag liebt geniesst -hasst -verabscheut",
            "have": "hat besitzt",
            "learn": "lernt studiert",
            "use": "nutzt benutzt verwendet",
        }
    ),
    grammar=Grammar(
        empty=_set(
            "der die das dem den des ein eine einen einem einer eines sein seine seinen ihr ihre ihren sehr"
            " auch und nur noch zu sich"
        ),
        joins=_set("und oder , &"),
        details=_set(
            "mit ohne in im am an auf bei für fur aus von vom seit nach vor jeden jede jedes wenn weil"
            " während namens der die das als um gegen zum zur beim pro täglich wöchentlich"
        )
        - _set("der die das"),
        reason=lazy_regex(r",? (?:weil|da er|da sie|wegen|aufgrund)\b(?P<why>.*)"),
        kept=_set("ohne vor nach"),
    ),
)

SPANISH = Tongue(
    language="es",
    starts=_set("El La Los Las Al A Usuario Usuaria User"),
    user=lazy_regex(
        r"(?:El usuario|La usuaria|Al usuario|A la usuaria|Usuario|Usuaria) (?=\p{Ll})|User (?=vive|trabaja"
        r"|tiene|se llama|bebe|habla|se mudó)"
    ),
    owned=lazy_regex(
        r"(?:El|La|Los|Las) (?P<r>[\p{L}\-]+(?: (?:de )?[\p{L}\-]+){0,2}?) (?:del usuario|de la usuaria) "
    ),
    fact=lazy_regex(
        r"(?:El|La) (?P<r>[\p{L}\-]+(?: \p{Ll}+)?) (?:de|del|de la|para) (?P<z>.+?) (?:es|fue)(?: ahora)?"
        r" (?P<v>[\p{Lu}\d].*)"
    ),
    value=lazy_regex(r"(?:es|son|se llama|es el|es la)(?: (?:el|la)(?= ))? (?P<v>.+)"),
    attribute=lazy_regex(
        r"^favorit[oa]$|^preferid[oa]$|^numero$|^telefono$|^correo$|^direccion$|^fecha$|^plazo$|^cumpleanos$"
        r"|^nombre$|^edad$|^idioma$|^trabajo$|^empleador$|^jef[ea]$|^presupuesto$|^sueldo$|^email$|^ciudad$"
    ),
    now=lazy_regex(
        r"\b(?:ahora|actualmente|hoy en día|recientemente|últimamente|acaba de|todavía|aún|mucho|de nuevo)\b"
        r"|\bya\b(?! no)"
    ),
    negation=lazy_regex(r"\b(?:ya no|no|nunca|jamás|dejó de|ha dejado de)\b"),
    article=lazy_regex(r"^(?:el|la|los|las|un|una|unos|unas) "),
    lines=(
        _line(r"(?:vive|reside|habita) en (?P<v>.+)", "residence"),
        _line(r"se (?:mudó|trasladó|ha mudado|ha trasladado) (?:de \S+ )?a (?P<v>.+)", "residence", changed=True),
        _line(r"trabaja (?:en|para|con) (?P<v>.+?)(?: como (?P<t>.+))?", "employer", "name"),
        _line(r"trabaja (?:como|de) (?P<t>.+?)(?: (?:en|para) (?P<v>.+))?", "employer", "name"),
        _line(r"está empleado (?:en|por) (?P<v>.+)", "employer", "name"),
        _jobs("es", _SPANISH_JOBS),
        _line(r"(?:tiene|cumplió|ha cumplido) (?P<v>\d+) años", "age", "whole"),
        _line(r"se llama (?P<v>.+)", "name", "name"),
        _line(r"nació en (?P<v>\p{Lu}.+)", "birthplace"),
        _line(r"nació (?:el|en) (?P<v>\d.+)", "birthday", "whole"),
        _line(r"(?:está|es) casad[oa] con (?P<v>.+)|se casó con (?P<v>.+)", "spouse", "name"),
        _line(r"(?:es|viene|proviene) de (?P<v>.+)", "origin"),
        _line(r"le (?:gusta|gustan|encanta|encantan) (?P<v>.+)", "like", "thing", single=False),
        *_states(
            "marital",
            "(?:está|es|se|se ha)",
            "single: solter[oa]; marri: casad[oa], casó, casado; divorc: divorciad[oa], divorció; engag:"
            " comprometid[oa]; widow: viud[oa]; separ: separad[oa]",
        ),
        *_states("diet", "(?:es|se hizo)", "vegan: vegan[oa]; vegetarian: vegetarian[oa]"),
    ),
    relations=_relations(
        spouse="esposa esposo mujer marido",
        partner="novia novio pareja prometida prometido",
        one="madre padre jefe jefa casero casera",
        many="hermana hermano hijo hija perro perra gato gata amigo amiga primo prima tia tio vecino vecina",
    ),
    verbs=_verbs(
        {
            "like": "ama adora disfruta -odia -detesta",
            "have": "tiene posee",
            "learn": "aprende estudia",
            "use": "usa utiliza",
        }
    ),
    grammar=Grammar(
        empty=_set("el la los las un una unos unas su sus de del muy también tambien y se lo"),
        joins=_set("y e o u , &"),
        details=_set(
            "con sin en al a para por desde cada cuando porque llamado llamada que como durante los después"
            " despues antes todos todas"
        )
        - _set("los"),
        reason=lazy_regex(r",? (?:porque|debido a|ya que|a causa de)\b(?P<why>.*)"),
        kept=_set("sin antes después despues"),
    ),
)

FRENCH = Tongue(
    language="fr",
    starts=_set("Le La Les L'utilisateur L'utilisatrice Utilisateur Utilisatrice User"),
    user=lazy_regex(
        r"(?:L'utilisateur|L'utilisatrice|Utilisateur|Utilisatrice) (?=\p{Ll})|User (?=habite|travaille|vit"
        r" à|s'appelle|boit|parle)"
    ),
    owned=lazy_regex(
        r"(?:Le |La |L'|Les )(?P<r>[\p{L}\-]+(?: (?:de |d')?[\p{L}\-]+){0,2}?) de l'utilisat(?:eur|rice) "
    ),
    fact=lazy_regex(
        r"(?:Le |La |L')(?P<r>[\p{L}\-]+(?: \p{Ll}+)?) (?:de la |de l'|du |des |de |d'|pour )(?P<z>.+?)"
        r" (?:est|était)(?: maintenant)? (?P<v>[\p{Lu}\d].*)"
    ),
    value=lazy_regex(r"(?:est|sont|s'appelle|se nomme)(?: (?:le|la)(?= ))? (?P<v>.+)"),
    attribute=lazy_regex(
        r"^prefere[es]?$|^favori(?:te)?$|^numero$|^telephone$|^adresse$|^date$|^anniversaire$|^nom$|^prenom$"
        r"|^age$|^langue$|^metier$|^employeur$|^chef$|^budget$|^salaire$|^email$|^echeance$|^ville$"
    ),
    now=lazy_regex(
        r"\b(?:maintenant|actuellement|désormais|aujourd'hui|récemment|toujours|encore|beaucoup|de nouveau|déjà)\b"
    ),
    negation=lazy_regex(
        r"\b(?:ne |n')(?=\S)|(?<=\S )(?:pas|plus|jamais)\b(?: (?:de|d'))?(?! (?:que|de \d))|\b(?:a arrêté|a cessé) de\b"
    ),
    article=lazy_regex(r"^(?:le |la |l'|les |un |une |des |du |de la )"),
    lines=(
        _line(r"(?:habite|vit|réside)(?: à| en| au| aux| dans)? (?P<v>.+)", "residence"),
        _line(
            r"(?:a déménagé|s'est installée?|est parti(?:e)? vivre|a emménagé) (?:de \S+ )?(?:à|en|au|aux) (?P<v>.+)",
            "residence",
            changed=True,
        ),
        _line(r"travaille (?:chez|à|pour|dans|au) (?P<v>.+?)(?: comme (?P<t>.+))?", "employer", "name"),
        _line(r"travaille (?:comme|en tant que) (?P<t>.+?)(?: (?:chez|pour|à) (?P<v>.+))?", "employer", "name"),
        _line(r"est employée? (?:chez|par) (?P<v>.+)", "employer", "name"),
        _jobs("est", _FRENCH_JOBS),
        _line(r"(?:a|a eu) (?P<v>\d+) ans", "age", "whole"),
        _line(r"(?:s'appelle|se nomme) (?P<v>.+)", "name", "name"),
        _line(r"est née? à (?P<v>.+)", "birthplace"),
        _line(r"est née? (?:le|en) (?P<v>.+)", "birthday", "whole"),
        _line(r"est mariée? (?:à|avec) (?P<v>.+)|a épousé (?P<v>.+)|s'est mariée? avec (?P<v>.+)", "spouse", "name"),
        _line(r"(?:vient|est originaire) (?:de|du|d')(?: la)? ?(?P<v>.+)", "origin"),
        *_states(
            "marital",
            "(?:est|s'est|a)",
            "single: célibataire; marri: mariée?; divorc: divorcée?, divorcé; engag: fiancée?; widow: veuf,"
            " veuve; separ: séparée?",
        ),
        *_states(
            "diet",
            "(?:est|est devenue?)",
            "vegan: végane?, vegan, végétalien, végétalienne; vegetarian: végétarien, végétarienne",
        ),
    ),
    relations=_relations(
        spouse="femme mari epouse epoux",
        partner="copine copain compagne compagnon fiancee fiance petite-amie petit-ami",
        one="mere pere chef patron patronne proprietaire",
        many="soeur sœur frere fils fille chien chienne chat chatte ami amie cousin cousine tante oncle voisin voisine",
    ),
    verbs=_verbs(
        {"like": "aime adore apprecie -deteste -hait", "have": "a possede", "learn": "apprend etudie", "use": "utilise"}
    ),
    grammar=Grammar(
        empty=_set("le la les l un une des du de d son sa ses très tres aussi et se au aux"),
        joins=_set("et ou , &"),
        details=_set(
            "avec sans dans en à a pour depuis chaque quand parce nommé nomme nommée appelé appelée qui que"
            " comme pendant après apres avant tous toutes chez sur"
        ),
        reason=lazy_regex(r",? (?:parce qu|à cause d|car |en raison d)(?P<why>.*)"),
        kept=_set("sans avant après apres"),
    ),
)

TONGUES = (GERMAN, SPANISH, FRENCH)
