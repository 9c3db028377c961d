"""The way of the data, one rule per arrow: plan, measure, collect (or adopt), draw, print.

snakemake                                          measures the suites of config/config.yaml and prints them
snakemake -n                                       says which cells would be measured
snakemake paper --config records=reference/X.csv   draws and prints archived records, measures nothing
snakemake --profile profiles/slurm                 the same as the first, on a cluster
"""

from pathlib import Path

from weir.workflow.takeover import note_temporary

# Before all that takes time: a kill from here on leaves nothing that the next start does not find.
note_temporary(Path(".snakemake"), workflow.snakemake_tmp_dir)

from weir.workflow.study import ARCHIVE_SITE
from weir.workflow.begin import begin


configfile: "config/config.yaml"


# What analysing and printing need; used with --software-deployment-method apptainer.
container: "build/containers/analyse.sif"


WORKFLOW = begin(workflow, config)
MEASURED, ARCHIVED, STUDY = WORKFLOW.measured, WORKFLOW.archived, WORKFLOW.study
shell.prefix(WORKFLOW.shell_prefix)


rule report:
    default_target: True
    input:
        f"{MEASURED.folder}/report.pdf",


rule paper:
    input:
        f"{STUDY.folder}/report.pdf",


rule measure:
    # No input: Snakemake judges a job behind another one that runs by that one's outputs alone, never by its params.
    output:
        receipt=f"{MEASURED.folder}/batches/{{batch}}.json",
    log:
        f"{MEASURED.folder}/batches/{{batch}}.log",
    # Back to the queue, not once more within the job.
    retries: WORKFLOW.retries
    # A measurement has a stack of its own, and is never put into the container that analyses it.
    container:
        None
    resources:
        **WORKFLOW.allocations,
        io=1,
    params:
        cells=WORKFLOW.cells_of,
        partition=WORKFLOW.partition_of,
        plan=WORKFLOW.plan_file,
    shell:
        "python3 {workflow.basedir:q}/reframe_checks/run_batch.py {params.partition:q} {wildcards.batch:q}"
        " {params.plan:q} {output.receipt:q}"


rule collect:
    input:
        receipts=WORKFLOW.receipts,
    output:
        plan=f"{MEASURED.folder}/plan.json",
        records=f"{MEASURED.folder}/records.csv",
        excluded=f"{MEASURED.folder}/excluded.csv",
        latencies=f"{MEASURED.folder}/latencies.csv",
        intervals=f"{MEASURED.folder}/intervals.csv",
        facts=f"{MEASURED.folder}/facts.json",
    log:
        f"{MEASURED.folder}/logs/collect.log",
    # The plan is no input, which would be older than the runs: its digest tells that it changed.
    params:
        digest=WORKFLOW.digest,
        plan=WORKFLOW.plan_file,
    shell:
        "weir collect --plan {params.plan:q} --out {output.records:q} > {log:q} 2>&1"


rule adopt:
    input:
        records=ARCHIVED.records if ARCHIVED else [],
        sidecar=ARCHIVED.sidecar if ARCHIVED else [],
    output:
        records=f"results/{ARCHIVE_SITE}/{{name}}/records.csv",
        excluded=f"results/{ARCHIVE_SITE}/{{name}}/excluded.csv",
        latencies=f"results/{ARCHIVE_SITE}/{{name}}/latencies.csv",
        intervals=f"results/{ARCHIVE_SITE}/{{name}}/intervals.csv",
        facts=f"results/{ARCHIVE_SITE}/{{name}}/facts.json",
    log:
        f"results/{ARCHIVE_SITE}/{{name}}/logs/adopt.log",
    params:
        sidecar="--facts" if ARCHIVED and ARCHIVED.sidecar else "",
    shell:
        "weir import {input.records:q} {params.sidecar} {input.sidecar:q} --out {output.records:q} > {log:q} 2>&1"


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


rule draw:
    input:
        code=DRAWING,
        records="{folder}/records.csv",
        excluded="{folder}/excluded.csv",
        latencies="{folder}/latencies.csv",
        intervals="{folder}/intervals.csv",
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


onstart:
    WORKFLOW.start()


onerror:
    WORKFLOW.explain()


report: "reports/captions/workflow.rst"


wildcard_constraints:
    batch="[^/]+",
    folder="results/[^/]+/[^/]+",
    name="[^/.]+",


localrules:
    report,
    paper,
    collect,
    adopt,
    draw,
    print,
