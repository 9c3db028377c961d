"""A process ends with the one that started it, and an interrupt is neither lost nor repeated."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

# Prints a line when it follows its starter, and one for each interrupt.
FOLLOWER = """
import sys, time
from weir.base.interrupts import Interrupt
from weir.measure.clean_up.starter import follow_the_starter
interrupt = Interrupt()
try:
    follow_the_starter()
    print("follows", flush=True)
    time.sleep(600)
except KeyboardInterrupt:
    print("interrupted by", interrupt.cause, flush=True)
"""
STARTER = f"""
import subprocess, sys
from weir.measure.clean_up.starter import Starter
starter = Starter()
follower = subprocess.Popen([sys.executable, "-c", {FOLLOWER!r}])
if sys.stdin.readline() == "let go\\n":
    starter.let_go()
    subprocess.call([sys.executable, "-c", {FOLLOWER!r}])
sys.stdin.readline()
"""


@contextmanager
def python(program: str, **environment: str) -> Iterator[subprocess.Popen[str]]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("WEIR_", "SLURM_"))}
    with subprocess.Popen(
        ["env", "--default-signal", sys.executable, "-c", textwrap.dedent(program)],
        env=clean | environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().rstrip("\n")


def test_what_a_killed_process_started_is_interrupted() -> None:
    with python(STARTER) as starter:
        assert line(starter) == "follows"
        starter.kill()
        assert line(starter) == "interrupted by SIGTERM"


def test_one_that_lets_go_interrupts_what_it_started_and_what_it_starts_afterwards() -> None:
    with python(STARTER) as starter:
        assert line(starter) == "follows"
        assert starter.stdin is not None
        starter.stdin.write("let go\n")
        starter.stdin.flush()
        after = [line(starter), line(starter)]
        after += [line(starter)] if "follows" in after else []
        assert after.count("interrupted by SIGTERM") == 2


def test_a_recipe_of_make_ends_with_make() -> None:
    with (
        subprocess.Popen(["sleep", "600"]) as make,
        python(FOLLOWER, WEIR_STARTER_PROCESS=str(make.pid)) as follower,
    ):
        assert line(follower) == "follows"
        make.kill()
        make.wait()
        assert line(follower) == "interrupted by SIGTERM"


@pytest.mark.parametrize("job", ["", "4711"])
def test_a_job_of_a_batch_system_follows_nobody_outside_of_it(job: str) -> None:
    program = """
        import os, sys
        from weir.measure.clean_up.starter import Starter, follow_the_starter
        starter = Starter()
        os.environ |= {"SLURM_JOB_ID": sys.stdin.readline().strip()} if "JOB" in os.environ else {}
        starter.let_go()
        follow_the_starter()
        import time; time.sleep(1)
        print("goes on")
    """
    with python(program, **({"JOB": "1"} if job else {})) as process:
        printed, _ = process.communicate(job + "\n", timeout=60)
        assert printed == ("goes on\n" if job else "")
        assert process.returncode == (0 if job else -signal.SIGTERM)


def test_an_interrupt_that_python_drops_comes_again_and_a_second_one_does_not_stop_the_clean_up() -> None:
    program = """
        import os, signal, time, weakref
        from weir.base.interrupts import Interrupt
        class Thing: pass
        interrupt = Interrupt()
        thing = Thing()
        reference = weakref.ref(thing, lambda _: signal.raise_signal(signal.SIGINT))
        try:
            del thing
            time.sleep(60)
        except KeyboardInterrupt:
            signal.raise_signal(signal.SIGTERM)
            print("cleaned up")
    """
    with python(program) as process:
        assert process.communicate(timeout=60)[0] == "cleaned up\n"


@pytest.mark.parametrize(
    ("number", "ends"), [(signal.SIGINT, False), (signal.SIGHUP, False), (signal.SIGTERM, True)]
)
def test_a_signal_that_was_ignored_from_the_start_stays_ignored_but_for_term(
    number: signal.Signals, ends: bool
) -> None:
    program = f"""
        import signal
        signal.signal({int(number)}, signal.SIG_IGN)
        from weir.base.interrupts import Interrupt
        Interrupt()
        try:
            signal.raise_signal({int(number)})
            print("goes on")
        except KeyboardInterrupt:
            print("ends")
    """
    with python(program) as process:
        assert process.communicate(timeout=60)[0] == ("ends\n" if ends else "goes on\n")
