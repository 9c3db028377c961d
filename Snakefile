"""The way of the data, one rule per arrow: plan, measure, collect (or adopt), draw, print.

snakemake                                          measures the suites of config/config.yaml and prints them
snakemake -n                                       says which cells would be measured
snakemake paper --config records=reference/X.csv   draws and prints archived records, measures nothing
snakemake --profile profiles/slurm                 the same as the first, on a cluster
"""

from weir.workflow.begin import begin, configuration


configfile: configuration(workflow)


WORKFLOW = begin(workflow, config)


rule report:
    input:
        f"{WORKFLOW.measured.folder}/report.pdf",
    localrule: True


rule paper:
    input:
        f"{WORKFLOW.study.folder}/report.pdf",
    localrule: True


rule measure:
    # No input: Snakemake judges a job behind another one that runs by that one's outputs alone, never by its params.
    output:
        receipt=f"{WORKFLOW.measured.folder}/batches/{{batch}}.json",
    log:
        f"{WORKFLOW.measured.folder}/batches/{{batch}}.log",
    # Back to the queue, not once more within the job.
    retries: WORKFLOW.retries
    conda:
        WORKFLOW.code.environment("measure")
    # A measurement has a stack of its own, and is never put into the container that analyses it.
    container:
        None
    resources:
        **WORKFLOW.allocations,
        io=1,
    # Measured again when one of them changes: the path of the code is none of them.
    params:
        cells=WORKFLOW.cells_of,
        partition=WORKFLOW.partition_of,
        plan=WORKFLOW.plan_file,
    shell:
        f"PATH={WORKFLOW.programs}:$PATH python3 {WORKFLOW.code.word('reframe_checks/run_batch.py')}"
        " {params.partition:q} {wildcards.batch:q} {params.plan:q} {output.receipt:q}"


rule collect:
    input:
        receipts=WORKFLOW.receipts,
    output:
        plan=f"{WORKFLOW.measured.folder}/plan.json",
        records=f"{WORKFLOW.measured.folder}/records.csv",
        excluded=f"{WORKFLOW.measured.folder}/excluded.csv",
        latencies=f"{WORKFLOW.measured.folder}/latencies.csv",
        intervals=f"{WORKFLOW.measured.folder}/intervals.csv",
        facts=f"{WORKFLOW.measured.folder}/facts.json",
    log:
        f"{WORKFLOW.measured.folder}/logs/collect.log",
    localrule: True
    container:
        WORKFLOW.code.image
    # The plan is no input, which would be older than the runs: its digest tells that it changed.
    params:
        digest=WORKFLOW.digest,
        plan=WORKFLOW.plan_file,
    shell:
        f"{WORKFLOW.code.weir} collect"
        " --plan {params.plan:q} --out {output.records:q} > {log:q} 2>&1"


rule adopt:
    input:
        records=WORKFLOW.archived.records if WORKFLOW.archived else [],
        sidecar=WORKFLOW.archived.sidecar if WORKFLOW.archived else [],
    output:
        records="results/archive/{name}/records.csv",
        excluded="results/archive/{name}/excluded.csv",
        latencies="results/archive/{name}/latencies.csv",
        intervals="results/archive/{name}/intervals.csv",
        facts="results/archive/{name}/facts.json",
    log:
        "results/archive/{name}/logs/adopt.log",
    localrule: True
    container:
        WORKFLOW.code.image
    params:
        sidecar="--facts" if WORKFLOW.archived and WORKFLOW.archived.sidecar else "",
    shell:
        f"{WORKFLOW.code.weir} import"
        " {input.records:q} {params.sidecar} {input.sidecar:q} --out {output.records:q} > {log:q} 2>&1"


rule draw:
    input:
        records="{folder}/records.csv",
        excluded="{folder}/excluded.csv",
        latencies="{folder}/latencies.csv",
        intervals="{folder}/intervals.csv",
        facts="{folder}/facts.json",
        # Published values; the analysis reads the tables of whole publications beside them.
        published=WORKFLOW.code.path("reference/published.csv"),
        beside=WORKFLOW.code.paths(
            ["reference/mistral-defaults.csv", "reference/io500-submissions.csv"]
        ),
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
    localrule: True
    conda:
        WORKFLOW.code.environment("analyse")
    container:
        WORKFLOW.code.image
    threads: 2
    params:
        folder=WORKFLOW.folder_of,
        code=WORKFLOW.code.drawing_digest(),
    shell:
        f"{WORKFLOW.code.step} --log {{log:q}} Rscript {WORKFLOW.code.word('analysis/draw.R')}"
        " study {params.folder:q} --with published={input.published:q}"


rule print:
    input:
        text=WORKFLOW.code.path(f"reports/{WORKFLOW.study.report}/main.tex"),
        shared=WORKFLOW.code.paths(
            [
                "reports/print.sh",
                "reports/weir.sty",
                "reports/weir-a4.sty",
                "reports/method.tex",
                "reports/references.bib",
            ]
        ),
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
    localrule: True
    conda:
        WORKFLOW.code.environment("analyse")
    container:
        WORKFLOW.code.image
    params:
        folder=WORKFLOW.folder_of,
    shell:
        f"{WORKFLOW.code.step} --log {{log:q}} {WORKFLOW.code.word('reports/print.sh')}"
        " {input.text:q} {params.folder:q} {output:q}"


onstart:
    WORKFLOW.start()


onsuccess:
    WORKFLOW.end()


onerror:
    WORKFLOW.explain()


report: "reports/captions/workflow.rst"


wildcard_constraints:
    batch="[^/]+",
    folder="results/[^/]+/[^/]+",
    name="[^/.]+",
