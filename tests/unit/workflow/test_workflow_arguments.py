"""Values of a command line of Snakemake, such as `--config suites=...`, reach the shell as one word each."""

import re

import pytest

from tests.checkout import ROOT

# A constant of the Snakefile, which is an option or nothing.
CONSTANT = "params.sidecar"
# Words that are quoted when they are made: tests/unit/workflow/test_code.py.
MADE_WORDS = ("WORKFLOW.code.word(", "WORKFLOW.code.weir", "WORKFLOW.code.step", "WORKFLOW.programs")


@pytest.mark.row("`--config` on the command line")
def test_every_argument_of_a_shell_command_is_quoted() -> None:
    text = (ROOT / "Snakefile").read_text()
    commands = re.findall(r'^    shell:\n((?:        f?"[^\n]*\n)+)', text, re.MULTILINE)
    assert len(commands) == text.count("\n    shell:")
    named = [word for command in commands for word in re.findall(r"\{([^}]+)\}", command)]
    used = [word for word in named if not word.startswith(MADE_WORDS)]
    assert used
    assert [word for word in used if not word.endswith(":q") and word != CONSTANT] == []
    assert f'{CONSTANT.split(".")[1]}="--facts" if ' in text
