"""What a pool holds by the size of the library: as measured, and as the law projects it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

RESULT = Path(__file__).parents[1] / "results" / "pools.md"
DEPTHS = (1_000, 5_000, 20_000, 60_000)
PROJECTED = (300_000, 1_000_000, 3_000_000, 10_000_000, 38_000_000)
RESAMPLED = 1_000
NOTICED = 10
"""For papers with less background above them, chance matters more than the law."""

WORTH = ("F1", "precision", "recall", "listed", "estimate holds", "seconds")

Placed = Mapping[str, NDArray[np.int64]]
"""How much of the review and the background ranks above each paper, by seeds, review and draw."""


def write_pools(
    kept: Mapping[int, Placed], lists: Mapping[str, Mapping[str, list[float]]], *, real: int
) -> None:
    """Write the tables, and print them.

    Args:
        kept: Where papers rank, by the size of the library.
        lists: What lists are worth, by the pool they are from, review by review.
        real: How many documents are real.
    """
    lines = [*_list_measured(kept, real=real), "", *_list_laws(kept, real=real), ""]
    lines += [*_list_projections(kept[real], base=real), "", *_list_worth(lists)]
    text = "\n".join(lines)
    RESULT.write_text(f"{text}\n")
    print(f"\n{text}")


def _list_measured(kept: Mapping[int, Placed], *, real: int) -> Iterator[str]:
    depths = " | ".join(f"first {depth:,}" for depth in DEPTHS)
    yield f"| seeds | documents | | {depths} |"
    yield f"|---|---:|---|{'---:|' * len(DEPTHS)}"
    for kind in ("random", "corner"):
        for size, placed in sorted(kept.items()):
            cells = " | ".join(
                f"{_mean_share(find_shares(placed, kind, depth=depth)):.3f}" if depth < size else ""
                for depth in DEPTHS
            )
            yield f"| {kind} | {size:,} | {'real' if size <= real else 'made'} | {cells} |"


def _list_laws(kept: Mapping[int, Placed], *, real: int) -> Iterator[str]:
    yield "| seeds | from | to | background above a paper grows by the power | |"
    yield "|---|---:|---:|---:|---|"
    sizes = sorted(kept)
    for kind in ("random", "corner"):
        for small, large in pairwise(sizes):
            powers = find_powers(kept[small], kept[large], kind, ratio=large / small)
            error = np.std(powers) / np.sqrt(len(powers))
            power = f"{np.mean(powers):.2f} ± {error:.2f}"
            made = "real" if large <= real else "made"
            yield f"| {kind} | {small:,} | {large:,} | {power} | {made} |"


def _list_projections(placed: Placed, *, base: int) -> Iterator[str]:
    depths = (20_000, 60_000, 100_000)
    names = " | ".join(f"in {depth:,}" for depth in depths)
    yield f"| seeds | documents | {names} |"
    yield "|---|---:|---:|---:|---:|"
    for kind in ("random", "corner"):
        for size in PROJECTED:
            shares = (find_shares(placed, kind, depth=depth, grown=size / base) for depth in depths)
            cells = " | ".join(_format_share(found) for found in shares)
            yield f"| {kind} | {size:,} | {cells} |"


def _list_worth(lists: Mapping[str, Mapping[str, list[float]]]) -> Iterator[str]:
    """Yield what lists from pools of two sizes are worth, and how far the larger one differs."""
    yield f"| pool | reviews | {' | '.join(WORTH)} |"
    yield f"|---:|---:|{'---:|' * len(WORTH)}"
    found = {pool: np.array(list(of.values())) for pool, of in lists.items()}
    for pool, rows in found.items():
        cells = " | ".join(f"{value:,.3g}" for value in rows.mean(axis=0))
        yield f"| {int(pool):,} | {len(rows)} | {cells} |"
    if len(found) == 2:
        small, large = found.values()
        errors = (large - small).std(axis=0, ddof=1) / np.sqrt(len(large))
        changes = zip((large - small).mean(axis=0), errors, strict=True)
        cells = " | ".join(f"{change:+.3g} ± {error:.2g}" for change, error in changes)
        yield f"| difference | {len(large)} | {cells} |"


def find_shares(
    placed: Placed, kind: str, *, depth: int, grown: float = 1.0
) -> dict[str, list[float]]:
    """Return what share of each review is within a depth, the background `grown` times as large."""
    shares: defaultdict[str, list[float]] = defaultdict(list)
    for name, review, above in _list_runs(placed):
        if name == kind:
            own, others = above.T
            is_found = (own >= 0) & (own + others * grown < depth)
            shares[review].append(float(is_found.mean()))
    return shares


def find_powers(small: Placed, large: Placed, kind: str, *, ratio: float) -> list[float]:
    """Return the power of the ratio by which the background above papers grew, by review."""
    powers: defaultdict[str, list[float]] = defaultdict(list)
    pairs = zip(_list_runs(small), _list_runs(large), strict=True)
    for (name, review, before), (_, _, after) in pairs:
        is_told = (before[:, 1] >= NOTICED) & (after[:, 0] >= 0)
        if name == kind and is_told.any():
            grown = np.log(after[is_told, 1] + 0.5) - np.log(before[is_told, 1] + 0.5)
            powers[review].append(float(grown.mean() / np.log(ratio)))
    return [float(np.mean(found)) for found in powers.values()]


def _list_runs(placed: Placed) -> Iterator[tuple[str, str, NDArray[np.int64]]]:
    for run, above in sorted(placed.items()):
        kind, review, _ = run.split("|")
        yield kind, review, above


def _mean_share(shares: Mapping[str, list[float]]) -> float:
    return float(np.mean([np.mean(found) for found in shares.values()]))


def _format_share(shares: Mapping[str, list[float]]) -> str:
    """Return a mean over reviews, with its 90 % interval of a bootstrap over reviews."""
    each = np.array([np.mean(found) for found in shares.values()])
    drawn = np.random.default_rng(0).choice(each, (RESAMPLED, len(each))).mean(axis=1)
    low, high = np.quantile(drawn, [0.05, 0.95])
    return f"{each.mean():.2f} ({low:.2f}-{high:.2f})"
