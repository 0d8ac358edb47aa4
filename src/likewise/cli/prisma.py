"""likewise prisma: the flow diagram that a paper reports."""

from __future__ import annotations

import click

from likewise.cli.options import json_option, library_option, open_session_library, session_argument
from likewise.cli.output import clean_text, is_same_file, print_rows, say
from likewise.errors import WriteError

_NUMBER = click.IntRange(min=0, max=999_999_999)


@click.command("prisma")
@session_argument
@click.option(
    "-o", "--output", "outputs", multiple=True, metavar="FILE",
    help="Where to: .svg, .png or .html for the diagram, .json or .csv for its numbers. May be "
    "given several times.",
)  # fmt: skip
@click.option(
    "--identified", multiple=True, metavar="NAME=NUMBER",
    help="Records of a source, in place of what the library knows of its files. May be given "
    "several times.",
)  # fmt: skip
@click.option("--duplicates", type=_NUMBER, help="Duplicates removed, in place of the same.")
@click.option("--sought", type=_NUMBER, help="Reports sought for retrieval.")
@click.option("--not-retrieved", type=_NUMBER, help="Reports not retrieved.")
@click.option("--assessed", type=_NUMBER, help="Reports assessed for eligibility.")
@click.option(
    "--excluded", multiple=True, metavar="REASON=NUMBER",
    help="Reports excluded for a reason. May be given several times.",
)  # fmt: skip
@click.option("--included", type=_NUMBER, help="Studies included in the review.")
@click.option(
    "--keep", is_flag=True,
    help="Keep these numbers with the session: the page, and this command, have them from then on.",
)  # fmt: skip
@library_option
@json_option
def command(  # noqa: PLR0913  # one parameter an option
    session: str,
    *,
    outputs: tuple[str, ...],
    identified: tuple[str, ...],
    duplicates: int | None,
    sought: int | None,
    not_retrieved: int | None,
    assessed: int | None,
    excluded: tuple[str, ...],
    included: int | None,
    keep: bool,
    library: str | None,
    as_json: bool,
) -> None:
    """Draw the PRISMA 2020 flow diagram of a review, or show its numbers.

    Records that likewise ranked and nobody read are told as not screened by a person. The boxes of
    the stages after screening have the numbers that you give, here or in the page, where they are
    kept; what is not known is shown as not given.
    """
    from likewise.expansion.sessions.given_numbers import GivenNumbers, parse_count
    from likewise.expansion.sessions.prisma import read_prisma
    from likewise.expansion.sessions.prisma_diagram import format_number, list_rows
    from likewise.expansion.sessions.prisma_files import RENDERERS, check_prisma, write_prisma
    from likewise.expansion.sessions.session import Session

    for output in outputs:
        check_prisma(output)
        if is_same_file(output, session):
            raise WriteError(f"{output}: this is the session; choose another file to write to")
    given = GivenNumbers(
        identified=tuple(map(parse_count, identified)),
        duplicates=duplicates,
        sought=sought,
        not_retrieved=not_retrieved,
        assessed=assessed,
        excluded=tuple(map(parse_count, excluded)),
        included=included,
    )
    with (
        Session.open(session, read_only=not keep) as opened,
        open_session_library(opened, library) as held,
    ):
        if keep:
            opened.review.give_numbers(opened.review.read_numbers().add(given))
        numbers = read_prisma(opened, held, given=given)
    for output in outputs:
        write_prisma(numbers, output)
        say(f"{output}: written")
    if as_json:
        click.echo(RENDERERS[".json"](numbers).decode(), nl=False)
    elif not outputs:
        rows = [(row.stage, format_number(row.number), row.item) for row in list_rows(numbers)]
        print_rows(("stage", "number", "what"), rows)
    for remark in numbers.remarks:
        say(clean_text(remark))
