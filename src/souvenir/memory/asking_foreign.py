"""How people ask to have something remembered or forgotten in German, Spanish, French and Chinese."""

# ruff: noqa: RUF001 - the punctuation that people type

from souvenir.memory.asking_rules import Tongue, rules_of, whole
from souvenir.memory.local_extract.patterns import joined

_GERMAN_OPENING = joined(r"""
((hallo|hi|hey|ok|okay|ach|also|übrigens|und|ja|nein|danke|gut|so|außerdem|noch was|jetzt|dann|wichtig)\b[ ,!.:;–—-]*)
{0,6}((?P<polite>kannst du|könntest du|würdest du|können sie|könnten sie)\b,? *)?
((bitte|mal|du kannst|du darfst|du sollst|du musst|du solltest|ich möchte,? dass du|ich will,? dass du|einfach|auch|
wieder|jetzt|noch)\b,? *){0,5}
""")
_GERMAN_MERK = joined(r"""
((merke?|notiere?|speicher[en]?|schreibe?|präge?)( dir| sie sich)( bitte| mal| gut| ein| auf)*|dir( bitte)? (merken|
notieren)|(denke?|erinnere dich)( bitte)? daran|vergiss( bitte| ja| auf keinen fall)* nicht|vergiss (nie|niemals)|
behalte?( bitte)? (im kopf|im hinterkopf|im gedächtnis|in erinnerung)|speicher[en]? (das|folgendes))
( bitte| folgendes| gut| mal| das| etwas)*
""")
_GERMAN_VERGISS = (
    r"(vergiss|vergessen|vergesst|nicht mehr merken|merk dir nicht mehr|hör auf,? dir zu merken)( bitte| wieder)*"
)
_GERMAN_DELETE = "(lösche?|entferne?|streiche?|vergiss)( bitte)?"
_GERMAN_MEMORY = "(die|deine|alle|meine) erinnerung(en)?"
_GERMAN_OWN = r"(ich|mein\w*|wir|unser\w*|mir|mich)\b"

GERMAN = Tongue(
    rules=rules_of(
        _GERMAN_OPENING,
        rf"""
forget all: (vergiss|lösche?|vergessen)( bitte)? alles,? was du (über|von) mir? ?(mich)? ?(weißt|gespeichert hast)|
    lösche?( bitte)? (alle )?meine erinnerungen|vergiss( bitte)? alles über mich
forget subordinate: {_GERMAN_DELETE} {_GERMAN_MEMORY}( daran)?,? dass (?P<c>.+)
forget topic: {_GERMAN_DELETE} {_GERMAN_MEMORY} (an|über|zu|von) (?P<c>.+)
forget topic: {_GERMAN_DELETE} (?P<c>.+) aus deine[mr] (gedächtnis|erinnerung|speicher)
forget subordinate: {_GERMAN_VERGISS},? dass (?P<c>.+)
forget topic: {_GERMAN_VERGISS},? (alles,? )?was (ich|du)( dir)? (über|von) (?P<c>.+?) (weißt|gesagt habe|erzählt habe|
    gespeichert hast)
forget topic: {_GERMAN_VERGISS} alles über (?P<c>.+)
forget topic: {_GERMAN_VERGISS},? (?P<c>(wo|wer|wann|wie|was|welche\w*) (ich|mein\w*)\b.+)
forget topic: {_GERMAN_VERGISS} (?P<c>mein\w*\b.+)
remember above: (merke? dir|notiere? dir|speicher[en]?|vergiss)( bitte)? das( bitte| gut| nicht)*
remember plan: {_GERMAN_MERK},? (?P<c>(?!dass\b)(\S+ ){{1,12}}zu [a-zäöüß]+n)
remember subordinate: {_GERMAN_MERK},? dass (?P<c>.+)
remember subordinate?: (beachte|bedenke|berücksichtige)( bitte)?,? dass (?P<c>{_GERMAN_OWN}.+)
remember statement: {_GERMAN_MERK} ?[:–—-] ?(?P<c>.+)
remember statement: {_GERMAN_MERK} ?[,] ?(?P<c>{_GERMAN_OWN}.+)
        """,
    ),
    refused=whole(
        r"""
        (es|das|dies|mich|dich|sie|ihn|alles|nichts)\W*$|(wann|wie|was|wo|warum|wer|ob|wenn|wieso)\b(?!.*\b(ich|
        mein\w*)\b)|du\b|(ich|wir) .*\b(gesagt|gefragt|geschrieben|erwähnt)( habe| haben)?\W*$|(mein\w*|unser\w*|die|
        das|den|der)( \w+)? ?(letzte\w*|vorige\w*|vorherige\w*|frage\w*|nachricht\w*|anweisung\w*|idee\w*|text\w*)\b
        """
    ),
    own=whole(rf"({_GERMAN_OWN}|(wo|wer|wann|wie|was|welche\w*) (ich|mein\w*)\b)"),
    trailing=whole(r"([ ,;–—-]*\b(bitte|danke|ok|okay|ja)\b)+\W*$"),
    reason=whole(r", (ich|es|das|weil|denn|da|wir)\b.*$"),
    small_talk=whole(
        r"""
        ((hallo|hi|hey|guten (morgen|tag|abend)|danke|bitte|ok|okay|tschüss|gut)\b[^.!?]{0,40}|
        (und |aber |auch )?(ich|mein\w*|wir|unser\w*)\b.*)$
        """
    ),
    after=whole(r"(?P<c>.+?) ?[,;–—-]+ ?(bitte )?(merke? dir|notiere? dir|vergiss)( bitte)? das( bitte| nicht)*$"),
)

_SPANISH_OPENING = joined(r"""
((hola|ok|vale|oye|mira|bueno|pues|y|además|por cierto|también|sí|no,|gracias|importante|ah)\b[ ,!.:;–—-]*){0,6}
((?P<polite>puedes|podrías|puede|podría)\b,? *)?
((por favor|porfa|solo|quiero que|necesito que|me gustaría que|te pido que|también|te|ahora)\b,? *){0,5}
""")
_SPANISH_RECUERDA = joined(r"""
((recuerda|recuerde|recuerdes|recordar|recordarte|acuérdate|acuerdate|acuérdese|no olvides|no te olvides|no olvide|
nunca olvides|ten en cuenta|tenga en cuenta|ten presente|ten en mente|anota|anotes|anotar|apunta|apuntes|apuntar|guarda|
guardes|guardar|memoriza|memorices|memorizar|toma nota)( por favor| esto| lo siguiente| bien| de)*)
""")
_SPANISH_OLVIDA = joined(r"""
((olvida|olvide|olvides|olvidar|olvídate|olvidate|olvidarte|deja de recordar|ya no recuerdes|no recuerdes más)
( por favor| de| del hecho de)*)
""")
_SPANISH_BORRA = "(borra|elimina|quita|suprime|olvida|borrar|eliminar)"
_SPANISH_RECUERDO = "(el|la|los|las|tu|tus|mi|mis) (recuerdos?|memorias?)"
_SPANISH_OWN = r"(yo|mi|mis|me|nuestr[oa]s?|nosotros|soy|tengo|vivo|trabajo|estoy|prefiero|odio|he|hablo|uso|no)\b"

SPANISH = Tongue(
    rules=rules_of(
        _SPANISH_OPENING,
        rf"""
forget all: (olvida|borra|elimina|olvides|borrar|olvidar) todo lo que (sabes|recuerdas|te he dicho|has guardado)( (de|
    sobre) mí)?|(borra|elimina) (todos )?mis recuerdos
forget statement: {_SPANISH_BORRA} {_SPANISH_RECUERDO} de que (?P<c>.+)
forget topic: {_SPANISH_BORRA} {_SPANISH_RECUERDO} (de|del|sobre|acerca de) (?P<c>.+)
forget topic: {_SPANISH_BORRA} (?P<c>.+) de tu memoria
forget statement: {_SPANISH_OLVIDA} que (?P<c>.+)
forget topic: {_SPANISH_OLVIDA} (todo )?lo que (te dije|te he dicho|te conté|sabes|dije|recuerdas) (sobre|de|
    acerca de) (?P<c>.+)
forget topic: {_SPANISH_OLVIDA} todo sobre (?P<c>.+)
forget topic: {_SPANISH_OLVIDA} (?P<c>(dónde|donde|quién|cuándo|cómo|qué) (vivo|trabajo|me|soy|es mi)\b.*)
forget topic: {_SPANISH_OLVIDA} (?P<c>(mi|mis|nuestr[oa]s?)\b.+)
remember above: (recuerda|anota|guarda|apunta|no olvides|recuérdalo|apúntalo|anótalo)( eso| esto)?( por favor)?
remember plan: {_SPANISH_RECUERDA} (?P<c>[a-záéíóúñ]+(ar|er|ir)(me|te|le|la|lo|se)?( .+)?)
remember statement: {_SPANISH_RECUERDA} que (?P<c>.+)
remember statement: {_SPANISH_RECUERDA} ?: ?(?P<c>.+)
remember statement: {_SPANISH_RECUERDA} ?, ?(?P<c>{_SPANISH_OWN}.+)
        """,
    ),
    refused=whole(
        r"""
        (eso|esto|ello|todo|nada|lo)\W*$|(cuándo|cuando|cómo|qué|por qué|si|quién|dónde)\b(?! (vivo|trabajo|me|soy|
        es mi)\b)|(tú|usted)\b|(te|lo) (dije|pregunté|pedí)\W*$|(mi|mis|la|el|las|los)( \w+)? ?(últim[oa]s?|
        anterior(es)?|pregunta\w*|mensaje\w*|instruccion\w*|idea\w*)\b|(vez|veces|día) que\b
        """
    ),
    own=whole(rf"({_SPANISH_OWN}|(dónde|quién|cuándo|cómo|qué) (vivo|trabajo|me|soy|es mi)\b)"),
    trailing=whole(r"([ ,;–—-]*\b(por favor|porfa|gracias|vale|ok)\b)+\W*$"),
    reason=whole(r", (yo|es|porque|ya|eso|era)\b.*$"),
    small_talk=whole(
        r"""
        ((hola|gracias|buenas|buenos días|ok|vale|por favor|adiós)\b[^.!?]{0,40}|
        (y |pero )?(yo|mi|mis|me|soy|tengo|vivo)\b.*)$
        """
    ),
    after=whole(
        r"""
        (?P<c>.+?) ?[,;–—-]+ ?(por favor,? )?(recuérdalo|recuerda eso|no lo olvides|anótalo|apúntalo|
        guárdalo)( por favor)?$
        """
    ),
)

_FRENCH_OPENING = joined(r"""
((bonjour|salut|coucou|ok|oui|non|alors|donc|et|au fait|d'ailleurs|merci|bon|aussi|important|ah)\b[ ,!.:;–—-]*){0,6}
((?P<polite>peux-tu|pourrais-tu|pouvez-vous|pourriez-vous|tu peux|tu pourrais|est-ce que tu peux)\b,? *)?
((s'il te plaît|s'il te plait|s'il vous plaît|stp|svp|je veux que tu|je voudrais que tu|j'aimerais que tu|
il faut que tu|juste|aussi|bien|maintenant)\b,? *){0,5}
""")
_FRENCH_RETIENS = joined(r"""
((souviens-toi|souvenez-vous|te souvenir|te souviennes|rappelle-toi|rappelez-vous|te rappeler|retiens|retenez|retenir|
retiennes|n'oublie(z)? (pas|jamais)|ne pas oublier|notez?|noter|notes|garde(z|r|s)? (bien )?en (tête|mémoire)|
mémorise[rsz]?|enregistre[rsz]?|prends note)( bien| s'il te plaît| stp| ceci| ça| le fait| du fait)*)
""")
_FRENCH_OUBLIE = joined(r"""
(oubliez?|oublier|oublies|arrête de te souvenir|ne retiens plus|ne te souviens plus)( s'il te plaît| stp| le fait)*
""")
_FRENCH_EFFACE = "(efface|supprime|oublie|enlève)[zr]?"
_FRENCH_THAT = r"( que | qu')"
_FRENCH_OWN = r"(je\b|j'|mon\b|ma\b|mes\b|nous\b|notre\b|nos\b|moi\b)"

FRENCH = Tongue(
    rules=rules_of(
        _FRENCH_OPENING,
        rf"""
forget all: {_FRENCH_EFFACE} tout ce que (tu sais|je t'ai dit|tu as retenu)( (sur|de) moi)?|
    {_FRENCH_EFFACE} (tous )?mes souvenirs
forget topic: {_FRENCH_EFFACE} (le|la|les|tes|ton|mes) (souvenirs?|mémoires?) (de|du|des|d'|sur|concernant|
    à propos de) ?(?P<c>.+)
forget topic: {_FRENCH_EFFACE} (?P<c>.+) de ta mémoire
forget statement: {_FRENCH_OUBLIE}{_FRENCH_THAT}(?P<c>.+)
forget topic: {_FRENCH_OUBLIE} (tout )?ce que (je t'ai dit|tu sais|j'ai dit|je t'ai raconté) (sur|de|
    à propos de) (?P<c>.+)
forget topic: {_FRENCH_OUBLIE} tout sur (?P<c>.+)
forget topic: {_FRENCH_OUBLIE} (?P<c>(où|qui|quand|comment|ce que) (je|j'|est m).+)
forget topic: {_FRENCH_OUBLIE} (?P<c>(mon|ma|mes|notre|nos)\b.+)
remember above: (retiens|note|n'oublie pas|souviens-toi de|garde)( bien)?( ça| cela| ceci)( en tête| en mémoire)?
    ( s'il te plaît)?
remember plan: (n'oubliez? pas|souviens-toi|rappelle-toi|pense[sz]?)( bien)? (de |d'|à )
    (?P<c>[a-zéèêàîôûç-]+(er|ir|re)\b.*)
remember statement?: note(z|r|s)?{_FRENCH_THAT}(?P<c>{_FRENCH_OWN}.+)
remember statement: (?!note){_FRENCH_RETIENS}{_FRENCH_THAT}(?P<c>.+)
remember statement: (?!note){_FRENCH_RETIENS} ?: ?(?P<c>.+)
remember statement: (?!note){_FRENCH_RETIENS} ?, ?(?P<c>{_FRENCH_OWN}.+)
        """,
    ),
    refused=whole(
        r"""
        (ça|cela|ceci|tout|rien|moi|le|la)\W*$|(quand|comment|pourquoi|si|qui|où|quel\w*)\b(?! (je|j'|est m))|(tu|
        vous)\b|j'ai (dit|demandé|écrit)\W*$|(mon|ma|mes|la|le|les)( \w+)? ?(derni\w+|précédent\w*|question\w*|
        message\w*|instruction\w*|idée\w*)\b|(fois|jour) où\b
        """
    ),
    own=whole(rf"({_FRENCH_OWN}|(où|qui|quand|comment) (je|j'|est m))"),
    trailing=whole(r"([ ,;–—-]*\b(s'il te plaît|s'il te plait|stp|svp|merci|ok|d'accord)\b)+\W*$"),
    reason=whole(r", (je|j'|c'|car|parce|ce)\b.*$"),
    small_talk=whole(
        r"((bonjour|salut|coucou|merci|ok|d'accord|au revoir)\b[^.!?]{0,40}|(et |mais )?(je\b|j'|mon\b|ma\b|mes\b).*)$"
    ),
    after=whole(
        r"""
        (?P<c>.+?) ?[,;–—-]+ ?(s'il te plaît,? )?(retiens-le|note-le|ne l'oublie pas|souviens-t'en|
        retiens ça)( s'il te plaît| stp)?$
        """
    ),
)

_CHINESE_OPENING = joined(r"""
((你好|您好|嗨|对了|顺便说一下|好的?|嗯|谢谢|另外|还有|那)[ ,，!！。:：]*){0,5}
(?P<polite>能不能|可不可以|可以|能|能否)?(请|麻烦|帮我|帮忙|你要|你得|你可以|你|一定要?|务必|就|千万)*
""")
_CHINESE_ABOUT_THAT = "(的?(记忆|记录|信息)|这件事|的事情?|这回事|这一点|这个事实)?(吧|了|哦|啊|呀)?"

CHINESE = Tongue(
    rules=rules_of(
        _CHINESE_OPENING,
        rf"""
forget all: (忘记|忘掉|删除|清除|删掉)(所有)?(你知道的)?(关于)?我的(一切|所有事情?|所有记忆|全部记忆|所有信息)(吧)?
forget statement: 把(?P<c>我(?!的).+?){_CHINESE_ABOUT_THAT}(忘记|忘掉|忘了|从(你的)?记忆(中|里)?(删除|删掉))(吧)?
forget topic: 把(关于)?(?P<c>.+?)(的(记忆|记录|信息|事情?)|这件事)?(忘记|忘掉|忘了|从(你的)?记忆(中|里)?
    (删除|删掉))(吧)?
forget topic: (删除|删掉|清除|忘记|忘掉)(掉)?(关于)?(?P<c>.+?)的(记忆|回忆)(吧)?
forget topic: (忘记|忘掉)关于(?P<c>.+?){_CHINESE_ABOUT_THAT}
forget topic: (忘记|忘掉)(?P<c>我们?的.+?){_CHINESE_ABOUT_THAT}
forget statement: (忘记|忘掉|不要再?记(得|住|着)|别再?记(得|住|着))(?P<c>我.+?){_CHINESE_ABOUT_THAT}
remember above: (记住|记下|记好|记得|记一下|别忘了)(这个|这一点|这点|它|这件事)?(吧|哦|啊|了)?
remember statement: (记住|记着|记下来?|记一下|牢记|别忘了?|别忘记|不要忘了|不要忘记|记得)(一下)?[,，:： ]*(?P<c>我.+)
remember plan: (记得|别忘了|不要忘了|不要忘记|别忘记)[,，:： ]*(?P<c>.+)
remember statement: (记住|记着|记下来?|记一下|牢记)(一下)?[,，:： ]*(?P<c>.+)
        """,
    ),
    refused=whole(
        r"""
        (那时|那天|吗|吧|它|这个|那个)\W*$|上次|那次|那时候|小时候|.*(吗|么|呢)\W*$|你|.*(告诉你|说过的话|问过)
        """
    ),
    own=whole("我"),
    trailing=whole("[,，。 ]*(谢谢|好吗|好不好|可以吗|行吗)\\W*$"),
    reason=whole("[,，](因为|那|这|我).*$"),
    small_talk=whole("(你好|谢谢|好的|再见|嗨).{0,10}$|.*我.*$"),
    after=whole("(?P<c>.+?)[,，;； ]+(请|你)?(记住|记下|记一下|别忘了)(这个|这一点|这点)?(吧|哦|啊)?$"),
)
