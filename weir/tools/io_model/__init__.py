"""io-model: single operations timed one by one, on weir-io; outputs of the original are read too."""

from weir.tools.io_model.tool import IoModel

TOOL = IoModel()
