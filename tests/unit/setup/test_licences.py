"""envs/licences.csv has every package of the locks, and what is installed is installed by its hash."""

import json
import re
from types import ModuleType

import pytest

from tests.checkout import ROOT
from tests.programs import module_of


def script(name: str) -> ModuleType:
    return module_of(ROOT / "envs" / f"{name}.py")


def test_every_package_of_the_locks_has_a_licence_and_no_other_one_does() -> None:
    licences = script("licences")
    known = licences.read_table(ROOT)
    assert set(known) == set(licences.packages(ROOT)), "run envs/licences.py"
    assert licences.table_text(known) == (ROOT / licences.TABLE).read_text()
    assert all(licence and source for licence, source in known.values())


def test_the_bill_of_materials_takes_them_from_the_table() -> None:
    release = script("release")
    known = release.licences(ROOT)
    parts = [release.with_licence(one, known) for one in release.components(ROOT)]
    declared = [part["licenseDeclared"] for part in parts]
    assert len(parts) > 170
    assert declared.count("NOASSERTION") < len(declared) / 4
    assert {word for text in declared for word in re.split(r" (?:AND|OR|WITH) ", text)} <= {
        *release.SPDX,
        "NOASSERTION",
    }


def test_the_bill_of_materials_has_every_package_of_the_locks_with_its_version() -> None:
    """Debian's packages have that of the distribution."""
    bill = json.loads(script("release").bill_of_materials(ROOT, "1", 64 * "0", 0))
    held = {(one["name"], one.get("versionInfo")) for one in bill["packages"]}
    text = (ROOT / "envs/pip/requirements.txt").read_text()
    wanted = set(re.findall(r"^([\w.-]+)==(\S+)", text, re.MULTILINE))
    for file in (ROOT / "envs/spack/locks").glob("*.lock"):
        specs = json.loads(file.read_text())["concrete_specs"].values()
        wanted |= {(one["name"], str(one["version"])) for one in specs}
    wanted |= {(name, None) for kind, name in script("licences").packages(ROOT) if kind == "Debian"}
    assert len(wanted) > 150
    assert wanted - held == set()


def test_the_table_has_what_the_installed_packages_state() -> None:
    licences = script("licences")
    known = licences.read_table(ROOT)
    stated = {name: licences.of_python(name) for kind, name in known if kind == "Python"}
    assert len([name for name, row in stated.items() if row]) > 50
    assert {name: row for name, row in stated.items() if row and row[0] != known["Python", name][0]} == {}


def test_a_package_without_a_row_ends_the_release() -> None:
    release = script("release")
    with pytest.raises(SystemExit, match=r"has no row of Python new: run envs/licences\.py"):
        release.with_licence({"name": "new", "comment": "Python; an archive"}, {})


@pytest.mark.parametrize("lock", ["requirements.txt", "requirements-develop.txt", "requirements-audit.txt"])
@pytest.mark.row("`make setup`")
def test_every_pin_has_hashes_and_names_no_place(lock: str) -> None:
    whole = (ROOT / "envs/pip" / lock).read_text()
    assert not any(place in whole for place in ("://", "--index-url", "--find-links"))
    text = re.sub(r"^ *#.*\n", "", whole, flags=re.MULTILINE)
    pins = [pin.rstrip() for pin in re.split(r"\n(?=\S)", text.strip())]
    assert len(pins) > 20
    assert [
        pin
        for pin in pins
        if not re.fullmatch(r"\S+==\S+( ; [^\\]+)? \\(\n    --hash=sha256:[0-9a-f]{64}( \\)?)+", pin)
    ] == []


@pytest.mark.parametrize("file", ["envs/pip/environment.sh", "envs/bundle-offline.sh", "Makefile"])
def test_locks_are_installed_by_hash(file: str) -> None:
    """pip refuses an archive with another hash than that of the lock, also from a folder."""
    text = (ROOT / file).read_text().replace("\\\n", " ")
    commands = re.findall(r"^[^#\n]*\bpip\b[^\n]*\b(?:install|download)\b[^\n]*$", text, re.MULTILINE)
    locks = [command for command in commands if "requirement" in command]
    assert locks
    assert [command for command in locks if "--require-hashes" not in command] == []
