"""Options of commands that draw seeds and retrieve pools for them."""

from __future__ import annotations

import click

from likewise.cli.several import Several

seeds_option = click.option(
    "--seeds", cls=Several, default=(20, 50), show_default="20 50", type=click.IntRange(min=3),
    metavar="N...", help="How many seeds for training, a task for each.",
)  # fmt: skip
pool_option = click.option(
    "--pool", default=20_000, show_default=True, type=click.IntRange(min=1),
    help="|U|: how many documents without a label for training; twice as many are retrieved, of "
    "which a quarter each is for validation and for testing.",
)  # fmt: skip
draws_option = click.option(
    "--draws", default=5, show_default=True, type=click.IntRange(min=1),
    help="How often to draw seeds, a task for each.",
)  # fmt: skip
