"""What holds for every file: nothing of the machine it was written on, and verbs that scripts rely on."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.checkout import ROOT
from tests.programs import ran, write_program

PACKAGE_HOSTS = re.compile(
    rb"\b(deb\.debian|security\.debian|snapshot\.debian|pypi|files\.pythonhosted|conda\.anaconda|cran\.r-project"
    rb"|proxy\.golang|registry\.npmjs)\.(org|com)\b"
)
# Places that any text may name: conventional ones, and the homes of the users of examples.
EXAMPLES = [
    Path(name)
    for name in (
        *("/data", "/mnt", "/opt", "/root", "/scratch", "/srv", "/tmp", "/usr/local", "/var/tmp"),
        *("/home", "/home/alice", "/home/ana", "/home/me", "/home/user"),
    )
]
VERBS = {"setup", "report", "test", "check", "bench", "bench-plan", "clean", "build"}


@pytest.fixture(scope="module")
def tracked_files() -> list[Path]:
    if not shutil.which("git") or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listing.returncode:  # as of a tree of another owner
        pytest.skip(f"git lists no files: {listing.stderr.decode().splitlines()[0]}")
    files = [ROOT / name for name in listing.stdout.decode().split("\0") if name]
    return [file for file in files if file.is_file()]


def test_no_package_registry_is_named(tracked_files: list[Path]) -> None:
    found = [str(file) for file in tracked_files if PACKAGE_HOSTS.search(file.read_bytes())]
    assert found == [], "where packages come from is the business of a machine's apt and pip configuration"


def test_no_path_of_this_machine_is_named(tracked_files: list[Path]) -> None:
    patterns = [naming(place) for place in (ROOT, Path.home()) if is_telling(place)]
    found = [str(file) for file in tracked_files if any(p.search(file.read_bytes()) for p in patterns)]
    assert found == []


def test_every_home_that_is_named_is_an_example(tracked_files: list[Path]) -> None:
    """Wherever this checkout lies: so a text that names one is found on every machine."""
    homes = re.compile(rb"(?<![\w.}>)-])/home/[\w-]+(?![\w{])")
    named = {home.decode() for file in tracked_files for home in homes.findall(file.read_bytes())}
    assert named <= set(map(str, EXAMPLES))


@pytest.mark.parametrize(
    ("place", "text", "is_found"),
    [
        ("/data/ana/weir", "see /data/ana/weir/results", True),
        ("/data/ana/weir", "file:///data/ana/weir", True),
        ("/data/ana/weir", "/data/ana/weir-other and x/data/ana/weir", False),
        ("/data/ana/weir", "/mnt/{target}/data/ana/weir", False),
        ("/srv/\u03b1 \u03b2/weir", "cd '/srv/\u03b1 \u03b2/weir'", True),
        ("/root/weir", "/root/weir/x", False),
        ("/scratch/weir", "path: /scratch/weir", False),
        ("/home/user", "cwd: /home/user", False),
        ("/weir", "/weir", False),
    ],
)
def test_a_path_is_named_as_a_whole(place: str, text: str, is_found: bool) -> None:
    found = is_telling(Path(place)) and naming(Path(place)).search(text.encode())
    assert bool(found) is is_found


def naming(place: Path) -> re.Pattern[bytes]:
    """The path itself or one below it, and not the end or the begin of other names."""
    return re.compile(rb"(?<![\w.}>)-])" + re.escape(str(place).encode()) + rb"(?![\w-])")


def is_telling(place: Path) -> bool:
    """A text that names an example, or a checkout right below one or below /, tells of no machine."""
    return not {place, place.parent} & {*EXAMPLES, Path("/")}


def test_a_search_path_of_cd_misleads_no_script(tracked_files: list[Path]) -> None:
    """With an exported CDPATH, cd into a relative directory goes elsewhere, and prints where."""
    found = []
    for file in tracked_files:
        text = file.read_text(errors="replace") if file.stat().st_size < 65536 else ""
        place = re.search(r'\bcd "\$(\(dirname|1")', text)  # it may be a relative one
        is_script = re.match(r"#!.*[/ ](ba)?sh\n", text)
        if is_script and place and "unset CDPATH" not in text[: place.start()]:
            found.append(str(file.relative_to(ROOT)))
    assert found == []


def test_the_set_up_finds_its_checkout_whatever_cd_searches(tmp_path: Path) -> None:
    (tmp_path / "envs").mkdir()
    done = ran(["envs/setup.sh"], cwd=ROOT, env={"PATH": "/usr/bin:/bin", "CDPATH": f"{tmp_path}:."})
    assert (done.returncode, "known roles: analyse" in done.stderr) == (2, True), done.stderr


def test_git_gives_each_file_as_it_is_whatever_the_user_set(tracked_files: list[Path]) -> None:
    """With core.autocrlf=true bash would read a carriage return at the end of each line of a script."""
    names = [file.relative_to(ROOT) for file in tracked_files]
    command = ["git", "check-attr", "-z", "text", *names]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.split(b"\0")[2::3]
    assert set(told) == {b"unset"}


def test_no_large_file_is_tracked(tracked_files: list[Path]) -> None:
    # A year of published measurements may be larger than code.
    most_bytes = {True: 2_000_000, False: 1_000_000}
    sizes = {file: file.stat().st_size for file in tracked_files}
    large = {str(file): size for file, size in sizes.items() if size > most_bytes["reference" in file.parts]}
    assert large == {}


def made(*arguments: str) -> str:
    """The output of make in this tree."""
    return ran(["make", *arguments], cwd=ROOT, check=True).stdout


def test_scripts_can_rely_on_the_verbs() -> None:
    printed = "".join(made(verb) for verb in ("help", "help-develop"))
    verbs = re.findall(r"^  make (\S+) ", printed, re.MULTILINE)
    assert set(verbs) >= VERBS
    assert len(set(verbs)) == len(verbs)


def test_the_help_of_users_is_ten_lines() -> None:
    printed = made("help")
    lines = printed.splitlines()
    assert len(lines) == 10
    assert max(map(len, lines)) <= 110
    for verb in ("report", "site", "test", "slurm-demo", "lab", "clean", "help-develop"):
        assert f"  make {verb} " in printed
    assert all(f"{name}=" in lines[-1] for name in ("SITE", "SUITES", "SCALE", "TARGETS", "CAMPAIGN"))


def test_make_without_a_verb_only_explains() -> None:
    bare = made()
    assert bare == made("help")


def test_clean_never_touches_measurements() -> None:
    recipe = made("-n", "clean")
    removals = [line for line in recipe.splitlines() if re.search(r"\brm\b", line)]
    assert removals
    assert not any("results" in re.sub(r"-not -path './results/\*'", "", line) for line in removals)


@pytest.mark.parametrize(
    ("file", "job", "command"),
    [
        *(
            (file, job, command)
            for file in (".github/workflows/test.yml", ".gitlab-ci.yml")
            for job, command in (("check", "check"), ("test", "test"), ("docs", "report"), ("docs", "docs"))
        ),
        (".github/workflows/spack.yml", "test-spack", "test-spack"),
        (".github/workflows/spack.yml", "test-spack", "test-spack-chain"),
        (".gitlab-ci.yml", "test-spack", "test-spack"),
        (".gitlab-ci.yml", "test-spack-chain", "test-spack-chain"),
    ],
)
def test_continuous_integration_calls_its_body(file: str, job: str, command: str) -> None:
    jobs = yaml.safe_load((ROOT / file).read_text())
    found = jobs.get("jobs", jobs)[job]
    script = found.get("script", [])
    lines = [script] if isinstance(script, str) else script
    steps = [step.get("run") for step in found.get("steps", [])] or lines
    assert f".ci/run {command}" in steps
    # The body knows the command, and make has it.
    assert re.search(rf"^{command}\) limit=", (ROOT / ".ci/run").read_text(), re.MULTILINE)
    assert re.search(rf"^{command}: ", (ROOT / "Makefile").read_text(), re.MULTILINE)


@pytest.mark.parametrize("file", ["test.yml", "spack.yml"])
def test_actions_are_pinned_to_commits_and_leave_no_credentials(file: str) -> None:
    """A tag can be moved to other code, and a test could read the token that a checkout leaves."""
    jobs = yaml.safe_load((ROOT / ".github/workflows" / file).read_text())["jobs"].values()
    actions = [step for job in jobs for step in job["steps"] if "uses" in step]
    assert actions
    assert [step["uses"] for step in actions if not re.search(r"@[0-9a-f]{40}$", step["uses"])] == []
    checkouts = [step for step in actions if step["uses"].startswith("actions/checkout@")]
    assert [step for step in checkouts if step["with"].get("persist-credentials") is not False] == []


def test_the_body_of_continuous_integration_refuses_other_commands() -> None:
    wrong = ran([ROOT / ".ci/run", "tset"], code=2)
    assert "unknown command 'tset'; use:" in wrong.stderr


def test_tests_run_on_bare_machines_or_directly_with_the_reason() -> None:
    body, machines = (ROOT / ".ci/run").read_text(), (ROOT / ".ci/machines").read_text()
    assert "body=(.ci/machines)" in body
    assert "releases=(bookworm trixie)" in machines
    assert '[ "$1 $2" = "bookworm root" ]' in machines  # every test
    why = ran([ROOT / ".ci/bare", "why"], check=True).stdout
    assert why == "" or any(reason in why for reason in ("only root", "no mounts", "apt-get"))
    wrong = ran([ROOT / ".ci/bare", "try"], code=2)
    assert ".ci/bare run FOLDER" in wrong.stderr


# Tells when it begins and ends; the second comes while the first is there, if make starts both at once.
SETUP = "#!/bin/sh\necho begin >>calls\nsleep 0.5\necho end >>calls\n"


@pytest.mark.parametrize("options", [["-j", "2"], ["--jobs"]])
def test_goals_run_one_after_the_other(tmp_path: Path, options: list[str]) -> None:
    """As in `make -j report test`, where the tests would be other work on the machine that is measured."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    write_program(tmp_path / "envs/setup.sh", SETUP)
    command = ["make", *options, "setup-develop", "setup-lab"]
    # As a user calls it: make test, which calls this, has a level and flags of its own.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    ran(command, cwd=tmp_path, env=environment, code=0)
    assert (tmp_path / "calls").read_text().split() == ["begin", "end", "begin", "end"]
