"""The flow: from seeds and a library to an expansion."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from likewise.arguments import check_type
from likewise.documents import Document
from likewise.errors import SeedsError, SettingsError
from likewise.expansion.candidates import (
    Candidates,
    Knowledge,
    combine_marks,
    rank_strangers_last,
    warn_of_memory,
)
from likewise.expansion.citing import estimate_missed
from likewise.expansion.expansion import Expansion, OnProgress, OnSeeds, Stages, show_stages
from likewise.expansion.kept_terms import KeptTerms
from likewise.expansion.marks import Marks
from likewise.expansion.ranking import Explainer, make_estimates, rank_candidates
from likewise.expansion.records import Place, Recapture, Round
from likewise.expansion.retrieval import LEAST_ADDED, PoolSearch, Retrieval, learn_query
from likewise.expansion.saved import fingerprint_library
from likewise.expansion.seed_sources import GivenPapers, gather_seeds
from likewise.expansion.seed_warnings import (
    warn_of_corners,
    warn_of_notices,
    warn_of_scattering,
    warn_of_seeds,
)
from likewise.expansion.seeds import find_copies, find_irrelevant, resolve_seeds
from likewise.expansion.settings import ExpandSettings, choose_settings
from likewise.features.encoders import encoder_named
from likewise.learn.experience import Experience, read_material_signs
from likewise.learn.folds import Scores, keep_seeds_inside
from likewise.learn.judgement import Judgement, judge
from likewise.learn.material import Material, Scored
from likewise.learn.spelling import Fusion, Method, choose_keep, parse_method
from likewise.learn.thresholds import find_promised_place
from likewise.library import open_library
from likewise.library.protocol import Library, check_is_library, spell_place
from likewise.library.sources.terms import add_background
from likewise.library.where import Where

_NOTHING_ELSE = (
    "the library holds nothing but the seeds and what is marked; "
    "put more documents into it with: likewise index FILES --into {library}"
)
_NOTHING_WITHIN = (
    "no other document within the limits has a word that sets the seeds apart from the rest of the "
    "library; widen --where, or leave it out"
)
_NOTHING_LIKE_THEM = (
    "no other document of the library has a word that sets the seeds apart from the rest of it; "
    "is it the right library? look into it with: likewise search {library} WORDS"
)


def expand(  # noqa: PLR0913  # each may be chosen on its own
    library: Library | str | Path,
    seeds: Iterable[Document | str | int | Path] | GivenPapers,
    *,
    marks: Marks | None = None,
    settings: ExpandSettings | None = None,
    kept_terms: KeptTerms | None = None,
    on_seeds: OnSeeds | None = None,
    on_progress: OnProgress | None = None,
    progress: bool = True,
    **chosen: Any,
) -> Expansion:
    """Find the documents of a library that are on the topic of the seeds.

    Single settings can be given by name: `expand(library, seeds, keep="recall=0.9")`.

    >>> from likewise import Document, expand
    >>> from likewise.library.memory import MemoryLibrary
    >>> library = MemoryLibrary()
    >>> names = [f"{word}{n}" for word in ("insulin", "sleep") for n in range(9)]
    >>> library.add(Document(id=name, title=f"{name[:-1]} {name[-1]}") for name in names)
    >>> library.commit()
    >>> expansion = expand(library, ["sleep0", "sleep1", "sleep2"], keep="top=6", progress=False)
    >>> {place.id[:5] for place in expansion}
    {'sleep'}

    Args:
        library: A library, or its address.
        seeds: Documents, files of documents, or identifiers. If a file says which papers were
            included and which were excluded, the included ones are seeds, the others irrelevant.
        marks: The marks on documents of the library; if a seed is marked, the mark counts.
        settings: How to expand.
        kept_terms: The file to keep the terms of the candidates in, if any.
        on_seeds: Called before the long work, with the seeds and with what may be wrong with them.
        on_progress: Called with the running stage, the share of it that is done, and a note.
        progress: Whether to show a bar, on a terminal or in a notebook, if `on_progress` is None.
        **chosen: Settings by name, which override `settings`.
    """
    settings = choose_settings(settings, chosen, default=ExpandSettings())
    with (
        open_library(library)
        if isinstance(library, str | Path)
        else nullcontext(library) as opened,
        show_stages(on_progress, progress=progress) as report,
    ):
        flow = Flow(opened, settings=settings, stages=Stages(report), kept_terms=kept_terms)
        check_is_library(opened)
        check_type(marks, (Marks, type(None)), name="marks", wanted="likewise's Marks(...)")
        given = gather_seeds(seeds)
        known = _add_decisions(given, marks or Marks(), library=opened)
        return flow.run(given.seeds, marks=known, on_seeds=on_seeds)


def _add_decisions(given: GivenPapers, marks: Marks, *, library: Library) -> Marks:
    """Return marks, together with the papers that the seeds' files say are irrelevant."""
    if not given.irrelevant:
        return marks
    seeds = {copy.id for copy in find_copies(library, given.seeds) if copy}
    marked = {*marks.relevant, *marks.irrelevant, *marks.maybe}
    found = find_irrelevant(library, given.irrelevant, besides=seeds | marked)
    return replace(marks, irrelevant=(*marks.irrelevant, *found))


@dataclass(frozen=True)
class LearningResult:
    """The result of an expansion's rounds."""

    candidates: Candidates
    retrieval: Retrieval
    scored: Scored
    judgement: Judgement
    rounds: tuple[Round, ...]


class Flow:
    """The stages of one expansion, and what they share."""

    def __init__(
        self,
        library: Library,
        *,
        settings: ExpandSettings,
        stages: Stages | None = None,
        kept_terms: KeptTerms | None = None,
        experience: Experience | None = None,
    ) -> None:
        self.library = add_background(library)
        self.kept_terms = kept_terms
        # None stands for the package's own, which must not be used to measure its own topics.
        self.experience = experience
        self.settings = settings
        self.stages = stages or Stages()
        # Settings that can't be understood raise an error before the long work.
        self.method = parse_method(settings.method)
        self.keep = choose_keep(settings.keep, self.method)
        self.encoder = encoder_named(settings.encoder) if settings.encoder else None
        self.method.check(encoder=self.encoder)
        if self.encoder and not self.method.uses_encoder:
            raise SettingsError(
                f"the method {str(self.method)!r} uses no encoder; leave out --encoder, or choose "
                "a method that uses one, such as linear"
            )
        self.rng = np.random.default_rng(settings.seed)

    def run(
        self, given: Sequence[Document], *, marks: Marks, on_seeds: OnSeeds | None = None
    ) -> Expansion:
        """Run all stages and return the expansion."""
        with self.stages("seeds"):
            seeds = resolve_seeds(self.library, given)
            known = combine_marks(self.library, seeds, marks)
            if self.keep.rule == "conformal":
                find_promised_place(self.keep.number or 0.0, seeds=len(known.seeds.given))
            warnings = [
                *warn_of_memory(self.library.count(), pool=self.settings.pool),
                *warn_of_seeds(known.seeds, library=self.library),
            ]
        if on_seeds:
            on_seeds(known.seeds, warnings)
        learned = self.learn(known)
        with self.stages("report"):
            return self._make_expansion(learned, warnings=warnings, marks=marks)

    def learn(self, known: Knowledge) -> LearningResult:
        """Retrieve a pool, learn from it, search for more with what was learned, and learn again.

        A costly method scores only the last pool; its scout scores the pools before that.
        """
        candidates, retrieval = self.retrieve_candidates(known)
        added = candidates.pool
        rounds: list[Round] = []
        while True:
            material = candidates.material(retrieval, vectors=self.method.uses_vectors)
            is_last = self._must_be_last(len(rounds) + 1, retrieval=retrieval)
            method = self.method if is_last else self.method.scout
            scored, judgement = self._score_and_judge(
                material, method=method, candidates=candidates, retrieval=retrieval
            )
            rounds.append(self._count_round(judgement, candidates=candidates, added=added))
            if scored.model is None or self._is_last(rounds, retrieval=retrieval):
                break
            found = candidates.add(self._search_further(judgement, candidates=candidates))
            if not found:
                break
            added = found
            # The next round needs as much memory again.
            del material, scored, judgement
            candidates.forget_words()
        if method != self.method:
            # The scout found no reason to go on.
            scored, judgement = self._score_and_judge(
                material, method=self.method, candidates=candidates, retrieval=retrieval
            )
            rounds[-1] = self._count_round(judgement, candidates=candidates, added=added)
        return LearningResult(candidates, retrieval, scored, judgement, tuple(rounds))

    def retrieve_candidates(self, known: Knowledge) -> tuple[Candidates, Retrieval]:
        """Return the candidates, and how the engine retrieved them."""
        seeds = known.seeds
        with self.stages("retrieval"):
            search = PoolSearch(self.library, seeds, settings=self.settings, rng=self.rng)
            found = search.find_pool()
        with closing(search):
            candidates = Candidates(
                self.library,
                known,
                encoder=self.encoder,
                stages=self.stages,
                kept_terms=self.kept_terms,
            )
            added = candidates.add(found.ids)
            with self.stages("retrieval"):
                retrieval = search.place_seeds()
        if not added:
            known_here = len(seeds.matched) + len(seeds.marked) + len(candidates.negative_ids)
            is_all = self.library.count() <= known_here
            nothing = _NOTHING_ELSE if is_all else _NOTHING_LIKE_THEM
            message = _NOTHING_WITHIN if self.settings.where else nothing
            raise SeedsError(message.format(library=spell_place(self.library)))
        # What another process has deleted in the meantime does not join the pool.
        retrieval = retrieval.of(added, off=candidates.negative_ids)
        if self.method.uses_citations:
            with self.stages("retrieval"):
                linked = candidates.find_linked(self.settings)
            candidates.add(linked)
        return candidates, retrieval

    def _score_and_judge(
        self,
        material: Material,
        *,
        method: Method | Fusion,
        candidates: Candidates,
        retrieval: Retrieval,
    ) -> tuple[Scored, Judgement]:
        with self.stages("learning"):
            scored = method.score(material, rng=self.rng, on_step=self.stages.step)
            scored = scored._replace(scores=rank_strangers_last(scored.scores, material))
        with self.stages("judgement"):
            return scored, self.judge_scores(
                scored.scores, material, candidates=candidates, retrieval=retrieval
            )

    def judge_scores(
        self, scores: Scores, material: Material, *, candidates: Candidates, retrieval: Retrieval
    ) -> Judgement:
        """Judge scores by the held-out seeds that would be in the pool, and by the marks so far."""
        given = len(candidates.seeds.given)
        is_seed = np.arange(len(scores.seeds)) < given
        seeds = scores._replace(seeds=scores.seeds[is_seed])
        return judge(
            keep_seeds_inside(seeds, retrieval.is_inside[is_seed]),
            signs=read_material_signs(material, scores, given=given),
            found=scores.seeds[given:],
            off=scores.negatives,
            looked=candidates.known.describe_screening(scores),
            experience=self.experience,
        )

    def _count_round(
        self, judgement: Judgement, *, candidates: Candidates, added: Collection[str]
    ) -> Round:
        rows = np.flatnonzero(judgement.decide(self.keep))
        decided = {candidates.pool[row] for row in rows}
        likely = decided.intersection(added)
        return Round(added=len(added), likely=len(likely), decided=len(decided))

    def _must_be_last(self, number: int, *, retrieval: Retrieval) -> bool:
        """Return whether the round of this number is the last, whatever it brings."""
        outside = retrieval.outside
        return number >= self.settings.rounds or (outside is not None and outside.value == 0)

    def _is_last(self, rounds: Sequence[Round], *, retrieval: Retrieval) -> bool:
        """Return whether to stop looking: enough rounds, a dry one, or no left-out seed missed."""
        latest = rounds[-1]
        is_dry = not latest.likely or latest.likely < LEAST_ADDED * latest.decided
        must_end = self._must_be_last(len(rounds), retrieval=retrieval)
        return must_end or (len(rounds) > 1 and is_dry)

    def _search_further(self, judgement: Judgement, *, candidates: Candidates) -> list[str]:
        """Return the ids that the learned query finds, and those that citations lead to."""
        is_decided = judgement.decide(self.keep)
        probabilities = np.where(is_decided, judgement.probabilities(judgement.scores.pool), 0)
        decided = [candidates.pool[row] for row in np.flatnonzero(is_decided)]
        with self.stages("retrieval"):
            query = learn_query(
                candidates.words,
                probabilities,
                seeds=len(candidates.seed_ids),
                library=self.library,
                settings=self.settings.more_like,
            )
            query = query._replace(where=Where.parse(self.settings.where))
            exclude = [*candidates.seed_ids, *candidates.negative_ids]
            hits = self.library.find_best(query, limit=self.settings.pool, exclude=exclude)
            return hits.ids + candidates.find_linked_further(decided, self.settings)

    def _make_expansion(
        self, learned: LearningResult, *, warnings: list[str], marks: Marks
    ) -> Expansion:
        candidates, scored, judgement = learned.candidates, learned.scored, learned.judgement
        ranking = rank_candidates(candidates, judgement, scored.scores, keep=self.keep, marks=marks)
        found = [candidates.documents[r.id] for r in ranking if r.decision and not r.seed]
        corners = warn_of_corners(
            candidates.seeds,
            found,
            analyze_all=self.library.analyze_all,
            among="seeds and relevant papers" if marks.relevant else "seeds",
        )
        scattered = warn_of_scattering(judgement.seed_places.tolist(), pool=len(candidates.pool))
        noticed = warn_of_notices(found, among="the documents found")
        outside, info = learned.retrieval.outside, self.library.info()
        explainer = Explainer(candidates, model=scored.model)
        return Expansion(
            seeds=candidates.seeds,
            settings=self.settings,
            marks=marks,
            ranking=ranking,
            threshold=judgement.threshold(self.keep),
            estimates=make_estimates(
                judgement, ranking, outside=outside, recapture=_recapture(learned, ranking)
            ),
            rounds=learned.rounds,
            warnings=(*warnings, *noticed, *scored.warnings, *scattered, *corners),
            seconds=self.stages.seconds,
            documents=candidates.documents,
            library=fingerprint_library(info),
            library_size=info.documents,
            readings=judgement.readings,
            signs=judgement.signs,
            explain=explainer,
            links=explainer.links,
            seed_links=explainer.list_seed_links(ranking),
        )


def _recapture(learned: LearningResult, ranking: Sequence[Place]) -> Recapture | None:
    """Estimate what neither words nor citations found from what each found on its own."""
    candidates, retrieval = learned.candidates, learned.retrieval
    # If words had every document to choose from, they missed none.
    if candidates.citations is None or not retrieval.outside_share:
        return None
    ids = candidates.ids
    known = {ids[row] for row in np.flatnonzero(candidates.citations.is_known)}
    return estimate_missed(
        {place.id: place.chance for place in ranking if not place.seed},
        words=known.intersection(retrieval.hits.ids),
        links=candidates.by_links,
        relevant=learned.judgement.prior,
    )
