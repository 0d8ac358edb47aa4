"""A connection that gives answers prepared beforehand, and remembers what it was asked."""

import msgspec

from likewise.library.opensearch.address import parse_address

_encode = msgspec.json.encode

ADDRESS = parse_address("opensearch://127.0.0.1:9200/papers")


class Answering:
    """Answers each request with the next of its answers; an error among them is raised."""

    address = ADDRESS

    def __init__(self, *answers, distribution="opensearch", version="2.5.0", patience=90.0):
        self.distribution, self.version, self.patience = distribution, version, patience
        self.answers = list(answers)
        self.asked = []

    def ask(self, method, path, *, body=None, params=None, shape=None, **_):
        self.asked.append((method, path, body and msgspec.to_builtins(body), params))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer if shape is None else msgspec.json.decode(_encode(answer), type=shape)

    @property
    def paths(self):
        return [f"{method} {path}" for method, path, *_ in self.asked]

    @property
    def bodies(self):
        return [body for _, _, body, _ in self.asked]
