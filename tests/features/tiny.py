"""Tiny transformers with random weights, in folders as Hugging Face has them."""

from types import SimpleNamespace

import torch
from transformers import BertConfig, BertModel
from transformers.utils import logging

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "insulin", "rat", "##s", "sleep", "a"]
INSULIN, RAT, S, SLEEP = 5, 6, 7, 8
WIDTH = 10
"""Word pieces besides the two marks."""


def tiny_bert(seed=0, **changes):
    """Return a BERT of 16 dimensions that takes 12 word pieces at once."""
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2}
    sizes |= {"vocab_size": len(WORDS), "intermediate_size": 32, "max_position_embeddings": 12}
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return BertModel(BertConfig(**sizes | changes))


def save_tiny(folder, seed=0, **changes):
    """Write such a model and its vocabulary to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n")
    logging.disable_progress_bar()
    tiny_bert(seed, **changes).save_pretrained(folder)
    logging.enable_progress_bar()
    return folder


class Places:
    """A stub of a model: the state of a piece is its number, and its place in the window."""

    config = SimpleNamespace(hidden_size=2)
    device = torch.device("cpu")

    def __init__(self):
        self.shown = []

    def __call__(self, *, input_ids, attention_mask):
        self.shown += [
            ids[mask == 1].tolist() for ids, mask in zip(input_ids, attention_mask, strict=True)
        ]
        places = torch.arange(input_ids.shape[1]).expand_as(input_ids)
        states = torch.stack([input_ids, places], dim=2).float()
        return SimpleNamespace(last_hidden_state=states)
