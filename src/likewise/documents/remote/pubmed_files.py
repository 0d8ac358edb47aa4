"""PubMed's files as NLM lays them out: a folder of the year's baseline, one of daily updates.

Each is a page of links, as Apache makes it: pubmed26n0001.xml.gz, with a date and a rounded size
beside it; and for each file another one, pubmed26n0001.xml.gz.md5, that holds its sum.
"""

from __future__ import annotations

import datetime as dt
import html
import re
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from typing import NamedTuple
from urllib.parse import unquote, urljoin, urlsplit

from likewise.documents.releases import release_of
from likewise.errors import DownloadError, SettingsError
from likewise.web import WebClient
from likewise.web.troubles import check_address

NLM = "https://ftp.ncbi.nlm.nih.gov/pubmed/"
BASELINE = "baseline"
UPDATES = "updatefiles"

# Of links only the beginnings are looked for: pages whose links never end take no longer to read.
_LINK = re.compile(r"<a\s([^<>]*)>", re.IGNORECASE)
_TARGET = re.compile(r"""\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^"'\s]+))""", re.IGNORECASE)
_LINK_END = re.compile(r"</a>", re.IGNORECASE)
_ROW_END = re.compile(r"\n|<(?:br|/?tr|/?li)\b", re.IGNORECASE)
_ROW = 1000
"""What stands beside a link is shorter."""
_TAG = re.compile(r"<[^<>]*>")
_DAYS = {"%Y-%m-%d": r"\d{4}-\d\d-\d\d", "%d-%b-%Y": r"\d\d-[A-Z][a-z]{2}-\d{4}",
         "%Y-%b-%d": r"\d{4}-[A-Z][a-z]{2}-\d\d"}  # fmt: skip
"""How Apache, nginx and lighttpd write days."""
_DATE = re.compile(rf"\b({'|'.join(_DAYS.values())}) (\d\d:\d\d)(?::\d\d)?\b", re.ASCII)
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)([KMGT]?)(?!\S)", re.ASCII)
_SUM = re.compile(r"(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])", re.IGNORECASE)


class RemoteFile(NamedTuple):
    """A file of PubMed that a server has, and what its listing says of it."""

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
    """Return the address below which the two folders lie, as it is used here.

    >>> check_base("https://mirror.example.org/pubmed")
    'https://mirror.example.org/pubmed/'
    """
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
    """Return the files that were put there on a day or later; the server is asked where need be."""
    return [file for file in files if _find_day(file, web) >= since]


def fetch_sum(web: WebClient, file: RemoteFile) -> str:
    """Return the MD5 that a server says a file has."""
    answer = web.get(f"{file.url}.md5").decode("utf-8", errors="replace")
    found = read_sum(answer)
    if not found:
        raise DownloadError(f"{file.url}.md5: holds no MD5; try again later")
    return found


def read_sum(text: str) -> str:
    """Return the sum in the text of a .md5 file, whether written by openssl or by md5sum.

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
    """Return what stands beside a link in its row, of what follows the link's beginning."""
    after = _LINK_END.split(rest, maxsplit=1)[-1]
    return html.unescape(_TAG.sub(" ", _ROW_END.split(after, maxsplit=1)[0]))


def _join_link(url: str, link: str) -> str:
    try:
        return urljoin(url, link)
    except ValueError:  # no address, whatever the page says
        return ""


def _parse_date_and_size(beside: str) -> tuple[dt.datetime | None, int | None]:
    found = _DATE.search(beside)
    date = _parse_date(found[1], found[2]) if found else None
    size = _SIZE.match(beside, found.end() if found else 0)
    if not size:
        return date, None
    return date, int(float(size[1]) * 1024 ** " KMGT".index(size[2] or " "))


def _parse_date(day: str, time: str) -> dt.datetime | None:
    # What time zone a listing has is not said; only its own dates are ever compared.
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
        # A file too many does less harm than one too few.
        return dt.date.max
