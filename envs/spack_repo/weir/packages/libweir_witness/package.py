# Copyright The weir Authors. See the file LICENSE for details.
#
# SPDX-License-Identifier: Apache-2.0

import glob
import json
import os

from spack.package import *
from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.weir.checkout import CHECKOUT, HOMEPAGE, NO_COMMIT, sources

SOURCES = sources("CMakeLists.txt", "src")


class LibweirWitness(CMakePackage):
    """Preloaded beside any program, it writes down what the program really asked of its storage:
    calls, bytes, times, devices. weir-io brings it, too; this is the library alone, without
    MPI."""

    homepage = HOMEPAGE
    git = CHECKOUT
    git_sparse_paths = ["src"]

    license("Apache-2.0")

    for _version, _source in SOURCES.items():
        version(_version, **_source)
    if "branch" in SOURCES["main"]:
        conflicts("@main", msg=NO_COMMIT)

    depends_on("c", type="build")
    depends_on("cmake@3.22:", type="build")

    conflicts("platform=darwin", msg="the witness uses interfaces of Linux")
    conflicts("platform=windows", msg="the witness uses interfaces of Linux")

    def cmake_args(self):
        return [self.define(f"WEIR_{part}", False) for part in ("TESTS", "EMULATOR", "ENGINE")]

    def test_a_writer_is_watched(self):
        """the library reports the bytes that a program of the system wrote"""
        library = find_libraries("libweir-witness", root=self.prefix, recursive=True)[0]
        os.mkdir("data")
        writer = which("dd", required=True)
        writer.add_default_env("LD_PRELOAD", library)
        writer.add_default_env("WEIR_WITNESS", os.path.abspath("report"))
        writer.add_default_env("WEIR_WITNESS_ROOT", os.path.realpath("data"))
        writer("if=/dev/zero", "of=data/file", "bs=65536", "count=4")
        (report,) = glob.glob("report.*.json")
        with open(report, encoding="utf-8") as file:
            written = sum(span["written_bytes"] for span in json.load(file)["spans"])
        assert written == 4 * 65536, f"{written} bytes were seen"
