"""Result directories of every format are read; wrong ones get an error with file, line and hint."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import beside
from tests.unit.decide.io500.results import IOR_LOG, ini, new_summary, old_summary, value, write
from weir.base.errors import WeirError
from weir.decide.io500.directory import read_directory
from weir.decide.io500.result import (
    INVALID,
    PHASES,
    SHORTENED,
    TOLERANCE,
    UNKNOWN,
    Io500Phase,
    Io500Result,
    Published,
    agreement,
    relative,
    score,
    validity,
)
from weir.decide.io500.result_files import read_summary
from weir.tools import tools


def values(result: Io500Result) -> dict[str, float]:
    return {name: phase.value for name, phase in result.phases.items()}


@pytest.mark.parametrize(
    "files",
    [
        {"result_summary": old_summary()},
        {"result_summary": new_summary()},
        {"result": ini()},
        {"result_summary": new_summary(), "result": ini()},
        {"other_name": new_summary()},
    ],
    ids=["old summary", "new summary", "result.txt", "both", "recognised by content"],
)
def test_every_format_has_the_same_phases_and_score(files: dict[str, str], tmp_path: Path) -> None:
    result = read_directory(write(tmp_path, **files))
    assert values(result) == {name: value(name) for name in PHASES}
    assert result.published == Published(6.0, 4.0, 9.0)
    found = score(result.phases)
    assert (found.bandwidth_gib_s, found.iops_kiops) == pytest.approx((4.0, 9.0))
    assert (found.today, found.rule_2017) == pytest.approx((6.0, 36.0))
    assert validity(result).valid


def test_result_txt_adds_processes_and_the_logs_add_nodes(tmp_path: Path) -> None:
    write(tmp_path, result_summary=new_summary(), result=ini())
    assert (read_directory(tmp_path).nodes, read_directory(tmp_path).procs) == (None, 8)
    (tmp_path / "ior-easy-write.txt").write_text(IOR_LOG.format(stonewall=300))
    assert (read_directory(tmp_path).nodes, read_directory(tmp_path).procs) == (2, 8)


def test_a_comment_with_a_hash_is_one(tmp_path: Path) -> None:
    """Whoever files results away writes such a line, as of the command; the first one refused the result."""
    write(tmp_path, result="# mpirun -n 8 ./io500 config.ini\n" + ini())
    assert read_directory(tmp_path).procs == 8


def test_transfers_that_lasted_longer_than_their_phase_are_a_note(tmp_path: Path) -> None:
    write(tmp_path, result_summary=new_summary())
    log = IOR_LOG.format(stonewall=300)
    (tmp_path / "ior-easy-write.txt").write_text(log)
    assert not read_directory(tmp_path).notes
    (tmp_path / "ior-easy-write.txt").write_text(log.replace("300.00", "645.69"))
    (note,) = read_directory(tmp_path).notes
    assert "transfers lasted longer in the log than their phase, ior_easy_write (645.7 s, 300.5 s)" in note


def test_a_configuration_file_is_not_a_result(tmp_path: Path) -> None:
    write(tmp_path, result=ini(), config="[ior-easy]\ntransferSize = 2m\n\n[ior-easy-write]\nAPI = POSIX\n")
    assert values(read_directory(tmp_path))["find"] == value("find")


def test_files_that_differ_are_noted(tmp_path: Path) -> None:
    changed = new_summary().replace("4.000000 GiB/s : time", "5.000000 GiB/s : time", 1)
    (note,) = read_directory(write(tmp_path, result_summary=changed, result=ini())).notes
    assert note == "result_summary.txt and result.txt differ in ior_easy_write"


@pytest.mark.parametrize(
    ("files", "label", "reason"),
    [
        ({"result_summary": old_summary(12.0)}, SHORTENED, "ior_easy_write lasted 12.0 s of 300 s"),
        ({"result_summary": new_summary(30.5)}, SHORTENED, "ior_easy_write lasted 30.5 s of 300 s"),
        (
            {"result": ini(stonewall_s=30)},
            SHORTENED,
            "ior_easy_write requested a stonewall of 30 s, not 300 s",
        ),
        (
            {"result_summary": old_summary(), "ior_hard_write": IOR_LOG.format(stonewall=30)},
            SHORTENED,
            "ior_hard_write requested a stonewall of 30 s, not 300 s",
        ),
        (
            {"result_summary": new_summary(mark="RESULT-invalid")},
            INVALID,
            "IO500 marks ior_easy_write as invalid",
        ),
        ({"result": ini(score="6.000000 [INVALID]")}, INVALID, "IO500 marks the score as invalid"),
        ({"result": ini(time_s=None)}, UNKNOWN, "ior_easy_write has no time"),
    ],
)
def test_what_is_not_valid_has_a_label_and_a_reason(
    files: dict[str, str], label: str, reason: str, tmp_path: Path
) -> None:
    found = validity(read_directory(write(tmp_path, **files)))
    assert (found.valid, found.label, found.reasons[0]) == (False, label, reason)


def test_a_missing_phase_leaves_no_score(tmp_path: Path) -> None:
    text = "".join(line for line in new_summary().splitlines(keepends=True) if " find " not in line)
    result = read_directory(write(tmp_path, result_summary=text))
    assert result.missing == ["find"]
    assert agreement(result) is None
    assert validity(result).reasons == ("find is missing",)


def test_lines_that_a_script_prints_again_in_the_end_are_one_result() -> None:
    file = Path("result_summary.txt")
    assert read_summary(new_summary() * 2, file) == read_summary(new_summary(), file)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("result_summary", new_summary().replace("GiB/s", "MB/s", 1), "txt:2: ior_easy_write: the unit"),
        ("result_summary", new_summary().replace("time 300.500 seconds", "", 1), "txt:2: the line cannot"),
        ("result_summary", new_summary().replace("4.000000", "nan", 1), "txt:2: ior_easy_write: nan is not"),
        (
            "result_summary",
            new_summary() + new_summary().replace("4.000000", "5.000000", 1),
            "txt:18: ior_easy_write: the phase is printed twice, with different values",
        ),
        ("result", ini().replace("4.000000", "-1", 1), "txt:9: ior_easy_write: -1 is not"),
        ("result", ini().replace("procs           = 8", "procs = many"), "txt:2: procs: 'many' is not"),
        ("result", ini() + "t_del", "txt:72: the line is neither"),
    ],
)
def test_wrong_text_gets_file_line_and_hint(name: str, text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(WeirError) as error:
        read_directory(write(tmp_path, **{name: text}))
    (problem,) = error.value.problems
    assert message in str(problem)
    assert problem.file == str(tmp_path / f"{name}.txt")
    assert problem.hint
    assert error.value.exit_code == 2


def test_a_directory_without_a_result_or_with_two_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WeirError, match="contains no IO500 result"):
        read_directory(tmp_path)
    with pytest.raises(WeirError, match="is not a directory"):
        read_directory(tmp_path / "absent")
    write(tmp_path, first=new_summary(), second=new_summary().replace("9.000000", "8.000000"))
    with pytest.raises(WeirError, match=r"several results: first\.txt, second\.txt"):
        read_directory(tmp_path)


def test_the_raw_directories_recompute_their_published_score() -> None:
    """26 published directories; set-02 is submission 105, whose printed phases are rounded too far."""
    results = {each.name: read_directory(each) for each in sorted(beside("reference/io500-raw").iterdir())}
    assert len(results) == 26
    assert [name for name, result in results.items() if not validity(result).valid] == []
    assert [name for name, result in results.items() if not (result.nodes and result.procs)] == []
    (note,) = [note for result in results.values() for note in result.notes]
    assert (
        note in results["set-03"].notes
    )  # clocks of nodes 148 s apart: published rates are too low by a third
    assert "ior_easy_read (460.6 s, 312.4 s)" in note
    found = {name: agreement(result) for name, result in results.items()}
    assert [name for name, one in found.items() if one is None or not one.agrees] == ["set-02"]
    assert [name for name, one in found.items() if one and one.rule == "2017's rule"] == ["set-06"]
    assert found["set-02"].rounding_explains


def test_the_logs_of_submission_105_show_that_rounding_is_the_reason() -> None:
    """ior_hard_write is printed as 0.052 GiB/s; its log has 53.74 MiB/s, and with it the bandwidth agrees."""
    folder = beside("reference/io500-raw") / "set-02"
    result = read_directory(folder)
    phases = dict(result.phases)
    for name in [each for each in PHASES if each.startswith("ior")]:
        (run,) = tools()["ior"].parse_log((folder / f"{name}.txt").read_text())
        phases[name] = replace(phases[name], value=run.rows[0]["bw_mib_s"] / 1024)
    assert result.published.bandwidth_gib_s == 8.52862
    assert score(result.phases).bandwidth_gib_s == pytest.approx(8.5091, abs=1e-4)
    assert score(phases).bandwidth_gib_s == pytest.approx(8.52862, rel=1e-5)
    assert score(phases).today == pytest.approx(result.published.total, rel=TOLERANCE / 10)


def test_zero_and_rounding() -> None:
    assert relative(0.0, 0.0) == 0.0
    assert abs(relative(1.0, 1.0005)) < TOLERANCE
    phases = {name: Io500Phase(name, 0.0 if name == "find" else 1.0, 0.0005) for name in PHASES}
    assert score(phases).today == 0.0
