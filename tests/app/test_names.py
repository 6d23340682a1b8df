"""Names: what they may hold, how long they are to a person, which words are refused, and those that guests get."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chautari.app.guest_names import all_words, guest_name
from chautari.app.name_words import MOST_WORDS, read_words, usual_words
from chautari.app.names import LONGEST_NAME, characters, check_name
from chautari.errors import Malformed
from tests.app.tables import guest, running_app

WORDS = usual_words()
FAMILY = "👨‍👩‍👧‍👦"


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("", 0),
        ("Sita", 4),
        ("सीता", 2),
        ("क्षितिज", 3),
        ("र्‍याली", 2),
        ("ക്ഷമ", 2),
        ("Zoë", 3),
        ("e\u0301", 1),
        (FAMILY, 1),
        ("🇳🇵🇮🇳", 2),
        ("👍🏽", 1),
        ("❤️", 1),
        ("1️⃣", 1),
        ("한글", 2),
        ("刘备", 2),
    ],
)
def test_characters_are_counted_as_a_person_counts_them(text: str, seen: int) -> None:
    assert characters(text) == seen


@pytest.mark.parametrize(
    "name",
    [
        "सीता",
        "र्‍याली",
        "क्‍षितिज",
        "ക്ഷമ",
        "Zoë",
        "Ann-Lee O'Hara",
        "🂡 ace",
        "刘备",
        "می‌خواهم",
        FAMILY,
        "❤️ Sita",
        "👩‍❤️‍👨",
        "1️⃣",
        "Sita 2",
        "x" * 64,
        "कि" * 64,
        "Þór",
        "Nguyễn",
        "O’Neil",
        "שרה",
        "أحمد",
    ],
)
def test_names_of_every_script_are_kept(name: str) -> None:
    assert check_name(name, "name") == name


@pytest.mark.parametrize(
    "name",
    [
        "a\u200db",
        "Si\u200cta",
        "\u200dSita",
        "Sita\u200d",
        "सी\u200dता",
        "Sita\ufe0f",
        "S\u034fita",
        "\u3164",
        "Sita\u3164",
        "\u2800",
        "a\U000e0101",
        "Si\u00adta",
        "a\u202eb",
        "\u2066x\u2069",
        "\u200ea",
        "a\u0000",
        "a\u0085b",
        "a\u2028b",
        "\ufeffSita",
        "\ufffc",
        "\ud800",
        "x" * 65,
        "कि" * 65,
        "a" + "\u0301" * 8,
        "",
        "   ",
        "\u0301",
        "\ue000",
        "\U000e0041",
        FAMILY * 40,
    ],
)
def test_names_that_deceive_or_cannot_be_seen_are_refused(name: str) -> None:
    with pytest.raises(Malformed) as refused:
        check_name(name, "name")
    assert (refused.value.reason, refused.value.field) == ("NAME_INVALID", "name")


def test_blanks_of_any_kind_become_plain_ones() -> None:
    assert check_name("\u3000 Sita\u00a0\u2003 Sharma\u1680", "name") == "Sita Sharma"
    assert check_name("e\u0301", "name") == "é"
    assert check_name(" \u00a0 ", "name", optional=True) == ""


@given(st.text(max_size=80))
def test_what_is_taken_is_taken_again_as_it_is(text: str) -> None:
    try:
        name = check_name(text, "name")
    except Malformed:
        return
    assert check_name(name, "name") == name
    assert 0 < characters(name) <= LONGEST_NAME
    assert name == name.strip()


# ── Words ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "name",
    [
        "shit",
        "Sh1t",
        "5HIT",
        "$hit",
        "s.h.i.t",
        "s h i t",
        "S-H-I-T",
        "shiiiit",
        "ｓｈｉｔ",
        "shít",
        "ѕhit",
        "no shit Sita",
        "big-shit",
        "Fuckers",
        "motherfucker",
        "f_u_c_k",
        "ph fuck",
        "मादरचोद",
        "madarch0d",
        "Ram मुजी",
    ],
)
def test_words_are_found_however_they_are_written(name: str) -> None:
    with pytest.raises(Malformed) as refused:
        WORDS.check(name, "name")
    assert refused.value.reason == "NAME_REFUSED"
    assert name not in refused.value.message


@pytest.mark.parametrize(
    "name",
    [
        "Shital",
        "Nazia",
        "Nazir",
        "Mujibur",
        "Scunthorpe",
        "Snigdha",
        "Assam",
        "Slutsky",
        "सीता",
        "मुजिबुर",
        "Push It",
        "10",
        "1",
        "!!!",
        "Cassandra",
        "Essex",
        "Dickens",
        "🂡",
        "R2-D2",
        "A B C",
    ],
)
def test_names_that_only_look_a_little_like_them_are_kept(name: str) -> None:
    assert WORDS.check_account(name, "name") == name


@pytest.mark.parametrize(
    "name",
    [
        "Admin",
        "adm1n",
        "ADMIN Sita",
        "Administrator",
        "the moderator",
        "Chautari",
        "चौतारी",
        "Official Sita",
        "System",
        "s y s t e m",
        "Deleted player",
        "deleted  Player",
        "Ѕystem",
        "Аdmin",
    ],
)
def test_names_that_are_kept_for_the_service(name: str) -> None:
    with pytest.raises(Malformed) as refused:
        WORDS.check_account(name, "name")
    assert refused.value.reason == "NAME_REFUSED"


def test_a_list_of_the_operator_s_own() -> None:
    words = read_words("# ours\nmango  # a fruit\npine*\n*nut*\n\nकेरा\n")
    for name in ("Mango", "m4ngo", "Pineapple", "doughnuts", "केरा"):
        with pytest.raises(Malformed):
            words.check(name, "name")
    for name in ("Mangos", "Alpine", "shit", "केरामाथि"):
        assert words.check(name, "name") == name
    assert read_words("").check("anything", "name") == "anything"
    for wrong in ("*half", "a\n" * (MOST_WORDS + 1)):
        with pytest.raises(Malformed) as refused:
            read_words(wrong)
        assert refused.value.reason == "BAD_NAMES_FILE"


@given(st.text(max_size=200))
def test_any_text_can_be_compared(text: str) -> None:
    with suppress(Malformed):
        assert WORDS.check_account(text, "name") == text


async def test_accounts_and_matches_are_held_to_the_words() -> None:
    async with running_app() as app:
        sita = await guest(app)
        for call in (
            app.accounts.create_guest("Sh1t", "en"),
            app.accounts.create_guest("Admin", "en"),
            app.accounts.update(sita, "me", "Chautari", None),
        ):
            with pytest.raises(Malformed) as refused:
                await call
            assert refused.value.reason == "NAME_REFUSED"


# ── Guests ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("language", "least"), [("en", 10_000), ("ne", 2000), ("hi", 2000)])
def test_guests_get_two_friendly_words_of_their_language(language: str, least: int) -> None:
    first, second = all_words(language)
    assert len(set(first)) == len(first)
    assert len(set(second)) == len(second)
    assert len(first) * len(second) >= least
    for word in (*first, *second):
        assert WORDS.check_account(check_name(word, "name"), "name") == word
    names = {guest_name(lambda count, seed=seed: bytes([*([0] * (count - 1)), seed]), language) for seed in range(40)}
    assert len(names) == 40
    is_latin = all(ord(letter) < 128 for letter in "".join(names))
    assert is_latin == (language == "en")


def test_guests_of_other_languages_get_english_words() -> None:
    def zeros(count: int) -> bytes:
        return bytes(count)

    assert guest_name(zeros, "fr-CH") == guest_name(zeros, "") == guest_name(zeros, "en-GB") == "Amber Alder"
    assert guest_name(zeros, "ne-NP") == guest_name(zeros, "NE") == "खुसी डाँफे"


async def test_the_name_of_a_guest_is_in_its_language() -> None:
    async with running_app() as app:
        name = (await app.accounts.create_guest("", "hi")).account.display_name
        assert all(not "a" <= letter <= "z" for letter in name.lower())
