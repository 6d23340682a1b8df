"""Text as HTML: everything is escaped here, and the little Markdown of the protos' comments is read."""

import re
from html import escape
from typing import Any, Final

_INLINE: Final = re.compile(r"`([^`]+)`|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*|\b([A-Z][A-Z0-9_]{3,})\b")
_BULLET: Final = re.compile(r"^\s*(?:-|\d+\.)\s+")


class Markup:
    """Turns text into HTML. anchors: the words that are links, with where they lead."""

    def __init__(self, anchors: dict[str, str]) -> None:
        self._anchors = anchors

    def inline(self, text: str) -> str:
        """One run of text."""
        parts: list[str] = []
        at = 0
        for found in _INLINE.finditer(text):
            parts.append(escape(text[at : found.start()], quote=False))
            code, strong, stressed, word = found.groups()
            if code is not None:
                parts.append(self.code(code))
            elif strong is not None:
                parts.append(f"<strong>{self.inline(strong)}</strong>")
            elif stressed is not None:
                parts.append(f"<em>{self.inline(stressed)}</em>")
            else:
                parts.append(self.code(word) if word in self._anchors else escape(word))
            at = found.end()
        parts.append(escape(text[at:], quote=False))
        return "".join(parts)

    def code(self, text: str) -> str:
        """A word of the API, linked to where it is told of."""
        shown = f"<code>{escape(text, quote=False)}</code>"
        anchor = self._anchors.get(text)
        return f'<a href="#{escape(anchor)}">{shown}</a>' if anchor else shown

    def blocks(self, text: str) -> str:
        """Paragraphs and lists."""
        return "".join(self._block(block.split("\n")) for block in re.split(r"\n\s*\n", text.strip()) if block)

    def _block(self, lines: list[str]) -> str:
        first = next((number for number, line in enumerate(lines) if _BULLET.match(line)), len(lines))
        told = " ".join(" ".join(lines[:first]).split())
        paragraph = f"<p>{self.inline(told)}</p>" if told else ""
        items: list[str] = []
        for line in lines[first:]:
            if _BULLET.match(line):
                items.append(_BULLET.sub("", line))
            elif items and line.startswith("  "):
                items[-1] += " " + line.strip()
            else:
                items.append(line)
        if not items:
            return paragraph
        return f"{paragraph}<ul>{''.join(f'<li>{self.inline(item)}</li>' for item in items)}</ul>"


def tag(name: str, content: str, **attributes: Any) -> str:
    """An element round HTML that is made already; `class_` is the attribute `class`."""
    told = "".join(f' {key.rstrip("_")}="{escape(str(value))}"' for key, value in attributes.items())
    return f"<{name}{told}>{content}</{name}>"


def table(heads: list[str], rows: list[list[str]], label: str) -> str:
    """A table of cells that are HTML already; the first cell of a row names it. It scrolls where it is too wide."""
    head = "".join(tag("th", each, scope="col") for each in heads)
    body = "".join(
        tag("tr", tag("th", row[0], scope="row") + "".join(tag("td", cell) for cell in row[1:])) for row in rows
    )
    inner = tag("table", tag("thead", tag("tr", head)) + tag("tbody", body))
    return tag("div", inner, class_="wide", role="region", aria_label=label, tabindex="0").replace(
        "aria_label", "aria-label"
    )


def command(text: str) -> str:
    """Something to copy into a terminal or a program."""
    return tag("pre", tag("code", escape(text, quote=False)), tabindex="0")
