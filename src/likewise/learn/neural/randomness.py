"""Randomness: every number that torch draws comes from a seed, and nothing else is disturbed."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
import torch

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def seeded(*numbers: int, device: torch.device | None = None) -> Iterator[None]:
    """Let torch draw what these numbers say; afterwards it goes on as if nothing had been drawn.

    >>> with seeded(0, 1):
    ...     first = torch.rand(2)
    >>> with seeded(0, 1):
    ...     bool((torch.rand(2) == first).all())
    True

    Args:
        numbers: Of a training and an epoch, say.
        device: The one that is drawn on, besides the processor.
    """
    seed = int(np.random.SeedSequence(numbers).generate_state(1, np.uint64)[0])
    accelerator = getattr(torch, device.type) if device and device.type != "cpu" else None
    sources = [torch.random, accelerator] if accelerator else [torch.random]
    states = [source.get_rng_state() for source in sources]
    try:
        # `torch.manual_seed` would seed all devices, those of others too.
        torch.default_generator.manual_seed(seed)
        if accelerator:
            accelerator.manual_seed(seed)
        yield
    finally:
        for source, state in zip(sources, states, strict=True):
            source.set_rng_state(state)
