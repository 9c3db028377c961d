"""The hash of the configuration, and which submission rules the files of a result decide."""

import json
from pathlib import Path

import pytest

from tests.unit.conftest import RunWeir
from tests.unit.decide.io500.results import IOR_LOG, ini, new_summary, old_summary, write
from weir.decide.io500.directory import read_directory
from weir.decide.io500.result import PHASES, Io500Phase, Io500Result, validity
from weir.decide.io500.submission_rules import submission_rules

# The sections and some of the options that IO500 writes. external-extra-args has no value and is in the hash.
CONFIG = "\n".join(
    [
        "[global]\ndatadir = ./data files\napi = POSIX\ndrop-caches = FALSE\n",
        "[ior-easy]\nAPI = \ntransferSize = 2m\n",
        *(f"[{name.replace('_', '-')}]\nAPI = \nrun = TRUE\n" for name in PHASES if name != "find"),
        "[find]\nexternal-script = \nexternal-mpi-args = -n 2\nexternal-extra-args = \nrun = TRUE\n",
    ]
)
PRINTED = "929BD989"
HASHES = "the hashes of score and configuration fit"
READ_BACK = "data is read on another node than wrote it"
SEARCH = "the search is that of IO500, or its source is submitted"
LASTED = "each write phase lasted 300 s or longer"
STONEWALL = "the stonewall of each write phase is 300 s"
READ_LOG = (
    IOR_LOG.replace("ior -w -t", "ior -r -R -C -Q 1 -t")
    .replace("write    ", "read     ")
    .replace("Max Write", "Max Read")
)


def result_with(printed: str, version: str = "io500-isc24_v3") -> str:
    return ini().replace("mode  ", f"config-hash     = {printed}\nmode  ").replace("io500-isc24_v3", version)


def rule(folder: Path, text: str) -> tuple[str, str]:
    (found,) = [one for one in submission_rules(read_directory(folder)) if one.text == text]
    return found.state, found.because


@pytest.mark.parametrize(
    ("config", "version", "agrees", "text"),
    [
        (CONFIG, "io500-isc24_v3", True, f"{PRINTED} fits config.ini"),
        (CONFIG, "0123abc", True, f"{PRINTED} fits config.ini"),
        (CONFIG.replace("\n", "\r\n"), "io500-isc24_v3", True, "fits"),
        (CONFIG.replace("2m", "4m"), "io500-isc24_v3", False, "config.ini was edited after the run"),
        (CONFIG.replace("2m", "4m"), "", False, "config.ini was edited after the run"),
        (CONFIG.replace("2m", "4m"), "0123abc", None, "shows how version 0123abc hashes it"),
        (CONFIG.replace("2m", "\u00b2m"), "io500-isc24_v3", None, "letters beyond ASCII"),
        (CONFIG.replace("2m", "4m "), "io500-isc24_v3", None, "blanks at the end of line 8"),
        (f"# own\n{CONFIG.replace('2m', '4m')}", "io500-isc24_v3", None, "IO500 writes (line 1)"),
        ("[global]\ndatadir = /d\n", "io500-isc24_v3", None, "no section ior-easy-write"),
        (None, "io500-isc24_v3", None, "the directory has no config.ini"),
    ],
)
def test_the_configuration_is_hashed_as_io500_does(
    config: str | None, version: str, agrees: bool | None, text: str, tmp_path: Path
) -> None:
    write(tmp_path, result=result_with(PRINTED, version), result_summary=new_summary())
    if config is not None:
        (tmp_path / "config.ini").write_bytes(config.encode())
    found = read_directory(tmp_path).config_hash
    assert (found.agrees, found.computed) == (agrees, found.computed if agrees is not None else "")
    assert text in found.text


def test_a_rule_is_decided_by_what_the_files_have(tmp_path: Path, run_weir: RunWeir) -> None:
    write(tmp_path, result=result_with(PRINTED))
    (tmp_path / "config.ini").write_text(CONFIG)
    assert rule(tmp_path, HASHES) == ("not met", "the hash of the score does not fit")
    assert rule(tmp_path, SEARCH)[0] == "met"
    assert rule(tmp_path, READ_BACK) == ("not decided", "the logs of ior_easy_read, ior_hard_read")
    assert rule(tmp_path, "10 physical client nodes or more, for an award")[0] == "not decided"
    shown = run_weir("io500", tmp_path).out
    assert "submission rules: 5 met, 1 not met, 8 not decided by these files" in shown
    assert "  not decided  data is persistent when a phase ends: needs counters of the devices" in shown
    rules = json.loads(run_weir("io500", tmp_path, "--json").out)["submission_rules"]
    assert len(rules) == 14
    assert rules[0] == {"rule": HASHES, "state": "not met", "because": "the hash of the score does not fit"}


@pytest.mark.parametrize(
    ("name", "files", "state", "because"),
    [
        (LASTED, old_summary(12.0), "not met", "ior_easy_write 12.0 s"),
        (LASTED, ini(time_s=None), "not decided", "the time of ior_easy"),
        (STONEWALL, ini(stonewall_s=30), "not met", "mdtest_hard_write 30"),
        (STONEWALL, new_summary(), "not decided", "the command lines of"),
        ("IO500 marks nothing as invalid", ini(score="6.000000 [INVALID]"), "not met", "the score"),
        ("all phases ran", ini().replace("[find]", "[find-easy]"), "not met", "find missing"),
    ],
)
def test_what_a_result_alone_decides(name: str, files: str, state: str, because: str, tmp_path: Path) -> None:
    write(tmp_path, result=files)
    assert rule(tmp_path, name)[0] == state
    assert because in rule(tmp_path, name)[1]


@pytest.mark.parametrize(
    ("change", "state", "because"),
    [
        (("", ""), "met", "the logs have no difference"),
        ((" -C -Q 1", ""), "not decided", "may read what their own node wrote"),
        ((" -R", ""), "not decided", "is not compared"),
        (("nodes               : 2", "nodes               : 1"), "not decided", "or is 1"),
        (("Max Read", "WARNING: Incorrect data on read (3 errors found).\nMax Read"), "not met", "Incorrect"),
    ],
)
def test_what_was_read_back_is_of_another_node(
    change: tuple[str, str], state: str, because: str, tmp_path: Path
) -> None:
    log = READ_LOG.format(stonewall=300)
    write(tmp_path, result=ini(), ior_easy_read=log.replace(*change), ior_hard_read=log)
    assert rule(tmp_path, READ_BACK)[0] == state
    assert because in rule(tmp_path, READ_BACK)[1]


def test_a_phase_that_is_short_by_a_moment_does_not_read_as_long_enough() -> None:
    """ "lasted 300.0 s of 300 s" stood beside "not a valid IO500 score"."""
    phases = {name: Io500Phase(name, 1.0, 0.0005, 299.97, 300.0) for name in PHASES}
    result = Io500Result(Path("result"), phases)
    assert validity(result).reasons[0] == "ior_easy_write lasted 299.9 s of 300 s"
    (found,) = [one for one in submission_rules(result) if one.text == LASTED]
    assert found.because.startswith("ior_easy_write 299.9 s, ")
