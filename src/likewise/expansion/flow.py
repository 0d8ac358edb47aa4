"""The flow: from seeds and a library to an expansion."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise.errors import SeedsError, SettingsError
from likewise.expansion.candidates import Candidates
from likewise.expansion.expansion import Estimates, Expansion, Interval, Round
from likewise.expansion.ranking import ranked_candidates
from likewise.expansion.retrieval import Retrieval, retrieve
from likewise.expansion.rounds import LEAST_ADDED, learned_query
from likewise.expansion.seed_arguments import read_seeds
from likewise.expansion.seed_warnings import (
    corner_warnings,
    scattered_warnings,
    seed_warnings,
)
from likewise.expansion.seeds import resolve_seeds
from likewise.expansion.session import library_fingerprint
from likewise.expansion.settings import ExpandSettings
from likewise.expansion.stages import Stages
from likewise.expansion.why import Why
from likewise.features.encoders import encoder_named
from likewise.learn.folds import by_seeds_inside
from likewise.learn.judgement import Judgement, judge
from likewise.learn.spelling import parse_method
from likewise.learn.thresholds import parse_keep
from likewise.library import open_library

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from numpy.typing import NDArray

    from likewise.documents import Document
    from likewise.expansion.seeds import Seeds
    from likewise.expansion.stages import OnProgress
    from likewise.learn.material import Material, Scored
    from likewise.learn.spelling import Fusion, Method
    from likewise.library.protocol import Library

    OnSeeds = Callable[[Seeds, list[str]], None]


_NOTHING_ELSE = (
    "the library holds nothing but the seeds; "
    "put more documents into it with: likewise index FILES --into LIB"
)
_NOTHING_LIKE_THEM = (
    "no other document of the library has a word that tells the seeds from the rest of it; "
    "is it the right library? look into it with: likewise search LIB WORDS"
)


def expand(
    library: Library | str | Path,
    seeds: Iterable[Document | str | Path],
    *,
    settings: ExpandSettings | None = None,
    on_seeds: OnSeeds | None = None,
    on_progress: OnProgress | None = None,
) -> Expansion:
    """Find the documents of a library that are on the topic of the seeds.

    Args:
        library: A library, or where it lies.
        seeds: Documents, files of documents, or identifiers.
        settings: How to do it.
        on_seeds: Called before the long work, with the seeds and with what may be wrong with them.
        on_progress: Called with the running stage, the share of it that is done, and a note.
    """
    if isinstance(library, str | Path):
        with open_library(library) as opened:
            return expand(
                opened, seeds, settings=settings, on_seeds=on_seeds, on_progress=on_progress
            )
    settings = settings or ExpandSettings()
    flow = Flow(library, settings=settings, stages=Stages(on_progress))
    return flow.run(given_seeds(seeds), on_seeds=on_seeds)


def given_seeds(seeds: Iterable[Document | str | Path]) -> list[Document]:
    """Return seeds as documents, whatever they were given as."""
    documents: list[Document] = []
    for seed in [seeds] if isinstance(seeds, str | Path) else seeds:
        documents += read_seeds([str(seed)]) if isinstance(seed, str | Path) else [seed]
    return documents


class Learned(NamedTuple):
    """What the rounds of an expansion came to."""

    candidates: Candidates
    retrieval: Retrieval
    scored: Scored
    judgement: Judgement
    rounds: tuple[Round, ...]


class Flow:
    """What the stages of one expansion share."""

    def __init__(
        self, library: Library, *, settings: ExpandSettings, stages: Stages | None = None
    ) -> None:
        self.library = library
        self.settings = settings
        self.stages = stages or Stages()
        # What can't be understood is said before the long work.
        self.keep = parse_keep(settings.keep)
        self.method = parse_method(settings.method)
        self.encoder = encoder_named(settings.encoder) if settings.encoder else None
        self.method.check(encoder=self.encoder)
        if self.encoder and not self.method.uses_encoder:
            raise SettingsError(
                f"the method {str(self.method)!r} uses no encoder; leave out --encoder, or choose "
                "one that does, such as linear"
            )
        self.rng = np.random.default_rng(settings.seed)

    def run(self, given: Sequence[Document], *, on_seeds: OnSeeds | None = None) -> Expansion:
        """Go through all stages."""
        with self.stages("seeds"):
            seeds = resolve_seeds(self.library, given)
            warnings = seed_warnings(seeds, library=self.library)
        if on_seeds:
            on_seeds(seeds, warnings)
        learned = self.learn(seeds)
        with self.stages("report"):
            return self._expansion(learned, warnings=warnings)

    def learn(self, seeds: Seeds) -> Learned:
        """Retrieve a pool, learn, let what was learned look for more, and learn again.

        Only the last pool is scored by a costly method; until then its scout makes the rounds.
        """
        candidates, retrieval = self._retrieved(seeds)
        added = candidates.pool
        rounds: list[Round] = []
        while True:
            material = candidates.material(retrieval.scores, vectors=self.method.uses_vectors)
            is_last = self._must_be_last(len(rounds) + 1, retrieval=retrieval)
            method = self.method if is_last else self.method.scout
            scored, judgement = self._learned(material, method=method, retrieval=retrieval)
            rounds.append(self._round(judgement, candidates=candidates, added=added))
            if scored.model is None or self._is_last(rounds, retrieval=retrieval):
                break
            found = candidates.add(self._looked_for(judgement, candidates=candidates))
            if not found:
                break
            added = found
        if method != self.method:
            # The scout found no reason to go on.
            scored, judgement = self._learned(material, method=self.method, retrieval=retrieval)
            rounds[-1] = self._round(judgement, candidates=candidates, added=added)
        return Learned(candidates, retrieval, scored, judgement, tuple(rounds))

    def _retrieved(self, seeds: Seeds) -> tuple[Candidates, Retrieval]:
        with self.stages("retrieval"):
            retrieval = retrieve(self.library, seeds, settings=self.settings, rng=self.rng)
        candidates = Candidates(self.library, seeds, encoder=self.encoder, stages=self.stages)
        added = candidates.add(retrieval.hits.ids)
        if not added:
            is_all = self.library.count() <= len(seeds.matched)
            raise SeedsError(_NOTHING_ELSE if is_all else _NOTHING_LIKE_THEM)
        # What another process has deleted in the meantime does not join the pool.
        return candidates, retrieval.of(added)

    def _learned(
        self, material: Material, *, method: Method | Fusion, retrieval: Retrieval
    ) -> tuple[Scored, Judgement]:
        with self.stages("learning"):
            scored = method.score(material, rng=self.rng, on_step=self.stages.step)
        return scored, self.judged(scored, retrieval=retrieval)

    def judged(self, scored: Scored, *, retrieval: Retrieval) -> Judgement:
        """Judge by those held-out seeds that would be in the pool."""
        scores = by_seeds_inside(scored.scores, retrieval.is_inside)
        with self.stages("judgement"):
            return judge(scores, rng=self.rng)

    def _round(
        self, judgement: Judgement, *, candidates: Candidates, added: Collection[str]
    ) -> Round:
        rows = np.flatnonzero(judgement.decided(self.keep))
        decided = {candidates.pool[row] for row in rows}
        likely = decided.intersection(added)
        return Round(added=len(added), likely=len(likely), decided=len(decided))

    def _must_be_last(self, number: int, *, retrieval: Retrieval) -> bool:
        """Tell whether there is no round after the one of a number, whatever it brings."""
        outside = retrieval.outside
        has_all = outside is not None and outside.value == 0
        return number >= self.settings.rounds or has_all

    def _is_last(self, rounds: Sequence[Round], *, retrieval: Retrieval) -> bool:
        """Tell whether to look no further: enough rounds, a dry one, or no left-out seed missed."""
        latest = rounds[-1]
        is_dry = not latest.likely or latest.likely < LEAST_ADDED * latest.decided
        must_end = self._must_be_last(len(rounds), retrieval=retrieval)
        return must_end or (len(rounds) > 1 and is_dry)

    def _looked_for(self, judgement: Judgement, *, candidates: Candidates) -> list[str]:
        """Return the ids of what the learned query finds."""
        likely = judgement.probabilities(judgement.scores.pool)
        probabilities = np.where(judgement.decided(self.keep), likely, 0)
        with self.stages("retrieval"):
            query = learned_query(
                candidates.words,
                probabilities,
                library=self.library,
                settings=self.settings.more_like,
            )
            exclude = candidates.seed_ids
            return self.library.search(query, limit=self.settings.pool, exclude=exclude).ids

    def _expansion(self, learned: Learned, *, warnings: list[str]) -> Expansion:
        candidates, scored, judgement = learned.candidates, learned.scored, learned.judgement
        probabilities = judgement.probabilities(scored.scores.pool)
        is_decided = judgement.decided(self.keep)
        ranking = ranked_candidates(candidates, scored.scores, probabilities, is_decided=is_decided)
        found = [candidates.documents[r.id] for r in ranking if r.decision and not r.seed]
        corners = corner_warnings(candidates.seeds, found, analyze=self.library.analyze)
        scattered = scattered_warnings(judgement.seed_places.tolist(), pool=len(candidates.pool))
        outside = learned.retrieval.outside
        return Expansion(
            seeds=candidates.seeds,
            settings=self.settings,
            ranking=ranking,
            threshold=judgement.threshold(self.keep),
            estimates=_estimates(judgement, probabilities, is_decided, outside=outside),
            rounds=learned.rounds,
            warnings=(*warnings, *scored.warnings, *scattered, *corners),
            seconds=self.stages.seconds,
            documents=candidates.documents,
            library=library_fingerprint(self.library.info()),
            explain=Why(candidates, model=scored.model),
        )


def _estimates(
    judgement: Judgement,
    probabilities: NDArray[np.float64],
    is_decided: NDArray[np.bool_],
    *,
    outside: Interval | None,
) -> Estimates:
    size, total = len(probabilities), probabilities.sum()
    decided = probabilities[is_decided]
    return Estimates(
        relevant=Interval(*(bound * size for bound in judgement.prior)),
        precision=float(decided.mean()) if len(decided) else 0.0,
        recall=float(decided.sum() / total) if total else 0.0,
        outside=outside,
    )
