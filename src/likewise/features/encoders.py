"""The encoders: pretrained models that turn texts into vectors, each under one name."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Protocol, cast

from likewise.errors import SettingsError
from likewise.extras import plugged_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

GROUP = "likewise.encoders"

# As a plug-in would offer them: the name, and what makes the encoder when it is called.
BUILT_IN = (
    EntryPoint("minilm-l6-v2", "likewise.features.minilm:MiniLM", GROUP),
)  # fmt: skip


class Encoder(Protocol):
    """Turns texts into vectors, the same text always into the same one."""

    @property
    def name(self) -> str:
        """What vectors are kept under; other weights or another pooling get another name."""
        ...

    @property
    def dimensions(self) -> int:
        """The length of its vectors."""
        ...

    def encode(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        """Return a row for each text: an array of shape (texts, dimensions)."""
        ...


def encoder_named(name: str) -> Encoder:
    """Return the encoder of this name; weights may wait until it first encodes.

    Besides the names there are, a name may be that of a model of Hugging Face, or its folder.
    """
    for entry in _entries():
        if entry.name == name:
            return _loaded(entry)
    from likewise.features.huggingface import HuggingFace, is_model

    if is_model(name):
        return HuggingFace(name)
    raise SettingsError(
        f"no encoder is called {name!r}; the encoders are: {', '.join(encoder_names())}, "
        "any model of Hugging Face as owner/model, and any folder that holds one"
    )


def encoder_names() -> list[str]:
    """Return the names of all encoders: those that plug-ins add, then the built-in ones."""
    return [entry.name for entry in _entries()]


@cache
def _entries() -> tuple[EntryPoint, ...]:
    return (*entry_points(group=GROUP), *BUILT_IN)


def _loaded(entry: EntryPoint) -> Encoder:
    encoder = cast("Encoder", plugged_in(entry, kind="encoder")())
    # Vectors are kept under the encoder's own name, so a second spelling would mix them up.
    if encoder.name != entry.name:
        raise SettingsError(
            f"the encoder {entry.name!r} of {entry.value} calls itself {encoder.name!r}; "
            "the package that offers it has to give it one name"
        )
    return encoder
