"""envs/setup.sh on a copy of its lists, with fakes of apt, dpkg and Python that only record their calls."""

import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.programs import ran, replace_in, write_program
from tests.unit.setup.machine import LOCKED, Machine
from tests.workflow.processes import until

ROOT = Path(__file__).resolve().parents[3]
REPORT_ROLES = ("measure", "analyse", "report")


def packages_of(*roles: str) -> set[str]:
    lines = [
        line for role in roles for line in (ROOT / "envs" / "apt" / f"{role}.txt").read_text().splitlines()
    ]
    return {line.split("#")[0].strip() for line in lines} - {""}


def test_first_call_installs_what_the_roles_need_and_the_second_does_and_says_nothing(
    machine: Machine,
) -> None:
    output = machine.set_up(*REPORT_ROLES)
    assert output.splitlines()[-1].startswith("setup: ready in ")
    first, *others = machine.installs()
    assert first.split()[-1] == "python3-venv", "so that pip works while dpkg does"
    installed = {word for install in others for word in install.split()}
    assert packages_of(*REPORT_ROLES) <= installed
    assert not (packages_of("develop") - packages_of(*REPORT_ROLES)) & installed
    (fetching,) = (call for call in machine.calls("python3") if "requirements.txt" in call)
    assert "--no-compile" in fetching
    machine.forget_calls()
    assert machine.set_up(*REPORT_ROLES) == ""
    assert not (machine.notes / "calls").exists()


@pytest.mark.parametrize("locale", ["C", "en_XX.UTF-8"])
def test_the_environment_finds_its_checkout_in_any_locale(tmp_path: Path, locale: str) -> None:
    """Also one that has ASCII alone, as all programs have where the locale of the user is not installed."""
    top = tmp_path / "α β"
    venv = top / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    (folder,) = venv.glob("lib/python*/site-packages")
    (folder / "__editable__.weir_storage-1.0.pth").write_text(f"{top}\n", encoding="utf-8")
    script = '. "$0"; top=$1 venv=$2 python=$3; path_by_its_bytes'
    functions = ROOT / "envs/pip/environment.sh"
    subprocess.run(["bash", "-euc", script, functions, top, venv, sys.executable], check=True)
    code = "import os, sys; print(os.fsencode(sys.path[-1]))"
    environment = os.environ | {"LC_ALL": locale}
    environment.pop("PYTHONPATH", None)
    done = ran([venv / "bin/python", "-c", code], env=environment)
    assert (done.returncode, done.stdout.strip()) == (0, repr(os.fsencode(top))), done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("state", ["passes", "fails"])
def test_the_engine_is_compiled_while_the_rest_is_installed(machine: Machine, state: str) -> None:
    write_program(
        machine.checkout / ".ci/build",
        "#!/bin/bash\n"
        'echo "build $(sort "$notes/installed" | tr "\\n" " ")" >>"$notes/calls"\n'
        f"exit {int(state == 'fails')}\n",
    )
    (machine.notes / "apt-sleeps").write_text("0.5")
    machine.set_up("--build", *REPORT_ROLES)
    *_, rest = machine.installs()
    (build,) = machine.calls("build")
    assert packages_of("measure") <= set(build.split())
    assert not packages_of("report") & set(build.split())
    assert packages_of("report") <= set(rest.split())


def test_on_a_slow_line_bytes_tell_that_something_comes(tmp_path: Path) -> None:
    """The number of packages stands still for minutes while a large one is fetched."""
    script = (ROOT / "envs" / "setup.sh").read_text()
    functions = re.findall(r"(?ms)^(?:apt_so_far|fetched_so_far)\(\) \{.*?^\}", script)
    log, fetched = tmp_path / "log", tmp_path / "fetched" / "partial"
    log.write_text("Get:1 a\nGet:2 b\n")

    def told() -> str:
        text = f"log={log} fetched={fetched.parent}\n" + "\n".join([*functions, "apt_so_far"])
        return ran(["bash", "-euc", text], check=True).stdout

    assert told() == "packages fetched 2, unpacked 0, ready 0"
    fetched.mkdir(parents=True)
    with (fetched / "large.deb").open("wb") as stream:
        stream.truncate(123_456_789)
    assert told() == "packages fetched 2 (123 MB), unpacked 0, ready 0"


def test_the_next_packages_are_fetched_while_others_are_installed(machine: Machine) -> None:
    """Without the lock of dpkg, and into the folder that the installation takes them from."""
    machine.set_up(*REPORT_ROLES)
    fetches = [call for call in machine.calls("apt-get") if "--download-only" in call]
    of_measure = packages_of("measure") - packages_of("analyse", "report")
    assert of_measure - {"gcc", "libc6-dev"} <= set(fetches[-2].split())
    assert packages_of("analyse", "report") <= set(fetches[-1].split())
    assert all("--option=Debug::NoLocking=true" in fetch for fetch in fetches)
    calls = " ".join([*fetches, *machine.installs()]).split()
    folders = {word for word in calls if "Dir::Cache::Archives=" in word}
    assert len(folders) == 1
    assert not Path(folders.pop().split("=")[-1]).exists()


@pytest.mark.slow
def test_roles_for_later_are_fetched_beside_the_others_and_installed_by_their_own_call(
    machine: Machine,
) -> None:
    """What measures first is waited for first; and what somebody else has to install is told at once."""
    # Slow enough for a fetch that begins beside the last lot and ends with it.
    (machine.notes / "apt-sleeps").write_text("0.3")
    machine.set_up("measure", "--later", "analyse", "report")
    of_later = packages_of("analyse", "report") - packages_of("measure")
    fetched = {
        word for call in machine.calls("apt-get") if "--download-only" in call for word in call.split()
    }
    assert of_later <= fetched
    assert not of_later & {word for call in machine.installs() for word in call.split()}
    assert machine.set_up("--look", "measure") == ""
    assert machine.set_up("--look", "analyse", code=1) == ""
    assert machine.set_up("measure", "--later", "analyse", "report") == ""
    output = machine.set_up("measure", "--later", "analyse", "report", code=1, STAND_IN_UID="1000")
    assert "    sudo apt-get install" in output
    assert of_later <= set(output.split())
    machine.forget_calls()
    machine.set_up("analyse", "report")
    (install,) = machine.installs()
    assert of_later <= set(install.split())


@pytest.mark.slow
def test_develop_takes_the_larger_lock_which_holds_the_smaller(machine: Machine) -> None:
    machine.set_up("measure", "develop")
    (fetching,) = (call for call in machine.calls("python3") if "requirements-develop.txt" in call)
    assert "--no-compile" not in fetching
    machine.forget_calls()
    assert machine.set_up("measure") == ""
    assert machine.calls("python3") == []


def test_a_package_that_was_removed_is_noticed(machine: Machine) -> None:
    machine.set_up("measure")
    installed = machine.notes / "installed"
    installed.write_text("".join(line for line in installed.open() if line != "cmake\n"))
    machine.forget_calls()
    machine.set_up("measure")
    (install,) = machine.installs()
    assert packages_of("measure") & set(install.split()) == {"cmake"}
    assert machine.calls("python3") == []


def test_an_edited_lock_is_noticed(machine: Machine) -> None:
    machine.set_up("measure")
    with (machine.checkout / "envs" / "pip" / "requirements.txt").open("a") as lock:
        lock.write("# newer\n")
    machine.forget_calls()
    machine.set_up("measure")
    assert any("requirements.txt" in call for call in machine.calls("python3"))
    assert machine.calls("apt-get") == []


@pytest.mark.slow
def test_a_checkout_that_was_moved_gets_a_new_environment(machine: Machine) -> None:
    machine.set_up("measure")
    machine.checkout = machine.checkout.rename(machine.checkout.with_name("elsewhere"))
    machine.forget_calls()
    machine.set_up("measure")
    assert f"python3 -m venv --clear {machine.checkout}/.venv" in machine.calls("python3")


@pytest.mark.slow
def test_the_environment_of_another_checkout_is_not_emptied_through_a_link(machine: Machine) -> None:
    machine.set_up("measure")
    theirs = (machine.checkout / ".venv").rename(machine.checkout.with_name("theirs"))
    before = sorted(theirs.rglob("*"))
    (machine.checkout / ".venv").symlink_to(theirs)
    with (theirs / "bin/pip").open("w") as pip:
        pip.write("#!/the/other/checkout/.venv/bin/python\n")
    machine.set_up("develop")
    assert sorted(theirs.rglob("*")) == before
    assert not (machine.checkout / ".venv").is_symlink()
    assert (machine.checkout / ".venv" / "bin" / "weir").exists()


def test_another_user_is_told_the_command_and_nothing_is_begun(machine: Machine) -> None:
    (machine.notes / "bin" / "id").unlink()
    is_root = os.getuid() == 0
    if is_root and not shutil.which("setpriv"):
        pytest.skip("setpriv is missing: cannot become another user")
    before = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups") if is_root else ()
    installed = machine.notes / "installed"
    installed.write_text(
        "".join(f"{name}\n" for name in packages_of("measure") - {"cmake"} | {"python3-venv"})
    )
    output = machine.set_up("measure", code=1, before=before)
    assert "    sudo apt-get install -y --no-install-recommends cmake\n" in output
    assert not (machine.checkout / ".venv").exists()
    assert not (machine.checkout / "build").exists()
    assert machine.calls("apt-get") == []


@pytest.mark.parametrize("roles", [("mesure",), (), ("measure", "all"), ("../pip/requirements",)])
def test_wrong_roles_are_wrong_use(machine: Machine, roles: tuple[str, ...]) -> None:
    output = machine.set_up(*roles, code=2)
    assert "known roles: analyse develop lab measure report" in output
    assert not (machine.notes / "calls").exists()


def test_debian_packages_can_be_left_alone(machine: Machine) -> None:
    (machine.notes / "installed").write_text("python3-venv\n")
    machine.set_up(*REPORT_ROLES, WEIR_APT="no", STAND_IN_UID="1000")
    assert machine.calls("apt-get") == []
    assert (machine.checkout / ".venv" / "bin" / "weir").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("who", "text", "sentence"),
    [
        ("apt", "Err:1 Temporary failure resolving 'mirror.example'", "the network could not be reached"),
        ("apt", "E: Unable to locate package cmake", "apt does not know a package of envs/apt for debian-12"),
        ("apt", "dpkg: error: No space left on device", "the disk is full"),
        (
            "pip",
            "NewConnectionError: Failed to establish a new connection",
            "the network could not be reached",
        ),
        ("pip", "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES", "a download is not what the lock says"),
        ("pip", "SSL: CERTIFICATE_VERIFY_FAILED", "certificate is not trusted"),
    ],
)
def test_a_failure_is_explained_and_the_next_call_tries_again(
    machine: Machine, who: str, text: str, sentence: str
) -> None:
    broken = machine.notes / f"{who}-fails"
    broken.write_text(f"{text}\n")
    output = machine.set_up("measure", code=1)
    assert text in output
    assert sentence in output
    assert "build/setup.log" in output
    broken.unlink()
    machine.set_up("measure")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("roles", "extra"),
    [(("measure",), {}), (("develop",), {}), (("measure",), {"PYTHONDONTWRITEBYTECODE": "1"})],
)
def test_packages_that_pip_cannot_install_are_missing(
    machine: Machine, roles: tuple[str, ...], extra: dict[str, str]
) -> None:
    """Also where no Debian package is missing, and pip works alone."""
    (machine.notes / "installed").write_text("python3-venv\n")
    broken = machine.notes / "pip-fails"
    broken.write_text("Connection refused\n")
    assert "the network could not be reached" in machine.set_up(*roles, code=1, WEIR_APT="no", **extra)
    assert len([call for call in machine.calls("python3") if " pip " in call]) == 1, "nothing follows it"
    broken.unlink()
    machine.set_up(*roles, WEIR_APT="no", **extra)


def test_packages_are_installed_in_the_environment_whatever_the_users_own_has(machine: Machine) -> None:
    """Those on PYTHONPATH count as installed to pip, and are gone with the module."""
    (machine.notes / "installed").write_text("python3-venv\n")
    machine.set_up("measure", WEIR_APT="no", PYTHONPATH="/apps/python/lib")
    assert len(machine.calls("python3")) == 4, "an environment, the lock, weir, and a check"
    assert not [call for call in machine.calls("python3") if "PYTHONPATH" in call]
    installs = [call for call in machine.calls("python3") if " install " in call]
    assert all("--no-user" in call for call in installs), "whatever pip.conf has"


@pytest.mark.slow
@pytest.mark.parametrize("message", LOCKED)
def test_a_lock_that_another_process_holds_is_waited_for(machine: Machine, message: str) -> None:
    held = machine.notes / "lock-held"
    held.write_text(f"{message}\n")
    process = machine.start("measure")
    assert until(lambda: len(machine.calls("dpkg")) > 1)
    assert machine.installs() == []
    held.unlink()
    output, _ = process.communicate(timeout=300)
    assert process.returncode == 0, output
    assert output.count("another process holds the lock of dpkg or apt") == 1
    assert len(machine.installs()) == 4
    assert all("DPkg::Lock::Timeout=600" in install for install in machine.installs())


@pytest.mark.slow
def test_a_lock_that_is_never_released_ends_with_advice(machine: Machine) -> None:
    replace_in(machine.checkout / "envs" / "setup.sh", "lock_wait_s=600", "lock_wait_s=1")
    (machine.notes / "lock-held").write_text(f"{LOCKED[0]}\n")
    output = machine.set_up("measure", code=1)
    assert "another process still holds the lock of dpkg or apt: wait until it ends" in output
    assert machine.installs() == []


def test_the_real_dpkg_reports_a_held_lock_in_the_words_that_are_looked_for(tmp_path: Path) -> None:
    if not shutil.which("dpkg"):
        pytest.skip("dpkg is missing")
    (tmp_path / "updates").mkdir()
    for name in ("status", "available"):
        (tmp_path / name).touch()
    with (tmp_path / "lock-frontend").open("w") as lock:
        fcntl.lockf(lock, fcntl.LOCK_EX)
        options = ["dpkg", "--force-not-root", f"--admindir={tmp_path}", "--configure", "-a"]
        environment = {"LC_ALL": "C", "PATH": "/usr/bin:/bin:/usr/sbin:/sbin"}
        done = ran(options, env=environment)
    assert done.returncode != 0
    assert "lock was locked by " in done.stderr
    assert (ROOT / "envs" / "setup.sh").read_text().count('*"lock was locked by "*') == 2


@pytest.mark.slow
def test_two_at_once_install_once(machine: Machine) -> None:
    (machine.notes / "apt-sleeps").write_text("0.5")
    both = [machine.start("measure") for _ in range(2)]
    outputs = [process.communicate(timeout=300)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0], outputs
    assert len(machine.installs()) == 4, "python3-venv, the compiler, those of the role, and all"


@pytest.mark.slow
def test_an_interrupt_ends_what_was_started(machine: Machine) -> None:
    (machine.notes / "apt-sleeps").write_text("300")
    process = machine.start("measure")
    assert until(lambda: bool(machine.calls("apt-get")))
    process.send_signal(signal.SIGTERM)
    # It returns at once only if nothing that was started still holds the pipe.
    process.communicate(timeout=120)
    assert process.returncode == 130
    (machine.notes / "apt-sleeps").unlink()
    machine.set_up("measure")


@pytest.mark.slow
def test_an_interrupt_leaves_no_temporary_file(machine: Machine, tmp_path: Path) -> None:
    (machine.notes / "venv-sleeps").write_text("300")
    process = machine.start("measure", TMPDIR=str(tmp_path))
    assert until(lambda: any("-m venv" in call for call in machine.calls("python3")))
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=120)
    assert process.returncode == 130
    assert [*tmp_path.iterdir()] == []
    assert not (machine.checkout / "build/setup-tmp").exists()


@pytest.mark.slow
def test_when_apt_fails_pip_ends_as_well(machine: Machine) -> None:
    (machine.notes / "installed").write_text("python3-venv\n")
    (machine.notes / "pip-sleeps").write_text("300")
    (machine.notes / "apt-sleeps").write_text("0.5")  # until pip has begun
    (machine.notes / "apt-fails").write_text("E: Unable to locate package r-base-core\n")
    process = machine.start("measure")
    # It returns at once only if nothing that was started still holds the pipe.
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "apt does not know a package" in output
