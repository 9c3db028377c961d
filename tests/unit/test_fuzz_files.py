"""Some of the inputs of `make fuzz-files`: a damaged file of weir's own is a message, never a traceback."""

import json
import random
import shutil
from pathlib import Path

import pytest

from tests.fuzz_damage import damaged
from tests.fuzz_files import PAGE, READERS, cpu_limit, failure_of, memory_limit, run, use, write_files
from tests.unit.conftest import RunWeir
from weir.base.files import fault_of
from weir.cli import main
from weir.collect.rounds import rounds_of_rows
from weir.collect.table import read_records
from weir.plan.files import plan_from_data
from weir.report.page import SHAPE

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_files(tmp_path_factory.mktemp("written") / "files")


@pytest.fixture
def files(written: Path, tmp_path: Path) -> Path:
    """A copy that one test damages."""
    return shutil.copytree(written, tmp_path / "files", symlinks=True)


def test_damaged_files_are_messages_or_no_matter() -> None:
    assert [(one.command, one.file, one.what) for one in run(300, seed=53)] == []


def test_the_generator_finds_a_reader_that_trusts_its_file(written: Path) -> None:
    """A test of the test."""

    def trusting(command: str, where: Path) -> None:
        print(json.loads((where / "results/large/study/page.json").read_text())["study"]["began"][:10])

    chance, name = random.Random(1), "results/large/study/page.json"
    texts = [damaged(name, json.dumps({"study": {"began": "x"}}).encode(), chance) for _ in range(20)]
    assert any(failure_of(name, "show", text, written, trusting) for text in texts)
    for file, commands in READERS.items():
        for command in commands:
            assert failure_of(file, command, (written / file).read_bytes(), written, use) is None, (
                command,
                file,
            )


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"study": None}, "study"),
        ({"verdicts": {"real": {"VALID": "x"}, "emulated": {}}}, "verdicts.real.VALID"),
        ({"points": [{"target": "fast"}]}, "points[0].emulated"),
        (
            {"answers": [{"target": "fast", "access": "write", "best": {"value": "x"}}]},
            "answers[0].best.value",
        ),
        ({"advice": 7}, "advice"),
    ],
)
def test_a_damaged_page_names_its_key(
    tmp_path: Path, run_weir: RunWeir, change: dict[str, object], key: str
) -> None:
    file = tmp_path / "page.json"
    file.write_text(json.dumps({**PAGE, **change}))
    assert f"{file}: {key}: is damaged: " in run_weir("show", file, code=2).err


def test_shapes_name_what_is_missing_null_or_of_another_type() -> None:
    assert fault_of(PAGE, SHAPE) is None
    shape = {"a": int, "b?": [str], "*": float}
    assert fault_of({"a": 1, "b": ["x"], "c": 1.5}, shape) is None
    assert fault_of({"a": 1, "b": None}, shape) is None
    assert fault_of({}, shape) == (".a", "is missing")
    assert fault_of({"a": None}, shape) == (".a", "is None, not a whole number")
    assert fault_of({"a": True}, shape) == (".a", "is True, not a whole number")
    assert fault_of({"a": 1, "b": ["x", 2]}, shape) == (".b[1]", "is 2, not text")
    assert fault_of({"a": 1, "c": float("nan")}, shape) == (".c", "is nan, not a number")
    assert fault_of([], shape) == ("", "is [], not keys")


@pytest.mark.parametrize("until", [7, "x", [1]])
@pytest.mark.parametrize("sums", [{}, {"\0": "x"}])
def test_a_damaged_cell_of_a_run_is_one_of_its_file(
    files: Path, tmp_path: Path, run_weir: RunWeir, until: object, sums: dict[str, str]
) -> None:
    file = files / "run/run.json"
    document = json.loads(file.read_text())
    document["cell"]["until"] = until
    file.write_text(json.dumps({**document, "sha256": {**document["sha256"], **sums}}))
    study = files / "results/large/study"
    out = str(tmp_path / "records.csv")
    error = run_weir("collect", "--plan", study / "plan.json", "--out", out, code=1).err
    assert "run.json: is damaged, or another file of the run is" in error


def test_a_plan_with_a_value_of_another_type_names_it(files: Path) -> None:
    data = json.loads((files / "results/large/study/plan.json").read_text())
    data["batches"][0]["cells"][0]["rounds"] = "three"
    with pytest.raises(ValueError, match="rounds is 'three', of another type"):
        plan_from_data(data)
    data["batches"][0]["cells"][0]["rounds"] = 1
    data["suites"] = ["many"]
    with pytest.raises(ValueError, match="'many'"):
        plan_from_data(data)


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("iterations", 10**25, "iterations is 10000000000000000000000000, more than 100,000"),
        ("rounds", 10**25, "rounds is 10000000000000000000000000, more than 1,000,000"),
        ("until", {"half_width": 0.05, "at_most": 10**25}, "at_most is 1000"),
        ("cell", "\0", "holds a NUL"),
    ],
)
def test_a_number_of_a_plan_is_not_counted_to(
    files: Path, tmp_path: Path, run_weir: RunWeir, key: str, value: object, told: str
) -> None:
    """Iterations without end once filled the memory of the machine."""
    file = files / "results/large/study/plan.json"
    data = json.loads(file.read_text())
    data["batches"][0]["cells"][0][key] = value
    file.write_text(json.dumps(data))
    with memory_limit(), cpu_limit():
        error = run_weir("collect", "--plan", file, "--out", tmp_path / "records.csv", code=2).err
    assert f"{file}: is not a valid plan: {told}" in error


def test_rounds_that_are_missing_without_end_are_counted(files: Path) -> None:
    study = files / "results/large/study"
    rows = read_records(study / "records.csv")
    rows[0]["run"] = 10**9
    with memory_limit(), cpu_limit():
        found = [one for one in rounds_of_rows(study, rows).findings if one.cell == rows[0]["cell"]]
    assert len(found) < 2000
    assert any("of 999,998,999 more rounds" in str(one) for one in found), [str(one) for one in found[-3:]]


@pytest.mark.parametrize("name", ["partition", "stack", "target"])
def test_a_batch_of_what_the_site_has_not_is_no_plan(
    files: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    file = files / "results/large/study/plan.json"
    data = json.loads(file.read_text())
    data["batches"][0][name] = "12"
    file.write_text(json.dumps(data))
    capsys.readouterr()
    assert main(["watch", str(file.parent), "--once"]) in (1, 2)
    assert f"has the {name} '12', which the site has not" in capsys.readouterr().err


def test_a_ledger_with_a_damaged_line_is_told(files: Path, run_weir: RunWeir) -> None:
    """The message is that of verify itself."""
    ledger = files / "results/large/ledger.jsonl"
    first = json.loads(ledger.read_text().splitlines()[0])
    ledger.write_text(json.dumps({**first, "planned": "x"}) + "\n")
    assert "ledger.jsonl" in run_weir("verify", files / "results/large/study", code=1).out
