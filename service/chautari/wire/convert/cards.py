"""Cards as messages write them."""

from typing import Final

from chautari.cards import ALL_CARDS, UNSEEN
from chautari.wire.convert.parts import text

_TEXT: Final = tuple(str(card.text) for card in ALL_CARDS)
_ENCODED: Final = tuple(text(1, name) for name in _TEXT)
_UNSEEN: Final = int(UNSEEN)


def texts(faces: bytes) -> list[str]:
    """The cards of an event, each as its text; empty where their faces are unseen."""
    return [] if _UNSEEN in faces else [_TEXT[face] for face in faces]


def encode_texts(faces: bytes) -> bytes:
    """The same as the encoded field 1 of a message."""
    return b"" if _UNSEEN in faces else b"".join([_ENCODED[face] for face in faces])
