"""`chautari rules GAME`: prints the page on which people read the rules of a game."""

import sys
from typing import Annotated

import typer
from rich.console import Console

from chautari.cli.games import Language
from chautari.errors import NotFound
from chautari.games import find_game, page, wording


def rules(
    game: Annotated[str, typer.Argument(help="The key of a game, such as bluff.", show_default=False)],
    language: Language = "en",
) -> None:
    """Print the rules of a game, and the names of its settings."""
    try:
        found = find_game(game)
    except NotFound as error:
        typer.echo(f"chautari: {error.message}", err=True)
        raise typer.Exit(2) from None
    text = page(game).rstrip() + "\n"
    if language != "en":
        text = f"*The page is in English; the names of settings and actions below are in {language}.*\n\n{text}"
        words = wording(game)
        for heading, part, names in (
            ("Settings", "settings", [setting.name for setting in found.settings_declared]),
            ("Actions", "verbs", list(found.verbs)),
        ):
            lines = [
                f"- `{name}`: {words.label(part, name, language)}. {words.about(part, name, language)}"
                for name in names
            ]
            text += "\n".join(["", f"## {heading}", "", *lines, ""])
    if sys.stdout.isatty():
        from rich.markdown import Markdown

        Console().print(Markdown(text))
    else:
        typer.echo(text, nl=False)
