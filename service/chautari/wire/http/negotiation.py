"""What headers say of the forms in which a caller sends and takes things (RFC 9110 sections 8.3 and 12)."""

from typing import Final

_UTF_8: Final = ("utf-8", "utf8")


def weights(accepted: str) -> dict[str, float]:
    """How much a caller likes each thing that a header such as `Accept` names, from 0, which is not at all, to 1."""
    found: dict[str, float] = {}
    for part in accepted.lower().split(","):
        name, *parameters = part.replace(" ", "").replace("\t", "").split(";")
        told = next((each[2:] for each in parameters if each.startswith("q=")), "1")
        try:
            found[name] = float(told)
        except ValueError:
            found[name] = 0.0
    return found


def weight_of(kind: str, liked: dict[str, float]) -> float:
    """How much a media type is liked: by its name, else as one of its family, else as one of all."""
    family = kind.partition("/")[0] + "/*"
    return next((liked[name] for name in (kind, family, "*/*") if name in liked), 0.0)


def kind_of(content_type: str) -> str:
    """The media type that a `Content-Type` names, in small letters; empty where its text is not in UTF-8. Parameters
    that say something else are passed over."""
    kind, *parameters = (part.strip() for part in content_type.lower().split(";"))
    named = (parameter.partition("=") for parameter in parameters)
    charsets = [value.strip(' "') for name, _, value in named if name.strip() == "charset"]
    return kind if all(charset in _UTF_8 for charset in charsets) else ""
