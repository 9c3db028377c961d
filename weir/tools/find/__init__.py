"""find: a walk over a tree that was made for it, on weir-io; logs of IO500's pfind are read too."""

from weir.tools.find.tool import Find

TOOL = Find()
