"""A BERT encoder's forward pass in numpy: from the ids of a text's tokens to their states.

With E the sum of a token's, its position's and the first segment's embedding, norm the layer
normalisation, and W x + b another pair (W, b) at each place, the states are

    x = norm(E)                                    and then, in each layer,
    x = norm(x + W softmax(q k' / sqrt(d)) v + b)  with q, k, v = W x + b, for each of the heads
    x = norm(x + W gelu(W x + b) + b)

Texts go through one by one. So nothing is padded, nothing needs a mask, and a text's states do
not depend, not even in their last digit, on the texts beside it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likewise.features.weights import Tensors

    States = NDArray[np.float32]

_EPSILON = np.float32(1e-12)


class Transformer:
    """A BERT encoder with the weights it was given."""

    def __init__(self, tensors: Tensors, *, heads: int) -> None:
        self._tensors = tensors
        self._heads = heads
        self._layers = sum(name.endswith(".intermediate.dense.weight") for name in tensors)

    def states(self, ids: Sequence[int]) -> States:
        """Return the last layer's states: an array of shape (tokens, dimensions)."""
        words, places, segments = (
            self._tensors[f"embeddings.{kind}_embeddings.weight"]
            for kind in ("word", "position", "token_type")
        )
        x = words[np.asarray(ids)] + places[: len(ids)] + segments[0]
        x = self._normed(x, "embeddings.LayerNorm")
        for layer in range(self._layers):
            x = self._layer(x, f"encoder.layer.{layer}.")
        return x

    def _layer(self, x: States, place: str) -> States:
        attended = self._linear(self._attended(x, place), f"{place}attention.output.dense")
        x = self._normed(x + attended, f"{place}attention.output.LayerNorm")
        wide = gelu(self._linear(x, f"{place}intermediate.dense"))
        return self._normed(
            x + self._linear(wide, f"{place}output.dense"), f"{place}output.LayerNorm"
        )

    def _attended(self, x: States, place: str) -> States:
        q, k, v = (
            self._heads_apart(self._linear(x, f"{place}attention.self.{part}"))
            for part in ("query", "key", "value")
        )
        shares: States = q @ k.swapaxes(1, 2)
        shares /= np.float32(np.sqrt(q.shape[-1]))
        shares -= shares.max(axis=-1, keepdims=True)
        np.exp(shares, out=shares)
        shares /= shares.sum(axis=-1, keepdims=True)
        attended: States = shares @ v
        return attended.swapaxes(0, 1).reshape(x.shape)

    def _heads_apart(self, x: States) -> States:
        return x.reshape(len(x), self._heads, -1).swapaxes(0, 1)

    def _linear(self, x: States, place: str) -> States:
        y = x @ self._tensors[f"{place}.weight"].T
        y += self._tensors[f"{place}.bias"]
        return y

    def _normed(self, x: States, place: str) -> States:
        x -= x.mean(axis=-1, keepdims=True)
        x /= np.sqrt(np.square(x).mean(axis=-1, keepdims=True) + _EPSILON)
        x *= self._tensors[f"{place}.weight"]
        x += self._tensors[f"{place}.bias"]
        return x


_ERF = [np.float32(a) for a in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)]
_ERF_SCALE = np.float32(0.3275911 / np.sqrt(2))


def gelu(x: States) -> States:
    """Return x times the normal distribution function of x: max(x, 0) - |x| erfc(|x| / √2) / 2.

    erfc comes from formula 7.1.26 of Abramowitz and Stegun, which is off by less than 2e-7;
    scipy's, which is exact, takes as long as all the rest of a layer.
    """
    size = np.abs(x)
    t: States = np.reciprocal(_ERF_SCALE * size + np.float32(1))
    tail: States = _ERF[0] * t
    for factor in _ERF[1:]:
        tail += factor
        tail *= t
    tail *= np.exp(np.square(x) * np.float32(-0.5))
    tail *= size
    tail *= np.float32(0.5)
    return np.maximum(x, np.float32(0)) - tail
