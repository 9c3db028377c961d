"""A program that libweir-witness watches: its folders, its environment, and what was seen of it."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from weir.witness.document import LIBRARY, WITNESS_FILE, gather_witness

is_built = pytest.mark.skipif(not LIBRARY.is_file(), reason=f"{LIBRARY.name} is not built: make build")


@dataclass(frozen=True)
class Watched:
    """The program may write to data, which is under test; the library writes to outputs."""

    folder: Path

    def __post_init__(self) -> None:
        for place in (self.outputs, self.data):
            place.mkdir(exist_ok=True)

    @property
    def outputs(self) -> Path:
        return self.folder / "outputs"

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def environment(self, preload: str, rank: int | None = 0) -> dict[str, str]:
        """Without a rank it is a program that no launcher started."""
        known = {
            "LD_PRELOAD": preload,
            "WEIR_WITNESS": str(self.outputs / "witness"),
            "WEIR_WITNESS_ROOT": str(self.data),
        }
        return {**os.environ, **known, **({} if rank is None else {"PMIX_RANK": str(rank)})}

    def gathered(self) -> dict[str, Any]:
        """What the library wrote, as one document."""
        gather_witness(self.outputs)
        document = json.loads((self.outputs / WITNESS_FILE).read_text())
        assert isinstance(document, dict)
        return document

    def process(self) -> dict[str, Any]:
        """The only one."""
        (process,) = self.gathered()["processes"]
        return dict(process)
