"""What GitHub and GitLab run: their checkers, where these are installed, and shellcheck on each step."""

import os
import shutil
from collections.abc import Iterator

import pytest
import yaml

from tests.checkout import ROOT
from tests.programs import ran

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
PIPELINE = ROOT / ".gitlab-ci.yml"
# Those of the development environment first.
PATH = f"{ROOT / '.venv/bin'}:{os.environ['PATH']}"
KEYWORDS = {"default", "stages"}
CHECKERS = {
    "actionlint": [*WORKFLOWS],
    "check-jsonschema --builtin-schema vendor.github-workflows": [*WORKFLOWS],
    "check-jsonschema --builtin-schema vendor.gitlab-ci --data-transform gitlab-ci": [PIPELINE],
}


def scripts() -> Iterator[tuple[str, str]]:
    """Each step that a shell runs, with the file and the job that it is of."""
    for file in WORKFLOWS:
        for name, job in yaml.safe_load(file.read_text())["jobs"].items():
            yield from ((f"{file.name} {name}", step["run"]) for step in job["steps"] if "run" in step)
    for name, job in yaml.safe_load(PIPELINE.read_text()).items():
        for key in {"before_script", "script"} & ({*job} if name not in KEYWORDS else set()):
            lines = [job[key]] if isinstance(job[key], str) else job[key]
            yield from ((f"{PIPELINE.name} {name}", line) for line in lines)


@pytest.mark.slow
def test_the_steps_pass_shellcheck() -> None:
    if not shutil.which("shellcheck"):
        pytest.skip("shellcheck is not on the PATH")
    steps = list(scripts())
    assert {"test.yml check", "spack.yml test-spack", ".gitlab-ci.yml weekly"} <= {name for name, _ in steps}
    for name, text in steps:
        command = ["shellcheck", "--shell", "bash", "-"]
        done = ran(command, input=text)
        assert done.returncode == 0, f"{name}: {done.stdout}"


@pytest.mark.slow
@pytest.mark.parametrize("checker", CHECKERS)
def test_the_checkers_of_the_forges_accept_the_files(checker: str) -> None:
    program, *arguments = checker.split()
    if not (found := shutil.which(program, path=PATH)):
        pytest.skip(f"{program} is neither in .venv nor on the PATH")
    command = [found, *arguments, *CHECKERS[checker]]
    ran(command, code=0)
