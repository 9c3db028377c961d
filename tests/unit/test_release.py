"""make release: everything from a tag, the same bytes again, and recipes with the archive's checksum."""

import email
import hashlib
import io
import json
import os
import runpy
import shutil
import subprocess
import sys
import tarfile
import zipfile
from email.message import Message
from pathlib import Path

import pytest

import weir
from tests.checkout import ROOT
from tests.programs import ran

VERSION = weir.__version__
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone whose HEAD has the tag of its version."""
    folder = tmp_path_factory.mktemp("release") / "clone"
    for arguments in (
        ("clone", "--quiet", str(ROOT), str(folder)),
        ("-C", str(folder), "tag", "-f", f"v{VERSION}"),
    ):
        done = ran(["git", *arguments])
        if done.returncode:
            pytest.skip(f"no git checkout: {done.stderr.strip()}")
    shutil.copy(ROOT / "envs/release.py", folder / "envs/release.py")
    return folder


def released(clone: Path, folder: Path, *options: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, clone / "envs/release.py", f"v{VERSION}", folder, *options]
    return ran(command, env={**os.environ, **variables})


@pytest.fixture(scope="module")
def release(clone: Path) -> Path:
    done = released(clone, clone.parent / "first")
    assert done.returncode == 0, done.stderr
    return clone.parent / "first"


def test_the_same_tag_gives_the_same_bytes(clone: Path, release: Path) -> None:
    before = os.umask(0o077)
    try:
        done = released(clone, clone.parent / "second", TZ="Asia/Tokyo", LC_ALL="C")
    finally:
        os.umask(before)
    assert done.returncode == 0, done.stderr
    names = sorted(file.name for file in release.iterdir())
    assert names == sorted(file.name for file in (clone.parent / "second").iterdir())
    assert [
        name
        for name in names
        if (release / name).read_bytes() != (clone.parent / "second" / name).read_bytes()
    ] == []


def test_every_file_has_its_checksum(release: Path) -> None:
    sums = dict(reversed(line.split("  ")) for line in (release / "SHA256SUMS").read_text().splitlines())
    assert set(sums) == {file.name for file in release.iterdir()} - {"SHA256SUMS"}
    assert {name: hashlib.sha256((release / name).read_bytes()).hexdigest() for name in sums} == sums
    wanted = {
        f"weir-{VERSION}{end}"
        for end in (".tar.gz", "-spack.tar.gz", "-images.tar.gz", ".spdx.json", "-licences.csv")
    }
    (wheel,) = release.glob(f"weir_storage-{VERSION}-py3-none-*.whl")
    assert wheel.name.endswith("-any.whl") is not any(map(shutil.which, ("cc", "gcc", "clang")))
    assert wanted | {wheel.name, "CITATION.cff", "codemeta.json", "NOTES.md"} == set(sums)


def recipes(release: Path) -> dict[str, str]:
    with tarfile.open(release / f"weir-{VERSION}-spack.tar.gz") as archive:
        files = {entry.name: archive.extractfile(entry) for entry in archive if entry.isfile()}
        return {
            Path(name).parent.name: io.TextIOWrapper(file).read()
            for name, file in files.items()
            if file and name.endswith("/package.py")
        }


def test_the_recipes_build_the_archive_of_the_release(clone: Path, release: Path) -> None:
    sha256 = hashlib.sha256((release / f"weir-{VERSION}.tar.gz").read_bytes()).hexdigest()
    built = {
        name for name, text in recipes(release).items() if f'version("{VERSION}", sha256="{sha256}")' in text
    }
    assert built == {"ime_emulator", "libweir_witness", "py_weir", "weir_io"}
    assert "git = " not in recipes(release)["weir_io"]
    sent = clone.parent / "sent"
    options = ("--address", "https://storage.example/weir", "--maintainers", "storage-team")
    done = released(clone, sent, *options, WEIR_BUILD_WITNESS="no")  # the wheel is that of the first test
    assert done.returncode == 0, done.stderr
    text = recipes(sent)["weir_io"]
    assert f'url = "https://storage.example/weir/weir-{VERSION}.tar.gz"' in text
    assert 'maintainers("storage-team")' in text
    assert "spack_repo.weir" not in text  # as Spack would take it: nothing of this repository is needed

    assert [name for name, text in recipes(sent).items() if "file://" in text] == []
    assert {text.count('homepage = "https://') for text in recipes(sent).values()} <= {0, 1}
    described = metadata(sent)
    assert described.get_all("Project-URL") == ["Homepage, https://storage.example/weir"]


def metadata(release: Path) -> Message:
    """What a page of an index of packages shows of the wheel."""
    (wheel,) = release.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        text = archive.read(f"weir_storage-{VERSION}.dist-info/METADATA").decode()
    return email.message_from_string(text)


def test_the_wheel_describes_itself(release: Path) -> None:
    described = metadata(release)
    assert (described["Name"], described["License-Expression"]) == ("weir-storage", "Apache-2.0")
    assert described["Author"] == "The weir authors"
    assert len(described.get_all("Classifier", [])) >= 10
    assert described["Keywords"]


@pytest.mark.parametrize(
    ("remote", "homepage"),
    [
        ("https://forge.example/storage/weir.git", "https://forge.example/storage/weir"),
        ("https://name:secret@forge.example/storage/weir", "https://forge.example/storage/weir"),
        ("/srv/weir.git", None),
        ("", None),
    ],
)
def test_the_homepage_of_the_recipes_is_the_remote_repository(
    tmp_path: Path, remote: str, homepage: str | None
) -> None:
    file = tmp_path / "envs/spack_repo/weir/checkout.py"
    file.parent.mkdir(parents=True)
    shutil.copy(ROOT / "envs/spack_repo/weir/checkout.py", file)
    for arguments in (["init", "--quiet"], ["remote", "add", "origin", remote])[: 2 if remote else 1]:
        subprocess.run(["git", "-C", tmp_path, *arguments], check=True)
    found = runpy.run_path(str(file))
    assert found["HOMEPAGE"] == (homepage or f"file://{tmp_path}")
    assert found["CHECKOUT"] == f"file://{tmp_path}"  # from which the recipes build


def test_the_bill_names_what_weir_is_run_with(release: Path) -> None:
    bill = json.loads((release / f"weir-{VERSION}.spdx.json").read_text())
    names = {one["name"] for one in bill["packages"]}
    assert {"weir", "snakemake", "reframe-hpc", "r-base-core", "libopenmpi-dev", "mpich", "hdf5"} <= names
    identifiers = [one["SPDXID"] for one in bill["packages"]]
    assert len(set(identifiers)) == len(identifiers)
    assert {one["relatedSpdxElement"] for one in bill["relationships"]} == set(identifiers)
    declared = {one["name"]: one["licenseDeclared"] for one in bill["packages"]}
    assert (declared["snakemake"], declared["netcdf-c"]) == ("MIT", "BSD-3-Clause")
    assert (release / f"weir-{VERSION}-licences.csv").read_text().startswith("kind,name,licence,stated_by\n")


def test_what_is_no_release_is_refused(clone: Path, tmp_path: Path) -> None:
    unknown = ran([sys.executable, clone / "envs/release.py", "v99.0.0", tmp_path])
    assert unknown.returncode != 0
    assert "v99.0.0" in unknown.stderr
    subprocess.run(["git", "-C", clone, "tag", "-f", "v98.0.0"], check=True, capture_output=True)
    other = ran([sys.executable, clone / "envs/release.py", "v98.0.0", tmp_path])
    assert f"v98.0.0 is of version {VERSION}" in other.stderr
    assert list(tmp_path.iterdir()) == []
