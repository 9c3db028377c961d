"""Files that come with weir: links to config/, analysis/ and so on in a checkout, copies in a wheel."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

# The parts of a study beyond its results: `weir init` copies it, `weir bundle` packs it.
STUDY_PARTS = (
    "Snakefile",
    "LICENSE",
    "CITATION.cff",
    "analysis",
    "config",
    "envs/conda",
    "profiles",
    "reference",
    "reframe_checks",
    "reports",
)


def data_folder(name: str) -> Path:
    """A folder of this package, such as config. pip unpacks wheels, so it is one of the file system."""
    return Path(__file__).parent / name


@cache
def load_schema(name: str) -> Mapping[str, Any]:
    """config/schemas/<name>.schema.yaml of this weir, whichever configuration is read."""
    # A guardian, one for each turn of a batch, starts sooner without it.
    import yaml

    from weir.data.yaml_classes import LOADER

    path = data_folder("config") / "schemas" / f"{name}.schema.yaml"
    schema: Mapping[str, Any] = yaml.load(path.read_text(encoding="utf-8"), Loader=LOADER)
    return schema
