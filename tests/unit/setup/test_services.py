"""envs/without-services: what the packages of the lab bring is neither started nor enabled."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.programs import ran

ROOT = Path(__file__).resolve().parents[3]
POLICY = "usr/sbin/policy-rc.d"
UNIT = "[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n"


@pytest.fixture
def system(tmp_path: Path) -> Path:
    for folder in ("usr/sbin", "etc/rc2.d", "etc/rc3.d", "usr/lib/systemd/system"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "etc/rc2.d/S01before").symlink_to("../init.d/before")
    for name in ("before", "server"):
        (tmp_path / f"usr/lib/systemd/system/{name}.service").write_text(UNIT)
    return tmp_path


def installed(system: Path, script: str) -> subprocess.CompletedProcess[str]:
    return ran(
        [ROOT / "envs/without-services", "bash", "-euc", script],
        env={"SYSTEM": str(system), "PATH": os.environ["PATH"]},
    )


def test_the_policy_forbids_every_start_while_packages_are_installed_and_is_gone_afterwards(
    system: Path,
) -> None:
    done = installed(system, f'"$SYSTEM/{POLICY}" server start || echo "policy $?"')
    assert (done.returncode, done.stdout, done.stderr) == (0, "policy 101\n", "")
    assert not (system / POLICY).exists()


def test_a_failed_installation_fails_and_leaves_no_policy(system: Path) -> None:
    assert installed(system, "exit 100").returncode == 100
    assert not (system / POLICY).exists()


def test_the_policy_of_a_set_up_that_was_killed_is_replaced(system: Path) -> None:
    installed(system, 'kill -KILL "$PPID"')
    assert (system / POLICY).exists()
    assert installed(system, "true").returncode == 0
    assert not (system / POLICY).exists()


def test_a_policy_of_the_machine_is_kept(system: Path) -> None:
    (system / POLICY).write_text("#!/bin/sh\nexit 104\n")
    assert installed(system, "true").returncode == 0
    assert (system / POLICY).read_text() == "#!/bin/sh\nexit 104\n"


def test_init_scripts_that_are_new_do_not_start_at_the_next_boot(system: Path) -> None:
    assert installed(system, 'ln -s ../init.d/server "$SYSTEM/etc/rc3.d/S02server"').returncode == 0
    assert sorted(file.name for file in system.glob("etc/rc?.d/*")) == ["K02server", "S01before"]


def test_units_that_are_new_are_disabled_and_others_are_not(system: Path) -> None:
    if shutil.which("systemctl") is None:
        pytest.skip("systemctl is missing")
    enable = ["systemctl", f"--root={system}", "--quiet", "enable"]
    subprocess.run([*enable, "before.service"], check=True, capture_output=True)
    done = installed(system, 'systemctl --root="$SYSTEM" --quiet enable server.service')
    assert done.returncode == 0, done.stderr
    wanted = system / "etc/systemd/system/multi-user.target.wants"
    assert [link.name for link in wanted.iterdir()] == ["before.service"]
