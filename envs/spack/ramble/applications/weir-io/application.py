# Copyright The weir Authors. See the file LICENSE for details.
#
# SPDX-License-Identifier: Apache-2.0

from ramble.appkit import *


class WeirIo(ExecutableApplication):
    """weir's engine by IOR's options, for workspaces of Ramble and Benchpark: a write, then a read, whose
    output `weir import` audits; and a whole suite of weir, which starts its ranks itself."""

    name = "weir-io"

    tags("io", "storage", "benchmark", "mini-app")

    # The workspace without a package manager names the directory above bin by the variable weir-io_path.
    software_spec("weir-io", pkg_spec="weir-io@main", package_manager="spack*")
    required_package("weir-io", package_manager="spack*")

    executable(
        "ior",
        "weir-io ior -a {api} -w -r -e -i {iterations} -b {block} -t {transfer} {options}"
        " -o {target}/weir-io.data",
        use_mpi=True,
    )

    # The suite: weir plans, measures what is missing and counts the verdicts of the records.
    study = "results/{site}/{suite}"
    executable(
        "study",
        template=[
            "[ -d study ] || weir init study --engine $(command -v weir-io)",
            "cd study",
            f"weir plan --site {{site}} --suite {{suite}} {{choice}} --out {study}/plan.json",
            f"weir run --plan {study}/plan.json --results results/{{site}}",
            f"weir collect --plan {study}/plan.json --out {study}/records.csv",
            "cd ..",
        ],
        use_mpi=False,
    )

    workload("shared-file", executables=["ior"])
    workload("file-per-process", executables=["ior"])

    workload("suite", executables=["study"])
    workload_variable("suite", default="quick", description="suite of weir", workloads=["suite"])
    workload_variable("site", default="local", description="site of config/sites", workloads=["suite"])
    workload_variable(
        "choice",
        default="",
        description="options of weir plan, such as --target memory or --config-dir DIR",
        workloads=["suite"],
    )

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

    verdicts = ("VALID", "UNPROVEN", "DEGRADED", "INVALID")
    for verdict in verdicts:
        figure_of_merit(
            f"{verdict} records",
            fom_regex=rf".* records of [0-9]+ cells: .*\b(?P<count>[0-9]+) {verdict}\b",
            group_name="count",
            units="",
        )

    # A read of the engine, or the records of a suite.
    success_criteria(
        "it was measured",
        mode="string",
        match=r"^(?:read\s+[0-9.]+\s|.* records of [0-9]+ cells: )",
        file="{log_file}",
    )
