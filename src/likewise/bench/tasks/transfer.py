"""Import and export folders of tasks, in the formats of the paper's authors, BEIR and TREC.

The authors' format is in `dse.py`; the others are collections with relevance judgements (qrels).

For BEIR, a task is a query of its topic: `qrels/train.tsv` has its seeds, and `qrels/test.tsv` the
documents on topic among those that methods are measured on; the corpus has the documents of all
tasks. Documents known to be off topic and the engine's ranking have no place in it. A collection in
this format has no seeds and no pools, so it is not read as tasks. Instead, its queries are topics,
whose documents are all that any of its qrels calls relevant, and tasks are made of the topics with
enough documents, from a library of its corpus.

For TREC, a task is a query of its name. The qrels hold all documents that methods are measured on:
the test part of the pool, or all of it; 1 for those on topic and 0 for the others. The run has the
same documents in the engine's order, except the seeds of a test part, which it did not retrieve.
A tool that reads these measures the engine as `bench run` does, except for the places of those
seeds, which `bench run` asks for too.
"""

from __future__ import annotations

import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import msgspec

from likewise.bench.tasks import TaskSettings
from likewise.bench.tasks.dse import ImportedTask, find_dse_folders, read_dse, write_dse
from likewise.bench.tasks.folders import (
    FolderHead,
    TaskFolder,
    write_documents,
    write_head,
    write_task,
)
from likewise.bench.tasks.making import OnProgress, TopicMembers, make_tasks
from likewise.bench.topics import Members, Topic
from likewise.documents import read, replace_file, write
from likewise.documents.sources import Source
from likewise.errors import TaskError
from likewise.library import open_library
from likewise.library.protocol import Library

DSE, BEIR = "dse", "beir"
CORPUS, QUERIES, QRELS = "corpus.jsonl", "queries.jsonl", "qrels"
COLUMNS = ("query-id", "corpus-id", "score")
TREC_QRELS, TREC_RUN = "qrels.txt", "run.txt"
TAG = "likewise-bm25"
"""The name of the engine in TREC's run file."""


class ImportReport(NamedTuple):
    """What was imported."""

    format: str
    tasks: tuple[str, ...]
    notes: tuple[str, ...]
    """What was missing or left out, a line each."""


def import_tasks(
    folder: Path,
    out: Path,
    *,
    settings: TaskSettings,
    on_progress: OnProgress | None = None,
) -> ImportReport:
    """Make a folder of tasks from one in another format, which is recognised by its files.

    Args:
        folder: Tasks as the authors of the paper published them, or a BEIR collection.
        out: The folder of tasks to make.
        settings: How tasks are made of a collection; the authors' are taken as they are.
        on_progress: Called with how many tasks are done, of how many, and the next one's name.
    """
    if corpus := find_corpus(folder):
        return _import_beir(folder, corpus, out=out, settings=settings, on_progress=on_progress)
    found = find_dse_folders(folder)
    if not found:
        raise TaskError(
            f"{folder}: no tasks that can be read; give a folder with metadata.json and "
            "train, valid or test.jsonl(.gz), or one with corpus.jsonl and qrels/"
        )
    return _import_dse(found, out, on_progress=on_progress)


def _import_dse(
    folders: Sequence[Path], out: Path, *, on_progress: OnProgress | None
) -> ImportReport:
    if out.exists() and any(out.iterdir()):
        raise TaskError(f"{out}: the folder is not empty; give another --out")
    read_in: list[ImportedTask] = []
    for done, folder in enumerate(folders):
        if on_progress:
            on_progress(done, len(folders), folder.name)
        read_in.append(read_dse(folder))
    names = [imported.task.name for imported in read_in]
    for place, name in enumerate(names):
        if name in names[:place]:
            raise TaskError(f"{folders[place]}: a second task {name}; import them one by one")
    for imported in read_in:
        write_task(out, imported.task, imported.truth)
    documents = chain.from_iterable(imported.task.documents.values() for imported in read_in)
    write_documents(out, {each.id: each for each in documents}.values(), background=())
    write_head(out, FolderHead(made={"imported": DSE}, tasks=tuple(names)))
    notes = tuple(
        f"{imported.task.name}: imported, but files are missing: {', '.join(imported.missing)}"
        for imported in read_in
        if imported.missing
    )
    return ImportReport(DSE, tuple(names), notes)


def _import_beir(
    folder: Path,
    corpus: Path,
    *,
    out: Path,
    settings: TaskSettings,
    on_progress: OnProgress | None,
) -> ImportReport:
    with tempfile.TemporaryDirectory() as place:
        with open_library(place, write=True) as library:
            library.add(read(corpus, format="beir"))
            library.commit()
        with open_library(place) as library:
            topics = read_beir_topics(folder, library)
            made = make_tasks(
                library,
                topics,
                settings=settings,
                out=out,
                truth_from=f"{BEIR} qrels",
                on_progress=on_progress,
            )
    return ImportReport(BEIR, made.made + made.kept, made.left_out)


def export_tasks(tasks: Path, out: Path, *, as_format: str) -> list[str]:
    """Write all tasks of a folder in another format, and return their names."""
    folder = TaskFolder(tasks)
    names = folder.list_names()
    if out.exists() and any(out.iterdir()):
        raise TaskError(f"{out}: the folder is not empty; give another --out")
    writers = {"beir": write_beir, "trec": write_trec, "dse": _write_all_dse}
    writers[as_format](folder, out)
    return names


def _write_all_dse(folder: TaskFolder, out: Path) -> None:
    """Write a folder for each task, without a folder for the draw if there was only one."""
    names = folder.list_names()
    drawn_once = {folder.read_metadata(name).draw for name in names} == {0}
    for name in names:
        place = out / name
        write_dse(
            folder.read_task(name), folder.read_truth(name), place.parent if drawn_once else place
        )


class BeirQuery(msgspec.Struct, frozen=True):
    """A line of the queries."""

    id: str = msgspec.field(name="_id")
    text: str = ""


def write_beir(tasks: TaskFolder, out: Path) -> None:
    """Write all tasks of a folder as one BEIR collection."""
    (out / QRELS).mkdir(parents=True, exist_ok=True)
    seeds, found, queries, named = [], [], [], dict[str, None]()
    for name in tasks.list_names():
        task, relevant = tasks.read_task(name), tasks.read_truth(name).relevant
        queries.append(BeirQuery(name, task.metadata.topic))
        named.update(dict.fromkeys(entry.id for entry in task.entries))
        known = [entry for entry in task.list_entries("positive") if not entry.is_test_seed]
        seeds += [(name, entry.id) for entry in known]
        found += [(name, entry.id) for entry in task.list_measured() if entry.id in relevant]
    write((tasks.documents[each] for each in named), out / CORPUS, format="beir")
    _write_qrels(out / QRELS / "train.tsv", seeds)
    _write_qrels(out / QRELS / "test.tsv", found)
    with replace_file(out / QUERIES) as stream:
        for query in queries:
            stream.write(msgspec.json.encode(query) + b"\n")


def find_corpus(folder: Path) -> Path | None:
    """Return the file of the corpus if a folder is a BEIR collection, else None."""
    files = [folder / CORPUS, folder / f"{CORPUS}.gz"]
    is_judged = any((folder / QRELS).glob("*.tsv"))
    return next((path for path in files if is_judged and path.is_file()), None)


def read_beir_topics(folder: Path, library: Library) -> list[TopicMembers]:
    """Return the queries of a BEIR collection as topics, each with its relevant documents.

    Args:
        folder: The collection.
        library: A library of its corpus; documents that it does not hold are left out.
    """
    relevant: defaultdict[str, set[str]] = defaultdict(set)
    for path in sorted((folder / QRELS).glob("*.tsv")):
        for query, identifier in _read_qrels(path):
            relevant[query].add(identifier)
    if not relevant:
        raise TaskError(f"{folder / QRELS}: no document is relevant to any query; give its qrels")
    texts = _read_queries(folder)
    uses = Counter(texts.get(query) for query in relevant)
    topics = []
    for query in sorted(relevant):
        # Queries with the same text are named by their ids.
        text = texts[query] if uses[texts.get(query)] == 1 and texts.get(query) else query
        ids = tuple(document.id for document in library.get(sorted(relevant[query])))
        found = Members(relevant=ids, known=None, names=(text,), uis=(), counts=(len(ids),))
        topics.append(TopicMembers(Topic((text,)), found))
    return topics


def _read_queries(folder: Path) -> dict[str, str]:
    path = next((p for p in (folder / QUERIES, folder / f"{QUERIES}.gz") if p.is_file()), None)
    if path is None:
        return {}
    source = Source(path)
    texts = {}
    for line in source.lines():
        try:
            query = msgspec.json.decode(line.text, type=BeirQuery) if line.text.strip() else None
        except msgspec.DecodeError as error:
            raise source.fail(
                f"not a query ({error})", line=line.number, advice="write _id and text"
            ) from error
        if query:
            texts[query.id] = " ".join(query.text.split())
    return texts


def _read_qrels(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the queries with the documents that are relevant to them."""
    source = Source(path)
    for line in source.lines():
        cells = line.text.rstrip().split("\t")
        if cells == [""] or (line.number == 1 and tuple(cells) == COLUMNS):
            continue
        if len(cells) != len(COLUMNS) or not cells[2].lstrip("-").isdecimal():
            raise source.fail(
                f"{line.text[:60]!r} is not a judgement",
                line=line.number,
                advice=f"write {', '.join(COLUMNS)} with tabs between them",
            )
        if int(cells[2]) > 0:
            yield cells[0], cells[1]


def _write_qrels(path: Path, judged: Iterable[tuple[str, str]]) -> None:
    with replace_file(path) as stream:
        stream.write("\t".join(COLUMNS).encode() + b"\n")
        for query, identifier in judged:
            stream.write(f"{query}\t{identifier}\t1\n".encode())


def write_trec(tasks: TaskFolder, out: Path) -> None:
    """Write the qrels and the engine's run of all tasks of a folder."""
    out.mkdir(parents=True, exist_ok=True)
    with replace_file(out / TREC_QRELS) as qrels, replace_file(out / TREC_RUN) as run:
        for name in tasks.list_names():
            relevant = tasks.read_truth(name).relevant
            for rank, entry in enumerate(tasks.read_task(name).list_measured(), 1):
                qrels.write(f"{name} 0 {entry.id} {int(entry.id in relevant)}\n".encode())
                if entry.score is not None:
                    run.write(f"{name} Q0 {entry.id} {rank} {entry.score} {TAG}\n".encode())
