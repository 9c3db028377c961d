"""A target's own commands: whatever an interrupt leaves of them is ended, and clean-up sees all of it."""

import contextlib
from dataclasses import replace
from pathlib import Path

import pytest

from weir.base.errors import TargetUnavailableError
from weir.measure.clean_up.prepared_target import PREPARE_TOKEN, prepared
from weir.measure.execute import processes_with_token
from weir.records.model import Target

# A mount that comes up in the background, in a session of its own.
_DAEMON = ["sh", "-c", "setsid sleep 600 >/dev/null 2>&1 &"]
_RESTLESS = ["sh", "-c", 'nohup sh -c \'exec sh -c "$0" "$0"\' \'exec sh -c "$0" "$0"\' >/dev/null 2>&1 &']


def target(folder: Path, *prepare: list[str], cleanup: str = "true") -> Target:
    counted = ["sh", "-c", f"echo cleaned >>{folder}/log; {cleanup}"]
    commands = tuple(tuple(command) for command in prepare)
    return Target("disk", "disk", str(folder), prepare=commands, cleanup=(tuple(counted),))


def cleanings(folder: Path) -> int:
    return (folder / "log").read_text().count("cleaned")


@pytest.mark.parametrize("error", [KeyboardInterrupt(), TargetUnavailableError("hangs")])
def test_an_interrupt_ends_what_prepare_started_and_cleans_up_again(
    tmp_path: Path, error: BaseException
) -> None:
    token = f"{tmp_path.name}-interrupted"
    cleaned: list[int] = []
    with (
        contextlib.suppress(type(error)),
        prepared(target(tmp_path, _DAEMON), token, lambda _: cleaned.append(cleanings(tmp_path))),
    ):
        assert any(processes_with_token(PREPARE_TOKEN + token) for _ in range(50))
        raise error
    assert processes_with_token(PREPARE_TOKEN + token) == []
    assert cleaned == [2]


def test_a_process_that_starts_a_program_in_each_moment_is_found_and_ended(tmp_path: Path) -> None:
    """While the kernel exchanges the program, a process has no environment to be known by."""
    token = f"{tmp_path.name}-restless"
    with contextlib.suppress(KeyboardInterrupt), prepared(target(tmp_path, _RESTLESS), token):
        raise KeyboardInterrupt
    assert [processes_with_token(PREPARE_TOKEN + token) for _ in range(5)] == [[]] * 5


def test_a_complaint_of_clean_up_ends_what_prepare_started(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with prepared(target(tmp_path, _DAEMON, cleanup="echo in use >&2; exit 1"), tmp_path.name):
        pass
    assert processes_with_token(PREPARE_TOKEN + tmp_path.name) == []
    assert cleanings(tmp_path) == 2
    assert "in use" in capsys.readouterr().err


def test_words_of_another_character_set_are_a_complaint_like_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with prepared(target(tmp_path, cleanup=r"printf 'besch\344ftigt' >&2; exit 1"), tmp_path.name):
        pass
    assert "besch\ufffdftigt" in capsys.readouterr().err


def test_after_a_whole_batch_clean_up_alone_ends_what_prepare_started(tmp_path: Path) -> None:
    with prepared(target(tmp_path, ["true"]), tmp_path.name):
        pass
    assert cleanings(tmp_path) == 1


def test_a_library_to_preload_that_is_not_there_makes_the_target_unavailable(tmp_path: Path) -> None:
    """An installation without the emulated pool: the loader warns, and each run would fail for itself."""
    library = tmp_path / "libpool.so"
    pool = replace(target(tmp_path), environment={"LD_PRELOAD": f"libc.so.6:{library}"})
    with pytest.raises(TargetUnavailableError, match=r"libpool\.so is not there, which LD_PRELOAD names"):
        prepared(pool).__enter__()
    library.touch()
    with prepared(pool):
        assert not (tmp_path / "log").exists()
    assert cleanings(tmp_path) == 1


def test_a_library_that_the_loader_cannot_be_told_is_named_with_its_path(tmp_path: Path) -> None:
    """The pool of a checkout below a directory with spaces in its name."""
    library = tmp_path / "α β" / "libpool.so"
    library.parent.mkdir()
    library.touch()
    pool = replace(target(tmp_path), environment={"LD_PRELOAD": f"libc.so.6:{library}"})
    with pytest.raises(
        TargetUnavailableError, match=r"LD_PRELOAD names .*/α β/libpool\.so, which the loader splits"
    ) as caught:
        prepared(pool).__enter__()
    assert caught.value.problems[0].hint == "move the library, or the checkout, to a path without spaces"
