"""PyDarshan, which has wheels for some releases of Python: elsewhere its library is missing."""

import pytest

from weir.base.errors import WeirError
from weir.base.plugins import load


def skip_without_darshan() -> None:
    """For the top of a module of tests."""
    try:
        load("darshan", "darshan")
    except WeirError as error:
        pytest.skip(error.problems[0].message, allow_module_level=True)
