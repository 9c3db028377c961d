"""The example of 2017, the table of submissions, percentiles, and the command."""

import csv
import json
from pathlib import Path

import pytest

from tests.checkout import ROOT
from tests.unit.conftest import RunWeir
from tests.unit.decide.io500.results import ini, new_summary, old_summary, write
from weir.base.errors import WeirError
from weir.data import data_folder
from weir.decide.io500.output import checked, table_lines
from weir.decide.io500.result import PHASES, Io500Phase, half_step, score
from weir.decide.io500.submissions import DEFAULT, percentile, read_submissions

HEAD = DEFAULT.read_text().partition("\n")[0]


def test_the_example_of_2017() -> None:
    with (ROOT / "reference" / "published.csv").open(newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["source"] == "io500-2017"]
    printed = {f"{row['metric']}_{row['access']}".rstrip("_"): row["value"] for row in rows}
    printed["find"] = printed.pop("find_find")
    found = score({name: Io500Phase(name, float(printed[name]), half_step(printed[name])) for name in PHASES})
    assert round(found.bandwidth_gib_s, 2) == float(printed["score_bandwidth"]) == 31.04
    assert round(found.iops_kiops, 4) == float(printed["score_iops"]) == 16.1537
    assert found.rule_2017 == pytest.approx(float(printed["score_total"]), rel=1e-4)
    assert round(found.rule_2017, 2) == 501.41


def test_339_of_343_submissions_agree_and_rounding_explains_the_others() -> None:
    found = checked(read_submissions(DEFAULT))
    assert (len(found), sum(one.agrees for _, one in found)) == (343, 339)
    assert sum(each.on_ime for each, _ in found) == 8
    others = [
        (each.result.label, one.coarsest, one.rounding_explains) for each, one in found if not one.agrees
    ]
    names = ["submission-105", "submission-109", "submission-109", "submission-199"]
    assert sorted(others) == [(name, "ior_hard_write", True) for name in names]
    off = sorted(abs(one.off) for _, one in found if not one.agrees)
    assert [round(100 * each, 2) for each in off] == [0.11, 0.16, 0.22, 0.39]
    assert sum("rounding of the printed phases" in line for line in table_lines(found)) == 4
    by_2017 = [each.result.label for each, one in found if one.agrees and one.rule == "2017's rule"]
    assert sorted(by_2017) == ["submission-109", "submission-109", "submission-179", "submission-193"]


def test_a_score_that_rounding_does_not_explain_is_reported(tmp_path: Path) -> None:
    first = DEFAULT.read_text().splitlines()[1]
    table = tmp_path / "table.csv"
    table.write_text(f"{HEAD}\n{first.replace('153.38664', '155.0')}\n")
    text = "\n".join(table_lines(checked(read_submissions(table))))
    assert "rounding does not explain it" in text
    assert text.startswith("1 result set, ")


def test_the_table_is_one_of_the_files_that_a_wheel_has() -> None:
    assert data_folder("reference") / "io500-submissions.csv" == DEFAULT


def test_percentile_counts_equal_values_half() -> None:
    assert percentile(5, [1, 2, 3, 4]) == 100
    assert percentile(0, [1, 2, 3, 4]) == 0
    assert percentile(2, [1, 2, 3, 4]) == 37.5


def test_percentiles_of_a_directory(tmp_path: Path, run_weir: RunWeir) -> None:
    """One submission with a tenth of all values, on IME and 1 node, and one with tenfold values elsewhere."""
    phases = ",".join(["0.4" if unit == "GiB/s" else "0.9" for unit in PHASES.values()])
    large = ",".join(["40.0" if unit == "GiB/s" else "90.0" for unit in PHASES.values()])
    table = tmp_path / "table.csv"
    first = f"A,a,IME,2019,submission-1,,,1,1,{phases},0.6,"
    table.write_text(f"{HEAD}\n{first}\nB,b,Times,2019,submission-2,,,,8,{large},60.0,\n")
    run = write(tmp_path / "run", result_summary=new_summary(), result=ini())
    facts = json.loads(run_weir("io500", run, "--submissions", table, "--json").out)
    place = facts["percentiles"]["find"]
    assert set(place) == {"whole", "process"}  # the nodes of the run are unknown
    whole = {"value": 9, "percentile": 50, "submissions": 2, "below": 1, "ime_below": 1, "ime": 1}
    assert place["whole"] == whole
    assert place["process"]["value"] == 9 / 8
    assert facts["score"]["today"] == pytest.approx(6)
    assert facts["agreement"]["agrees"] is True


def test_a_shortened_run_never_looks_official(tmp_path: Path, run_weir: RunWeir) -> None:
    write(tmp_path, result_summary=old_summary(time_s=12))
    text = run_weir("io500", tmp_path).out
    assert "not a valid IO500 score: shortened run: ior_easy_write lasted 12.0 s of 300 s" in text
    assert "  score " not in text
    assert "published" not in text.partition("no percentiles")[0]
    assert "unofficial, printed in the file: total 6.0000" in text
    assert "index 6.0000 by today's formula" in text
    assert "no percentiles" in text
    assert "percentile:" not in text
    facts = json.loads(run_weir("io500", tmp_path, "--json").out)
    assert (facts["valid"], facts["score"], facts["percentiles"]) == (False, None, None)
    assert (facts["published"], facts["agreement"]) == (None, None)
    assert facts["index_not_a_score"]["today"] == pytest.approx(6)


def test_one_process_is_one(tmp_path: Path, run_weir: RunWeir) -> None:
    one = ini().replace("procs           = 8", "procs           = 1")
    assert "; 1 process\n" in run_weir("io500", write(tmp_path, result=one)).out


def test_the_text_of_a_valid_run(tmp_path: Path, run_weir: RunWeir) -> None:
    text = run_weir("io500", write(tmp_path, result_summary=old_summary(total=36.0))).out
    assert "score 6.0000 by today's rule, 36.0000 by that of 2017" in text
    assert "agrees with 2017's rule within 0.1%" in text
    assert "(343 in all)" in text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", ":1: the column ior_easy_write_gib_s is missing"),
        (f"{HEAD}\n", "contains no submission"),
        (f"{HEAD}\nA,a,IME,2019,s,,,1,1,{','.join(['fast'] * 12)},1,\n", ":2: ior_easy_write_gib_s: fast is"),
        (f"{HEAD}\nA,a,IME,2019,s,,,0,1,{','.join(['1.5'] * 12)},1,\n", ":2: nodes: 0 is not"),
        (f"{HEAD}\nA,a,IME\n", ":2: ior_easy_write_gib_s: an empty field is not"),
    ],
)
def test_a_wrong_table_gets_file_line_and_hint(text: str, message: str, tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text(text)
    with pytest.raises(WeirError) as error:
        read_submissions(table)
    assert message in str(error.value)
    assert error.value.problems[0].hint


def test_the_command_without_input_gives_a_hint(run_weir: RunWeir) -> None:
    assert "weir io500 DIR" in run_weir("io500", code=2).err
    message = run_weir("io500", "--submissions", "absent.csv", code=2).err
    assert "absent.csv" in message
    assert str(DEFAULT) in message
