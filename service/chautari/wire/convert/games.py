"""Games as they declare themselves, to messages, in one language."""

import sys
from collections.abc import Iterator
from typing import Any, Final

from chautari.app import catalog
from chautari.app.catalog import Wording
from chautari.app.clocks import default_control
from chautari.cards import RANKS, SUITS
from chautari.engine import FINISHED, Fact, Game, Sees, Setting, Zone
from chautari.v1 import declaration_pb2, games_pb2, match_pb2
from chautari.wire.convert.clocks import fill_control
from chautari.wire.convert.options import ARGUMENT_TYPES
from chautari.wire.convert.plain import fill_value
from chautari.wire.convert.views import ZONE_KINDS

_SETTING_TYPES: Final = {
    "int": declaration_pb2.SETTING_TYPE_NUMBER,
    "bool": declaration_pb2.SETTING_TYPE_BOOLEAN,
    "word": declaration_pb2.SETTING_TYPE_WORD,
    "rank": declaration_pb2.SETTING_TYPE_RANK,
}
_FACT_TYPES: Final = {
    "int": declaration_pb2.FACT_TYPE_NUMBER,
    "bool": declaration_pb2.FACT_TYPE_BOOLEAN,
    "text": declaration_pb2.FACT_TYPE_WORD,
    "seat": declaration_pb2.FACT_TYPE_SEAT,
    "side": declaration_pb2.FACT_TYPE_SIDE,
    "card": declaration_pb2.FACT_TYPE_CARD,
    "rank": declaration_pb2.FACT_TYPE_RANK,
    "suit": declaration_pb2.FACT_TYPE_SUIT,
    "position": declaration_pb2.FACT_TYPE_POSITION,
    "record": declaration_pb2.FACT_TYPE_RECORD,
    "mixed": declaration_pb2.FACT_TYPE_MIXED,
}
_FACT_SHAPES: Final = {
    "one": declaration_pb2.FACT_SHAPE_SINGLE,
    "list": declaration_pb2.FACT_SHAPE_LIST,
    "by_seat": declaration_pb2.FACT_SHAPE_BY_SEAT,
    "by_side": declaration_pb2.FACT_SHAPE_BY_SIDE,
    "list_by_seat": declaration_pb2.FACT_SHAPE_LIST_BY_SEAT,
}
_FACT_DISPLAYS: Final = {
    "badge": declaration_pb2.FACT_DISPLAY_BADGE,
    "label": declaration_pb2.FACT_DISPLAY_LABEL,
    "score": declaration_pb2.FACT_DISPLAY_SCORE,
    "hidden": declaration_pb2.FACT_DISPLAY_HIDDEN,
    "board": declaration_pb2.FACT_DISPLAY_BOARD,
}
_VIEWERS: Final = {
    Sees.ALL: declaration_pb2.VIEWERS_ALL,
    Sees.OWNER: declaration_pb2.VIEWERS_OWNER,
    Sees.OTHERS: declaration_pb2.VIEWERS_OTHERS,
    Sees.NONE: declaration_pb2.VIEWERS_NOBODY,
}
_DISCLOSURES: Final = {"full": match_pb2.DISCLOSURE_FULL, "shown_only": match_pb2.DISCLOSURE_SHOWN_ONLY}
_DIRECTIONS: Final = {
    "clockwise": games_pb2.DIRECTION_CLOCKWISE,
    "anticlockwise": games_pb2.DIRECTION_ANTICLOCKWISE,
}


def game_to_proto(game: Game[Any, Any], language: str) -> games_pb2.Game:
    """A game without its declarations."""
    words = catalog.wording(game.key)
    players = next(setting for setting in game.settings_declared if setting.name == "players")
    message = games_pb2.Game(
        name=f"games/{game.key}",
        key=game.key,
        rules_version=game.version,
        titles=words.titles,
        aliases=words.aliases,
        about=words.headline(language) or _about(game),
        seats=_numbers(players),
        direction=_DIRECTIONS[words.direction],
        default_disclosure=_DISCLOSURES[game.disclosure],
        language=language,
    )
    fill_control(message.default_clock, default_control(game))
    return message


def game_with_declarations(game: Game[Any, Any], language: str) -> games_pb2.Game:
    """A game with everything that a client needs to show it."""
    words = catalog.wording(game.key)
    message = game_to_proto(game, language)
    message.settings.extend([_setting(setting, words, language) for setting in game.settings_declared])
    message.zones.extend([_zone(zone, game, words, language) for zone in game.zones])
    message.facts.extend([_fact(fact, words, language) for fact in game.facts_declared if not fact.secret])
    message.verbs.extend(_verbs(game, words, language))
    for phase in (*game.phases, FINISHED):
        message.phases.add(name=phase, label=words.label("phases", phase, language))
    message.terms.update(words.terms(language))
    message.card_words.update(card_words(game, words, language))
    message.rank_words.update({rank: words.ranks(language)[rank] for rank in RANKS})
    message.suit_words.update(words.suits(language))
    message.words.update(_words(game, words, language))
    message.record_fields.extend(
        [_field(field, field.name, words, language) for field in game.record_declared],
    )
    return message


def card_words(game: Game[Any, Any], words: Wording, language: str) -> dict[str, str]:
    """What to call each card that can lie on the table of this game."""
    named = words.cards(language)
    spoken = {f"{rank}{suit}": _spoken(named[rank], named[suit], language) for suit in SUITS for rank in RANKS}
    return spoken | ({"XX": named["XX"]} if any(verb.jokers for verb in game.verbs.values()) else {})


def _spoken(rank: str, suit: str, language: str) -> str:
    """A card as people say it: in Hindi the word between follows the gender of the rank."""
    if language == "ne":
        return f"{suit}को {rank}"
    if language == "hi":
        return f"{suit} {'की' if rank.endswith('ी') or rank == 'बेगम' else 'का'} {rank}"
    if language == "ml":
        return f"{suit} {rank}"
    return f"{rank} of {suit}"


def _words(game: Game[Any, Any], words: Wording, language: str) -> dict[str, str]:
    """What to call each word that actions, facts and records may have; numbers and the names of cells stay as they are.

    A text that may be anything has the words that the game has texts for.
    """
    arguments = [argument for verb in game.verbs.values() for argument in verb.arguments if "word" in argument.types]
    told = [fact for fact in (*game.facts_declared, *game.record_declared) if not fact.secret]
    listed = [*(argument.words for argument in arguments), *(fact.words for fact in told), words.own_words]
    called = {word: words.word(word, language) for some in listed for word in some}
    return {word: name for word, name in called.items() if name}


def _about(game: Game[Any, Any]) -> str:
    """The game in a sentence: what the page of its rules says of it behind its name."""
    headline = " ".join((sys.modules[game.settings.__module__].__doc__ or "").partition("\n\n")[0].split())
    about = headline.partition(": ")[2]
    return about[:1].upper() + about[1:]


def _numbers(setting: Setting) -> list[int]:
    if setting.range is not None:
        return sorted({*range(setting.range.low, setting.range.high + 1), *setting.range.also})
    return sorted(int(number) for number in setting.allowed)


def _setting(setting: Setting, words: Wording, language: str) -> declaration_pb2.SettingDeclaration:
    message = declaration_pb2.SettingDeclaration(
        name=setting.name,
        type=_SETTING_TYPES[setting.type],
        label=words.label("settings", setting.name, language),
        about=words.about("settings", setting.name, language),
    )
    fill_value(message.default_value, setting.default)
    if setting.range is not None:
        bounds = message.range
        bounds.min, bounds.max, bounds.step = setting.range.low, setting.range.high, 1
        bounds.also.extend(setting.range.also)
    for allowed in setting.allowed:
        value = message.values.values.add(label=words.value(setting.name, str(allowed), language))
        fill_value(value.value, allowed)
    return message


def _zone(zone: Zone, game: Game[Any, Any], words: Wording, language: str) -> declaration_pb2.ZoneDeclaration:
    return declaration_pb2.ZoneDeclaration(
        name=zone.name,
        kind=ZONE_KINDS[zone.laid_out_as],
        per_seat=zone.per_seat,
        indexed=zone.indexes is not None,
        ordered=zone.ordered,
        viewers=_VIEWERS[zone.sees] if isinstance(zone.sees, Sees) else declaration_pb2.VIEWERS_VARIES,
        label=words.label("zones", zone.name, language),
        index_type=_index_type(zone, game),
    )


def _index_type(zone: Zone, game: Game[Any, Any]) -> declaration_pb2.FactType | None:
    """What tells zones of one name apart: suits, positions where an action names them so, else numbers."""
    if zone.indexes is None:
        return None
    if zone.indexes == SUITS:
        return declaration_pb2.FACT_TYPE_SUIT
    named = {argument.at for verb in game.verbs.values() for argument in verb.arguments}
    return declaration_pb2.FACT_TYPE_POSITION if zone.name in named else declaration_pb2.FACT_TYPE_NUMBER


def _fact(fact: Fact, words: Wording, language: str) -> declaration_pb2.FactDeclaration:
    """A fact. Those that are records are the record of the hand, whose fields the game declares."""
    return _declared(fact, words.label("facts", fact.name, language))


def _field(field: Fact, path: str, words: Wording, language: str) -> declaration_pb2.FactDeclaration:
    """A field of the record of a hand, at this path."""
    message = _declared(field, words.field(path, language))
    message.fields.extend([_field(inner, f"{path}.{inner.name}", words, language) for inner in field.fields])
    return message


def _declared(fact: Fact, label: str) -> declaration_pb2.FactDeclaration:
    message = declaration_pb2.FactDeclaration(
        name=fact.name,
        type=_FACT_TYPES[fact.type],
        shape=_FACT_SHAPES[fact.shape],
        nullable=fact.optional,
        viewers=declaration_pb2.VIEWERS_ALL if fact.private is None else declaration_pb2.VIEWERS_VARIES,
        display=_FACT_DISPLAYS[fact.show],
        label=label,
        zone=fact.at,
    )
    if fact.board is not None:
        message.board.columns = fact.board.columns
        for name, card in zip(fact.board.cells, fact.board.prints, strict=True):
            message.board.cells.add(name=name, card=card)
    return message


def _verbs(game: Game[Any, Any], words: Wording, language: str) -> Iterator[declaration_pb2.VerbDeclaration]:
    for key, verb in game.verbs.items():
        message = declaration_pb2.VerbDeclaration(
            name=key,
            phases=[phase for phase, verbs in game.phases.items() if key in verbs],
            label=words.label("verbs", key, language),
            about=words.about("verbs", key, language),
        )
        for argument in verb.arguments:
            message.arguments.add(
                name=argument.name,
                types=[ARGUMENT_TYPES[kind] for kind in argument.types],
                optional=argument.optional,
                words=argument.words if "word" in argument.types else (),
                zone=argument.at,
                label=words.label("arguments", argument.name, language),
            )
        yield message
