"""weir bundle: a site holds secrets of forty kinds; none is in any file or figure of the bundle."""

import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.workflow.conftest import ROOT, Checkout, copy_of_the_tree
from tests.workflow.test_secrets_of_a_stranger import Secret, contents, holds

pytestmark = pytest.mark.slow
CAROL = {"LOGNAME": "carol"}
_KEY = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ"
# What stands in the environment of the stack: the name of the variable, its value, and the secret in it.
IN_STACK: Mapping[str, tuple[str, str]] = {
    "MYSQL_PWD": ("Winterbourne7", "Winterbourne7"),
    "SSHPASS": ("tr0mbone!oak", "tr0mbone!oak"),
    "GITHUB_PAT": ("ghp_wJ8xQf2LkZr5TnYb", "ghp_wJ8xQf2LkZr5TnYb"),
    "LMOD_PAT": ("quagmireheronfold", "quagmireheronfold"),
    "S3_KEY": ("AKIA3XQ7LMN2PRSTUV45", "AKIA3XQ7LMN2PRSTUV45"),
    "PIN": ("90318846", "90318846"),
    "DAOS_CRED": ("Z2xhY2llciBtb3NzIG93bA==", "Z2xhY2llciBtb3NzIG93bA=="),
    "SERVER_URL": ("https://bob:Thistle42down@storage.example/api", "Thistle42down"),
    "HOOK": ("https://hooks.example/T01/B02/xK4cVd8sQmE1", "xK4cVd8sQmE1"),
    "DATABASE": ("postgresql://u:p%40Larkspur9x@db/weir", "Larkspur9x"),
    "CONNECTION": ("Server=a;Uid=b;Pwd=Juniper88berry;", "Juniper88berry"),
    "AUTHORIZATION": ("Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiJ9.c2ln", "eyJhbGciOiJIUzI1NiJ9"),
    "PRIVATE_PEM": (f"-----BEGIN PRIVATE KEY-----\n{_KEY}\n-----END PRIVATE KEY-----\n", _KEY),
    "SEED_PHRASE": ("orbit velvet cactus maple tunnel fossil", "orbit velvet cactus maple tunnel fossil"),
    "KERBEROS_JSON": (json.dumps({"user": "bob", "pw": 'Tundra41"x'}), "Tundra41"),
    "UMLAUTS": ("Grünspecht-läuft-88", "Grünspecht-läuft-88"),
    "COOKIE": ("sessionid=f3a9c2d17b604e58", "f3a9c2d17b604e58"),
    "LICENSE_SERVER": ("27000@lic;feature=hemlock31ridge", "hemlock31ridge"),
    "OMPI_MCA_lab_agent": ("sshpass -p Basalt55creek ssh", "Basalt55creek"),
    "HDF5_VOL_CONNECTOR": ("rest under_vol=0;password=Copper19finch", "Copper19finch"),
    "WEIR_MONITOR_TOKEN": ("Drizzle63plum", "Drizzle63plum"),
    "UCX_NOTE": ("https://eve:Osprey27lagoon@h", "Osprey27lagoon"),
    "MPICH_NAME_WITH_BLOB": ("Kd83hfY20xLqPz71VmWe", "Kd83hfY20xLqPz71VmWe"),
    "FAVOURITE_ANIMAL": ("wombatwithoutdigits", "wombatwithoutdigits"),
}
# What stands elsewhere in the files of the site.
IN_TARGET_ENVIRONMENT = {"VAULT_ROLE": "d1f0a6c2-77be-4a31", "BEARER": "Saffron84wharf"}
IN_PREPARE = (
    ["true", "--password", "Tamarind30bluff"],
    ["true", "--token=Velour92spruce"],
    ["true", "-pPewter68cove"],
    ["true", "-o", "user=bob,password=Gannet51shoal"],
    ["sh", "-c", "true 'login Marten73dune'"],
    ["env", "LAB_X=Cobble14heath", "true"],
    ["true", "Lupin29gorge"],
    ["true", "https://bob:Alder46fjord@h/x"],
)
IN_PREPARE_SECRETS = (
    *("Tamarind30bluff", "Velour92spruce", "Pewter68cove", "Gannet51shoal", "Marten73dune", "Cobble14heath"),
    *("Lupin29gorge", "Alder46fjord"),
)
IN_CLEANUP = (["true", "--api-key=Sorrel95mire"], ["true", "--pin", "55120973"])
IN_CLEANUP_SECRETS = ("Sorrel95mire", "55120973")
COMMENT, SCRIPT, PROFILE, OTHER_SITE = "Bracken17tarn", "Fennel82scree", "Teasel38weald", "Yarrow61knoll"
DESCRIPTION, SCHEDULER, WRAPPER, LAUNCHED = "Nettle74brook", "Rowan23cairn", "Sedge58marsh", "Campion35fell"
ALL = (
    *(secret for _, secret in IN_STACK.values()),
    *IN_TARGET_ENVIRONMENT.values(),
    *IN_PREPARE_SECRETS,
    *IN_CLEANUP_SECRETS,
    *(COMMENT, SCRIPT, PROFILE, OTHER_SITE, DESCRIPTION, SCHEDULER, WRAPPER, LAUNCHED),
)
_LOGIN = f"""#!/bin/sh
# The password of the service account is {SCRIPT}.
env >&2
echo "logged in with $1 $2 and $LMOD_PAT at $SERVER_URL" >&2
shift 2
exec "${{0%/config/*}}/build/weir-io" ior "$@"
"""


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Checkout, Path, str]]:
    """A study of one cell, measured by a wrapper that prints its environment, and bundled."""
    if not (ROOT / "build/weir-io").exists():
        pytest.skip("build/weir-io is missing: make build")
    checkout = copy_of_the_tree(tmp_path_factory.mktemp("secrets"))
    folder = Path(f"/dev/shm/weir-secrets-{os.getpid()}")
    folder.mkdir()
    try:
        yield checkout, checkout.root / "tiny.zip", _measured_and_bundled(checkout, folder)
    finally:
        shutil.rmtree(folder)


def _measured_and_bundled(checkout: Checkout, folder: Path) -> str:
    _write_site(checkout, folder)
    checkout.measure("results/local/tiny", "--suite", "tiny", "--target", "ram", environment=CAROL)
    return good(checkout, "bundle", "results/local/tiny", "--out", "tiny.zip")


def _write_site(checkout: Checkout, folder: Path) -> None:
    file = checkout.root / "config/sites/local/site.yaml"
    site = yaml.safe_load(file.read_text())
    stack = site["stacks"]["debian"]
    stack["environment"] |= {name: value for name, (value, _) in IN_STACK.items()}
    stack["description"] += f", token={DESCRIPTION}"
    stack["launcher_options"] += ["-x", f"LAB_Y={LAUNCHED}"]
    login = "{config}/sites/local/login"
    stack["programs"]["ior"] = [login, "-p", WRAPPER]
    site["partitions"]["node"]["scheduler_options"] = [f"--comment={SCHEDULER}"]
    checkout.write("config/sites/local/site.yaml", f"# ask carol: {COMMENT}\n{yaml.safe_dump(site)}")
    checkout.write("config/sites/local/login", _LOGIN)
    about: dict[str, Any] = {
        "target": "ram",
        "kind": "memory",
        "description": "tmpfs of a test",
        "path": str(folder),
    }
    about |= {"environment": IN_TARGET_ENVIRONMENT, "prepare": IN_PREPARE, "cleanup": IN_CLEANUP}
    checkout.write("config/sites/local/targets/ram.yaml", json.loads(json.dumps(about)))
    other = {**site, "site": "elsewhere", "description": OTHER_SITE}
    checkout.write("config/sites/elsewhere/site.yaml", other)
    checkout.write("profiles/mine/config.yaml", f"slurm-token: {PROFILE}\n")
    experiment: dict[str, Any] = {"tool": "ior", "nodes": [1], "ppn": [1], "space": {"xfer": ["64 KiB"]}}
    experiment |= {"fixed": {"block": "256 KiB", "sync": True}, "repetitions": {"rounds": 1}}
    checkout.write(
        "config/suites/tiny.yaml", {"suite": "tiny", "question": "?", "experiments": {"one": experiment}}
    )


def good(checkout: Checkout, *arguments: str, user: Mapping[str, str] = CAROL) -> str:
    return checkout.good(*arguments, environment=user)


def members(bundle: Path) -> dict[str, bytes]:
    return {name.partition("/")[2]: data for name, data in contents(bundle.name, bundle.read_bytes())}


def test_there_are_forty_secrets_and_the_study_had_them(bundle: tuple[Checkout, Path, str]) -> None:
    """A test of the test: what the program printed and the files of the study hold most of them."""
    assert len(set(ALL)) >= 40
    checkout, _, _ = bundle
    files = [file for part in ("results", "config", "profiles") for file in (checkout.root / part).rglob("*")]
    text = b"\n".join(file.read_bytes() for file in files if file.is_file())
    assert [secret for secret in ALL if secret.isascii() and secret.encode() not in text] == []
    [stderr] = checkout.root.glob("results/local/runs/*/000/stderr.txt")
    printed = stderr.read_text()
    assert "quagmireheronfold at https://bob:Thistle42down@" in printed
    assert "Grünspecht-läuft-88" in printed


def test_none_of_them_is_in_the_bundle(bundle: tuple[Checkout, Path, str]) -> None:
    assert holds(bundle[1], [Secret("", text, is_told=False, parts=()) for text in ALL]) == {}


def test_the_author_reads_what_is_replaced_and_no_secret(bundle: tuple[Checkout, Path, str]) -> None:
    checkout, _, printed = bundle
    listed = good(checkout, "bundle", "results/local/tiny", "--list", "--out", "none.zip")
    assert not (checkout.root / "none.zip").exists()
    # The program printed its environment: the rest of the list has what it found of this shell's.
    assert printed.startswith(listed.partition("kept")[0])
    for name in (*IN_STACK, *IN_TARGET_ENVIRONMENT, "targets.ram.prepare", "targets.ram.cleanup", "login"):
        assert re.search(rf"\b{name}\b", listed), name
    assert [secret for secret in ALL if secret in listed] == []


def test_what_is_published_or_of_mpi_stays(bundle: tuple[Checkout, Path, str]) -> None:
    checkout, _, _ = bundle
    file = checkout.root / "config/sites/local/site.yaml"
    text = file.read_text()
    published = {"publish": ["FAVOURITE_ANIMAL", "cleanup", "login"]}
    checkout.write("config/sites/local/site.yaml", yaml.safe_load(text) | published)
    good(checkout, "bundle", "results/local/tiny", "--out", "published.zip", "--no-figures")
    file.write_text(text)
    data = members(checkout.root / "published.zip")
    plan = json.loads(data["results/local/tiny/plan.json"])["site"]
    environment = plan["stacks"]["debian"]["environment"]
    assert environment["FAVOURITE_ANIMAL"] == "wombatwithoutdigits"
    assert environment["OMPI_ALLOW_RUN_AS_ROOT"] == "1"
    assert environment["MYSQL_PWD"] == "{removed}"
    # What looks like credentials is replaced also in what is published.
    assert plan["targets"]["ram"]["cleanup"] == [
        ["true", "--api-key={removed}"],
        ["true", "--pin", "55120973"],
    ]
    assert plan["targets"]["ram"]["prepare"][0] == ["true", "--password", "{removed}"]
    assert SCRIPT.encode() in data["code/config/sites/local/login"]


@pytest.mark.sample(2)
@pytest.mark.parametrize("user", ["weir", "results", "ior", "debian", "runs", "write"])
def test_a_user_may_be_called_like_a_word_of_the_study(bundle: tuple[Checkout, Path, str], user: str) -> None:
    """LOGNAME is a name in some fields; the same word elsewhere is a word."""
    checkout, file, _ = bundle
    good(
        checkout,
        "bundle",
        "results/local/tiny",
        "--out",
        f"{user}.zip",
        "--no-figures",
        user={"LOGNAME": user},
    )
    mine, plain = members(checkout.root / f"{user}.zip"), members(file)
    records = "results/local/tiny/records.csv"
    assert mine[records] == plain[records] != b""
    assert mine["results/local/tiny/plan.json"] == plain["results/local/tiny/plan.json"]
