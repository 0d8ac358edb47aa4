"""A stand-in for the hub of Hugging Face, which tests can't reach and should not."""

import shutil
from types import SimpleNamespace

import huggingface_hub.constants

COMMIT = "24f92d32b1bfb0bcaf9ab193ff3ad01e87732fc1"


def put_into_cache(cache, folder, *, commit=COMMIT, name="owner/tiny"):
    """Lay a model down as the hub's own client does."""
    model = cache / f"models--{name.replace('/', '--')}"
    shutil.copytree(folder, model / "snapshots" / commit, dirs_exist_ok=True)
    (model / "refs").mkdir(exist_ok=True)
    (model / "refs" / "main").write_text(commit)


class Hub:
    """Offers the files of a folder as owner/tiny, and remembers what was fetched."""

    def __init__(self, monkeypatch, cache):
        self.cache = cache
        self.folder = None
        self.error = ConnectionError("Name or service not known\nmore of it")
        self.fetched = []
        monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(cache))
        monkeypatch.setattr(huggingface_hub.HfApi, "model_info", self.model_info)
        monkeypatch.setattr(huggingface_hub, "snapshot_download", self.snapshot_download)

    def model_info(self, name, *, revision, timeout):
        if not self.folder:
            raise self.error
        files = [path.name for path in self.folder.iterdir()]
        return SimpleNamespace(siblings=[SimpleNamespace(rfilename=file) for file in files])

    def snapshot_download(self, name, *, revision, allow_patterns):
        self.fetched.append(sorted(allow_patterns))
        offered = self.cache.parent / "offered"
        offered.mkdir()
        for file in allow_patterns:
            shutil.copy(self.folder / file, offered / file)
        put_into_cache(self.cache, offered, name=name)
