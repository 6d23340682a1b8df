"""The API page: whole, accessible, self-contained, and safe whatever a proto or a caller writes."""

import asyncio
import gzip
import re
import subprocess
import sys
from html.parser import HTMLParser
from importlib.resources import files
from itertools import pairwise
from typing import Any

import pytest

from chautari.config import Config
from chautari.configured import limits
from chautari.wire.http.docs.markup import Markup
from chautari.wire.http.docs.samples import curl
from tests.wire.over_http import Answer
from tests.wire.served import serving

_VOID = {"meta", "link", "br"}


class Read(HTMLParser):
    """A page as a reader of screens goes through it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        assert self.open == [], "every element is closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def answers() -> dict[str, Answer]:
    """What a server answers to whoever reads about it."""

    async def ask() -> dict[str, Answer]:
        async with serving(http=True, streams_per_account=3) as served:
            http = served.over_http()
            found = {path: await http.ask("GET", path) for path in ("/", "/docs", "/openapi.json")}
            found["head"] = await http.ask("HEAD", "/docs")
            found["packed"] = await http.ask("GET", "/docs", accept_encoding="gzip")
            found["again"] = await http.ask("GET", "/docs", if_none_match=found["/docs"].headers["etag"])
            found["known"] = await http.ask("GET", "/errors/NO_ACCESS")
            found["unknown"] = await http.ask("GET", "/errors/%3Cscript%3E")
            http.host = '"><script>alert(1)</script>'
            _, writer = await http.open()
            writer.write(b"GET /docs HTTP/1.1\r\nhost: ';alert(1)&\r\n\r\n")
            found["hostile"] = await http.answer()
            return found

    return asyncio.run(ask())


@pytest.fixture(scope="module")
def text(answers: dict[str, Answer]) -> str:
    """The page."""
    return answers["/docs"].body.decode()


@pytest.fixture(scope="module")
def read(text: str) -> Read:
    """The page, read."""
    return Read(text)


def test_page_is_at_both_places_and_is_kept(answers: dict[str, Answer], text: str) -> None:
    assert answers["/"].body == answers["/docs"].body
    assert answers["/docs"].headers["content-type"] == "text/html; charset=utf-8"
    assert gzip.decompress(answers["packed"].body).decode() == text
    assert len(answers["packed"].body) < 100_000
    assert (answers["again"].status, answers["again"].body) == (304, b"")
    assert (answers["head"].status, answers["head"].body) == (200, b"")
    assert answers["/openapi.json"].headers["etag"] != answers["/docs"].headers["etag"]


def test_page_needs_nothing_but_itself(read: Read, text: str) -> None:
    loaded = [
        value
        for tag, attributes in read.tags
        for name, value in attributes.items()
        if name in ("src", "srcset") or (name == "href" and tag == "link")
    ]
    assert all(str(each).startswith("data:") for each in loaded)
    assert "<script" not in text
    assert "@import" not in text
    assert "url(" not in text


def test_page_has_landmarks_and_headings_in_order(read: Read) -> None:
    names = [tag for tag, _ in read.tags]
    for landmark in ("header", "nav", "main", "footer", "h1"):
        assert names.count(landmark) == 1
    levels = [int(name[1]) for name in names if re.fullmatch("h[1-6]", name)]
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert next(attributes for tag, attributes in read.tags if tag == "html")["lang"] == "en"
    first = next(attributes for tag, attributes in read.tags if tag == "a")
    assert first["href"] == "#content", "the first link leads past the contents"
    for tag, attributes in read.tags:
        if attributes.get("role") == "region":
            assert attributes["aria-label"]
        if tag == "th":
            assert attributes["scope"] in ("col", "row")


def test_every_link_leads_somewhere(read: Read) -> None:
    ids = [attributes["id"] for _, attributes in read.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    for tag, attributes in read.tags:
        if tag == "a" and str(attributes["href"]).startswith("#"):
            assert str(attributes["href"])[1:] in ids


def test_page_tells_every_method_with_a_call(answers: dict[str, Answer], text: str) -> None:
    document = answers["/openapi.json"].json
    for path, verbs in document["paths"].items():
        for verb, operation in verbs.items():
            article = text.partition(f'<article id="{operation["operationId"]}">')[2].partition("</article>")[0]
            assert "curl" in article
            call = curl(document, verb, path, operation)
            assert "{" not in call.split("\n")[0], "each part of a path has a value"
    for reason in document["components"]["schemas"]["ErrorReason"]["enum"]:
        assert f'id="reason-{reason}"' in text


def test_page_tells_the_limits_of_this_server(text: str) -> None:
    table = text.partition('<h2 id="limits">')[2].partition("</section>")[0]
    rows = dict(re.findall(r'<tr><th scope="row">([^<]+)</th><td>([^<]+)</td>', table))
    assert rows["Streams per account"] == "3"
    assert rows["Largest message"] == "65,536 bytes"
    assert rows["Guests per hour"] == "no limit"


def test_limits_are_the_numbers_that_bound_callers() -> None:
    names = [name for name, _, about in limits(Config(guests_per_hour=7)) if about]
    assert "Port" not in names
    assert ("Guests per hour", "7") in [limit[:2] for limit in limits(Config(guests_per_hour=7))]
    assert ("Call", "2.5 s") in [limit[:2] for limit in limits(Config(call_seconds=2.5))]
    assert len(names) == len(limits(Config())), "the docstring of Config says what each bounds"


def test_addresses_in_the_page_are_those_of_the_server(answers: dict[str, Answer], text: str) -> None:
    assert "export CHAUTARI=http://127.0.0.1" in text
    hostile = answers["hostile"].body.decode()
    assert "alert(1)" not in hostile
    assert "export CHAUTARI=http://localhost:8080" in hostile


def test_type_of_a_problem_leads_to_its_reason(answers: dict[str, Answer]) -> None:
    assert answers["known"].headers["location"] == "/docs#reason-NO_ACCESS"
    assert answers["unknown"].headers["location"] == "/docs#reasons"


def test_markup_escapes_whatever_is_written() -> None:
    hostile = '<img src=x onerror="x()"> `<b>` **<i>** & NO_ACCESS'
    shown = Markup({"NO_ACCESS": "reason-NO_ACCESS"}).blocks(f"{hostile}\n\n- one <u>\n  more\n- two")
    Read(f"<div>{shown}</div>")
    assert not re.search(r"<(img|b|i|u)\b", shown)
    assert '<a href="#reason-NO_ACCESS"><code>NO_ACCESS</code></a>' in shown
    assert "<li>one &lt;u&gt; more</li><li>two</li>" in shown


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_text_is_readable_in_both_themes(theme: int) -> None:
    """WCAG 2.2 AA: 4.5 to 1 for each colour of text on each ground."""
    style = files("chautari.wire.http.docs").joinpath("style.css").read_text("utf-8")
    found: Any = re.findall(r":root\{([^}]*)\}", style)[theme]
    colours = {
        name: value if len(value) == 7 else "#" + "".join(2 * each for each in value[1:])
        for name, value in re.findall(r"--([a-z-]+):(#[0-9a-f]+)", found)
    }
    for ink in ("ink", "soft", "leaf", "get", "post", "patch", "delete"):
        for ground in ("paper", "card", "code"):
            bright, dim = sorted((_luminance(colours[ink]), _luminance(colours[ground])), reverse=True)
            assert (bright + 0.05) / (dim + 0.05) >= 4.5, (ink, ground)


def test_starting_the_server_does_not_wait_for_the_page() -> None:
    program = (
        "import sys, chautari.wire.http, chautari.main\n"
        "late = ('chautari.wire.http.openapi', 'chautari.wire.http.docs.')\n"
        "print([name for name in sys.modules if name.startswith(late)])"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
