"""Settings: how each kind is declared, and what is refused, with the field and what is allowed."""

from typing import Annotated, Any, Literal

import pytest

from chautari import engine
from chautari.cards import Rank
from chautari.engine import Range, Setting
from chautari.engine.settings import declared, read_settings
from chautari.errors import Malformed


class Settings(engine.Settings, frozen=True):
    """One of each kind."""

    players: Annotated[int, Range(2, 8, also=(12,))] = 4
    packs: Literal[1, 2] = 1
    form: Literal["stay", "up"] = "stay"
    rank: Rank = "J"
    play_on: bool = False


DECLARED = declared(Settings)


def read(**given: object) -> Settings:
    return read_settings(Settings, DECLARED, given)


def refusal(**given: object) -> Malformed:
    with pytest.raises(Malformed) as caught:
        read(**given)
    return caught.value


def test_each_kind_is_declared_with_what_is_allowed() -> None:
    assert [(s.name, s.type, s.default) for s in DECLARED] == [
        ("players", "int", 4),
        ("packs", "int", 1),
        ("form", "word", "stay"),
        ("rank", "rank", "J"),
        ("play_on", "bool", False),
    ]
    assert DECLARED[0].range == Range(2, 8, also=(12,))
    assert (DECLARED[1].allowed, DECLARED[2].allowed, len(DECLARED[3].allowed)) == ((1, 2), ("stay", "up"), 13)


def test_what_is_not_given_has_its_default() -> None:
    assert read() == Settings()
    assert read(form="up", rank="T") == Settings(form="up", rank="T")


def test_a_setting_without_a_type_that_settings_have_is_a_mistake_of_the_game() -> None:
    class Wrong(engine.Settings, frozen=True):
        players: int = 2

    with pytest.raises(TypeError, match="players"):
        declared(Wrong)


@pytest.mark.parametrize("allowed", [2, 8, 12])
def test_a_range_holds_both_its_ends_and_what_is_also_allowed(allowed: int) -> None:
    assert read(players=allowed).players == allowed


@pytest.mark.parametrize(
    ("name", "value", "choice"),
    [
        ("players", 1, "a whole number from 2 to 8 or 12"),
        ("players", 9, "a whole number from 2 to 8 or 12"),
        ("players", 2**70, "a whole number from 2 to 8 or 12"),
        ("players", True, "a whole number from 2 to 8 or 12"),
        ("players", "4", "a whole number from 2 to 8 or 12"),
        ("players", 4.0, "a whole number from 2 to 8 or 12"),
        ("players", None, "a whole number from 2 to 8 or 12"),
        ("players", [4], "a whole number from 2 to 8 or 12"),
        ("packs", 3, "one of 1, 2"),
        ("packs", True, "one of 1, 2"),
        ("packs", 1.0, "one of 1, 2"),
        ("packs", "1", "one of 1, 2"),
        ("form", "Stay", "one of stay, up"),
        ("form", "", "one of stay, up"),
        ("form", 1, "one of stay, up"),
        ("form", ["stay"], "one of stay, up"),
        ("form", {"stay": 1}, "one of stay, up"),
        ("rank", "10", "one of A, 2, 3, 4, 5, 6, 7, 8, 9, T, J, Q, K"),
        ("rank", 7, "one of A, 2, 3, 4, 5, 6, 7, 8, 9, T, J, Q, K"),
        ("rank", "X", "one of A, 2, 3, 4, 5, 6, 7, 8, 9, T, J, Q, K"),
        ("play_on", 0, "true or false"),
        ("play_on", "true", "true or false"),
        ("play_on", None, "true or false"),
    ],
)
def test_a_value_of_another_type_or_out_of_range_is_refused(name: str, value: Any, choice: str) -> None:
    error = refusal(**{name: value})
    assert (error.reason, error.field) == ("BAD_SETTING", f"settings.{name}")
    assert error.message.startswith(f"{name} must be {choice}, not ")


def test_an_unknown_setting_is_refused_with_those_there_are() -> None:
    error = refusal(colour="red")
    assert (error.reason, error.field) == ("BAD_SETTING", "settings.colour")
    assert "players, packs, form, rank, play_on" in error.message


def test_allowed_means_this_very_type() -> None:
    number = Setting("packs", "int", 1, (1, 2))
    assert [number.allows(value) for value in (1, 2, True, 1.0, "1")] == [True, True, False, False, False]
