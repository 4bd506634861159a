"""Sentences that are said but not meant as statements about oneself: suppositions, tests, doubts, reports, irony."""

from souvenir.memory.local_extract.patterns import compiled

_SUPPOSED = compiled(
    r"""
    \b(if (i|my|we|our|only)\b|even if i|suppose|supposing|assume|assuming|let 's say|say i|what if|hypothetically|
    in theory|were i\b|had i\b|as if i|like i 'm (five|5|a)|i wish\b|i wished|wish i|would be (nice|great|cool)|
    unless i|imagine|as though)\b
    """
)
_TESTED = compiled(
    r"""
    ((hi|hello|hey|ok|just|i am|i 'm|we 're|only|this is|it 's|a|simply|merely|am|,) )*(a |just a )?test(ing)?($|
    [ ](this|it|the|you|your|out|if|whether|message|only|one|123|1|, |:|\.|-|how|that|to see|things|memory|something|
    bot))
    """
)
_DOUBTED = compiled(
    r"""
    \bi (do n't|do not|did n't) (know|think|believe|remember|recall) (if|whether|that|i|what|who|where|how|why|
    my)?\b(?! how to (swim|drive|cook|read|ride|code|dance|ski|sew))|\bi (am|'m) (not|un)( |-)?(sure|certain) (if|
    whether|that|what|how|about|i)\b|\bi (was |'m |am |'ve been |have been )?wonder(ing|ed)?\b|\bi doubt\b|
    \bnot sure (if|whether|what|how)\b|\bi 'm unsure\b|\b(does|do|did|is|are) (it|that|this) mean (that )?i\b
    """
)
_ADDRESSED = compiled(
    r"(you|u) (are|'re|said|told|mentioned|think|say|were|have|'ve|should(?! know)|can|could|know what|asked|want)\b"
)
_REPORTED = compiled(
    r"""
    \b(says?|said|reads?|goes|states?|wrote|writes|asked|replied|texted|lyrics?|quote|subject|caption|headline|title) :
    """
)
_IRONIC = compiled(
    r"""
    (^| )/ ?s$|/s\b|🙄|\byeah right\b|\byeah ,? sure\b|\bas if\b|\bsaid no one\b|\bnot !|^(oh|ah|wow|gee) ,? ?(great|
    sure|yeah|yes|joy|wonderful|fantastic|how|of course|perfect|goody)\b|\bjust what i (needed|wanted)\b|
    \bsure ,? because i\b|\bi (just|so|absolutely|really) (love|adore|enjoy) (it when|being (stuck|ignored|late|yelled|
    told|woken)|waiting|sitting in traffic|how|when)|\blove it when\b|\blucky me\b|\bthanks a lot ,? (for|obama)|
    #sarcasm|\bsarcasm\b|^sure ,? i (totally|absolutely|just)
    """
)


def says_nothing(low: str) -> bool:
    """Whether a sentence, in small letters with its words apart, states nothing about who says it."""
    if _TESTED.match(low) or _ADDRESSED.match(low):
        return True
    return any(pattern.search(low) for pattern in (_SUPPOSED, _DOUBTED, _REPORTED))


def is_ironic(low: str) -> bool:
    """Whether a sentence bears a mark of irony."""
    return _IRONIC.search(low) is not None
