"""A real browser: two pages of another origin play and watch over Connect, through a connection that is cut."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.async_api import Browser, Page

from chautari.wire.http.docs.texts import WATCH_SCRIPT
from tests.client.browser import browsing
from tests.client.typescript import CLIENT
from tests.e2e.proxy import Proxy
from tests.wire.served import serving

pytestmark = pytest.mark.xdist_group("typescript")
_HTML = (
    b"<!doctype html><html lang='en'><meta charset='utf-8'><title>Test</title><script src='/page.js'></script></html>"
)


@asynccontextmanager
async def site(script: bytes) -> AsyncIterator[int]:
    """A web server with one page and its script; gives the port."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path = (await reader.readuntil(b"\r\n\r\n")).split(b" ", 2)[1]
        kind, body = ("text/javascript", script) if path == b"/page.js" else ("text/html", _HTML)
        head = f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
        writer.write(head.encode() + body)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


@dataclass
class Stage:
    """A browser, a site of one origin, and a server of another, with a connection between that can be cut."""

    browser: Browser
    site: int
    proxy: Proxy
    http: str

    async def page(self, host: str = "127.0.0.1") -> Page:
        """A page of the site, with a client of its own; `host` names its origin."""
        page = await (await self.browser.new_context()).new_page()
        await page.goto(f"http://{host}:{self.site}/")
        await page.evaluate(
            "base => { window.client = chautari.Client.connect(base, {retry: {tries: 50, first: 5, most: 50}}) }",
            f"http://{self.proxy.address}",
        )
        return page


@pytest.fixture(scope="module")
def script(built: Any, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The client and all that it needs, in one file for a page."""
    made: Path = tmp_path_factory.mktemp("page") / "page.js"
    built.node(
        "node_modules/rolldown/bin/cli.mjs", "test/page.ts", "--file", str(made), "--format", "iife", "--platform",
        "browser", "--log-level", "warn",
    )  # fmt: skip
    return made.read_bytes()


@pytest.fixture
async def stage(built: Any, script: bytes) -> AsyncIterator[Stage]:
    """Everything in place."""
    async with (
        browsing(built) as browser,
        site(script) as port,
        serving(http=True, origins=f"http://127.0.0.1:{port}", streams_per_account=0) as served,
        Proxy("127.0.0.1", int(served.http.rpartition(":")[2])) as proxy,
    ):
        yield Stage(browser, port, proxy, served.http)


async def play(page: Page, match: str, seat: int) -> bool:
    """Does the first thing that the seat may do; whether it was its turn."""
    return bool(
        await page.evaluate(
            """async ([match, seat]) => {
                const table = new chautari.Table(await client.view(match, seat));
                if (!table.isMyTurn) return false;
                await client.act(match, seat, table.actions[0]);
                return true;
            }""",
            [match, seat],
        )
    )


async def test_two_pages_play_and_watch_through_a_cut(stage: Stage) -> None:
    asha, bimal = await stage.page(), await stage.page()
    complaints: list[str] = []
    for page, name in ((asha, "Asha"), (bimal, "बिमल")):
        page.on("pageerror", lambda error: complaints.append(str(error)))
        assert await page.evaluate("async name => (await client.signInAsGuest(name)).displayName", name) == name
    match, code = await asha.evaluate(
        """async () => {
            const match = await client.createMatch("gulam_chor", {seats: [0], settings: {players: 2, rounds: 20}});
            return [match.name, match.code];
        }"""
    )
    assert await bimal.evaluate("async code => (await client.join({code})).match.mySeats", code) == [1]
    for seat, page in enumerate((asha, bimal)):
        await page.evaluate(
            """([match, seat]) => {
                window.seen = [];
                window.over = (async () => {
                    for await (const update of client.watch(match, seat, {after: 0})) {
                        if (update.kind.case === "step") seen.push(update.revision);
                    }
                })();
            }""",
            [match, seat],
        )
        await page.wait_for_function("seen.length > 0")
    acts = 0
    for turn in range(4):
        acts += sum([await play(page, match, seat) for seat, page in enumerate((asha, bimal))])
        if turn == 1:
            stage.proxy.cut()
    assert acts >= 4
    assert stage.proxy.cuts > 0
    refused = await bimal.evaluate(
        """async match => {
            const view = await client.view(match, 1);
            const error = await client.act(match, 1, view.options.length ? "dance" : "take 0").catch((each) => each);
            return [error instanceof chautari.Refused, error.reason];
        }""",
        match,
    )
    assert refused[0] is True
    assert refused[1] in ("NOT_YOUR_TURN", "UNKNOWN_ACTION")
    last = await asha.evaluate("async match => (await client.resign(match, 0)).revision", match)
    for page in (asha, bimal):
        await page.evaluate("over")
        assert await page.evaluate("seen") == list(range(1, last + 1))
    assert complaints == []
    await read_events(stage, bimal, match, last)


async def read_events(stage: Stage, page: Page, match: str, last: int) -> None:
    """The script that the API page shows reads a stream of server-sent events."""
    script = f"""async ([base, match, revision, token]) => {{
        const read = [];
        const draw = (update) => read.push(update);
        {WATCH_SCRIPT}
        return read.map((update) => [Object.keys(update).at(-1), update.revision]);
    }}""".replace("seat=0", "seat=1")
    token = await page.evaluate("client.connection.accessToken")
    base = f"http://{stage.proxy.address}"
    read = await page.evaluate(script, [base, match.removeprefix("matches/"), last - 2, token])
    assert [revision for kind, revision in read if kind == "step"] == [last - 1, last]
    assert read[-1] == ["end", last]


async def test_page_of_another_origin_learns_nothing(stage: Stage) -> None:
    stranger = await stage.page("localhost")
    found = await stranger.evaluate(
        """async base => {
            const one = chautari.Client.connect(base, {retry: {tries: 1}});
            return await one.signInAsGuest("Mallory").then(() => "answered", (error) => error.name);
        }""",
        stage.http,
    )
    assert found == "Unavailable"


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])
async def test_api_page_reads_well_without_scripts(stage: Stage, width: int, scheme: Literal["dark", "light"]) -> None:
    context = await stage.browser.new_context(
        java_script_enabled=False, viewport={"width": width, "height": 800}, color_scheme=scheme
    )
    page = await context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    await page.goto(f"{stage.http}/docs")
    assert await page.get_by_role("heading", level=1).inner_text() != ""
    assert await page.get_by_role("main").is_visible()
    contents = page.get_by_role("navigation", name="Contents")
    if width < 1024:
        await contents.locator("summary").click()
    assert await contents.get_by_role("link", name="CreateMatch").is_visible()
    box = await page.locator("body").bounding_box()
    assert box is not None
    assert box["width"] <= width, "nothing makes the page wider than the window"
    assert complaints == []


async def test_api_page_has_nothing_that_axe_finds(stage: Stage) -> None:
    """In one theme: the contrast of both is asserted from their colours."""
    context = await stage.browser.new_context(bypass_csp=True)
    page = await context.new_page()
    await page.goto(f"{stage.http}/docs")
    await page.add_script_tag(path=CLIENT / "node_modules/axe-core/axe.min.js")
    found = await page.evaluate(
        "async () => (await axe.run()).violations.map((each) => [each.id, each.nodes[0].html.slice(0, 200)])"
    )
    assert found == []
