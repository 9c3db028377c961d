"""All animals."""

from __future__ import annotations

from tests.zoo import animals
from tests.zoo.detours import DETOURS

ANIMALS = (*animals.ANIMALS, *DETOURS)
