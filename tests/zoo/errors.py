"""What the zoo raises."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest


class CannotStageError(Exception):
    """The machine lacks what the animal needs; the text names it."""


@contextmanager
def skips_unstaged() -> Iterator[None]:
    """Skips the test where this machine cannot stage what is in the block."""
    try:
        yield
    except CannotStageError as error:
        pytest.skip(str(error))
