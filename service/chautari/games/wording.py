"""The words of the games: names, labels and explanations in each language, and the page that people read.

`words/KEY.toml` holds those of a game, `words/shared.toml` those that games share; `pages/KEY.md` is the rules page.
Games of one family name it in their words: its own `words/FAMILY.toml` comes between the two, and `pages/FAMILY.md`
follows the page of the game. Every text is there in `en`, `ne` and `hi`, what is said at Malayalam tables also in `ml`;
whoever asks for what is missing gets English.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

LANGUAGES: Final = ("en", "ne", "hi", "ml")

Words = Mapping[str, Any]


class Wording:
    """The words of one game, its own before those of its family, and these before the shared ones."""

    def __init__(self, own: Words, family: Words, shared: Words) -> None:
        self._own = own
        self._family = family
        self._shared = _over(family, shared)

    @property
    def titles(self) -> dict[str, str]:
        """The name of the game by language."""
        return {language: self._own["names"][language] for language in LANGUAGES if language in self._own["names"]}

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names under which people look for it."""
        return tuple(self._own["names"].get("aliases", ()))

    def headline(self, language: str) -> str:
        """The game in a sentence; empty in English, which its module says."""
        return _in(self._own["names"].get("about", {}), language)

    @property
    def direction(self) -> str:
        """`clockwise` or `anticlockwise`: how the table is drawn."""
        return str(self._own["names"]["direction"])

    def label(self, part: str, name: str, language: str) -> str:
        """The short name of a setting, verb, argument, phase, zone or fact (`part` in the plural); its key without."""
        return self._said(part, name, "label", language) or name

    def field(self, name: str, language: str) -> str:
        """The short name of a field of the record of a hand: `pots.amount` within a record; else that of the fact."""
        return self._said("record", name, "label", language) or self.label("facts", name, language)

    def word(self, word: str, language: str) -> str:
        """What to call a word of an action or of a text; as a suit, rank or joker where it is one, else empty."""
        words = self._own.get("words", {}).get(word) or self._shared.get("words", {}).get(word) or {}
        return _in(words, language) or self.cards(language).get(word, "")

    def about(self, part: str, name: str, language: str) -> str:
        """The explanation of a setting or verb, one sentence; empty where there is none."""
        return self._said(part, name, "about", language)

    def value(self, setting: str, value: str, language: str) -> str:
        """The label of a word that a setting may have; the word itself where it has none."""
        values = self._entry("settings", setting).get("values", {})
        return str(_in(values.get(value, {}), language) or value)

    def terms(self, language: str) -> dict[str, str]:
        """The words that players use in this game."""
        terms = {**self._shared.get("terms", {}), **self._own.get("terms", {})}
        return {name: _in(words, language) for name, words in terms.items()}

    def cards(self, language: str) -> dict[str, str]:
        """What the suits, the ranks and the joker are called, by their text."""
        return self.suits(language) | self.ranks(language)

    def suits(self, language: str) -> dict[str, str]:
        """What the suits are called, by their letter."""
        return {name: _in(words, language) for name, words in self._shared["cards"]["suits"].items()}

    def ranks(self, language: str) -> dict[str, str]:
        """What the ranks are called, by their letter or digit, and the joker, by `XX`."""
        return {name: _in(words, language) for name, words in self._shared["cards"]["ranks"].items()}

    @property
    def own_words(self) -> tuple[str, ...]:
        """The words that this game or its family has texts for, such as those of a text that may be anything."""
        return tuple({**self._family.get("words", {}), **self._own.get("words", {})})

    def _entry(self, part: str, name: str) -> Words:
        own: Words = self._own.get(part, {}).get(name, {})
        shared: Words = self._shared.get(part, {}).get(name, {})
        return _over(own, shared)

    def _said(self, part: str, name: str, what: str, language: str) -> str:
        return _in(self._entry(part, name).get(what, {}), language)


def _in(words: Words, language: str) -> str:
    return str(words.get(language) or words.get("en", ""))


def _read(name: str) -> Words:
    return tomllib.loads(files("chautari.games").joinpath("words", f"{name}.toml").read_text(encoding="utf-8"))


def _over(upper: Words, lower: Words) -> Words:
    """Words in which what the upper ones say comes before what the lower ones say of the same thing."""
    return {
        name: _over(upper[name], lower[name])
        if isinstance(upper.get(name), Mapping) and isinstance(lower.get(name), Mapping)
        else upper.get(name, lower.get(name))
        for name in {**lower, **upper}
    }


def _family(own: Words) -> str | None:
    family: str | None = own["names"].get("family")
    return family


@cache
def wording(key: str) -> Wording:
    """The words of the game with this key."""
    own = _read(key)
    family = _family(own)
    return Wording(own, {} if family is None else _read(family), _read("shared"))


@cache
def page(key: str) -> str:
    """The rules page of the game, Markdown, in English; that of its family follows."""
    family = _family(_read(key))
    return "\n".join([_page(key), *([] if family is None else [_page(family)])])


def _page(name: str) -> str:
    return files("chautari.games").joinpath("pages", f"{name}.md").read_text(encoding="utf-8")
