"""The loader and the dumper of PyYAML: those in C, unless pip built it on a machine without libyaml."""

from typing import Any

import yaml

LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
DUMPER: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
