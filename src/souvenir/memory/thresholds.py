"""The one definition of what is worth keeping, asked when a memory is formed and again whenever one is used."""

from souvenir.config import Settings


def rejection(category: str, importance: int, confidence: float | None, settings: Settings) -> str | None:
    """Why something is not kept; None when it is. A missing or zero confidence is low."""
    if importance < settings.memory_min_importance:
        return f"importance {importance} is below {settings.memory_min_importance}"
    least = settings.memory_confidence_of(category)
    if not confidence or confidence < least:
        return f"confidence {confidence or 0:.2f} is below {least:.2f}"
    return None
