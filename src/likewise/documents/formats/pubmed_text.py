"""Text in PubMed XML that is read without a parser."""

from __future__ import annotations

import re

from likewise.documents.formats.xml_records import ILLEGAL, parse, text_of

_INLINE = re.compile(r"<(i|b|u|sub|sup)>([^<>]*)</\1>")
# The ampersand comes last, so that it can't become part of another.
_ENTITIES = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&amp;": "&"}
_NO_CONTROLS = bytes(32) + bytes(range(32, 127)) + bytes(129)


class UnusualError(ValueError):
    """A record that is not laid out as PubMed does."""


def after(xml: bytes, sought: bytes, begin: int) -> int:
    """Return where the next of what is sought ends."""
    found = xml.find(sought, begin)
    if found < 0:
        raise UnusualError
    return found + len(sought)


def plain_text(raw: bytes) -> str:
    """Return the text of an element as `text_of` does, given what is between its tags."""
    text = raw.decode()
    if "<" in text or "&" in text or ">" in text:
        text = _without_markup(text)
        if not text:
            return text_of(parse(b"<t>%b</t>" % raw))
    # What is printable has no white space but spaces, and nothing that XML can't hold.
    # Of ASCII this can be told in a quarter of the time.
    if raw.translate(_NO_CONTROLS) != raw if text.isascii() else not text.isprintable():
        text = _with_plain_spaces(text)
    return " ".join(text.split()) if "  " in text else text.strip(" ")


def plain_texts(raws: list[bytes]) -> list[str] | None:
    """Return the texts of several elements if all are plain: short ones are quicker together."""
    texts = b"\n".join(raws).decode().split("\n")
    together = "".join(texts)
    plain = together.isprintable() and "  " not in together and len(texts) == len(raws)
    if not plain or "&" in together or "<" in together or ">" in together:
        return None
    return [text.strip(" ") for text in texts]


def _without_markup(text: str) -> str:
    """Replace the usual entities and inline tags; return "" if there are others."""
    if text.count("&") != sum(map(text.count, _ENTITIES)):
        return ""
    if "<" in text:
        pieces = _INLINE.split(text)
        del pieces[1::3]
        text = "".join(pieces)
    if "<" in text or ">" in text:
        return ""
    for entity, character in _ENTITIES.items():
        text = text.replace(entity, character)
    return text


def _with_plain_spaces(text: str) -> str:
    """Make all white space plain; what is left must be something that XML can hold."""
    # These three are nearly all that is not printable, and to replace them is the quickest way.
    plain = text.replace("\xa0", " ").replace("\u202f", " ").replace("\u2009", " ")
    if plain.isprintable():
        return plain
    if ILLEGAL.search(text):
        raise UnusualError
    return " ".join(text.split())
