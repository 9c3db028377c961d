"""The draft of the reproducibility questionnaire: what is known, and by name what is not."""

import json
from pathlib import Path

from tests.unit.conftest import RunWeir
from tests.unit.decide.io500.results import ini, new_summary, write
from weir.records.columns import columns

FACTS = {
    "site": {"description": "A cluster of ten nodes"},
    "targets": [
        {"target": "scratch", "description": "Lustre", "file_system": "lustre", "mount_options": "flock"}
    ],
    "machines": [
        {"node": "n1", "processor": "a processor", "cores": 24, "memory_bytes": 2**36, "kernel": "6.1"}
    ],
    "stacks": [{"stack": "debian", "description": "Open MPI", "programs": ["IOR 4.1"]}],
    "verdicts": {"VALID": 40, "INVALID": 0},
}


def test_the_draft_has_what_files_know_and_names_the_rest(tmp_path: Path, run_weir: RunWeir) -> None:
    run, study, out = tmp_path / "run", tmp_path / "study", tmp_path / "draft.md"
    study.mkdir()
    write(run, result_summary=new_summary(), result=ini())
    (study / "facts.json").write_text(json.dumps(FACTS))
    (study / "records.csv").write_text(",".join(columns()) + "\n")
    run_weir("io500", run, "--questionnaire", out)
    alone = out.read_text()
    run_weir("io500", run, "--questionnaire", out, "--records", study / "records.csv")
    whole = out.read_text()
    known_of_study = ("scratch: Lustre", "flock", "cores 24", "64 GiB", "IOR 4.1", "40 VALID")
    for known in (*known_of_study, "A cluster of ten nodes"):
        assert known in whole
        assert known not in alone
    for text in (alone, whole):
        assert text.count("To be answered by you") == text.count("## ") == 6
        assert "ior_easy_write lasted" in text
        assert "None" not in text
