"""People: the authors in a cell or a list, however they are written there."""

from __future__ import annotations

import re
from typing import Any

from likewise.documents.formats.cells import is_nothing, kind, listed, one_text, parted

_GROUP = re.compile(
    r"\b(group|study|trial|consortium|collaborat\w+|network|committee|team|society|association|"
    r"investigators|institute|centre|center|department|university)\b",
    re.IGNORECASE,
)
_SUFFIX = re.compile(r"\s+(jr|sr|2nd|3rd|II|III|IV)\.?$", re.IGNORECASE)
_BARE_COMMA = re.compile(r",(?=[^\W\d_])")
_SPACES = re.compile(r"[^\S\n]+")
_SCOPUS_NUMBER = re.compile(r"\s*\(\d+\)$")


def people(value: object) -> list[str]:
    """Return the authors in a cell, each as "Family, Given" or a group's name.

    >>> people("Smith J, van Dam AB."), people("Smith, John and Doe, Ann")
    (['Smith, J', 'van Dam, AB'], ['Smith, John', 'Doe, Ann'])
    """
    if isinstance(value, dict):
        value = [value]
    if isinstance(value, str):
        value = listed(value) or _parted(value)
    if not isinstance(value, list):
        raise TypeError(kind(value))
    found = [person(part) for part in value if not is_nothing(part)]
    return [name for name in found if name and name.casefold().rstrip(".") != "et al"]


def person(value: object) -> str:
    """Return a name as "Family, Given" where it is plain which is which.

    >>> person("de la Cruz JM"), person("WHO Study Group"), person({"family": "Li", "given": "Na"})
    ('de la Cruz, JM', 'WHO Study Group', 'Li, Na')
    """
    if isinstance(value, dict):
        return _person_of_parts(value)
    name = _SCOPUS_NUMBER.sub("", one_text(value)).strip(" ,")
    if "," in name or not _is_short_name(name):
        return _BARE_COMMA.sub(", ", name)
    bare = _SUFFIX.sub("", name)
    family, _, initials = bare.rpartition(" ")
    return f"{family}, {initials}{name[len(bare) :]}"


def _parted(text: str) -> list[str]:
    # Long runs of spaces would be searched again from each of them.
    text = _SPACES.sub(" ", text).strip()
    if text.endswith(".") and text.count(".") == 1:
        text = text[:-1]  # PubMed closes its list with a full stop.
    if any(mark in text for mark in ";|\n"):
        return parted(text, by_comma=False)
    joined = re.split(r"\s+and\s+", text)
    if len(joined) > 1 and all("," in name for name in joined):
        return joined
    parts = [part.strip() for part in text.split(",")]
    # Nobody writes "Okafor N, Ngozi": behind initials a comma parts authors.
    if _is_short_name(parts[0]) or (_GROUP.search(parts[0]) and _is_short_name(parts[-1])):
        return parts
    if len(parts) % 2 == 0 and all(_is_initials(part) for part in parts[1::2]):
        return [", ".join(parts[at : at + 2]) for at in range(0, len(parts), 2)]
    if len(parts) > 2 and all(" " in part and not _GROUP.search(part) for part in parts):
        return parts
    return [text]


def _is_short_name(name: str) -> bool:
    """Tell whether a name is a family and initials, as in "van Dam AB" and "Smith J. Jr"."""
    family, _, initials = _SUFFIX.sub("", name).rpartition(" ")
    return 0 < len(family.split()) <= 4 and _is_initials(initials) and not _GROUP.search(family)


def _is_initials(text: str) -> bool:
    letters = re.sub(r"[.\s-]", "", text)
    return 0 < len(letters) <= 4 and letters.isalpha() and letters.isupper()


def _person_of_parts(parts: dict[str, Any]) -> str:
    lower = {str(key).lower().replace("_", ""): value for key, value in parts.items()}
    family = lower.get("family") or lower.get("lastname")
    given = lower.get("given") or lower.get("firstname") or lower.get("forename")
    whole = lower.get("name") or lower.get("displayname") or lower.get("literal")
    if family:
        return ", ".join(one_text(part) for part in (family, given) if part)
    return person(whole) if isinstance(whole, str) else ""
