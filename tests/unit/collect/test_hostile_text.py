"""weir import and the parsers of runs on mutated outputs: a message or rows with meaning, in linear time."""

import functools
import itertools
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests import fuzz_logs
from tests.fuzz_logs import damaged, failure_of, mutants, run
from tests.unit.imported import rows_of
from weir.base.errors import WeirError
from weir.collect.imported_files import Facts
from weir.collect.importing import import_files
from weir.tools import tools
from weir.tools.engine import EngineTool
from weir.tools.outputs import LINE_BYTES, read_text

GOLDEN = Path(__file__).parents[2] / "golden"
LOG = (GOLDEN / "ior/ior-posix-shared.txt").read_bytes()


@pytest.mark.parametrize(("inputs", "seed"), [(40, 1), pytest.param(300, 3, marks=pytest.mark.slow)])
@pytest.mark.row("third-party log, table or records")
def test_mutated_outputs_give_rows_that_make_sense_or_a_message(inputs: int, seed: int) -> None:
    failures = run(inputs, seed)
    assert not failures, f"{failures[0].source}: {failures[0].what}"


def test_the_same_seed_gives_the_same_inputs() -> None:
    assert [*mutants(20, 5)] == [*mutants(20, 5)]
    assert [*mutants(20, 5)] != [*mutants(20, 6)]


def test_the_inputs_are_the_same_wherever_the_checkout_lies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Real outputs that some machines have beside it are for `make fuzz`."""
    before = [*mutants(20, 5)]
    (tmp_path / "log.txt").write_bytes(LOG)
    monkeypatch.setattr(fuzz_logs, "_BESIDE", [tmp_path])
    fuzz_logs.corpus.cache_clear()
    fuzz_logs.corpus_with_files_beside.cache_clear()
    assert [*mutants(20, 5)] == before
    assert fuzz_logs.corpus_with_files_beside() == (*fuzz_logs.corpus(), ("log.txt", LOG))
    fuzz_logs.corpus_with_files_beside.cache_clear()


@pytest.mark.slow
@pytest.mark.sample(10)  # of two documents every fifth damage, which is one or two of each value
@pytest.mark.parametrize("part", range(5))
@pytest.mark.parametrize(
    "name",
    [
        "audit/cases/fsync-of-files-filtered/run/summary.json",
        "audit/cases/above-the-link/run/summary.json",
        "io-model/weir-io-random.json",
        "netcdf-bench/weir-io-compressed.json",
    ],
)
@pytest.mark.row("third-party log, table or records")
def test_every_value_of_a_document_may_be_missing_or_of_another_type(
    tmp_path: Path, name: str, part: int
) -> None:
    file, refused = tmp_path / "summary.json", 0
    for place, document in itertools.islice(damaged(json.loads((GOLDEN / name).read_text())), part, None, 5):
        file.write_text(json.dumps(document))
        try:
            import_files([file], Facts())
        except WeirError:
            refused += 1
        except Exception as error:
            pytest.fail(f"{place}: {error!r}")
    assert refused


@pytest.mark.parametrize(
    ("place", "item"),
    [
        ("job.interposed", {"call": "fsync"}),
        ("job.interposed", {"object": "liba.so"}),
        ("results.0.observed.process_io", {}),
        ("results.0.observed.unwritten", {"files": 1}),
        ("results", -1),
        ("results.0.stored", "x"),
    ],
)
def test_a_document_that_lacks_a_part_of_a_fact_is_a_message(tmp_path: Path, place: str, item: Any) -> None:
    document = json.loads((GOLDEN / "netcdf-bench/weir-io-compressed.json").read_text())
    *above, last = [int(key) if key.isdigit() else key for key in place.split(".")]
    group = functools.reduce(lambda inner, key: inner[key], above, document)
    group[last] = [item] if last == "interposed" else item
    file = tmp_path / "summary.json"
    file.write_text(json.dumps(document))
    assert failure_of("document", file.read_bytes(), tmp_path) is None
    (message,) = tools()["netcdf-bench"].parse({"summary": file}).messages
    shown = re.sub(r"\.(\d)", r"[\1]", place)
    assert message.text.startswith(f"impossible value: document.{shown}")


def test_a_parser_that_crashes_or_lets_nonsense_through_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert failure_of("log", LOG, tmp_path) is None

    def crash(text: str) -> object:
        raise IndexError(text[:1])

    monkeypatch.setattr(tools()["mdtest"], "parse_log", crash)
    failure = failure_of("log", LOG, tmp_path)
    assert "IndexError" in failure.what


@pytest.mark.parametrize("filler", [b" ", b"(", b"a", b"9", b'"', b"{", b"\t:", b"Assertion ", b"write 1 "])
def test_a_line_without_end_costs_linear_time_and_little_memory(tmp_path: Path, filler: bytes) -> None:
    """Quadratic time would take hours for it."""
    file = tmp_path / "log"
    file.write_bytes(LOG + filler * (4_000_000 // len(filler)) + b"\n" + LOG)
    assert len(read_text(file)) < 2 * len(LOG) + LINE_BYTES + 2
    assert len(import_files([file], Facts()).rows) == 2 * len(rows_of(tmp_path, LOG.decode()))


def test_documents_of_fio_in_a_list_on_one_line(tmp_path: Path) -> None:
    """A script kept 288 of them so: the records behind the first 8 KiB were missing without a message."""
    counted = {"io_bytes": 2**30, "bw_bytes": 2**20, "runtime": 1024000}
    documents = [
        {"fio version": "fio-3.36", "jobs": [{"jobname": f"j{number}", "read": counted}]}
        for number in range(100)
    ]
    text = json.dumps(documents)
    assert len(text) > LINE_BYTES
    assert len(rows_of(tmp_path, text)) == 100


@pytest.mark.slow
@pytest.mark.parametrize("filler", [b" ", b"[", b'"a":', b"9"])
def test_a_damaged_document_of_one_long_line(tmp_path: Path, filler: bytes) -> None:
    file = tmp_path / "document"
    file.write_bytes(b'{"program": "weir-io", "x": ' + filler * (2_000_000 // len(filler)))
    with pytest.raises(WeirError, match="holds no results"):
        import_files([file], Facts())


@pytest.mark.parametrize("tool", [name for name, tool in tools().items() if isinstance(tool, EngineTool)])
def test_a_document_with_a_value_that_cannot_be_has_no_rows_for_any_tool(tmp_path: Path, tool: str) -> None:
    file = tmp_path / "summary.json"
    document = json.loads((GOLDEN / "ior/weir-io-mpiio.json").read_text())
    document["results"][0]["io_s"] = -5
    file.write_text(json.dumps(document | {"personality": tool}))
    parsed = tools()[tool].parse({"summary": file})
    assert parsed.rows == ()
    assert parsed.messages[0].text == "impossible value: document.results[0].io_s is -5, out of range"
    with pytest.raises(WeirError, match="holds no results"):
        import_files([file], Facts())


@pytest.mark.slow
def test_more_text_than_any_log_has_is_a_message(tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_bytes(LOG * (65 * 2**20 // len(LOG) + 1))
    with pytest.raises(WeirError, match=r"log: holds more than 64 MiB of text(?s:.)*the part that holds"):
        import_files([file], Facts())


@pytest.mark.parametrize(
    ("name", "value"),
    [("bw_mib_s", "nan"), ("bw_mib_s", "1e300"), ("nn", "-5"), ("xfer_bytes", "1_000"), ("io_s", "inf")],
)
def test_a_table_with_an_impossible_value_is_refused_with_its_place(
    tmp_path: Path, name: str, value: str
) -> None:
    with pytest.raises(WeirError) as error:
        rows_of(tmp_path, f"api,access,iteration,{name}\nPOSIX,read,0,{value}\n")
    assert str(error.value).startswith(f"{tmp_path}/log.txt:2: {name}: is ")
