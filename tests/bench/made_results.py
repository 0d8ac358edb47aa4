"""Results made up for tests of tables, with numbers that are easy to average."""

from likewise.bench.runs.results import Result

TOPICS = ("Animals + Brain", "Rats + Liver")


def result(method, f1, *, topic=TOPICS[0], seeds=20, draw=0, **given):
    """Return a result; `given` overrides any field, and measures are added to the F1."""
    bias = given.get("negatives_bias", "")
    mark = given.pop("mark", "")
    return Result(
        task=f"L{seeds}/{topic}/draw-{draw}",
        fingerprint=f"{topic}{seeds}{draw}{bias}{given.get('negatives', 0)}{mark}",
        topic=topic,
        seeds=seeds,
        draw=draw,
        method=method,
        scheme=given.pop("scheme", "case-control"),
        setting=given.pop("setting", "inductive"),
        status=given.pop("status", "done"),
        measures={"F1": f1, **given.pop("measures", {})},
        **given,
    )


def failed(method, **given):
    return result(method, 0.0, status="failed", error="out of memory", **given)


def on_topics(method, *f1, **given):
    """Return a result for each of the first topics, with its F1."""
    return [
        result(method, one, topic=topic, **given) for topic, one in zip(TOPICS, f1, strict=False)
    ]


def write_results(path, results):
    """Write results as a folder of runs."""
    import msgspec

    for number, one in enumerate(results):
        file = path / "results" / one.task / f"{number}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(msgspec.json.encode(one))
    return path
