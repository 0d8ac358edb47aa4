"""Requests that nobody sends in good faith: each kind yields as many as are asked for."""

from __future__ import annotations

import gzip
import io
import json
import random
import zipfile
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote

TOKEN = "a-token-for-hostile-tests-0123456789"  # of a server on loopback, for minutes
MEGABYTE = 1_000_000
STRANGE_TEXTS = (
    "",
    "\0",
    "\ud800",
    "\u202eevil",
    "\x1b[2J",
    "'; DROP TABLE marks; --",
    "../../../etc/passwd",
    "${jndi:ldap://127.0.0.1/}",
    "<script>alert(1)</script>",
    "(((((((((((((((((((((((((((((((",
    'title:"',
    "a" * 5_000,
    " " * 5_000,
    "&#" + "9" * 5_000,
    "10.1000/" + "(" * 2_000,
    "PMC1" + " " * 2_000,
    "9" * 5_000,
    "é" * 3_000,
)
STRANGE_VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    2**31,
    2**63,
    10**400,
    1e308,
    float("nan"),
    float("inf"),
    [],
    {},
    [[[[[]]]]],
    {"a": {"b": {"c": []}}},
    [None] * 200,
    *STRANGE_TEXTS,
)


class Target(NamedTuple):
    """The server that is attacked."""

    port: int
    session: str
    schema: Mapping[str, Any]


Attack = Callable[[Target, random.Random], Iterator[bytes]]


def make_request(
    method: str,
    path: str,
    body: bytes = b"",
    *,
    kind: str = "application/json",
    headers: Mapping[str, str] | None = None,
) -> bytes:
    """Return a request with the token; headers replace those that it would have, or are added."""
    lines = {
        "Host": "127.0.0.1",
        "Authorization": f"Bearer {TOKEN}",
        "Connection": "close",
        "Content-Length": str(len(body)),
        "Content-Type": kind,
        **(headers or {}),
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode("utf-8", "surrogatepass") + body


def garble(_target: Target, rng: random.Random) -> Iterator[bytes]:
    """Yield what is hardly HTTP: broken lines, huge headers, malformed chunks."""
    whole = make_request("POST", "/api/seeds", b'{"text": "7"}')
    chunked = {"Transfer-Encoding": "chunked", "Content-Length": "7"}
    fixed = [
        b"\0" * 1_000,
        b"GET",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"A" * 100_000,
        make_request("GET", "/api/libraries", headers={"X": "x" * 100_000}),
        make_request("GET", "/api/libraries", headers={f"X-{n}": "x" for n in range(5_000)}),
        make_request("GET", "/api/libraries", headers={"X": "a\r\n b", "Y": "\0"}),
        make_request("POST", "/api/seeds", b"zz\r\nhello\r\n", headers=chunked),
        make_request("POST", "/api/seeds", b"ffffffffffffffff\r\nx", headers=chunked),
        make_request("POST", "/api/seeds", b"{}", headers={"Content-Length": "-1"}),
        make_request("POST", "/api/seeds", b"{}", headers={"Content-Length": "9" * 30}),
        make_request("POST", "/api/seeds", b"{}", headers={"Content-Length": "1, 2"}),
        make_request("POST", "/api/seeds", b"{}", headers={"Content-Encoding": "gzip"}),
        make_request("CONNECT", "127.0.0.1:1"),
        make_request("TRACE", "/"),
        make_request("X" * 500, "/"),
    ]
    yield from fixed
    while True:
        yield mutate(whole, rng)


def pretend(_target: Target, rng: random.Random) -> Iterator[bytes]:
    """Yield requests that name other hosts, come from other sites, or lie about themselves."""
    names = ("Host", "Origin", "Referer", "Sec-Fetch-Site", "X-Forwarded-For", "Cookie", "Upgrade")
    values = (
        "evil.example",
        "127.0.0.1:99999",
        "[::1",
        "127.0.0.1, evil.example",
        "http://evil.example",
        "null",
        "cross-site",
        "websocket",
        "likewise-8765=" + "x" * 3_000,
        "%00",
        "é",
        "\ud800",
        "127.0.0.1.evil.example",
    )
    while True:
        method, path = rng.choice([("GET", "/"), ("GET", "/api/libraries"), ("POST", "/api/seeds")])
        yield make_request(method, path, b"{}", headers={rng.choice(names): rng.choice(values)})


def wander(target: Target, rng: random.Random) -> Iterator[bytes]:
    """Yield paths and parameters that lead elsewhere, or that no library and no disk can hold."""
    tricks = ("..%2f", "%00", "//", "/./", "%252e", "\\", "%ff", "%ed%a0%80", "?", "#", ";a=b", "*")
    roots = ("/static/", "/api/documents/", "/api/sessions/", "/sessions/", "/", "/enter", "/api/")
    places = [path for path, operations in target.schema["paths"].items() if "get" in operations]
    while True:
        if rng.random() < 0.5:
            trick = "".join(rng.choice(tricks) for _ in range(rng.randrange(1, 8)))
            yield make_request("GET", f"{rng.choice(roots)}{trick}{rng.choice(['', 'etc/passwd'])}")
            continue
        place = rng.choice(places)
        named = [one["name"] for one in target.schema["paths"][place]["get"].get("parameters", [])]
        fields = "&".join(f"{name}={_quote(rng.choice(STRANGE_VALUES))}" for name in named)
        yield make_request("GET", f"{_fill(place, target, rng)}?{fields}")


def speak_json(target: Target, rng: random.Random) -> Iterator[bytes]:
    """Yield bodies for every operation: bombs, deep nesting, senseless numbers and texts."""
    deep = b"[" * 100_000
    wide = json.dumps({f"k{n}": n for n in range(100_000)}).encode()
    bombs = [deep, b'{"text":' * 50_000, wide, b"1" * MEGABYTE, b'"' + b"\\u0000" * 100_000 + b'"']
    bombs += [b"\xff\xfe{\0}\0", b'{"a":1,"a":2}', b"[1e999999]", b"nul", b"\xed\xa0\x80"]
    for place, method, _ in _list_operations(target):
        for bomb in bombs:
            yield make_request(method, _fill(place, target, rng), bomb)
    while True:
        place, method, names = rng.choice(_list_operations(target))
        given = {name: rng.choice(STRANGE_VALUES) for name in names if rng.random() < 0.8}
        if rng.random() < 0.3:
            given[rng.choice(STRANGE_TEXTS)] = rng.choice(STRANGE_VALUES)
        body = json.dumps(given).encode()
        yield make_request(method, _fill(place, target, rng), body)


def mark_strangely(target: Target, rng: random.Random) -> Iterator[bytes]:
    """Yield marks, names and seeds of the right shape with strange content."""
    place = f"/api/sessions/{target.session}"
    while True:
        text = rng.choice(STRANGE_TEXTS)
        label = rng.choice(["relevant", "irrelevant", "maybe"])
        paper = {rng.choice(["id", "title", "abstract", "doi", "pmid", "pmcid"]): text}
        choices: list[tuple[str, str, object]] = [
            ("POST", f"{place}/marks", {"labels": {text: label, "7": label}}),
            ("POST", f"{place}/marks/undo", {"ids": [text]}),
            ("PATCH", place, {"name": text}),
            ("POST", "/api/seeds", {"papers": [paper] * rng.choice([1, 5])}),
            ("POST", "/api/seeds", {"text": text}),
            ("POST", "/api/sessions", {"seeds": [paper] * 4, "name": text}),
        ]
        method, path, body = rng.choice(choices)
        yield make_request(method, path, json.dumps(body).encode())


def upload_mutations(_target: Target, rng: random.Random) -> Iterator[bytes]:
    """Yield files of every format with bytes changed, under names of every format."""
    samples = _make_samples()
    names = [*samples, "refs", "refs.gz", "..", "a/b.ris", "\0.csv", "x" * 400]
    while True:
        suffix = rng.choice(list(samples))
        body = mutate(samples[suffix], rng)
        name = quote(rng.choice([f"refs{suffix}", rng.choice(names)]))
        yield _make_upload(gzip.compress(body) if rng.random() < 0.1 else body, name=name)


def upload_bombs(_target: Target, _rng: random.Random) -> Iterator[bytes]:
    """Yield small files that take a long time to read, or much memory."""
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10 if n else "lol"}">' for n in range(12))
    sheet = io.BytesIO()
    with zipfile.ZipFile(sheet, "w", zipfile.ZIP_DEFLATED) as book:
        for name in ("[Content_Types].xml", "xl/workbook.xml", "xl/worksheets/sheet1.xml"):
            book.writestr(name, b"<a>" * 10 * MEGABYTE)
    while True:
        yield _make_upload(gzip.compress(b"TY  - JOUR\n" * 5 * MEGABYTE), name="bomb.ris.gz")
        yield _make_upload(f"<!DOCTYPE a [{laughs}]><a>&l11;</a>".encode(), name="laughs.xml")
        yield _make_upload(sheet.getvalue(), name="bomb.xlsx")
        yield _make_upload(b"@article{" + b" " * 4_000 + b"=}", name="blanks.bib")
        yield _make_upload(b"@article{a," + b"a" * 60_000 + b"}", name="fields.bib")
        yield _make_upload(b"TY  - JOUR\nN1  - PMC1" + b" " * 20_000 + b"\nER  - \n", name="n.ris")
        yield _make_upload(b"TY  - JOUR\nTI  - &#" + b"9" * 5_000 + b";\nER  - \n", name="d.ris")
        yield _make_upload(b"title\n" + b'"' * 200_000, name="quotes.csv")
        yield _make_upload(b"<a>" * 200_000, name="deep.xml")
        yield _make_upload(b"TY  - JOUR\nTI  - " + b"x" * 20 * MEGABYTE, name="one.ris")
        yield _make_upload(b"," * 5 * MEGABYTE, name="commas.csv")


def guess_tokens(_target: Target, rng: random.Random) -> Iterator[bytes]:
    """Yield wrong tokens, in each of the places where a token can be."""
    while True:
        guess = "".join(rng.choices("abcdefgh", k=20))
        form = "application/x-www-form-urlencoded"
        wrong = {"Authorization": f"Bearer {guess}", "X-Forwarded-For": f"10.0.0.{rng.random()}"}
        yield make_request("GET", "/api/libraries", headers=wrong)
        yield make_request("GET", f"/enter?token={guess}", headers=wrong)
        yield make_request("POST", "/enter", f"token={guess}".encode(), kind=form, headers=wrong)


def send_forms(_target: Target, rng: random.Random) -> Iterator[bytes]:
    """Yield bodies of forms, whole and broken, for routes that take none."""
    part = '--x\r\nContent-Disposition: form-data; name="f"; filename="a.ris"\r\n\r\nTY\r\n--x--'
    while True:
        edge = rng.choice(["x", "", "x" * 5_000, "\0", '"'])
        kind = f"multipart/form-data; boundary={edge}"
        path = rng.choice(["/api/seeds", "/api/seeds/file", "/enter", "/api/sessions"])
        yield make_request("POST", path, mutate(part.encode(), rng), kind=kind)


def mutate(content: bytes, rng: random.Random) -> bytes:
    """Return content with a few bytes changed, cut, doubled or inserted."""
    changed = bytearray(content)
    for _ in range(rng.randrange(1, 6)):
        at = rng.randrange(len(changed) + 1)
        match rng.randrange(4):
            case 0 if at < len(changed):
                changed[at] = rng.randrange(256)
            case 1:
                del changed[at : at + rng.randrange(20)]
            case 2:
                changed[at:at] = changed[at : at + 50] * 3
            case _:
                changed[at:at] = rng.randbytes(rng.randrange(8))
    return bytes(changed)


def _list_operations(target: Target) -> list[tuple[str, str, list[str]]]:
    """Return the place, the method and the fields of each operation that takes a body of JSON."""
    schemas = target.schema["components"]["schemas"]
    found = []
    for place, operations in target.schema["paths"].items():
        for method, operation in operations.items():
            content = operation.get("requestBody", {}).get("content", {})
            shape = content.get("application/json", {}).get("schema", {}).get("$ref", "")
            if shape:
                names = list(schemas[shape.rpartition("/")[2]].get("properties", {}))
                found.append((place, method.upper(), names))
    return found


def _fill(place: str, target: Target, rng: random.Random) -> str:
    strange = _quote(rng.choice(STRANGE_TEXTS)) or "x"
    session = target.session if rng.random() < 0.8 else strange
    return place.replace("{session}", session).replace("{id}", strange).replace("{job}", strange)


def _quote(value: object) -> str:
    return quote(str(value).encode("utf-8", "surrogatepass"), safe="")


def _make_upload(body: bytes, *, name: str) -> bytes:
    kind = "application/octet-stream"
    return make_request("POST", f"/api/seeds/file?name={name}", body, kind=kind)


def _make_samples() -> dict[str, bytes]:
    """Return small files of an invented paper, by the suffix of their format."""
    article = "<Article><ArticleTitle>On cats</ArticleTitle></Article>"
    citation = f"<MedlineCitation><PMID>7</PMID>{article}</MedlineCitation>"
    xml = f"<PubmedArticleSet><PubmedArticle>{citation}</PubmedArticle></PubmedArticleSet>"
    sheet = io.BytesIO()
    with zipfile.ZipFile(sheet, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("xl/workbook.xml", "<workbook><sheets/></workbook>")
        book.writestr("[Content_Types].xml", "<Types/>")
    return {
        ".ris": b"TY  - JOUR\nTI  - On cats\nAB  - They purr.\nPY  - 2001\nAN  - 7\nER  - \n" * 3,
        ".nbib": b"PMID- 7\nTI  - On cats\n      and dogs\nAB  - They purr.\nDP  - 2001\n\n" * 3,
        ".bib": b"@article{cats, title = {On {C}ats}, year = 2001, author = {A. Cat}}\n" * 3,
        ".csv": b'title,abstract,year,doi\n"On ""cats""",They purr.,2001,10.1000/7\n',
        ".tsv": b"title\tabstract\nOn cats\tThey purr.\n",
        ".enw": b"%0 Journal Article\n%T On cats\n%A Cat, A.\n%D 2001\n\n" * 3,
        ".jsonl": b'{"id": "7", "title": "On cats", "year": 2001}\n' * 3,
        ".txt": b"7\n8\n10.1000/7\nPMC12\n",
        ".xml": xml.encode(),
        ".xlsx": sheet.getvalue(),
    }
