"""The way of the data, one rule per arrow: plan, measure, collect (or adopt), draw, print.

snakemake                                          measures the suites of config/config.yaml and prints them
snakemake -n                                       says which cells would be measured
snakemake paper --config records=reference/X.csv   draws and prints archived records, measures nothing
snakemake --profile profiles/slurm                 the same as the first, on a cluster
"""

import shlex
import sys
from pathlib import Path

from weir.takeover import (
    end_the_jobs_with_the_workflow,
    note_temporary,
    take_over_from_a_killed_workflow,
)

# Before all that takes time: a kill from here on leaves nothing that the next start does not find.
note_temporary(Path(".snakemake"), workflow.snakemake_tmp_dir)

from weir.cluster.admission import admission
from weir.cluster.allocation import allocations, retries
from weir.config import load_config
from weir.handover import note_start
from weir.plan import make_plan, write_plan
from weir.plan.added import until_words
from weir.plan.card import cost_card
from weir.plan.experience import read_costs
from weir.slurm_status import wait_for_replies
from weir.study import (
    ARCHIVE_SITE,
    archive_of,
    cells_left,
    measured_study,
    plan_digest,
    what_is_left,
    why_not_measured,
)


configfile: "config/config.yaml"


report: "reports/captions/workflow.rst"


PLAN = make_plan(load_config(overrides=config))
MEASURED = measured_study(
    PLAN, Path(workflow.basedir), str(config.get("campaign") or "")
)
ARCHIVED = archive_of(config, Path(workflow.basedir))
STUDY = ARCHIVED or MEASURED
# The published values, and the tables of whole publications beside them.
PUBLISHED = "reference/published.csv"
BESIDE = ["reference/mistral-defaults.csv", "reference/io500-submissions.csv"]
DRAWING = sorted(
    str(path)
    for folder in (
        "R",
        "figures",
        "tables",
        "claims",
        "advice",
        "page",
        "../config/metrics",
    )
    for path in Path("analysis", folder).glob("*.*")
)

if workflow.is_main_process:
    take_over_from_a_killed_workflow(Path(".snakemake"))
    note_start()
    wait_for_replies()

if workflow.is_main_process and not ARCHIVED:
    results = Path(MEASURED.site_folder)
    print(cost_card(PLAN, read_costs(results)), "", sep="\n", file=sys.stderr)
    receipts = Path(f"{MEASURED.folder}/batches")
    print(what_is_left(PLAN, results, receipts), file=sys.stderr)
    unmeasured = [batch for batch in PLAN.batches if cells_left(batch, results)]
    for note in admission(PLAN, unmeasured):
        print(note, file=sys.stderr)


# Once, before the jobs start and not while the Snakefile is parsed: a dry run writes nothing.
onstart:
    end_the_jobs_with_the_workflow()
    if not ARCHIVED:
        Path(MEASURED.folder).mkdir(parents=True, exist_ok=True)
        write_plan(PLAN, Path(f"{MEASURED.folder}/plan-measured.json"))
        Path(f"{MEASURED.folder}/plan.txt").write_text(cost_card(PLAN) + "\n")


# Snakemake's message about a failed job is long, and does not end with the reason.
onerror:
    for line in why_not_measured(PLAN, Path(MEASURED.folder)):
        print(line, file=sys.stderr)


# What analysing and printing need; used with --software-deployment-method apptainer.
container: "build/containers/analyse.sif"


# The programs beside this Python come first, whoever started snakemake. In a container they are the container's, which
# work on this checkout's code.
shell.prefix(
    "set -euo pipefail;"
    f' [ -z "${{{{APPTAINER_CONTAINER:-}}}}" ] || export PYTHONPATH={shlex.quote(str(workflow.basedir))};'
    f' [ -n "${{{{APPTAINER_CONTAINER:-}}}}" ] || export PATH={shlex.quote(str(Path(sys.executable).parent))}:$PATH; '
)


wildcard_constraints:
    batch="[^/]+",
    folder="results/[^/]+/[^/]+",
    name="[^/.]+",


localrules:
    report,
    paper,
    plan,
    collect,
    adopt,
    draw,
    print,


rule report:
    default_target: True
    input:
        f"{MEASURED.folder}/report.pdf",


rule paper:
    input:
        f"{STUDY.folder}/report.pdf",


rule plan:
    output:
        f"{MEASURED.folder}/plan.json",
    log:
        f"{MEASURED.folder}/logs/plan.log",
    params:
        digest=plan_digest(PLAN),
        written=f"{MEASURED.folder}/plan-measured.json",
    # A shell: Snakemake starts itself again for every job of Python, which takes longer than a short batch.
    shell:
        "cp {params.written:q} {output:q} > {log:q} 2>&1"


def cells_of(wildcards):
    """What a batch consists of: if this changes, and only then, it is measured again, which skips what is there."""
    return [
        f"{cell.label} {cell.cell} x{cell.rounds}{until_words(cell.until)}"
        for cell in PLAN.batch(wildcards.batch).cells
    ]


def partition_of(wildcards):
    return f"{PLAN.site.name}:{PLAN.batch(wildcards.batch).partition}"


rule measure:
    # No input: Snakemake judges a job behind another one that runs by that one's outputs alone, never by its params.
    output:
        receipt=f"{MEASURED.folder}/batches/{{batch}}.json",
    log:
        f"{MEASURED.folder}/batches/{{batch}}.log",
    # Back to the queue, not once more within the job.
    retries: retries(PLAN) if workflow.is_main_process else 0
    # A measurement has a stack of its own, and is never put into the container that analyses it.
    container:
        None
    resources:
        **allocations(PLAN),
        io=1,
    params:
        cells=cells_of,
        partition=partition_of,
        plan=f"{MEASURED.folder}/plan-measured.json",
    shell:
        "python3 {workflow.basedir:q}/reframe_checks/run_batch.py {params.partition:q} {wildcards.batch:q}"
        " {params.plan:q} {output.receipt:q}"


rule collect:
    input:
        plan=f"{MEASURED.folder}/plan.json",
        receipts=[
            f"{MEASURED.folder}/batches/{batch.batch}.json" for batch in PLAN.batches
        ],
    output:
        records=f"{MEASURED.folder}/records.csv",
        excluded=f"{MEASURED.folder}/excluded.csv",
        latencies=f"{MEASURED.folder}/latencies.csv",
        facts=f"{MEASURED.folder}/facts.json",
    log:
        f"{MEASURED.folder}/logs/collect.log",
    shell:
        "weir collect --plan {input.plan:q} --out {output.records:q} > {log:q} 2>&1"


rule adopt:
    input:
        records=ARCHIVED.records if ARCHIVED else [],
        sidecar=ARCHIVED.sidecar if ARCHIVED else [],
    output:
        records=f"results/{ARCHIVE_SITE}/{{name}}/records.csv",
        excluded=f"results/{ARCHIVE_SITE}/{{name}}/excluded.csv",
        latencies=f"results/{ARCHIVE_SITE}/{{name}}/latencies.csv",
        facts=f"results/{ARCHIVE_SITE}/{{name}}/facts.json",
    log:
        f"results/{ARCHIVE_SITE}/{{name}}/logs/adopt.log",
    params:
        sidecar="--facts" if ARCHIVED and ARCHIVED.sidecar else "",
    shell:
        "weir import {input.records:q} {params.sidecar} {input.sidecar:q} --out {output.records:q} > {log:q} 2>&1"


rule draw:
    input:
        code=DRAWING,
        records="{folder}/records.csv",
        excluded="{folder}/excluded.csv",
        latencies="{folder}/latencies.csv",
        facts="{folder}/facts.json",
        published=PUBLISHED,
        beside=BESIDE,
    output:
        figures=report(
            directory("{folder}/figures"),
            patterns=["{name}.svg"],
            caption="reports/captions/figure.rst",
            category="Figures",
            labels={"figure": "{name}"},
        ),
        tables=report(
            directory("{folder}/tables"),
            patterns=["{name}.html"],
            caption="reports/captions/table.rst",
            category="Tables",
            labels={"table": "{name}"},
        ),
        claims="{folder}/claims.csv",
        numbers="{folder}/numbers.tex",
        page="{folder}/report.html",
        facts_of_page="{folder}/page.json",
    log:
        "{folder}/logs/draw.log",
    threads: 2
    shell:
        "Rscript analysis/draw.R study {wildcards.folder:q} --with published={input.published:q} > {log:q} 2>&1"


rule print:
    input:
        text=f"reports/{STUDY.report}/main.tex",
        shared=[
            "reports/print.sh",
            "reports/weir.sty",
            "reports/weir-a4.sty",
            "reports/method.tex",
            "reports/references.bib",
        ],
        numbers="{folder}/numbers.tex",
        figures="{folder}/figures",
        tables="{folder}/tables",
    output:
        report(
            "{folder}/report.pdf",
            caption="reports/captions/pdf.rst",
            category="Report",
        ),
    log:
        "{folder}/logs/print.log",
    shell:
        "reports/print.sh {input.text:q} {wildcards.folder:q} {output:q} > {log:q} 2>&1"
