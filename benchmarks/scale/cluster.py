"""The cluster that a benchmark is run on."""

from __future__ import annotations

from urllib.request import Request, urlopen


def delete_index(url: str, index: str) -> None:
    """Delete an index that a benchmark made, and the notebook beside it."""
    for name in (index, f"{index}-likewise"):
        place = f"{url.rstrip('/')}/{name}?ignore_unavailable=true"
        try:
            urlopen(Request(place, method="DELETE"), timeout=60).close()
        except OSError as error:
            print(f"  {place}: not deleted ({error})")
