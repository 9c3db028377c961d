import hashlib
from pathlib import Path

from weir.collect.tally import Tally, facts_of_run
from weir.measure.command import images_of


def image(folder: Path, content: bytes) -> Path:
    file = folder / "measure.sif"
    file.write_bytes(b"#!/usr/bin/env run-singularity\n\0" + b"SIF_MAGIC" + content)
    return file


def test_the_image_of_a_program_is_known_by_its_digest(tmp_path: Path) -> None:
    file = image(tmp_path, b"first")
    (tmp_path / "wrapper").write_text("#!/bin/sh\n")
    program = [str(tmp_path / "wrapper"), str(file), "weir-io", str(tmp_path), "a\0b"]
    assert images_of(program) == {str(file): hashlib.sha256(file.read_bytes()).hexdigest()}
    image(tmp_path, b"another one")
    assert images_of(program) == {str(file): hashlib.sha256(file.read_bytes()).hexdigest()}
    assert images_of(["/usr/bin/weir-io", "ior", str(tmp_path / "wrapper"), "/nonexistent"]) == {}


def test_the_facts_of_a_study_name_the_image_of_each_stack() -> None:
    run = {
        "host": {},
        "status": "done",
        "cell": {"target": "scratch", "stack": "container"},
        "seed": 1,
        "began": "",
        "ended": "",
        "images": {"/images/measure.sif": "ab" * 32},
    }
    tally = Tally()
    tally.add_run(facts_of_run(run))
    assert tally.programs == {("container", f"measure.sif (SHA-256 {'ab' * 32})")}
    again = Tally()
    again.add(tally.data())
    assert again.programs == tally.programs
