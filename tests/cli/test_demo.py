import json

import pytest

from likewise.cli import run
from likewise.documents import read


@pytest.mark.network
def test_the_demo_finds_papers_on_the_topic_of_its_seeds(pubmed_sample, tmp_path, capsys):
    (tmp_path / "demo" / "pubmed").mkdir(parents=True)
    for path in pubmed_sample:
        (tmp_path / "demo" / "pubmed" / path.name).symlink_to(path)
    assert run(["demo", str(tmp_path / "demo"), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    # 109 of 50,782 documents are on the topic, so chance would find 0.2 of them among 100.
    assert (result["library"], result["found"]) == (50_782, 100)
    assert result["on_topic"] >= 40
    assert len(list(read(tmp_path / "demo" / "seeds.ris"))) == 10
