"""The words of every game: a label and an explanation in each language for all that a client shows, and a page."""

import tomllib
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import chautari.games
from chautari.engine import Fact
from chautari.games import GAMES
from chautari.games.wording import page, wording

FOLDER = Path(chautari.games.__file__).parent
LANGUAGES = ("en", "ne", "hi")
PARTS = {"settings", "verbs", "arguments", "phases", "zones", "facts", "record", "words", "terms", "names", "cards"}


@cache
def read(name: str) -> dict[str, Any]:
    """A file of words."""
    return tomllib.loads((FOLDER / "words" / f"{name}.toml").read_text(encoding="utf-8"))


def layers(key: str) -> list[dict[str, Any]]:
    """The words of a game, those of its family if it has one, and those that all games share."""
    own = read(key)
    family = own["names"].get("family")
    return [own, *([read(family)] if family else []), read("shared")]


def said(key: str, part: str, name: str, what: str) -> Mapping[str, str]:
    """What is said of something in each language: by the game, else by its family, else by all."""
    for words in layers(key):
        if found := words.get(part, {}).get(name, {}).get(what):
            return dict(found)
    return {}


def shown(key: str) -> dict[str, list[str]]:
    """By part, all that a client shows of a game."""
    game = GAMES[key]
    return {
        "settings": [setting.name for setting in game.settings_declared],
        "verbs": list(game.verbs),
        "arguments": [argument.name for verb in game.verbs.values() for argument in verb.arguments],
        "phases": [*game.phases, "over"],
        "zones": [zone.name for zone in game.zones],
        "facts": [fact.name for fact in game.facts_declared if not fact.secret],
    }


def fields(declared: tuple[Fact, ...], within: str = "") -> Iterator[str]:
    """The fields of a record, and those of the records within it."""
    for field in declared:
        yield f"{within}{field.name}"
        yield from fields(field.fields, f"{within}{field.name}.")


def words_of(key: str) -> set[str]:
    """The words that actions, facts and records of a game are declared to have, but for numbers and names of cells."""
    game = GAMES[key]
    arguments = [argument for verb in game.verbs.values() for argument in verb.arguments if "word" in argument.types]
    told = [fact for fact in (*game.facts_declared, *game.record_declared) if not fact.secret]
    listed = [*(argument.words for argument in arguments), *(fact.words for fact in told)]
    return {word for some in listed for word in some if not word.removeprefix("+").isdigit()}


def texts(value: object) -> Iterator[str]:
    """Every text within words."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield name
            yield from texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner)
    elif isinstance(value, str):
        yield value


@pytest.mark.parametrize("key", GAMES)
def test_the_names_of_a_game(key: str) -> None:
    names = read(key)["names"]
    assert all(names[language].strip() for language in LANGUAGES)
    assert names["direction"] in ("clockwise", "anticlockwise")
    assert wording(key).titles["en"] == names["en"]


@pytest.mark.parametrize("key", GAMES)
def test_all_that_is_shown_has_a_label_in_each_language(key: str) -> None:
    missing = [
        f"{part}.{name} {language}"
        for part, names in shown(key).items() for name in names for language in LANGUAGES
        if not said(key, part, name, "label").get(language)
    ]  # fmt: skip
    assert missing == []


@pytest.mark.parametrize("key", GAMES)
def test_each_field_of_a_record_has_a_label_in_each_language(key: str) -> None:
    missing = [
        f"{name} {language}"
        for name in fields(GAMES[key].record_declared) for language in LANGUAGES
        if not (said(key, "record", name, "label") or said(key, "facts", name, "label")).get(language)
    ]  # fmt: skip
    assert missing == []
    assert wording(key).field(GAMES[key].record_declared[0].name, "en")


@pytest.mark.parametrize("key", GAMES)
def test_each_word_that_can_be_said_is_worded_in_each_language(key: str) -> None:
    words = wording(key)
    for language in LANGUAGES:
        assert [word for word in sorted(words_of(key)) if not words.word(word, language)] == []
    for layer in layers(key):
        for name, texts in layer.get("words", {}).items():
            assert all(texts.get(language) for language in LANGUAGES), name


def test_a_word_is_that_of_the_game_then_of_its_family_then_of_all_and_last_a_suit_or_rank() -> None:
    assert wording("twenty_nine").word("7", "en") == "the suit of the seventh card"
    assert wording("fifty_six").word("thani", "hi") == "तनि"
    assert wording("jutpatti").word("deck", "en") == "the deck"
    assert wording("jutpatti").word("T", "en") == "ten"
    assert wording("three_two_five").word("H", "ne") == "पान"
    assert wording("gulam_chor").word("XX", "en") == "joker"
    assert wording("jutpatti").word("whist", "en") == ""


@pytest.mark.parametrize("key", GAMES)
def test_settings_and_verbs_are_explained_in_each_language(key: str) -> None:
    for part in ("settings", "verbs"):
        for name in shown(key)[part]:
            about = said(key, part, name, "about")
            assert all(about.get(language) for language in LANGUAGES), f"{part}.{name}"
            assert about["en"].endswith((".", "?", "!"))
            assert all(about[language].endswith(("।", "?", "!")) for language in ("ne", "hi")), f"{part}.{name}"


@pytest.mark.parametrize("key", GAMES)
def test_each_word_that_a_setting_may_have_has_a_label(key: str) -> None:
    for setting in GAMES[key].settings_declared:
        if setting.type == "word":
            values: dict[str, Mapping[str, str]] = {}
            for words in reversed(layers(key)):
                values |= words.get("settings", {}).get(setting.name, {}).get("values", {})
            assert values.keys() >= set(setting.allowed), setting.name
            assert all(words.get(language) for words in values.values() for language in LANGUAGES), setting.name


@pytest.mark.parametrize("key", GAMES)
def test_terms_are_told_in_each_language(key: str) -> None:
    for words in layers(key):
        for name, term in words.get("terms", {}).items():
            assert all(term.get(language) for language in LANGUAGES), name


@pytest.mark.parametrize("key", GAMES)
def test_nothing_is_worded_that_the_game_does_not_have(key: str) -> None:
    own = read(key)
    assert own.keys() <= PARTS
    for part, names in shown(key).items():
        assert own.get(part, {}).keys() <= set(names), part
    assert own.get("record", {}).keys() <= set(fields(GAMES[key].record_declared))


@pytest.mark.parametrize("path", sorted(FOLDER.glob("[wp]*s/*.*")), ids=lambda path: path.name)
def test_texts_are_composed_and_clean(path: Path) -> None:
    """NFC, no control characters, no blanks at the ends of lines or texts; nothing of the other direction."""
    content = path.read_text(encoding="utf-8")
    assert unicodedata.is_normalized("NFC", content)
    assert not [c for c in content if unicodedata.category(c) in ("Cc", "Cs", "Co", "Cn") and c != "\n"]
    assert not {"R", "AL", "RLE", "RLO", "LRE", "LRO", "RLI", "LRI"} & {unicodedata.bidirectional(c) for c in content}
    assert all(line == line.rstrip() for line in content.splitlines())
    if path.suffix == ".toml":
        assert all(text == text.strip() and text for text in texts(tomllib.loads(content)))


@pytest.mark.parametrize("key", GAMES)
def test_labels_are_short(key: str) -> None:
    for part, names in shown(key).items():
        for name in names:
            assert all(len(label) <= 40 for label in said(key, part, name, "label").values()), f"{part}.{name}"


@pytest.mark.parametrize("key", GAMES)
def test_every_game_has_a_page_that_people_read(key: str) -> None:
    text = page(key)
    first = text.splitlines()[0]
    assert first == f"# {read(key)['names']['en']}"
    assert len(text.splitlines()) >= 40


def test_cards_are_named_in_each_language() -> None:
    cards = read("shared")["cards"]
    assert set(cards["suits"]) == set("CDHS")
    assert set(cards["ranks"]) == {*"A23456789TJQK", "XX"}
    assert all(words.get(language) for part in cards.values() for words in part.values() for language in LANGUAGES)


def test_every_file_of_words_or_pages_is_of_a_game_or_a_family() -> None:
    families = {family for key in GAMES if (family := read(key)["names"].get("family"))}
    assert {path.stem for path in FOLDER.glob("words/*.toml")} >= {*GAMES, *families, "shared"}
    assert {path.stem for path in FOLDER.glob("pages/*.md")} >= {*GAMES}
