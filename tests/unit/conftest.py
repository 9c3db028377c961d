"""weir in the process of a test."""

from typing import NamedTuple, Protocol

import pytest

from weir.cli import main


class Printed(NamedTuple):
    out: str
    err: str


class RunWeir(Protocol):
    """Compares the exit code; the answer is what these arguments alone printed."""

    def __call__(self, *arguments: object, code: int = 0) -> Printed: ...


@pytest.fixture
def run_weir(capsys: pytest.CaptureFixture[str]) -> RunWeir:
    def run(*arguments: object, code: int = 0) -> Printed:
        capsys.readouterr()
        ended = main([str(argument) for argument in arguments])
        printed = Printed(*capsys.readouterr())
        assert ended == code, f"{printed.out}\n{printed.err}"
        return printed

    return run
