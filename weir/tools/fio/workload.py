"""Facts that tell two jobs of fio apart beside the columns: name, path, files, and other options."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

# Options that have a column, a key of their own below, or that change what fio reports and not what it does.
_NO_WORKLOAD = re.compile(
    r"name|description|directory|filename|rw|rwmix(?:read|write)|iodepth|direct|numjobs"
    r"|output.*|write_\w+_log|log_\w+|per_job_logs|status-interval|eta\S*|minimal|aux-path|percentile_list"
    r"|group_reporting|new_group|stonewall|wait_for(?:_previous)?|exitall|lat_percentiles|clat_percentiles"
)


def workload_of(
    name: object,
    told: Mapping[str, str],
    workers: int | None,
    file_bytes: int | None,
    is_one_of_them: bool = False,
) -> dict[str, Any]:
    """told: the options of the job as the log has them; file_bytes: the bytes of each worker; is_one_of_them:
    the result is that of one worker beside the others, since fio did not report them as a group."""
    files = told.get("nrfiles", "")
    kept = {option: value for option, value in told.items() if not _NO_WORKLOAD.fullmatch(option)}
    found = {
        "job": str(name) if name else None,
        "workers": workers if workers and workers > 1 else None,
        "is_one_of_them": True if is_one_of_them and workers and workers > 1 else None,
        "files": int(files) if files.isdecimal() and 0 < len(files) < 10 and int(files) else None,
        "file_bytes": file_bytes,
        "options": kept or None,
    }
    return {key: value for key, value in found.items() if value is not None}


def path_of(name: object, told: Mapping[str, str]) -> str | None:
    """The file of a job, or one that stands for its files; none without a directory."""
    file = told.get("filename", "")
    if file.startswith("/"):
        return file
    directory = told.get("directory", "")
    return f"{directory.rstrip('/')}/{file or name}" if directory.startswith("/") else None
