"""`chautari games`: lists the catalogue."""

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from chautari.engine import Setting
from chautari.games import GAMES, LANGUAGES, wording

Language = Annotated[str, typer.Option(help=f"The language of names: {', '.join(LANGUAGES)}.")]


def games(language: Language = "en") -> None:
    """List the games that can be played."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("Key", "Name", "Also called", "Seats"):
        table.add_column(heading)
    for key in sorted(GAMES):
        words = wording(key)
        name = words.titles.get(language) or words.titles["en"]
        others = [title for title in (*words.titles.values(), *words.aliases) if title != name]
        table.add_row(key, name, ", ".join(others), seats(GAMES[key].settings_declared))
    Console().print(table)


def seats(settings: tuple[Setting, ...]) -> str:
    """With how many people a game can be played: `2-6`."""
    players = next(setting for setting in settings if setting.name == "players")
    if players.range is None:
        return ", ".join(map(str, players.allowed))
    low, high = players.range.low, players.range.high
    return str(low) if low == high else f"{low}-{high}"
