"""Cards and masks of seats as messages write them."""

from typing import Final

from chautari.cards import ALL_CARDS, UNSEEN

_TEXT: Final = tuple(str(card.text) for card in ALL_CARDS)
_UNSEEN: Final = int(UNSEEN)


def texts(faces: bytes) -> list[str]:
    """The cards of an event, each as its text; empty where their faces are unseen."""
    return [] if _UNSEEN in faces else [_TEXT[face] for face in faces]
