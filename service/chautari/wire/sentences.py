"""What a refusal says in a caller's language, where there are words for it: `sentences.toml` holds them."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final

Sentences = Mapping[str, Mapping[str, Mapping[str, str]]]

FILE: Final = "sentences.toml"


@cache
def sentences() -> Sentences:
    """The sentences, by `rules` or `reasons`, by name, by language."""
    return tomllib.loads(files(__package__).joinpath(FILE).read_text("utf-8"))


def sentence(language: str, reason: str, rule: str, values: Mapping[str, str]) -> str:
    """What a refusal says in a language: the sentence of its rule, else that of its reason; empty where there is none.

    values: what the refusal speaks of. A sentence that names one which is not there is not said.
    """
    known = sentences()
    words = known["rules"].get(rule, {}).get(language, "")
    if words:
        try:
            return words.format_map(values)
        except KeyError:
            pass
    return known["reasons"].get(reason, {}).get(language, "")
