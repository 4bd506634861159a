"""What is noted down while a sentence is read: frames that it says and frames that follow from them."""

from dataclasses import dataclass, field, replace

from souvenir.memory.local_resolve.frames import Frame, Item, Subject, Terms
from souvenir.memory.local_resolve.moods import PRESENT, Mood

Items = tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Said:
    """Whom a clause is about, in which mood, where in the sentence it stands, and who else does what it says."""

    subject: Subject
    clause: int = 0
    mood: Mood = PRESENT
    other: str = ""

    def about(self, path: tuple[str, ...]) -> "Said":
        """The same, said of another."""
        return replace(self, subject=Subject(path))

    def past(self) -> "Said":
        """The same, but over, unless the mood says otherwise."""
        return replace(self, mood=replace(self.mood, manner=self.mood.manner or "past"))

    def changed(self) -> "Said":
        """The same, as something new."""
        return replace(self, mood=replace(self.mood, changed=True))

    def denied(self) -> "Said":
        """The contrary."""
        return replace(self, mood=replace(self.mood, negative=not self.mood.negative))


@dataclass(slots=True)
class Notes:
    """The frames of one sentence, said and implied, and the names it gives to whom it is about."""

    frames: list[Frame] = field(default_factory=list)
    implied: list[Frame] = field(default_factory=list)
    named: dict[tuple[str, ...], Terms] = field(default_factory=dict)

    def add(
        self,
        said: Said,
        slot: str,
        items: Items,
        *,
        single: bool = False,
        negative: bool = False,
        loose: bool = False,
        event: bool = False,
        dropped: Items = (),
    ) -> None:
        """Note what is said. What is only wished, planned or past is a slot of its own, with as many values as said."""
        mood = said.mood
        denied = mood.negative != negative
        if not items and single and not denied:
            return
        self.frames.append(
            Frame(
                subject=said.subject,
                slot=f"{mood.manner} {slot}" if mood.manner else slot,
                items=items,
                negative=denied,
                single=single and not mood.manner,
                tentative=mood.tentative,
                also=mood.also,
                changed=mood.changed,
                loose=loose,
                event=event,
                dropped=dropped,
                clause=said.clause,
            )
        )

    def imply(self, said: Said, slot: str, items: Items, *, single: bool = False, negative: bool = False) -> None:
        """Note what follows. What is denied, or only wished, planned or past, implies nothing."""
        if items and not said.mood.negative and not said.mood.manner:
            self.implied.append(
                Frame(
                    said.subject, slot, items, negative=negative, single=single, also=said.mood.also, clause=said.clause
                )
            )
