"""Why a cell is not a valid combination: what IOR refuses, crashes on, or silently does not do."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from weir.base.units import format_size
from weir.records.model import Cell, Target
from weir.tools.target_files import format_problems, ime_problems, stripe_problems

_FILE_FORMATS = ("HDF5", "PNETCDF", "NETCDF4")
_NO_COLLECTIVE = ("POSIX", "MMAP", "IME", "URING")
_UPDATES = ("POSIX", "MPIIO", "MMAP", "URING", "IME")
_ZIPF_MOST = 10
_MOST_UNDER_WAY = 4096  # maximum queue depth of weir-io's URING
_MOST_MEMORY = 95  # percent of a node: above it the system itself may be killed
_LEAST_PENDING = 8  # minimum queue depth of IOR's AIO
_ONLY_ENGINE = (("rw_mix", 0), ("zipf", 0), ("distribution", "blocks"), ("file_view", False))
_NOT_CACHED = ("IME",)  # its clients keep nothing, so there is nothing to drop
_WORD_BYTES = 8  # IOR fills and compares buffers in words of this size


def find_problems(cell: Cell, target: Target) -> Sequence[str]:
    """Sentences; empty if the cell can run."""
    return [
        *_geometry(cell),
        *_combinations(cell),
        *_pace(cell.params),
        *_mixture(cell.params),
        *_distribution(cell.params),
        *_data(cell.params),
        *ime_problems(cell.params["api"], target),
        *format_problems(cell.params["api"], target),
        *stripe_problems(cell, target),
    ]


def what_the_original_cannot(params: Mapping[str, Any]) -> str | None:
    """All that IOR would not measure as weir-io does for the same cell, so that one edit is enough."""
    return "; ".join(_what_ior_lacks(params)) or None


def _what_ior_lacks(params: Mapping[str, Any]) -> Iterator[str]:
    if params["api"] == "NETCDF4":
        yield "IOR has no NetCDF-4 back end"
    if params["api"] == "PNETCDF" and params["reorder"] != "none":
        yield "IOR's PnetCDF back end reads what each rank wrote itself, whatever the reorder"
    if params["rate"]:
        yield "IOR cannot begin its transfers on a schedule (rate)"
    if lacking := [name for name, usual in _ONLY_ENGINE if params[name] != usual]:
        yield f"IOR has no {', '.join(lacking)}"
    if params["random_twice"]:
        yield "IOR writes nothing with -z -z: 4.1 divides by zero, as the file has no size yet"
    if params["stonewall"] != int(params["stonewall"]):
        yield f"IOR has stonewalls of whole seconds, and this one has {params['stonewall']:g}"
    if params["drop_caches"] and params["api"] not in _NOT_CACHED:
        yield "IOR does not drop caches (drop_caches)"
    if params["read_again"]:
        yield "IOR does not begin a read again (read_again)"
    if params["sync"] and params["api"] == "IME":
        yield "IOR 4 does not synchronise with IME (sync)"
    if params["payload"] == "controlled":
        yield "IOR has no data of a given compressibility (payload: controlled)"
    if params["api"] == "URING":
        yield from _what_aio_cannot(params)


def _what_aio_cannot(params: Mapping[str, Any]) -> Iterator[str]:
    """IOR's back end for asynchronous I/O is AIO."""
    if params["iodepth"] < _LEAST_PENDING:
        yield f"IOR's AIO refuses an iodepth below {_LEAST_PENDING}: {params['iodepth']}"
    if params["verify_write"] or params["verify_read"]:
        yield "IOR's AIO compares data before its transfer has ended"


def _geometry(cell: Cell) -> Iterator[str]:
    xfer_bytes, block_bytes = cell.params["xfer_bytes"], cell.params["block_bytes"]
    xfer, block = format_size(xfer_bytes), format_size(block_bytes)
    if block_bytes % xfer_bytes:
        yield f"the block of {block} is not a multiple of the transfer of {xfer}"
    for name, size_bytes in (("transfer", xfer_bytes), ("block", block_bytes)):
        if size_bytes % _WORD_BYTES:
            yield f"the {name} of {format_size(size_bytes)} is not a multiple of {_WORD_BYTES} bytes"
    shuffled = cell.params["order"] == "random" and not cell.params["random_twice"]
    if shuffled and block_bytes <= xfer_bytes:
        yield f"random order needs a block larger than the transfer: {block} holds one transfer of {xfer}"


def _combinations(cell: Cell) -> Iterator[str]:
    params = cell.params
    api = params["api"]
    if params["order"] == "random" and api in _FILE_FORMATS:
        yield f"random order is refused for {api}"
    if params["order"] == "random" and api == "MPIIO" and params["collective"]:
        yield "random order is refused for collective MPI-IO"
    if params["order"] == "random" and params["layout"] == "shared" and params["reorder"] != "none":
        yield "random order in a shared file already deals the blocks out anew: reorder must be none"
    if params["random_twice"]:
        yield from _drawn(params)
    if params["reorder_nodes"] != 1 and params["reorder"] == "none":
        yield "reorder_nodes needs a reorder: constant or random"
    elif params["reorder_nodes"] >= max(cell.nodes, 2):
        yield f"reorder_nodes is below the number of nodes, {cell.nodes}: it is {params['reorder_nodes']}"
    if params["collective"] and api in _NO_COLLECTIVE:
        yield f"{api} has no collective calls"
    if api == "PNETCDF" and params["layout"] == "file-per-process":
        yield "PnetCDF has no file per process"
    if params["direct"] and api not in ("POSIX", "URING"):
        yield f"O_DIRECT can be requested of POSIX and URING only: with {api} the option is ignored silently"
    if params["drop_caches"] and "read" not in params["access"]:
        yield "drop_caches acts before a read: it needs read in access"
    if params["drop_caches"] and api == "NULL":
        yield "NULL stores nothing that could be cached"
    if params["hints"] and api not in ("MPIIO", *_FILE_FORMATS):
        yield f"MPI-IO hints do not reach {api}"
    if params["read_again"]:
        yield from _what_read_again_lacks(params)
    if params["read_again"] and (params["rate"] or params["rw_mix"] or params["file_view"]):
        yield "read_again excludes rate, rw_mix and file_view"
    if params["read_again"] and api == "MMAP":
        yield "MMAP keeps the pages of an open file, so that a later pass of read_again would read memory"
    if params["fill_memory"] > _MOST_MEMORY:
        yield f"fill_memory is at most {_MOST_MEMORY}, not {params['fill_memory']}"
    if params["wear_out"] and not params["stonewall"]:
        yield "wear_out needs a stonewall"
    if params["verify_write"] and "write" not in params["access"]:
        yield "verify_write needs write in access"
    if params["verify_read"] and "read" not in params["access"]:
        yield "verify_read needs read in access"
    if not params["access"]:
        yield "nothing is requested: access is empty"
    elif "write" not in params["access"]:
        yield "there is nothing to read: every run starts with an empty directory, so access needs write"


def _drawn(params: Mapping[str, Any]) -> Iterator[str]:
    if params["order"] != "random":
        yield "random_twice needs order: random"
    if params["verify_write"] or params["verify_read"] or params["rw_mix"]:
        yield "random_twice excludes verify_write, verify_read and rw_mix"


def _what_read_again_lacks(params: Mapping[str, Any]) -> Iterator[str]:
    needed = {"stonewall": "stonewall", "wear_out": "wear_out: true", "drop_caches": "drop_caches: true"}
    *others, last = [text for name, text in needed.items() if not params[name]] or [""]
    if last:
        lacking = f"{', '.join(others)} and {last}" if others else last
        yield f"read_again repeats a read from storage until its stonewall: it needs {lacking} too"


def _pace(params: Mapping[str, Any]) -> Iterator[str]:
    """Queue depth and schedule of transfers."""
    api, depth = params["api"], params["iodepth"]
    transfers = params["block_bytes"] // params["xfer_bytes"] * params["segments"]
    if api != "URING" and depth != 1:
        yield f"{api} waits for each transfer, so iodepth is 1, not {depth}: URING allows more"
    elif depth > _MOST_UNDER_WAY:
        yield f"URING keeps at most {_MOST_UNDER_WAY} transfers of a rank in flight: iodepth is {depth}"
    elif depth > transfers:
        yield f"a rank makes {transfers} transfers in all, so an iodepth of {depth} is never reached"
    if params["rate"] and params["collective"]:
        yield "collective transfers wait for each other, so rate cannot begin them on a schedule"


def _mixture(params: Mapping[str, Any]) -> Iterator[str]:
    """Reads and writes in one phase, and hot spots."""
    api, mix, zipf = params["api"], params["rw_mix"], params["zipf"]
    if mix > 99:
        yield f"rw_mix is at most 99, not {mix}"
    if mix and set(params["access"]) != {"write", "read"}:
        yield "rw_mix both writes and reads: access must have both"
    if mix and (api not in _UPDATES or params["collective"]):
        yield f"rw_mix needs one of {', '.join(_UPDATES)} without collective calls"
    if mix and (params["verify_write"] or params["wear_out"] or params["reorder"] != "none"):
        yield "rw_mix excludes verify_write, wear_out and reorder"
    if zipf > _ZIPF_MOST:
        yield f"zipf is at most {_ZIPF_MOST}, not {zipf:g}"
    if zipf and (params["order"] == "random" or params["collective"] or params["file_view"]):
        yield "zipf draws the offsets itself: it excludes order: random, collective and file_view"
    if zipf and api in _FILE_FORMATS:
        yield f"zipf is refused for {api}, which takes offsets in order only"


def _distribution(params: Mapping[str, Any]) -> Iterator[str]:
    """Distributions other than blocks, and file views."""
    placed, view = params["distribution"] != "blocks", params["file_view"]
    if placed and (params["layout"] != "shared" or params["order"] == "random" or params["zipf"]):
        yield "distribution is for shared files without random order and zipf"
    if placed and params["api"] in _FILE_FORMATS:
        yield f"distribution is refused for {params['api']}, which has blocks only"
    if view and params["api"] != "MPIIO":
        yield f"{params['api']} has no file views: file_view needs MPIIO"
    if view and (params["layout"] != "shared" or params["order"] == "random"):
        yield "file_view is for shared files without random order"
    if view and (params["stonewall"] or params["rw_mix"] or params["rate"]):
        yield "file_view excludes stonewall, rw_mix and rate"


def _data(params: Mapping[str, Any]) -> Iterator[str]:
    for name in ("compress_percent", "dedupe_percent"):
        percent = params[name]
        if percent > 100:
            yield f"{name} is at most 100, not {percent}"
        if percent and params["payload"] != "controlled":
            yield f"{name} needs payload: controlled, and the payload is {params['payload']}"
