"""The command line: it parses, calls the packages to its left, and prints."""

from __future__ import annotations

import importlib
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import click

from likewise.cli.output import name_library, say, tell_warnings
from likewise.errors import LikewiseError, PlugInError
from likewise.version import __version__


class LazyGroup(click.Group):
    """A group that loads a command's module only when that command is called."""

    def __init__(
        self,
        *args: Any,
        commands_in: str,
        described: Mapping[str, str],
        together: Mapping[str, Sequence[str]],
        **kwargs: Any,
    ) -> None:
        """Offer commands.

        Args:
            args: As click's.
            commands_in: The package of the commands. The command `watch` is `command` in its
                module `watch`, unless it is in a module together with others.
            described: The commands by name, each with a line that says what it does.
            together: Modules that hold several commands, each with their names: the command `show`
                is `show_command` there.
            kwargs: As click's.
        """
        super().__init__(*args, **kwargs)
        self.package = commands_in
        self.described = described
        self._modules = {name: module for module, names in together.items() for name in names}

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names of all commands."""
        return list(self.described)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return a command by its name."""
        if cmd_name not in self.described:
            return None
        shared = self._modules.get(cmd_name)
        module = importlib.import_module(f"{self.package}.{shared or cmd_name}")
        command: click.Command = getattr(module, f"{cmd_name}_command" if shared else "command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write what each command does."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.described.items()))


class FormatsCommand(click.Command):
    """A command whose help lists the formats of files.

    The help may hold {formats}, their names; {suffixes}, those of files that can be written; and
    {noted_suffixes}, those of files that can be written with notes, such as marks.
    """

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what the command does, with the formats that are registered now."""
        from likewise.documents.formats import list_names, list_usual_suffixes

        template = self.help or ""
        self.help = template.format(
            formats=list_names(),
            suffixes=list_usual_suffixes(),
            noted_suffixes=list_usual_suffixes(with_notes=True),
        )
        super().format_help_text(ctx, formatter)
        self.help = template


class Several(click.Option):
    """An option that takes all values up to the next option; it may be given several times too."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{**kwargs, "multiple": True})

    def takes(self, value: str) -> bool:
        """Return whether this option may take a value."""
        if value.startswith("-"):
            return False
        try:
            self.type.convert(value, self, None)
        except click.UsageError:
            return False
        return True


class SeveralCommand(click.Command):
    """A command with options that take several values.

    Such an option takes everything after it that it can; arguments have to come before it.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Repeat the option before each of its values, which is how click expects it."""
        several = {
            name: option
            for option in self.get_params(ctx)
            if isinstance(option, Several)
            for name in option.opts
        }
        return super().parse_args(ctx, _spread_values(args, several))


def _spread_values(args: list[str], several: dict[str, Several]) -> list[str]:
    spread: list[str] = []
    option: Several | None = None
    is_first = False
    for place, value in enumerate(args):
        if value == "--":
            return spread + args[place:]
        if is_first:
            # It is the option's, whatever it is, so that click can say what is wrong with it.
            is_first = False
        elif (name := value.partition("=")[0]) in several:
            option, is_first = several[name], name == value
        elif option and option.takes(value):
            spread.append(option.opts[0])
        else:
            option = None
        spread.append(value)
    return spread


COMMANDS = {
    "index": "Read files or folders into a library.",
    "expand": "Find the documents of a library that are on the topic of your papers.",
    "mark": "Mark documents as relevant or irrelevant.",
    "next": "Show what to look at next.",
    "watch": "Find what is new on the topic of a session since the last look.",
    "status": "Show how many are found, how many are left, and whether you can stop.",
    "tag": "Add tags to documents, remove them, or list the tags in use.",
    "note": "Write a note on a document, or show the notes on it.",
    "reasons": "Show or change a session's reasons for exclusion.",
    "criteria": "Keep a review's inclusion criteria with its session, or show them.",
    "agree": "Show how far reviewers agree, and what they disagree on.",
    "prisma": "Draw the PRISMA 2020 flow diagram of a review, or show its numbers.",
    "export": "Write a session to files.",
    "serve": "Serve the page, and the HTTP API.",
    "methods": "List the methods that score a pool.",
    "search": "Search a library for words.",
    "show": "Show whole documents.",
    "info": "Show what a library holds.",
    "links": "Read a file of citations, to use beside those in the documents.",
    "cited": "Show what a paper cites, what cites it, and what is cited with it.",
    "duplicates": "List records that were merged, and take them apart or join others.",
    "bench": "Measure methods on tasks made from a labelled collection.",
    "fetch": "Fetch single records from PubMed into a library.",
    "download": "Fetch PubMed's files: the year's baseline, and the daily updates.",
    "sample": "Fetch two real PubMed files to try things on.",
    "demo": "Fetch the sample, index it, and expand a few papers on one topic.",
}
"""Every command, in the order of the help page."""
TOGETHER = {
    "sessions": ("next", "status"),
    "index": ("index", "links", "cited"),
    "libraries": ("search", "show", "info", "duplicates"),
    "pubmed": ("download", "fetch"),
    "demo": ("demo", "sample"),
    "mark": ("mark", "tag", "note", "reasons", "criteria"),
    "reports": ("export", "agree", "prisma"),
}
"""Modules with several commands; each other command is in the module of its name."""


@click.command(
    cls=LazyGroup,
    commands_in=__name__,
    described=COMMANDS,
    together=TOGETHER,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    callback=lambda context, _, is_asked: _show_version(context) if is_asked else None,
    help="Show the version and exit; with --verbose also what it runs on.",
)
@click.option(
    "--verbose",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    hidden=True,
    callback=lambda context, _, is_asked: context.meta.update(verbose=is_asked),
)
def likewise() -> None:
    """From the papers you have to the rest on the same topic.

    LIB is a library: a folder that "likewise index" made, or the address of an index of OpenSearch
    or Elasticsearch, such as opensearch://HOST:9200/papers, made by likewise or by others. SESSION
    is a file of marks, made by "likewise expand --session".
    """


def _show_version(context: click.Context) -> None:
    """Print the version and, if asked for, everything that a bug report should say."""
    click.echo(f"likewise, version {__version__}")
    if context.meta.get("verbose"):
        import platform

        from likewise.extras import find_versions

        click.echo(
            f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
        )
        for package, found in find_versions().items():
            click.echo(f"{package} {found}")
    context.exit()


def main() -> None:
    """Run the command line; what goes wrong ends in one line, never in a traceback."""
    # Our matrices are small: numpy's threads wait for one another more than they help, above all
    # on a busy machine.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # SIGTERM acts like Ctrl-C: what was done so far is kept.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    tell_warnings()
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run a command and return its exit code: 0 done, 1 something failed, 2 wrong usage."""
    name_library("")
    try:
        return int(likewise(arguments, prog_name="likewise", standalone_mode=False) or 0)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        say("likewise: stopped; what was done so far is kept, and no file is left half written")
        return 130
    except BrokenPipeError:
        # The reader of our output, such as `head`, has had enough of it.
        sys.stderr.close()
        return 0
    except (LikewiseError, OSError) as error:
        if isinstance(error, PlugInError) and os.environ.get("LIKEWISE_TRACEBACK"):
            raise
        say(f"likewise: {_describe_error(error)}")
        return 1
    except MemoryError:
        say("likewise: not enough memory; what was saved before is safe: "
            "end other programs, or rank fewer candidates (--pool 10000)")  # fmt: skip
        return 1
    except Exception as error:
        if os.environ.get("LIKEWISE_TRACEBACK"):
            raise
        found = f"{type(error).__name__}: {_describe_error(error)}"
        say(f"likewise: {found}; this is a bug in likewise: "
            "set LIKEWISE_TRACEBACK=1 to see where, and please report it")  # fmt: skip
        return 1


def _describe_error(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        where = error.filename or "the output can't be written"
        return f"{where}: {error.strerror.lower()}"
    return " ".join(str(error).split())
