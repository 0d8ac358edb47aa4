"""What tests look for in charts, and points that are easy to average."""

from likewise.bench.figures.points import Point


def point(label, f1, *, seeds=20, topic="Rats", method=None, encoder="", **measures):
    """Return a point; words in names of measures are joined by underscores."""
    named = {name.replace("_", " "): value for name, value in measures.items()}
    return Point(label, seeds, topic, {"F1": f1, **named}, method or label, encoder)


def parts(chart):
    """Yield every part of a chart that may hold data, marks or a title."""
    whole = chart if isinstance(chart, dict) else chart.to_dict()
    yield whole
    for name in ("layer", "vconcat", "hconcat", "concat"):
        for part in whole.get(name, []):
            yield from parts(part)
    if "spec" in whole:
        yield from parts(whole["spec"])


def rows(chart):
    """Return all rows of data in a chart."""
    return [row for part in parts(chart) for row in part.get("data", {}).get("values", [])]


def rows_with(chart, *names):
    """Return the rows that have these fields."""
    return [row for row in rows(chart) if all(name in row for name in names)]


def titles(chart):
    """Return the titles of a chart's panels."""
    return [part["title"] for part in parts(chart) if "title" in part]


def scale(chart, channel):
    """Return the domain of a channel's scale, the first that is told."""
    for part in parts(chart):
        found = part.get("encoding", {}).get(channel, {}).get("scale", {})
        if "domain" in found:
            return found["domain"]
    return None
