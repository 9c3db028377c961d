"""One build of the recipes on Debian's libraries by Spack, their tests, and what a centre does with it."""

import os
from pathlib import Path

import pytest

from tests.programs import ran
from tests.stacks.conftest import ROOT, Run

pytestmark = pytest.mark.slow
ENVIRONMENT = f"""\
spack:
  include: [{{path: debian}}]
  repos: {{weir: {ROOT}/envs/spack_repo/weir}}
  view: false
  concretizer: {{unify: true, reuse: false}}
  # Room for a relocation into a longer prefix.
  config: {{install_tree: {{root: FOLDER/store, padded_length: 128}}, test_stage: FOLDER/tests}}
  packages: {{ime: {{require: [ime-emulator]}}}}
  specs: [weir-io +ime ^openmpi]
"""


@pytest.fixture(scope="module")
def built(spack: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with weir-io +ime, installed below a folder of its own."""
    folder = tmp_path_factory.mktemp("built")
    script = ROOT / "envs" / "spack" / "debian-externals.sh"
    made = ran([script, folder / "debian"])
    if made.returncode != 0:
        pytest.skip(f"no Open MPI stack of Debian: {made.stderr.strip()}")
    (folder / "spack.yaml").write_text(ENVIRONMENT.replace("FOLDER", str(folder)))
    for step in (("concretize",), ("install", "--jobs", "2", "--fail-fast")):
        good(spack, folder, *step)
    return folder


def good(spack: Run, folder: Path, *arguments: str, options: tuple[str, ...] = (), **variables: str) -> str:
    return spack(*options, "-e", str(folder), *arguments, environment=variables, code=0).stdout


def installed(store: Path, name: str) -> Path:
    (found,) = store.rglob(name)
    return found


def test_what_was_built_passes_its_own_tests(spack: Run, built: Path) -> None:
    good(spack, built, "test", "run", "--alias", "weir", "weir-io", "ime-emulator")
    printed = good(spack, built, "test", "results", "--logs", "weir")
    assert "PASSED: WeirIo::test_write_and_verify_mpiio" in printed
    assert "PASSED: ImeEmulator::test_store" in printed


def test_the_module_of_weir_io_names_its_prefix(spack: Run, built: Path) -> None:
    scope = ("-C", str(ROOT / "envs/spack/centre"), "-c", f"modules:default:roots:lmod:{built}/modules")
    good(spack, built, "module", "lmod", "refresh", "--yes-to-all", options=scope)
    (module,) = (built / "modules").rglob("weir-io/main.lua")
    prefix = installed(built / "store", "weir-io").parents[1]
    assert f'setenv("WEIR_IO_ROOT", "{prefix}")' in module.read_text()


def test_a_signed_cache_is_for_those_who_trust_its_key(spack: Run, built: Path) -> None:
    keys = [built / name for name in ("team", "user")]
    for folder in keys:
        folder.mkdir(mode=0o700)
    team, user = ({"SPACK_GNUPGHOME": str(folder)} for folder in keys)
    good(spack, built, "gpg", "create", "Storage team", "storage@centre.example", **team)
    good(spack, built, "gpg", "export", str(built / "centre.pub"), **team)
    (built / "scope").mkdir()
    mirrors = f"mirrors: {{centre: {{url: 'file://{built}/cache', signed: true}}}}\n"
    (built / "scope" / "mirrors.yaml").write_text(mirrors)
    cache = ("-C", str(built / "scope"))
    good(spack, built, "buildcache", "push", "--update-index", "centre", options=cache, **team)
    elsewhere = (*cache, "-c", f"config:install_tree:root:{built}/elsewhere")
    arguments = ("install", "--use-buildcache", "only")
    refused = spack(*elsewhere, "-e", str(built), *arguments, environment=user)
    assert refused.returncode != 0
    good(spack, built, "gpg", "trust", str(built / "centre.pub"), **user)
    good(spack, built, *arguments, options=elsewhere, **user)
    program = installed(built / "elsewhere", "weir-io")
    assert ran([program, "--version"], code=0).stdout.startswith("weir-io ")
    assert str(built / "store") not in os.fsdecode(program.read_bytes())
