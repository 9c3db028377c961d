"""A process ends with the one that started it, and an interrupt is neither lost nor repeated."""

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from weir.base.processes import EXIT_INTERRUPTED

# Prints a line when it follows its starter, and one for each interrupt.
FOLLOWER = """
import sys, time
from weir.base.processes import Interrupt
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

# Forks processes that follow; each prints a letter then, and another one when it is ended.
FORKED = """
import os, signal, sys, time
from weir.measure.clean_up.starter import follow_the_starter
from weir.site.schedulers import surrounding
def end(*_):
    os.write(1, b"e")
    os._exit(0)
signal.signal(signal.SIGTERM, end)
surrounding(os.environ)  # what it imports is read once
for _ in range(140):
    if os.fork() == 0:
        follow_the_starter()
        os.write(1, b"f")
        time.sleep(600)
        os._exit(0)
"""
STARTER_OF_MANY = f"""
import os, subprocess, sys
from weir.measure.clean_up.starter import Starter
starter = Starter()
print(os.environ["WEIR_STARTER"], flush=True)
sys.stdin.readline()
subprocess.call([sys.executable, "-c", {FORKED!r}], stderr=subprocess.DEVNULL)
sys.stdin.readline()
starter.let_go()
sys.stdin.readline()
"""
# Acts as a user who wants to hinder another one; prints how often that failed.
STRANGER = """
import os, re, socket, sys
os.setgid(65534)
os.setuid(65534)
refused = 0
reached = []
descriptor = "/proc/%s/fd/%s" % tuple(os.environ["OF_ANOTHER_USER"].split("/")[i] for i in (-4, -2))
for _ in range(1000):
    try:
        reached.append(os.open(descriptor, os.O_RDONLY | os.O_NONBLOCK))
    except OSError:
        refused += 1
pid = os.environ["OF_ANOTHER_USER"].split("/")[-4]
for name in re.findall(rf"@\\S*\\b{pid}\\b\\S*", open("/proc/net/unix").read()):
    for _ in range(1000):
        reached.append(socket.socket(socket.AF_UNIX))
        reached[-1].setblocking(False)
        reached[-1].connect("\\0" + name[1:])
print(refused, len(reached))
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
    return process.stdout.readline().rstrip("\n")


def test_what_a_killed_process_started_is_interrupted() -> None:
    with python(STARTER) as starter:
        assert line(starter) == "follows"
        starter.kill()
        assert line(starter) == "interrupted by SIGTERM"


def test_one_that_lets_go_interrupts_what_it_started_and_what_it_starts_afterwards() -> None:
    with python(STARTER) as starter:
        assert line(starter) == "follows"
        starter.stdin.write("let go\n")
        starter.stdin.flush()
        after = [line(starter), line(starter)]
        after += [line(starter)] if "follows" in after else []
        assert after.count("interrupted by SIGTERM") == 2


@pytest.mark.parametrize("how", ["kill", "let go"])
def test_however_many_follow_all_end_and_another_user_cannot_hinder_it(how: str) -> None:
    with python(STARTER_OF_MANY) as starter:
        name = line(starter)
        if os.geteuid() == 0:
            with python(STRANGER, OF_ANOTHER_USER=name) as stranger:
                assert stranger.communicate(timeout=60)[0] == "1000 0\n"
        starter.stdin.write("start\n")
        starter.stdin.flush()
        assert starter.stdout.read(140) == 140 * "f"
        if how == "kill":
            starter.kill()
        else:
            starter.stdin.write("let go\n")
            starter.stdin.flush()
        assert starter.stdout.read(140) == 140 * "e"


@pytest.mark.parametrize(
    ("variable", "gone"),
    [
        ("WEIR_STARTER_PROCESS", "99999999999999999999"),
        ("WEIR_STARTER_PROCESS", "{pid}"),
        ("WEIR_STARTER", ""),
    ],
)
def test_a_name_of_a_starter_that_is_gone_ends_a_command_with_a_message(variable: str, gone: str) -> None:
    with python("from weir.measure.clean_up.starter import Starter; import os; Starter(); "
                "print(os.getpid(), os.environ['WEIR_STARTER'])") as starter:  # fmt: skip
        pid, name = (starter.communicate()[0] or "").split()
    command = ["-m", "weir", "run", "--plan", "there-is-none.json", "--results", "none"]
    program = f"import subprocess, sys; sys.exit(subprocess.call([sys.executable, *{command!r}], stderr=1))"
    with python(program, **{variable: gone.format(pid=pid) or name}) as follower:
        printed = follower.communicate(timeout=60)[0]
    named = gone.format(pid=pid) or pid
    assert f"weir: process {named}, which {variable} names, has ended or let go: nothing is done" in printed
    assert f"unset {variable}" in printed
    assert follower.returncode == EXIT_INTERRUPTED


def test_a_recipe_of_make_ends_with_make() -> None:
    with (
        subprocess.Popen(["sleep", "600"]) as make,
        python(FOLLOWER, WEIR_STARTER_PROCESS=str(make.pid)) as follower,
    ):
        assert line(follower) == "follows"
        make.kill()
        make.wait()
        assert line(follower) == "interrupted by SIGTERM"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_a_signal_to_make_alone_reaches_its_recipe(number: signal.Signals, tmp_path: Path) -> None:
    """make waits for the recipe, and tells it nothing."""
    (tmp_path / "follower.py").write_text(FOLLOWER)
    (tmp_path / "Makefile").write_text(
        f"all:\n\t@WEIR_STARTER_PROCESS=$$PPID '{sys.executable}' follower.py\n"
    )
    command = f"os.chdir({str(tmp_path)!r}); os.execvp('make', ['make'])"
    with python(f"import os; {command}") as make:
        assert line(make) == "follows"
        make.send_signal(number)
        assert line(make) == "interrupted by SIGTERM"


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
        from weir.base.processes import Interrupt
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
        from weir.base.processes import Interrupt
        Interrupt()
        try:
            signal.raise_signal({int(number)})
            print("goes on")
        except KeyboardInterrupt:
            print("ends")
    """
    with python(program) as process:
        assert process.communicate(timeout=60)[0] == ("ends\n" if ends else "goes on\n")
