"""Options that scripts of IOR and mdtest have, with the meaning that they have there."""

import json
import re
import time
from itertools import pairwise

import pytest

from tests.engine.runs import Engine, Fault

SMALL = ["-t", "16k", "-b", "64k"]


@pytest.mark.parametrize(("options", "stays"), [([], False), (["-K"], True), (["-k"], True)])
def test_a_file_with_wrong_data_stays_with_keep_with_error(
    engine: Engine, fault: Fault, options: list[str], stays: bool
) -> None:
    """-K keeps only the files in which wrong data was found; the fault is a wrong bit in each read."""
    good = engine.call(["ior", *SMALL, "-w", "-W", "-G", 7, "-o", "good", *options])
    assert good.code == 0
    assert (engine.folder / "good").exists() == ("-k" in options)
    wrong = engine.call(
        ["ior", *SMALL, "-w", "-W", "-G", 7, "-o", "wrong", *options], environment=fault("flip", "wrong")
    )
    assert wrong.code == 1, wrong.out + wrong.err
    assert (engine.folder / "wrong").exists() == stays


def test_one_attempt_makes_a_short_transfer_a_failure(engine: Engine) -> None:
    short = ["ior", "-a", "NULL", "-w", "-t", "8", "-b", "800", "--null.short-every=5"]
    assert engine.call(short).code == 0
    once = engine.call([*short, "-x"])
    assert once.code == 1
    assert "a short transfer" in once.err


def test_after_the_most_minutes_no_phase_begins(engine: Engine) -> None:
    """Each phase rests 0.4 s before it begins; of five iterations the time allows two phases."""
    quick = engine.good("-a", "NULL", *SMALL, "-T", 1, "-i", 3)
    assert len(quick.document["results"]) == 6
    walled = engine.good("-a", "NULL", *SMALL, "-T", "0.01", "-i", 5, "-d", "0.4")
    assert [result["access"] for result in walled.document["results"]] == ["write", "read"]
    none = engine.call(["ior", "-T", "-1"])
    assert (none.code, "-T -1" in none.err) == (2, True)


def test_memory_is_held_by_each_rank(engine: Engine) -> None:
    done = engine.good("-a", "NULL", *SMALL, "-M", "300m", ranks=2)
    shared = json.loads(engine.call(["ior", "-a", "NULL", "-M", "64m", "-O", "summaryFormat=JSON"], 2).out)
    parameters = shared["tests"][0]["Parameters"]
    assert (parameters["memoryPerNode"], parameters["memoryPerTask"]) == (64 << 20, 32 << 20)
    assert done.document["requested"]["memory_bytes"] == 150 << 20
    wrong = engine.call(["ior", "-M", "much"])
    assert (wrong.code, "-M much" in wrong.err) == (2, True)


def test_hints_are_shown_before_each_row(engine: Engine) -> None:
    hints = {"IOR_HINT__MPI__cb_nodes": "1"}
    arguments = ["ior", "-a", "MPIIO", "--mpiio.showHints", "-w", *SMALL, "-o", engine.folder / "data"]
    done = engine.call(arguments, environment=hints)
    assert done.code == 0, done.err
    passed = done.out.index("hints passed to MPI_File_open() {\n\tcb_nodes = 1\n}\n")
    assert passed < done.out.index("hints returned from opened file {") < done.out.index("\nwrite ")
    refused = engine.call(["ior", "--mpiio.showHints"])
    assert (refused.code, "POSIX takes no MPI-IO hints" in refused.err) == (2, True)


def test_a_dry_run_moves_nothing_and_invents_nothing(engine: Engine) -> None:
    done = engine.good("--dryRun", "-w", "-r", *SMALL, "-o", "data")
    assert done.document["results"] == []
    assert "dryRun              : 1" in done.out
    assert "\nFinished " in done.out
    assert not (engine.folder / "data").exists()


def test_verbosity_adds_lines_and_takes_none(engine: Engine) -> None:
    outs = [engine.call(["ior", *SMALL, "-o", "data", *n * ["-v"]]).out for n in range(4)]
    heads = [
        {re.sub("[0-9].*", "", line.split(":")[0].split("  ")[0]) for line in out.splitlines()}
        for out in outs
    ]
    assert all(less <= more for less, more in pairwise(heads))
    assert "\nremove    -          -" in outs[1]
    assert "\nMax Write: " in outs[1]
    assert "for Data Signature" in outs[2]
    assert outs[3].count("Commencing ") == 2


def test_a_rest_may_be_a_part_of_a_second(engine: Engine) -> None:
    began_s = time.monotonic()
    engine.good("-a", "NULL", *SMALL, "-d", "0.4", "-w")
    assert time.monotonic() - began_s >= 0.4


def test_random_reads_take_the_file_that_is_there(engine: Engine) -> None:
    """As many blocks as are requested, each from the file as it is: larger or smaller than this run's."""
    assert engine.call(["ior", *SMALL, "-w", "-k", "-o", "data"], 2).code == 0
    trace = engine.folder / "t"
    arguments = ["-r", "-t", "16k", "-b", "32k", "-s", 20, "-z", "-z", "-k", "-o", "data", f"--trace={trace}"]
    done = engine.good(*arguments, ranks=2)
    assert done.result("read")["operations"] == 2 * 20 * 2
    assert done.result("read")["file_bytes"] == 2 * 65536
    none = engine.call(["ior", "-r", "-t", "16k", "-b", "1m", "-z", "-z", "-o", "data"], 2)
    assert none.code == 1
    assert "-z -z reads blocks of -b 1048576" in none.err


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("api=POSIX\nrun\n", "no line 'IOR START'"),
        ("IOR START\napi\n", "line 2 of the script: a directive is key=value"),
        ("IOR START\nblockSiz=3\nIOR STOP\n", "did you mean blockSize?"),
        ("IOR START\nrun\nblockSize=3\nrun\n", "must not be smaller"),
    ],
)
def test_a_wrong_script_is_told_before_anything_is_measured(engine: Engine, text: str, phrase: str) -> None:
    (engine.folder / "script").write_text(text)
    done = engine.call(["ior", "-f", "script", "-o", "data", "-k"], 2)
    assert done.code == 2
    assert phrase in done.err
    assert sorted(path.name for path in engine.folder.iterdir()) == ["script"]


def test_tests_of_a_script_build_on_each_other(engine: Engine) -> None:
    (engine.folder / "script").write_text(
        "IOR START\ntransferSize=8k,blockSize=16k # two on a line\nrun\nrun\nsegmentCount=2\n"
    )
    arguments = ["ior", "-a", "NULL", "-w", "-f", "script", "-O", "summaryFormat=JSON"]
    tests = json.loads(engine.call(arguments).out)["tests"]
    sizes = [(test["TestID"], test["Parameters"]["blockSize"], test["Options"]["segments"]) for test in tests]
    assert sizes == [(0, 16384, 1), (1, 16384, 1), (2, 16384, 2)]
    refused = engine.call([*arguments, "--json=own.json"])
    assert (refused.code, "a document holds one" in refused.err) == (2, True)
    assert engine.call(["ior", "-f", "absent"]).code == 2


def test_more_and_more_ranks_of_mdtest(engine: Engine) -> None:
    done = engine.call(["mdtest", "-n", 2, "-f", 1, "-l", 3, "-s", 2, "-d", "md"], 3)
    assert done.code == 0, done.err
    lines = [line for line in done.out.splitlines() if " tasks, " in line]
    assert lines == ["1 tasks, 2 files/directories", "3 tasks, 6 files/directories"]
    assert done.out.count("SUMMARY rate") == 2
    assert done.out.count("-- started at") == done.out.count("-- finished at") == 1
    many = engine.call(["mdtest", "-n", 2, "-f", 1, "-l", 4, "-d", "md"], 3)
    assert (many.code, "3 ranks were launched" in many.err) == (2, True)


def test_mdtest_without_items_makes_its_trees(engine: Engine) -> None:
    done = engine.call(["mdtest", "-z", 1, "-b", 2, "-R", "-d", "md", "--json=own.json"], 2)
    assert done.code == 0, done.err
    results = json.loads((engine.folder / "own.json").read_text())["results"]
    counts = {(result["item"], result["access"]): result["operations"] for result in results}
    assert {item: count for item, count in counts.items() if count} == {
        ("tree", "create"): 3,
        ("tree", "remove"): 3,
    }
    assert not (engine.folder / "md").exists()


def test_a_stonewall_of_mdtest_stops_files_alone(engine: Engine) -> None:
    """All directories are made, as many files as the time allowed, and nothing is left of either."""
    slow = ["-a", "NULL", "--null.delay-us=10000", "-w", "8", "-n", "100", "-W", "0.2"]
    done = engine.call(["mdtest", *slow, "--json=own.json"], 2)
    assert done.code == 0, done.err
    results = json.loads((engine.folder / "own.json").read_text())["results"]
    counts = {(result["item"], result["access"]): result["operations"] for result in results}
    directories = {count for (item, access), count in counts.items() if item == "directory"}
    files = {count for (item, access), count in counts.items() if item == "file"}
    assert directories == {200}
    assert len(files) == 1
    assert files.pop() < 200


def test_mdtest_tells_each_phase_with_verbosity(engine: Engine) -> None:
    quiet, loud = (engine.call(["mdtest", "-n", 1, "-d", "md", *more]).out for more in ([], ["-v"]))
    assert "V-1:" not in quiet
    told = [line.split(":")[1].strip() for line in loud.splitlines() if line.startswith("V-1:")]
    assert told[:2] == ["Tree creation", "Directory creation"]
    assert told[-1] == "Tree removal"
    assert len(told) == 9
