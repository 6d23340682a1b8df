"""Words that a name may not hold, and names that are kept for the service.

A file of words has one a line; what stands behind a `#` is not read. A plain word is refused where it stands by itself
or makes up the whole name, `word*` also at the beginning of another, `*word*` anywhere. Compared is what is left when
capitals, accents, lookalikes of other alphabets, digits and signs in place of letters, and what stands between letters
are taken away: `B.4.d` is `bad`, and so is `b a d`.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from importlib.resources import files
from typing import Final

from chautari.errors import Malformed

MOST_WORDS: Final = 20_000
_LEET: Final = str.maketrans("0345789@$!|+€", "oeastbgasiite")
_LOOKALIKES: Final = str.maketrans("аеорсухікмтвнѕјαειοκρτυνχ", "aeopcyxikmtbhsjaeiokptuvx")
"""Letters of Cyrillic and Greek that are taken for Latin ones."""
_OURS_ANYWHERE: Final = ("chautari", "चौतारी", "admin*", "administrator", "moderator", "official")
_OURS_ALONE: Final = ("system", "server", "support", "operator", "deleted player", "deleted", "null", "प्रशासक")


class NameWords:
    """The words that are refused, ready to be compared with."""

    def __init__(self, words: Iterable[str]) -> None:
        whole: set[str] = set()
        starts: set[str] = set()
        inside: set[str] = set()
        for word in words:
            folded = next(iter(_folded(word.strip("*"))))
            if not folded:
                continue
            kind = inside if word.startswith("*") else starts if word.endswith("*") else whole
            kind.add(folded)
        self._whole = frozenset(whole)
        self._starts = tuple(starts)
        self._inside = tuple(inside)
        self._ours = _Ours()

    def check(self, name: str, field: str) -> str:
        """The name; Malformed `NAME_REFUSED` where it holds one of the words."""
        if self._holds(name):
            raise Malformed("NAME_REFUSED", "a word in it is not allowed on this server: choose another", field=field)
        return name

    def check_account(self, name: str, field: str) -> str:
        """The same, and it may not be a name that is kept for the service."""
        if self._ours.are(name):
            raise Malformed("NAME_REFUSED", "this name is kept for the service: choose another", field=field)
        return self.check(name, field)

    def _holds(self, name: str) -> bool:
        for words in _words(name):
            joined = "".join(words)
            for word in (*words, joined):
                if word in self._whole or (self._starts and word.startswith(self._starts)):
                    return True
            if any(part in joined for part in self._inside):
                return True
        return False


class _Ours:
    def __init__(self) -> None:
        self._anywhere = frozenset(_plain(word) for word in _OURS_ANYWHERE if not word.endswith("*"))
        self._starts = tuple(_plain(word.strip("*")) for word in _OURS_ANYWHERE if word.endswith("*"))
        self._alone = frozenset(_plain(word) for word in _OURS_ALONE)

    def are(self, name: str) -> bool:
        return any(
            "".join(words) in self._alone | self._anywhere
            or any(word in self._anywhere or word.startswith(self._starts) for word in words)
            for words in _words(name)
        )


def read_words(text: str) -> NameWords:
    """The words of a file; Malformed `BAD_NAMES_FILE` where it has too many, or a line that is no word."""
    words = [line.partition("#")[0].strip() for line in text.splitlines()]
    words = [word for word in words if word]
    if len(words) > MOST_WORDS:
        raise Malformed("BAD_NAMES_FILE", f"the file of names has {len(words)} words, {MOST_WORDS} at most are read")
    for word in words:
        if word.startswith("*") and not word.endswith("*"):
            raise Malformed("BAD_NAMES_FILE", f"the file of names has {word!r}: write `*word*`, `word*` or `word`")
    return NameWords(words)


def usual_words() -> NameWords:
    """The words that are refused where the operator names no others."""
    return read_words(files("chautari.app").joinpath("refused_names.txt").read_text("utf-8"))


def _words(name: str) -> Iterator[list[str]]:
    """The words of a name, once for each way in which its digits and signs may be meant; single letters make one."""
    for folded in _folded(name, keep_blanks=True):
        words: list[str] = []
        spelt = ""
        for word in [*folded.split(), ""]:
            if len(word) == 1:
                spelt += word
                continue
            words += [part for part in (spelt, word) if part]
            spelt = ""
        yield words


def _folded(text: str, *, keep_blanks: bool = False) -> Iterator[str]:
    plain = unicodedata.normalize("NFKC", text).casefold().translate(_LOOKALIKES)
    for one in "il" if "1" in plain else "i":
        letters = unicodedata.normalize("NFD", plain.replace("1", one).translate(_LEET))
        found = {
            _once("".join(_kept(character, parts=parts) for character in letters)).strip()
            for parts in ((False, True) if keep_blanks else (False,))
        }  # fmt: skip
        for folded in sorted(found):
            yield folded if keep_blanks else folded.replace(" ", "")


def _kept(character: str, *, parts: bool) -> str:
    """What is compared of a character. parts: whether a sign parts words, as a blank does, or is passed over."""
    category = unicodedata.category(character)
    if "\u0300" <= character <= "\u036f" or category == "Cf":
        return ""
    if category[0] in "LMN":
        return character
    return " " if parts or category[0] == "Z" else ""


def _once(text: str) -> str:
    """Letters that are drawn out (`baaad`) once."""
    return re.sub(r"([^\W\d_])\1+", r"\1", text)


def _plain(word: str) -> str:
    return next(iter(_folded(word)))
