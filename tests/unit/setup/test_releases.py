"""envs/setup.sh on releases other than Debian 12: known, never run, derived from a known one, and unknown."""

import re
from pathlib import Path

import pytest

from tests.programs import write_program
from tests.unit.setup.machine import Machine

APT = Path(__file__).resolve().parents[3] / "envs" / "apt"
RELEASES = sorted((APT / "releases").glob("*.txt"))
EL = ('ID="rocky"', 'VERSION_ID="9.4"', 'PLATFORM_ID="platform:el9"')


def exceptions(release: Path) -> dict[str, list[str]]:
    lines = (line.split("#")[0] for line in release.read_text().splitlines())
    pairs = (line.split("=") for line in lines if "=" in line)
    return {name.strip(): others.split() for name, others in pairs}


def test_releases_that_are_known_and_which_of_them_weir_was_installed_on() -> None:
    installed = {file.stem for file in RELEASES if "never run" not in file.read_text().splitlines()}
    assert installed == {"debian-12", "debian-13"}
    assert {file.stem for file in RELEASES} - installed == {"ubuntu-24.04", "el-9"}


@pytest.mark.parametrize("release", RELEASES, ids=lambda file: file.stem)
def test_an_exception_is_from_a_name_of_the_lists(release: Path) -> None:
    named = {line.split()[0] for file in APT.glob("*.txt") for line in file.read_text().splitlines() if line}
    found = exceptions(release)
    assert found.keys() <= named | {"python3", "python3-venv"}
    for name, others in found.items():
        assert others
        assert others != [name]
        assert others == ["-"] or all(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.+-]+", other) for other in others)


@pytest.mark.slow
def test_debian_13_installs_by_the_names_of_the_lists(machine: Machine) -> None:
    machine.is_release("ID=debian", "VERSION_ID=13")
    output = machine.set_up("measure")
    assert "never" not in output
    assert "libhdf5-openmpi-dev" in machine.installs()[-1].split()


@pytest.mark.slow
def test_ubuntu_installs_without_what_it_lacks_and_reports_that_it_was_never_run(machine: Machine) -> None:
    machine.is_release("ID=ubuntu", 'VERSION_ID="24.04"')
    output = machine.set_up("measure", "develop")
    assert "weir has never been installed on ubuntu-24.04" in output
    installed = {word for install in machine.installs() for word in install.split()}
    assert "shellcheck" in installed
    assert not {"chromium", "-"} & installed
    machine.forget_calls()
    assert machine.set_up("measure", "develop") == ""


def test_rocky_gets_the_command_of_dnf(machine: Machine) -> None:
    """Also root: weir has never run it."""
    machine.is_release(*EL)
    machine.has_no_dpkg()
    write_program(
        machine.notes / "bin/rpm",
        "#!/bin/bash\n"
        "for name; do [ $name != cmake ] || echo cmake; done\n"
        "echo package R-core is not installed; exit 1\n",
    )
    output = machine.set_up("measure", code=1)
    assert "weir has never been installed on el-9" in output
    (command,) = [line for line in output.splitlines() if "sudo dnf install -y" in line]
    assert {"hdf5-openmpi-devel", "glibc-devel", "ninja-build", "python3.12"} <= set(command.split())
    assert not {"cmake", "libc6-dev", "-"} & set(command.split())
    assert not (machine.checkout / ".venv").exists()


@pytest.mark.parametrize("release", [("ID=debian",), ("ID=linuxmint", "VERSION_ID=22"), ()])
def test_an_unknown_release_with_apt_is_told_what_is_missing_before_anything_is_begun(
    machine: Machine, release: tuple[str, ...]
) -> None:
    machine.is_release(*release)
    (machine.notes / "installed").write_text("gcc\n")
    output = machine.set_up("measure", "--later", "report", code=1)
    assert "(it has: debian-12 debian-13 el-9 ubuntu-24.04" in output
    assert re.search(r"^    cmake +# configures the engine$", output, re.MULTILINE)
    assert re.search(r"^    latexmk +# ", output, re.MULTILINE)
    assert not re.search(r"^    gcc ", output, re.MULTILINE)
    assert "WEIR_APT=debian-13" in output
    assert machine.calls("apt-get") == []
    assert not (machine.checkout / "build").exists()


@pytest.mark.slow
def test_a_derived_release_takes_the_names_of_another(machine: Machine) -> None:
    machine.is_release("ID=linuxmint", "VERSION_ID=22")
    machine.set_up("measure", WEIR_APT="debian-13")
    assert "cmake" in machine.installs()[-1].split()


def test_a_system_of_which_packages_are_not_looked_up_is_told_which_programs_are_missing(
    machine: Machine,
) -> None:
    machine.is_release("ID=arch")
    machine.has_no_dpkg()
    (machine.notes / "installed").write_text("python3-venv\n")
    output = machine.set_up("measure", "analyse", code=1)
    assert "these programs are not on the PATH: mpicc cmake ninja" in output
    assert "weir has no list of packages for arch-unstable" in output
    assert re.search(r"^    libnetcdf-mpi-dev +# NetCDF-4", output, re.MULTILINE)
    assert not (machine.checkout / "build").exists()
    machine.set_up("measure", "analyse", WEIR_APT="no")
    for name in ("mpicc", "cmake", "ninja", "pkg-config", "Rscript"):
        write_program(machine.notes / "bin" / name, "#!/bin/sh\n")
    assert machine.set_up("measure", "analyse") == ""
