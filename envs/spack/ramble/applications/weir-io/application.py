# Copyright The weir Authors. See the file LICENSE for details.
#
# SPDX-License-Identifier: Apache-2.0

from ramble.appkit import *


class WeirIo(ExecutableApplication):
    """weir's engine by IOR's options, for workspaces of Ramble and Benchpark: a write, then a read.
    `weir import` audits the output."""

    name = "weir-io"

    tags("io", "storage", "benchmark", "mini-app")

    # Without a package manager, the workspace names the directory above bin by the variable weir-io_path.
    software_spec("weir-io", pkg_spec="weir-io@main", package_manager="spack*")
    required_package("weir-io", package_manager="spack*")

    executable(
        "ior",
        "weir-io ior -a {api} -w -r -e -i {iterations} -b {block} -t {transfer} {options}"
        " -o {target}/weir-io.data",
        use_mpi=True,
    )

    workload("shared-file", executables=["ior"])
    workload("file-per-process", executables=["ior"])

    both = ["shared-file", "file-per-process"]
    workload_variable("api", default="POSIX", description="POSIX, MPIIO, HDF5, ...", workloads=both)
    workload_variable("block", default="64m", description="bytes of each rank", workloads=both)
    workload_variable("transfer", default="1m", description="bytes of one call", workloads=both)
    workload_variable("iterations", default="3", description="how often", workloads=both)
    workload_variable(
        "target", default="{experiment_run_dir}", description="directory to measure", workloads=both
    )
    workload_variable("options", default="", description="more of IOR's options", workloads=["shared-file"])
    workload_variable(
        "options", default="-F", description="more of IOR's options", workloads=["file-per-process"]
    )

    # Rows of an iteration end with its number; those of the summary begin with maximum, minimum and mean.
    iteration = r"\s+(?P<rate>[0-9.]+)(?:\s+[0-9.]+){8}\s+(?P<iteration>[0-9]+)\s*$"
    summary = r"\s+(?P<highest>[0-9.]+)\s+(?P<lowest>[0-9.]+)\s+(?P<mean>[0-9.]+)\s.*\s(?:NA|[0-9.]+)\s"
    figure_of_merit_context(
        "iteration", regex=rf"^(?:write|read){iteration}", output_format="iteration {iteration}"
    )
    for access in ("write", "read"):
        figure_of_merit(
            f"{access} bandwidth",
            fom_regex=rf"^{access}{iteration}",
            group_name="rate",
            units="MiB/s",
            contexts=["iteration"],
        )
        for which in ("highest", "lowest", "mean"):
            figure_of_merit(
                f"{which} {access} bandwidth",
                fom_regex=rf"^{access}{summary}",
                group_name=which,
                units="MiB/s",
            )

    success_criteria("both accesses", mode="string", match=r"^read\s+[0-9.]+\s", file="{log_file}")
