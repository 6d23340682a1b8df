"""The catalogue over the wire: every game declares itself, in each language."""

from typing import Any

import pytest

from chautari.app import catalog
from chautari.engine import FINISHED, Game
from chautari.v1 import accounts_pb2, action_pb2, declaration_pb2, games_pb2, view_pb2
from chautari.wire.convert.games import game_to_proto, game_with_declarations
from tests.wire.served import Code, serving

GAMES = catalog.games()
LANGUAGES = catalog.LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_game_declares_all_that_it_has(game: Game[Any, Any], language: str) -> None:
    message = game_with_declarations(game, language)
    assert message.language == language
    assert [setting.name for setting in message.settings] == [setting.name for setting in game.settings_declared]
    assert [zone.name for zone in message.zones] == [zone.name for zone in game.zones]
    assert [fact.name for fact in message.facts] == [fact.name for fact in game.facts_declared if not fact.secret]
    assert [verb.name for verb in message.verbs] == list(game.verbs)
    assert [phase.name for phase in message.phases] == [*game.phases, FINISHED]
    for setting in message.settings:
        assert setting.type != declaration_pb2.SETTING_TYPE_UNSPECIFIED
        assert setting.label
        assert setting.about
        has_range = setting.WhichOneof("allowed")
        assert (has_range is None) == (setting.type == declaration_pb2.SETTING_TYPE_BOOLEAN)
        assert setting.HasField("default_value")
    for zone in message.zones:
        assert zone.kind != view_pb2.ZONE_KIND_UNSPECIFIED
        assert zone.viewers != declaration_pb2.VIEWERS_UNSPECIFIED
        assert zone.indexed == zone.HasField("index_type")
        assert zone.label
    for fact in message.facts:
        assert fact.type != declaration_pb2.FACT_TYPE_UNSPECIFIED
        assert fact.shape != declaration_pb2.FACT_SHAPE_UNSPECIFIED
        assert fact.display != declaration_pb2.FACT_DISPLAY_UNSPECIFIED
        assert (fact.display == declaration_pb2.FACT_DISPLAY_BOARD) == fact.HasField("board")
        assert fact.label
    for verb in message.verbs:
        assert verb.phases
        assert verb.label
        assert verb.about
        for argument in verb.arguments:
            assert argument.types
            assert argument.label
            assert action_pb2.ARGUMENT_TYPE_UNSPECIFIED not in argument.types
            if action_pb2.ARGUMENT_TYPE_WORD in argument.types:
                assert argument.words
    assert len(message.card_words) in (52, 53)
    assert all(message.card_words.values())
    assert len(set(message.card_words.values())) == len(message.card_words)
    assert message.terms
    assert (len(message.rank_words), len(message.suit_words)) == (13, 4)
    assert [field.name for field in message.record_fields] == [field.name for field in game.record_declared]
    assert all(field.label for field in message.record_fields)
    assert all(message.words.values())


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_game_says_what_it_is(game: Game[Any, Any]) -> None:
    message = game_to_proto(game, "en")
    assert message.name == f"games/{message.key}"
    assert {"en", "ne", "hi"} <= set(message.titles) <= set(LANGUAGES)
    assert message.about.endswith(".")
    assert message.about[0].isupper()
    assert 20 < len(message.about) < 200
    assert message.seats == sorted(set(message.seats))
    assert message.direction != games_pb2.DIRECTION_UNSPECIFIED
    assert not message.settings


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_game_says_what_it_is_in_each_language(game: Game[Any, Any]) -> None:
    for language in ("ne", "hi"):
        about = game_to_proto(game, language).about
        assert about.endswith("।")
        assert 20 < len(about) < 200
        assert about != game_to_proto(game, "en").about
    assert game_to_proto(game, "ml").about == game_to_proto(game, "en").about


def test_card_words_are_those_that_people_say() -> None:
    bluff = catalog.find("bluff")
    assert game_with_declarations(bluff, "en").card_words["QH"] == "queen of hearts"
    assert game_with_declarations(bluff, "ne").card_words["QH"] == "पानको बिबी"
    assert game_with_declarations(bluff, "hi").card_words["QH"] == "पान की बेगम"
    assert game_with_declarations(bluff, "hi").card_words["KS"] == "हुकुम का बादशाह"
    assert game_with_declarations(bluff, "en").card_words["XX"] == "joker"


def test_words_are_told_that_actions_and_texts_may_have() -> None:
    marriage = game_with_declarations(catalog.find("marriage"), "en")
    assert {"deck": "the deck", "pile": "the pile", "dublee": "dublees"}.items() <= marriage.words.items()
    support = game_with_declarations(catalog.find("fifty_six_support"), "en")
    assert support.words["H"] == "hearts"
    assert {"thani", "double", "pass"} <= support.words.keys()
    assert not any(word.removeprefix("+").isdigit() for word in support.words)
    sequence = game_with_declarations(catalog.find("sequence"), "en")
    assert "00" not in sequence.words
    assert game_with_declarations(catalog.find("slapjack"), "hi").words == {}


def test_fields_of_a_record_are_declared_with_those_within_them() -> None:
    poker = game_with_declarations(catalog.find("poker"), "ne")
    fields = {field.name: field for field in poker.record_fields}
    assert fields["change"].shape == declaration_pb2.FACT_SHAPE_BY_SEAT
    assert fields["pots"].type == declaration_pb2.FACT_TYPE_RECORD
    assert [(field.name, field.label) for field in fields["pots"].fields] == [
        ("amount", "गोटी"), ("seats", "जित्न सक्ने"), ("winners", "जित्ने"),
    ]  # fmt: skip
    (last,) = [fact for fact in poker.facts if fact.name == "last"]
    assert (last.type, len(last.fields)) == (declaration_pb2.FACT_TYPE_RECORD, 0)


def test_facts_have_the_types_that_their_values_have() -> None:
    bid = next(fact for fact in game_with_declarations(catalog.find("twenty_eight"), "en").facts if fact.name == "bid")
    assert bid.type == declaration_pb2.FACT_TYPE_MIXED
    facts = {fact.name: fact for fact in game_with_declarations(catalog.find("blackjack"), "en").facts}
    assert facts["stakes"].shape == declaration_pb2.FACT_SHAPE_LIST_BY_SEAT
    up = next(fact for fact in game_with_declarations(catalog.find("memory"), "en").facts if fact.name == "up")
    assert (up.type, up.zone) == (declaration_pb2.FACT_TYPE_POSITION, "pos")


@pytest.mark.parametrize(
    ("key", "zone", "kind"),
    [
        ("badam_satti", "row", declaration_pb2.FACT_TYPE_SUIT),
        ("memory", "pos", declaration_pb2.FACT_TYPE_POSITION),
        ("blackjack", "hand", declaration_pb2.FACT_TYPE_NUMBER),
    ],
)
def test_an_index_is_told_for_what_it_is(key: str, zone: str, kind: declaration_pb2.FactType) -> None:
    zones = {declared.name: declared for declared in game_with_declarations(catalog.find(key), "en").zones}
    assert zones[zone].index_type == kind


async def test_catalogue_comes_in_pages() -> None:
    async with serving() as served:
        caller = served.caller()
        keys: list[str] = []
        token = ""
        while True:
            page = await caller.call("Games/ListGames", games_pb2.ListGamesRequest(page_size=2, page_token=token))
            assert len(page.games) <= 2
            keys += [game.key for game in page.games]
            token = page.next_page_token
            if not token:
                break
        assert keys == [game.key for game in GAMES]
        whole = await caller.call("Games/ListGames", games_pb2.ListGamesRequest(page_size=1000))
        assert [game.key for game in whole.games] == keys
        for wrong in ("x", "!!", "Ymx1ZmY", "AAAA"):
            refused = await caller.refused("Games/ListGames", games_pb2.ListGamesRequest(page_token=wrong))
            assert (refused.code, refused.reason) == (Code.INVALID_ARGUMENT, "PAGE_TOKEN_INVALID")
        negative = await caller.refused("Games/ListGames", games_pb2.ListGamesRequest(page_size=-1))
        assert set(negative.fields) == {"page_size"}


async def test_language_is_that_asked_for_else_of_the_header_else_of_the_account() -> None:
    async with serving() as served:
        caller = await served.guest()
        request = games_pb2.GetGameRequest(name="games/bluff")

        async def language(**fields: str) -> str:
            answer = await caller.call("Games/GetGame", games_pb2.GetGameRequest(name="games/bluff", **fields))
            return str(answer.language)

        assert await language() == "en"
        account = accounts_pb2.Account(language="ne-NP")
        await caller.call("Accounts/UpdateAccount", accounts_pb2.UpdateAccountRequest(account=account))
        assert await language() == "ne"
        caller.headers["accept-language"] = "fr, hi;q=0.5"
        assert await language() == "hi"
        assert await language(language="en") == "en"
        assert await language(language="fr") == "en"
        caller.token = "of nobody"
        assert (await caller.call("Games/GetGame", request)).language == "hi"


async def test_rules_page() -> None:
    async with serving() as served:
        caller = served.caller()
        rules = await caller.call("Games/GetRules", games_pb2.GetRulesRequest(name="games/bluff", language="ne"))
        assert rules.language == "en"
        assert rules.markdown.startswith("# Bluff")
        refused = await caller.refused("Games/GetRules", games_pb2.GetRulesRequest(name="games/whist"))
        assert (refused.code, refused.reason) == (Code.NOT_FOUND, "GAME_UNKNOWN")
        assert refused.info.metadata["game"] == "whist"
