"""All animals."""

from tests.zoo import animals
from tests.zoo.clients import CLIENTS
from tests.zoo.detours import DETOURS
from tests.zoo.groups import GROUPS
from tests.zoo.lookups import LOOKUPS
from tests.zoo.series import SERIES
from tests.zoo.supervised import SUPERVISED
from tests.zoo.swaps import SWAPS

ANIMALS = (*animals.ANIMALS, *DETOURS, *SWAPS, *CLIENTS, *SUPERVISED, *LOOKUPS, *GROUPS, *SERIES)
