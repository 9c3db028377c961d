"""Why a cell is not a valid combination: what mdtest refuses, and what would measure nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from weir.terms.model import Cell, Target

_IME_PREFIX = "ime://"


def find_problems(cell: Cell, target: Target) -> Sequence[str]:
    """Sentences; empty if the cell can run."""
    return [*_accesses(cell), *_items(cell), *_stonewall(cell), *_interface(cell), *_reach(cell, target)]


def _accesses(cell: Cell) -> Iterator[str]:
    access = cell.params["access"]
    if "create" not in access:
        yield "there is nothing to look at: every run starts with an empty directory, so access needs create"
    if "read" in access and cell.params["item"] == "directory":
        yield "mdtest does not read directories"
    if "rename" in access and cell.params["item"] == "file":
        yield "mdtest renames directories only"


def _items(cell: Cell) -> Iterator[str]:
    params = cell.params
    holders = sum(params["branches"] ** level for level in range(params["depth"] + 1))
    if params["leaf_only"]:
        holders = params["branches"] ** params["depth"]
    if params["items_per_rank"] % holders:
        yield f"{params['items_per_rank']} items cannot be shared out evenly over {holders} directories"
    if params["item"] == "directory" and params["xfer_bytes"]:
        yield "a directory has no bytes: xfer belongs to files"
    if params["sync_files"] and not params["xfer_bytes"]:
        yield "sync_files synchronises what was written, and xfer is 0 B"
    if params["verify_read"] and not (params["xfer_bytes"] and "read" in params["access"]):
        yield "verify_read needs read in access and an xfer above 0 B"
    if params["shift"] and params["shift"] % cell.ranks == 0:
        yield f"a shift by {params['shift']} of {cell.ranks} ranks gives each its own items back"


def _stonewall(cell: Cell) -> Iterator[str]:
    params = cell.params
    if not params["stonewall"]:
        return
    if params["stonewall"] != int(params["stonewall"]):
        yield f"a stonewall has whole seconds in mdtest, and this one has {params['stonewall']:g}"
    if params["item"] == "directory" or params["depth"]:
        yield "the stonewall stops the creation of files in one directory: item file, depth 0"
    if params["order"] == "random":
        yield "with a stonewall it is not known how many items there are to shuffle"


def _interface(cell: Cell) -> Iterator[str]:
    api, params = cell.params["api"], cell.params
    if api == "IME" and params["sync"]:
        yield "IME has no synchronisation of a whole file system"
    if api == "IME" and "rename" in params["access"]:
        yield "IME has no rename"
    if api == "NULL" and params["verify_read"]:
        yield "NULL stores nothing that could be compared"


def _reach(cell: Cell, target: Target) -> Iterator[str]:
    api = cell.params["api"]
    has_ime_prefix = target.prefix.startswith(_IME_PREFIX)
    if api == "IME" and not has_ime_prefix:
        yield f"IME needs a target with the prefix {_IME_PREFIX}, which {target.name} does not have"
    if api == "POSIX" and has_ime_prefix:
        yield f"{api} cannot open a path with the prefix {_IME_PREFIX} of target {target.name}"
