"""The page itself: chapters, services with their methods, messages, reasons and limits."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import Any, Final

from chautari.wire.http.docs import texts
from chautari.wire.http.docs.markup import Markup, command, table, tag
from chautari.wire.http.docs.samples import curl
from chautari.wire.http.docs.shapes import anchor_of, fields_table, name_of, parameters_table, type_of
from chautari.wire.http.openapi.reasons import Reason

BASE: Final = "@CHAUTARI@"
"""Stands for the address of the server, which each answer puts in its place."""

_CHAPTERS: Final = (
    ("start", "In a minute"),
    ("ways", "Ways in"),
    ("watching", "Watching"),
    ("limits", "Limits"),
    ("versions", "Versions"),
    ("clients", "Clients"),
)


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit of this server: its name, its value as people read it, and what it bounds."""

    name: str
    value: str
    about: str


def page(document: Mapping[str, Any], reasons: Sequence[Reason], limits: Sequence[Limit]) -> str:
    """The whole page. `BASE` in it is yet to be replaced."""
    return _Page(document, reasons, limits).html()


class _Page:
    def __init__(self, document: Mapping[str, Any], reasons: Sequence[Reason], limits: Sequence[Limit]) -> None:
        self._document = document
        self._reasons = reasons
        self._limits = limits
        self._schemas: Mapping[str, Any] = document["components"]["schemas"]
        anchors = {name: anchor_of(name) for name in self._schemas}
        anchors |= {reason.name: f"reason-{reason.name}" for reason in reasons}
        self._markup = Markup(anchors)

    def html(self) -> str:
        info = self._document["info"]
        style = files("chautari.wire.http.docs").joinpath("style.css").read_text("utf-8")
        head = (
            '<meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">'
            f"<title>Chautari API {escape(info['version'])}</title>"
            f'<meta name="description" content="{escape(info["summary"])}">'
            '<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns=%27http://www.w3.org/2000/svg%27 viewBox=%270 0 16 '
            "16%27%3E%3Cpath fill=%27%2314613f%27 d=%27M8 1c2 3 6 5 6 8a3 3 0 0 1-5 2l1 4H6l1-4a3 3 0 0 1-5-2c0-3 4-5 "
            '6-8z%27/%3E%3C/svg%3E">'
            f"<style>{style}</style>"
        )
        body = (
            '<a class="skip" href="#content">To the content</a>'
            + self._header(info)
            + tag("div", self._navigation() + tag("main", self._main(), id="content"), class_="page")
            + "<footer>Generated from the protos. Play is for points and play chips only.</footer>"
        )
        return f'<!doctype html><html lang="en"><head>{head}</head><body>{body}</body></html>'

    def _header(self, info: Mapping[str, Any]) -> str:
        links = (
            '<ul><li><a href="/openapi.json">OpenAPI 3.1</a></li><li><a href="#start">Start in a minute</a></li>'
            '<li><a href="#reasons">Reasons</a></li><li><a href="#limits">Limits</a></li></ul>'
        )
        title = f"<h1>Chautari <span lang='ne'>चौतारी</span> <span>API {escape(info['version'])}</span></h1>"
        return f"<header><div>{title}<p>{escape(info['summary'])}</p>{links}</div></header>"

    # What stands where ────────────────────────────────────────────────────────────────────────────────────────────────

    def _operations(self) -> dict[str, list[tuple[str, str, Mapping[str, Any]]]]:
        """The operations of each tag: verb, path, operation."""
        found: dict[str, list[tuple[str, str, Mapping[str, Any]]]] = {
            each["name"]: [] for each in self._document["tags"]
        }
        for path, verbs in self._document["paths"].items():
            for verb, operation in verbs.items():
                found[operation["tags"][0]].append((verb, path, operation))
        return found

    def _navigation(self) -> str:
        items = [f'<li><a href="#{anchor}">{title}</a></li>' for anchor, title in _CHAPTERS]
        for service, operations in self._operations().items():
            inner = "".join(
                f'<li><a href="#{operation["operationId"]}">{escape(_method(operation))}</a></li>'
                for _, _, operation in operations
                if not _is_second(operation)
            )
            items.append(f'<li><a href="#service-{service}"><strong>{service}</strong></a><ul>{inner}</ul></li>')
        items += ['<li><a href="#types">Messages</a></li>', '<li><a href="#reasons">Reasons</a></li>']
        listed = f"<ul>{''.join(items)}</ul>"
        return f'<nav aria-label="Contents"><details><summary>Contents</summary>{listed}</details></nav>'

    def _main(self) -> str:
        about = self._markup.blocks(self._document["info"]["description"])
        return "".join(
            (
                f'<section aria-labelledby="about"><h2 id="about">What it is</h2>{about}</section>',
                _section("start", "In a minute", command(texts.START.format(base=BASE))),
                _section("ways", "Ways in", self._ways()),
                _section("watching", "Watching", self._markup.blocks(texts.WATCH) + command(texts.WATCH_SCRIPT)),
                _section("limits", "Limits", self._limits_table()),
                _section("versions", "Versions", self._markup.blocks(texts.VERSIONS)),
                _section("clients", "Clients", self._markup.blocks(texts.CLIENTS)),
                *(self._service(each) for each in self._document["tags"]),
                _section("types", "Messages", self._types()),
                _section("reasons", "Reasons", self._reasons_table()),
            )
        )

    def _ways(self) -> str:
        rows = [
            [name, self._markup.inline(about).replace("[OpenAPI]", '<a href="/openapi.json">OpenAPI</a>'),
             f"<code>{escape(sample, quote=False)}</code>"]
            for name, about, sample in texts.TRANSPORTS
        ]  # fmt: skip
        told = (
            "<p>The same methods, answers and reasons, whichever you take. A page in a browser may call if its origin "
            "is this server's, or one of those that the server was told of: "
            "<code>CHAUTARI_ORIGINS=http://localhost:5173</code>.</p>"
        )
        return told + table(["Way", "What it is", "Example"], rows, "Table of the ways in")

    def _limits_table(self) -> str:
        rows = [[escape(each.name), escape(each.value), self._markup.inline(each.about)] for each in self._limits]
        told = (
            "<p>Those of this server, as its operator set them. Whoever is over one gets a problem with "
            f"{self._markup.code('TOO_MANY_REQUESTS')}, {self._markup.code('TOO_MANY_STREAMS')}, "
            f"{self._markup.code('TOO_MANY_CONNECTIONS')} or {self._markup.code('MESSAGE_TOO_LARGE')} "
            "(gRPC itself says RESOURCE_EXHAUSTED alone); <code>retry-after</code> says when to try again. "
            "<code>GET /v1/server</code> tells some of them to programs.</p>"
        )
        return told + table(["Limit", "Value", "What it bounds"], rows, "Table of limits")

    # Services ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _service(self, described: Mapping[str, Any]) -> str:
        name = described["name"]
        methods = "".join(self._method(*each) for each in self._operations()[name])
        return _section(f"service-{name}", name, self._markup.blocks(described["description"]) + methods)

    def _method(self, verb: str, path: str, operation: Mapping[str, Any]) -> str:
        identity = operation["operationId"]
        at = (
            f'<div class="at"><span class="verb {verb}">{verb.upper()}</span> <code>{escape(path)}</code></div>'
            f'<ul class="facts"><li>{_who(operation)}</li><li>gRPC {escape(operation["x-grpc-method"])}</li></ul>'
        )
        sample = command(curl(self._document, verb, path, operation))
        if _is_second(operation):
            told = (
                f"<p>Another path to <a href='#{identity.rstrip('0123456789')}'>{escape(_method(operation))}</a>.</p>"
            )
            return tag("article", f"<h3>{escape(_method(operation))}</h3>{at}{told}{sample}", id=identity)
        parts = [f"<h3>{escape(_method(operation))}</h3>", at, self._markup.blocks(operation["description"])]
        parts += ["<h4>Call</h4>", sample]
        if parameters := operation.get("parameters"):
            parts += ["<h4>Parameters</h4>", parameters_table(parameters, self._markup, f"Parameters of {identity}")]
        if body := operation.get("requestBody"):
            schema = body["content"]["application/json"]["schema"]
            name = name_of(schema)
            fields = fields_table(self._schemas[name], self._markup, f"Body of {identity}")
            parts += [f"<h4>Body: {type_of(schema)}</h4>", fields]
        parts += ["<h4>Answer</h4>", self._answer(operation), self._refusals(operation)]
        return tag("article", "".join(parts), id=identity)

    def _answer(self, operation: Mapping[str, Any]) -> str:
        content = operation["responses"]["200"]["content"]
        kinds = ", ".join(f"<code>{escape(kind)}</code>" for kind in content)
        plain = content.get("application/json") or content["application/x-ndjson"]
        told = f"<p>{type_of(plain['schema'])} as {kinds}</p>"
        if "example" not in plain:
            return told
        text = json.dumps(plain["example"], indent=2, ensure_ascii=False)
        return f"{told}<details><summary>Recorded example</summary>{command(text)}</details>"

    def _refusals(self, operation: Mapping[str, Any]) -> str:
        rows = [
            [f"<code>{status}</code>", self._markup.inline(answer["description"])]
            for status, answer in operation["responses"].items()
            if status.isdigit() and status != "200"
        ]
        inner = table(["Status", "When"], rows, f"Refusals of {operation['operationId']}")
        return f"<details><summary>Refusals</summary>{inner}</details>"

    # Messages and reasons ─────────────────────────────────────────────────────────────────────────────────────────────

    def _types(self) -> str:
        parts = []
        for name, schema in self._schemas.items():
            if name == "ErrorReason":
                inner = '<p>See <a href="#reasons">Reasons</a>.</p>'
            elif "enum" in schema:
                told = schema["description"].partition("\n\n- ")[0]
                values = zip(schema["enum"], schema.get("x-enum-descriptions", ()), strict=True)
                rows = [[f"<code>{escape(value)}</code>", self._markup.blocks(about)] for value, about in values]
                inner = self._markup.blocks(told) + table(["Value", "Meaning"], rows, f"Values of {name}")
            else:
                told = self._markup.blocks(schema.get("description", ""))
                inner = told + fields_table(schema, self._markup, f"Fields of {name}")
            summary = f"<summary><code>{escape(name)}</code></summary>"
            parts.append(tag("details", summary + inner, id=anchor_of(name)))
        return "".join(parts)

    def _reasons_table(self) -> str:
        rows = [
            [
                f'<span id="reason-{each.name}"><code>{each.name}</code></span>',
                ", ".join(f"<code>{status}</code>" for status in each.statuses) or "–",
                " ".join(f"<small>{code}</small>" for code in each.codes),
                self._markup.blocks(each.about),
            ]
            for each in self._reasons
        ]
        told = "<p>In <code>reason</code> of a problem, and in <code>ErrorInfo</code> over gRPC and Connect.</p>"
        return told + table(["Reason", "HTTP", "gRPC", "Meaning"], rows, "Table of reasons")


def _section(anchor: str, title: str, content: str) -> str:
    head = f'<h2 id="{anchor}">{escape(title)}</h2>'
    return f'<section aria-labelledby="{anchor}">{head}{content}</section>'


def _method(operation: Mapping[str, Any]) -> str:
    """The name of the method, such as `JoinMatch`."""
    name: str = operation["x-grpc-method"].rpartition("/")[2]
    return name


def _is_second(operation: Mapping[str, Any]) -> bool:
    """Whether it is a further path to a method that is told of already."""
    identity: str = operation["operationId"]
    return identity[-1].isdigit()


def _who(operation: Mapping[str, Any]) -> str:
    """Who may call it."""
    security = operation["security"]
    if security == [{}]:
        return "anyone"
    if {} in security:
        return "anyone, signed in or not"
    return f"signed in, scope {escape(security[0]['token'][0])}"
