"""Neural positive-unlabeled learning: all that needs torch, which the extra `neural` installs."""

from likewise.extras import require

require("torch", for_="Neural learning", extra="neural")
require("safetensors", for_="Neural learning", extra="neural")
