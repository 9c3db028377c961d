"""What our recipes add to Spack's own, shown without Spack: the builtin classes are fakes."""

import ast
import contextlib
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tests.programs import module_of
from tests.stacks.conftest import ROOT

REPOSITORIES = ROOT / "envs" / "spack_repo"
OVERLAYS = REPOSITORIES / "weir_stacks"
RECIPES = sorted(REPOSITORIES.glob("*/packages/*/package.py"))
IME = SimpleNamespace(
    prefix="/ime",
    headers=SimpleNamespace(include_flags="-I/ime/include"),
    libs=SimpleNamespace(link_flags="-lim_client", search_flags="-L/ime/lib", directories=["/ime/lib"]),
)
Recipe = Callable[..., Any]
Args = Callable[..., list[str]]


class _Spec(dict[str, Any]):
    def __init__(self, *variants: str) -> None:
        super().__init__(ime=IME)
        self.chosen = variants
        drivers = [word.partition("=")[2] for word in variants if word.startswith("romio-filesystem=")]
        self.variants = {"romio-filesystem": SimpleNamespace(value=tuple(drivers))}

    def satisfies(self, requested: str) -> bool:
        return requested in self.chosen


@pytest.fixture
def recipe(monkeypatch: pytest.MonkeyPatch) -> Recipe:
    """A recipe with some variants, when the builtin recipe gives configure those arguments."""

    def of(name: str, class_name: str, builtin: Sequence[str], *variants: str) -> Any:
        parent = type(class_name, (), {"configure_args": lambda self: list(builtin)})
        directives: dict[str, Any] = {
            word: lambda *_, **__: None for word in ("variant", "depends_on", "conflicts")
        }
        directives |= {"EnvironmentModifications": object, "Executable": object, "SkipTest": Exception}
        directives["run_after"] = lambda *_: lambda method: method
        directives["filter_file"] = _filter_file
        sets = SimpleNamespace(with_non_feature_values=lambda *_: ())
        directives["disjoint_sets"] = lambda *_: sets
        stubs = {f"spack_repo.builtin.packages.{name}.package": {class_name: parent}}
        _replace(monkeypatch, {**_spack(directives), **stubs})
        monkeypatch.setitem(sys.modules, "spack_repo.weir_stacks", ModuleType("spack_repo.weir_stacks"))
        for depth in range(1, 5):
            package = ".".join(f"spack_repo.builtin.packages.{name}".split(".")[:depth])
            monkeypatch.setitem(sys.modules, package, ModuleType(package))
        monkeypatch.setitem(sys.modules, "spack_repo.weir_stacks.mpi", module_of(OVERLAYS / "mpi.py"))
        made = getattr(module_of(OVERLAYS / "packages" / name / "package.py"), class_name)()
        made.spec = _Spec(*variants)
        getattr(made, "patch", lambda: None)()
        return made

    return of


@pytest.fixture
def arguments(recipe: Recipe) -> Args:
    return lambda *of: recipe(*of).configure_args()


def _filter_file(pattern: str, new: str, name: str) -> None:
    file = Path(name)
    file.write_text(
        "".join(re.sub(pattern, new, line) for line in file.read_text().splitlines(keepends=True))
    )


def _spack(names: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {"spack": {}, "spack.package": {**names, "__all__": list(names)}}


def _replace(monkeypatch: pytest.MonkeyPatch, modules: dict[str, dict[str, Any]]) -> None:
    for module, content in modules.items():
        stub = ModuleType(module)
        vars(stub).update(content)
        monkeypatch.setitem(sys.modules, module, stub)


LINKED = {"LIBS=-lim_client", "LDFLAGS=-L/ime/lib -Wl,-rpath,/ime/lib"}
IME_DRIVER = "romio-filesystem=ime"


def test_mpich_with_ime_links_the_client_with_every_program(arguments: Args) -> None:
    found = arguments("mpich", "Mpich", ["--enable-romio"], IME_DRIVER)
    assert found[0] == "--enable-romio"
    assert {"--with-file-system=ime+nfs+ufs", "--with-ime=/ime", *LINKED} <= set(found)


def test_drivers_of_mpich_go_together_and_none_is_the_builtin_choice(arguments: Args) -> None:
    both = arguments("mpich", "Mpich", [], IME_DRIVER, "romio-filesystem=lustre")
    assert "--with-file-system=ime+lustre+nfs+ufs" in both
    assert arguments("mpich", "Mpich", [], "romio-filesystem=lustre") == ["--with-file-system=lustre+nfs+ufs"]
    assert arguments("mpich", "Mpich", ["--a"], "romio-filesystem=none") == ["--a"]


def test_each_driver_of_mpich_is_of_romio_alone_or_brings_its_client() -> None:
    text = (OVERLAYS / "packages/mpich/package.py").read_text()
    listed = re.search(r"^FILE_SYSTEMS = (\(.*?\))$", text, re.MULTILINE | re.DOTALL)
    assert listed
    brought = set(re.findall(r'depends_on\(".*", when="romio-filesystem=(.*)"\)', text))
    assert set(ast.literal_eval(listed[1])) == brought | {"nfs", "testfs", "ufs"}


def test_open_mpi_takes_the_client_of_the_stack(arguments: Args) -> None:
    builtin = ["--x", "--with-io-romio-flags=--with-file-system=ime"]
    found = arguments("openmpi", "Openmpi", builtin, IME_DRIVER)
    assert found[:2] == ["--x", "--with-io-romio-flags=--with-file-system=ime+ufs+nfs --with-ime=/ime"]
    assert set(found) >= LINKED
    assert arguments("openmpi", "Openmpi", ["--x"]) == ["--x"]


def test_every_recipe_states_its_licence() -> None:
    assert len(RECIPES) >= 10
    assert [file for file in RECIPES if "# SPDX-License-Identifier: Apache-2.0" not in file.read_text()] == []


def test_an_overlay_tells_what_could_be_sent_to_spack() -> None:
    recipes = {file.parent.name: file.read_text() for file in OVERLAYS.glob("packages/*/package.py")}
    assert set(recipes) == {"ior", "mpich", "openmpi", "parallel_netcdf", "snakemake"}
    for name in recipes:
        text = (OVERLAYS / "packages" / name / "UPSTREAM.md").read_text()
        assert f"Compared with `{name.replace('_', '-')}` of Spack's packages v" in text
        # A change to send consists of lines of the overlay or of the builtin recipe that it extends.
        own = set(re.findall(r"^\+\s+(depends_on\(.*|filter_file\(.*)$", text, re.MULTILINE))
        assert {line for line in own if line not in recipes[name]} == set()


def test_the_first_repository_changes_no_recipe_of_spack() -> None:
    """`spack repo add` is for everything that a user builds: overlays are a repository of their own."""
    own = {file.parent.name for file in RECIPES if file.parents[2].name == "weir"}
    assert own == {"ddn_ime", "ime_emulator", "libweir_witness", "py_weir", "weir", "weir_io"}
    assert not any(
        "builtin.packages" in (REPOSITORIES / f"weir/packages/{name}/package.py").read_text() for name in own
    )


@pytest.mark.parametrize("file", sorted(REPOSITORIES.rglob("*.py")), ids=lambda file: file.parent.name)
def test_a_recipe_is_read_by_the_oldest_python_of_spack(file: Path) -> None:
    tree = ast.parse(file.read_text(), feature_version=(3, 6))
    newer = {"capture_output", "text"}  # of subprocess.run, since 3.7
    calls = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "subprocess.run"
    ]
    assert not any(newer & {word.arg for word in call.keywords} for call in calls)
    overridden = [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    assert not [name for name in overridden if name.startswith("_")], "Spack's private methods are not ours"


def test_the_bundle_has_the_r_packages_that_debian_gives() -> None:
    listed = re.findall(r"^r-cran-(\S+)", (ROOT / "envs/apt/analyse.txt").read_text(), re.MULTILINE)
    wanted = {f"r-{name.replace('.', '-')}" for name in listed}
    for file in (REPOSITORIES / "weir/packages/weir/package.py", ROOT / "envs/spack/analyse/spack.yaml"):
        assert set(re.findall(r"\br-[a-z][a-z0-9-]*", file.read_text())) == wanted, file


@pytest.mark.parametrize(("name", "class_name"), [("ior", "Ior"), ("parallel_netcdf", "ParallelNetcdf")])
def test_what_is_measured_is_optimised(recipe: Recipe, name: str, class_name: str) -> None:
    """By the compiler wrapper, whatever configure is given; what the user asks for comes last, and wins."""
    injected, environment, arguments = recipe(name, class_name, []).flag_handler("cflags", ["-O3"])
    assert injected == ["-g", "-O2", "-O3"]
    assert (environment, arguments) == (None, None)
    assert recipe(name, class_name, []).flag_handler("ldflags", ["-s"])[0] == ["-s"]


def test_ior_has_its_own_interface_of_ime_on_request(arguments: Args) -> None:
    assert "--with-ime=yes" in arguments("ior", "Ior", [], "+ime")
    assert "--with-ime=yes" not in arguments("ior", "Ior", [])


@pytest.mark.parametrize("tested", [True, False])
def test_the_tests_of_an_installation_of_weir_find_it(tested: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of `spack install --test=root`: python-venv names only folders that were there before."""
    nothing = ("license", "version", "variant", "depends_on", "conflicts")
    names: dict[str, Any] = {word: lambda *_, **__: None for word in nothing}
    names |= {"when": lambda *_: contextlib.nullcontext(), "EnvironmentModifications": object}
    checkout = {"CHECKOUT": "", "HOMEPAGE": "", "NO_COMMIT": "", "sources": lambda: {"main": {}}}
    _replace(
        monkeypatch,
        {
            **_spack({**names, "python_purelib": "/prefix/lib"}),  # which Spack tells each Python package
            "spack_repo.builtin.build_systems.python": {"PythonPackage": object},
            "spack_repo.weir.checkout": checkout,
        },
    )
    made = module_of(REPOSITORIES / "weir/packages/py_weir/package.py").PyWeir()
    made.run_tests, changes = tested, []

    def change(*names: str) -> None:
        changes.append(names)

    made.setup_build_environment(SimpleNamespace(prepend_path=change, set=change))
    assert changes == [("WEIR_BUILD_WITNESS", "no"), *[("PYTHONPATH", "/prefix/lib")] * tested]


def test_snakemake_is_built_from_its_sources_alone(
    arguments: Args, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its setup.py downloads, which a centre without a network cannot."""
    monkeypatch.chdir(tmp_path)
    arguments("snakemake", "Snakemake", [])  # a release without setup.py
    setup = Path("setup.py")
    setup.write_text("from assets import Assets\nAssets.deploy()\nsetup()\n")
    arguments("snakemake", "Snakemake", [])
    assert setup.read_text().split() == ["from", "assets", "import", "Assets", "setup()"]
