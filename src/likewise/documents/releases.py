"""Releases of PubMed: its files, their order, and which edition of a record is the later one.

NLM has two folders: the year's baseline, numbered from 1, and the daily updates, which continue
from there. Each folder is a page of links, as Apache makes it: pubmed26n0001.xml.gz, with a date
and a rounded size beside it, and pubmed26n0001.xml.gz.md5, which holds its MD5. PubMed issues a
paper's record again whenever something in it changes, and sometimes withdraws it. The later of two
editions is the one in the file of the higher year and number. A record that was fetched singly is
later than all files that the library had read by then, and earlier than the files that follow.
"""

from __future__ import annotations

import datetime as dt
import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, urljoin, urlsplit

from likewise.documents.document import Deletion, Document
from likewise.documents.identity import cache_short
from likewise.errors import DownloadError, SettingsError

if TYPE_CHECKING:
    from likewise.web import WebClient

FETCHED = "pubmed:efetch"
"""The source of records that were fetched singly, and so are in no release."""
VERSION = "pmid-version:"
"""The prefix, among a document's other ids, of its PMID's version if that is above 1."""
MOST_DIGITS = 10
"""A version with this many digits is not one that NLM gave."""
_NAME = re.compile(r"(?:pubmed:)?(?:pubmed|medline)([0-9]{2})n([0-9]{4,6})\.xml(?:\.gz)?")


class Release(NamedTuple):
    """A numbered file of PubMed; of two, the later one is the greater."""

    year: int
    number: int


@cache_short(1 << 12)
def release_of(source: str) -> Release | None:
    """Return the release that a document's source or a file's name stands for, or None.

    >>> release_of("pubmed:pubmed26n1400.xml.gz")
    Release(year=26, number=1400)
    >>> release_of("refs.ris") is release_of("pubmed:efetch") is None
    True
    """
    found = _NAME.fullmatch(source)
    return Release(int(found[1]), int(found[2])) if found else None


def version_of(document: Document) -> int:
    """Return the version of a document's PMID; 1 if none is given.

    >>> from likewise.documents.document import Document
    >>> version_of(Document(other_ids=("pii:S1", "pmid-version:2"))), version_of(Document())
    (2, 1)
    """
    told = [other for other in document.other_ids if other.startswith(VERSION)]
    return max((parse_version(other.removeprefix(VERSION)) for other in told), default=1)


def parse_version(text: str) -> int:
    """Return the version of a PMID as a number; 1 if the text is not one that NLM gave.

    >>> parse_version("2"), parse_version("x"), parse_version("9" * 5000)
    (2, 1, 1)
    """
    return int(text) if text.isdecimal() and len(text) < MOST_DIGITS else 1


def sort_by_release(paths: Iterable[Path]) -> list[Path]:
    """Return files with PubMed's sorted by release, and all others in their places.

    >>> from pathlib import Path
    >>> names = ["b.ris", "pubmed26n0002.xml", "a.ris", "new/pubmed26n0001.xml"]
    >>> [str(path) for path in sort_by_release(map(Path, names))]
    ['b.ris', 'new/pubmed26n0001.xml', 'a.ris', 'pubmed26n0002.xml']
    """
    found = list(paths)
    releases = {path: release for path in found if (release := release_of(path.name))}
    ordered = iter(sorted((path for path in found if path in releases), key=releases.__getitem__))
    return [next(ordered) if path in releases else path for path in found]


class Editions(NamedTuple):
    """Tells which edition of a PubMed record is the later one."""

    newest: Release | None = None
    """The latest release that the library had read before."""

    def is_older(self, document: Document, known: Document) -> bool:
        """Return whether a record is an earlier edition than the one that the library holds."""
        if not (is_dated(document) and is_dated(known)):
            return False
        version, other = version_of(document), version_of(known)
        if version != other:
            return version < other
        return self._precedes(release_of(document.source), known)

    def is_later(self, document: Document, known: Document) -> bool:
        """Return whether both records are PubMed's, and the first is not the earlier edition."""
        return is_dated(document) and is_dated(known) and not self.is_older(document, known)

    def withdraws(self, deletion: Deletion, release: Release | None, known: Document) -> bool:
        """Return whether a notice of deletion, in a file of this release, is about this edition."""
        return deletion.version >= version_of(known) and not self._precedes(release, known)

    def withdraws_again(self, deletion: Deletion, release: Release | None, known: Document) -> bool:
        """Return whether a notice that was read before is about an edition that has come since.

        Such an edition is from an earlier file; what came in the same file, or is of no release,
        was there when the notice was read.
        """
        there = release_of(known.source)
        is_earlier = release is not None and there is not None and there < release
        return is_earlier and self.withdraws(deletion, release, known)

    def _precedes(self, release: Release | None, known: Document) -> bool:
        if release is None:
            return False
        if known.source == FETCHED:
            return self.newest is not None and release <= self.newest
        there = release_of(known.source)
        return there is not None and release < there


def find_dated_source(*documents: Document) -> str:
    """Return the first source among a paper's records that is a file of PubMed, or a fetch.

    It tells which edition of PubMed's record a merged one is, so it must not be lost. If none of
    them is from PubMed, the first record's source is returned.
    """
    return next((each.source for each in documents if is_dated(each)), documents[0].source)


def is_dated(document: Document) -> bool:
    """Return whether a record's edition is known: it is from a file of PubMed, or was fetched."""
    return document.source == FETCHED or release_of(document.source) is not None


NLM = "https://ftp.ncbi.nlm.nih.gov/pubmed/"
BASELINE = "baseline"
UPDATES = "updatefiles"

# Only the beginnings of links are searched for, so links that never end take no longer to read.
_LINK = re.compile(r"<a\s([^<>]*)>", re.IGNORECASE)
_TARGET = re.compile(r"""\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^"'\s]+))""", re.IGNORECASE)
_LINK_END = re.compile(r"</a>", re.IGNORECASE)
_ROW_END = re.compile(r"\n|<(?:br|/?tr|/?li)\b", re.IGNORECASE)
_ROW = 1000
"""The text beside a link is shorter."""
_TAG = re.compile(r"<[^<>]*>")
_DAYS = {"%Y-%m-%d": r"\d{4}-\d\d-\d\d", "%d-%b-%Y": r"\d\d-[A-Z][a-z]{2}-\d{4}",
         "%Y-%b-%d": r"\d{4}-[A-Z][a-z]{2}-\d\d"}  # fmt: skip
"""How Apache, nginx and lighttpd write days."""
_DATE = re.compile(rf"\b({'|'.join(_DAYS.values())}) (\d\d:\d\d)(?::\d\d)?\b", re.ASCII)
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)([KMGT]?)(?!\S)", re.ASCII)
_SUM = re.compile(r"(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])", re.IGNORECASE)


@dataclass(frozen=True)
class RemoteFile:
    """A file of PubMed that a server has, and what its listing says about it."""

    folder: str
    name: str
    url: str
    listed: dt.datetime | None = None
    size: int | None = None

    @property
    def year(self) -> int:
        """The year of the baseline that it belongs to."""
        return year_of(self.name) or 0


def year_of(name: str) -> int | None:
    """Return the year in a file's name, if it is one of PubMed's.

    >>> year_of("pubmed26n0001.xml.gz"), year_of("README.txt")
    (2026, None)
    """
    release = release_of(name)
    return 2000 + release.year if release and name.endswith(".gz") else None


def check_base(address: str) -> str:
    """Return the address below which both folders are, with a slash at its end.

    >>> check_base("https://mirror.example.org/pubmed")
    'https://mirror.example.org/pubmed/'
    """
    from likewise.web.troubles import check_address

    try:
        check_address(address)
    except DownloadError as error:
        raise SettingsError(f"{error}; PubMed's files are below {NLM}") from error
    if "@" in urlsplit(address).netloc:
        raise SettingsError(
            "the address of PubMed's files holds a user name or a password, which are not sent; "
            f"give an address like {NLM}"
        )
    return address.rstrip("/") + "/"


def list_files(web: WebClient, base: str, *, folder: str) -> list[RemoteFile]:
    """Return the files of one of the two folders, in the order of their numbers."""
    url = urljoin(base, f"{folder}/")
    page = web.get(url).decode("utf-8", errors="replace")
    files = {file.name: file for file in _find_links(page, url, folder=folder)}
    if not files and folder == BASELINE:
        raise DownloadError(
            f"{url}: lists no file of PubMed, such as pubmed26n0001.xml.gz; check the address"
        )
    return sorted(files.values(), key=lambda file: (file.year, len(file.name), file.name))


def select_since(files: list[RemoteFile], since: dt.date, *, web: WebClient) -> list[RemoteFile]:
    """Return the files of a day or later; the server is asked for dates that are not listed."""
    return [file for file in files if _find_day(file, web) >= since]


def fetch_sum(web: WebClient, file: RemoteFile) -> str:
    """Return a file's MD5, as the server gives it."""
    found = read_sum(web.get(f"{file.url}.md5").decode("utf-8", errors="replace"))
    if not found:
        raise DownloadError(f"{file.url}.md5: holds no MD5; try again later")
    return found


def read_sum(text: str) -> str:
    """Return the MD5 in the text of a .md5 file, whether written by openssl or by md5sum.

    >>> read_sum("MD5(pubmed26n0001.xml.gz)= 0123456789abcdef0123456789ABCDEF")
    '0123456789abcdef0123456789abcdef'
    >>> read_sum("0123456789abcdef0123456789abcdef *pubmed26n0001.xml.gz")
    '0123456789abcdef0123456789abcdef'
    """
    found = _SUM.search(text)
    return found[0].lower() if found else ""


def _find_links(page: str, url: str, *, folder: str) -> Iterator[RemoteFile]:
    links = list(_LINK.finditer(page))
    starts = [link.start() for link in links]
    for link, end in zip(links, [*starts[1:], len(page)], strict=False):
        found = _TARGET.search(link[1])
        target = _join_link(url, html.unescape(found[found.lastindex or 0])) if found else ""
        name = unquote(target.removeprefix(url))
        if target.startswith(url) and year_of(name):
            beside = _read_beside(page[link.end() : min(end, link.end() + _ROW)])
            yield RemoteFile(folder, name, target, *_parse_date_and_size(beside))


def _read_beside(rest: str) -> str:
    """Return the text beside a link in its row, given what follows the link's beginning."""
    after = _LINK_END.split(rest, maxsplit=1)[-1]
    return html.unescape(_TAG.sub(" ", _ROW_END.split(after, maxsplit=1)[0]))


def _join_link(url: str, link: str) -> str:
    try:
        return urljoin(url, link)
    except ValueError:  # not an address, whatever the page says
        return ""


def _parse_date_and_size(beside: str) -> tuple[dt.datetime | None, int | None]:
    found = _DATE.search(beside)
    date = _parse_date(found[1], found[2]) if found else None
    size = _SIZE.match(beside, found.end() if found else 0)
    if not size:
        return date, None
    return date, int(float(size[1]) * 1024 ** " KMGT".index(size[2] or " "))


def _parse_date(day: str, time: str) -> dt.datetime | None:
    # A listing does not say its time zone; only its own dates are ever compared.
    pattern = next(pattern for pattern, form in _DAYS.items() if re.fullmatch(form, day))
    try:
        return dt.datetime.strptime(f"{day} {time}", f"{pattern} %H:%M").replace(tzinfo=dt.UTC)
    except ValueError:
        return None


def _find_day(file: RemoteFile, web: WebClient) -> dt.date:
    if file.listed:
        return file.listed.date()
    try:
        return parsedate_to_datetime(web.head(file.url).get("Last-Modified", "")).date()
    except (ValueError, OverflowError):
        # One file too many does less harm than one too few.
        return dt.date.max
