"""ReFrame's configuration, made from config/sites: a site is data, and a new one needs no line here."""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import reframe
from jsonschema.validators import validator_for

from weir.base.errors import WeirError
from weir.measure.clean_up.starter import Starter
from weir.plan import read_plan
from weir.records.model import Partition, Site
from weir.site.schedulers import scheduler
from weir.site.schedulers.executors.reframe_backend import backend_of

SCHEMA = json.loads((Path(reframe.__file__).parent / "schemas/config.json").read_text(encoding="utf-8"))
# An older ReFrame has it by another name.
A_LINE_FOR_EACH_VALUE = "perflog_multiline" if "perflog_multiline" in json.dumps(SCHEMA) else "perflog_compat"
# A line for each value: check_perfvalues would be all of them, in each of these lines.
PERFLOG_LINE = "|".join(
    f"%(check_{name})s"
    for name in (
        *("job_completion_time", "display_name", "result", "perf_var", "perf_value", "perf_unit", "perf_ref"),
        *("perf_lower_thres", "perf_upper_thres"),
    )
)

ROOT = Path(__file__).resolve().parent.parent
INSIDE = "WEIR_IN_ALLOCATION" in os.environ
# A job of somebody else, or one batch of a plan: there is nothing left to choose, so nothing is looked for.
CHOSEN = INSIDE or "WEIR_BATCH" in os.environ


def partition_of(site: Site, partition: Partition) -> dict[str, Any]:
    """Inside an allocation that somebody else requested, ReFrame runs on the spot; else it submits."""
    system = scheduler(partition.scheduler)
    return {
        "name": partition.name,
        "descr": partition.description,
        "scheduler": "local" if INSIDE else backend_of(system),
        # weir run is started once per batch and starts the ranks itself.
        "launcher": "local",
        "access": [] if INSIDE else system.reframe_access(partition.scheduler_options),
        "environs": list(partition.stacks),
        "max_jobs": 1,
        "features": sorted({target.kind for target in site.targets.values()}),
        "extras": {
            "targets": sorted(site.targets),
            "stacks": list(partition.stacks),
            "launcher": partition.launcher,
        },
        "processor": {"num_cpus": partition.cores_per_node},
    }


def system_of(site: Site) -> dict[str, Any]:
    return {
        "name": site.name,
        "descr": site.description,
        "hostnames": list(site.hosts) or [r"^$"],  # no pattern: only when requested by --system
        "modules_system": "nomod",
        # The same as max_jobs of a partition: two batches side by side would measure each other.
        "max_local_jobs": 1,
        "partitions": [partition_of(site, partition) for partition in site.partitions.values()],
    }


def environments_of(sites: list[Site]) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "target_systems": [site.name],
            "cc": "",
            "cxx": "",
            "ftn": "",
            "features": [] if CHOSEN else features_of(site, name),
        }
        for site in sites
        for name in site.stacks
    ]


def features_of(site: Site, stack: str) -> list[str]:
    """The features of a stack on this machine, for the checks that need them."""
    from weir.site.stacks.probe import features_here, launcher_of  # no job of a workflow waits for it

    return features_here(site.stacks[stack], launcher_of(site, stack))


def sites() -> Iterator[Site]:
    """The site of the plan; without a plan all of config/sites, of which a broken one takes only itself
    away."""
    if "WEIR_PLAN" in os.environ:
        yield read_plan(Path(os.environ["WEIR_PLAN"])).site
        return
    from weir.plan.config.sites import load_site  # with the readers of YAML, which no plan needs
    from weir.plan.config.sources import find_sources

    sources = find_sources(start=ROOT)
    for name in sources.sites():
        try:
            yield load_site(sources, name)[0]
        except WeirError as error:
            print(f"weir: site {name} is skipped: {error}", file=sys.stderr)


def polling() -> dict[str, float]:
    """ReFrame looks ever more rarely whether a job has ended: after a minute every 9 s. That spares a batch
    system; where all jobs are children of this process a look costs nothing."""
    partitions = [partition for site in SITES for partition in site.partitions.values()]
    is_local = INSIDE or all(one.scheduler == "local" for one in partitions)
    return {"poll_rate_decay": 0.0} if is_local else {}


def known_to_reframe(configuration: dict[str, Any]) -> dict[str, Any]:
    """The configuration without the keys that this ReFrame's schema lacks: it refuses them, and weir can do
    without."""
    for error in [*validator_for(SCHEMA)(SCHEMA).iter_errors(configuration)]:
        if error.validator == "additionalProperties":
            for key in error.instance.keys() - error.schema.get("properties", {}).keys():
                del error.instance[key]
    return configuration


SITES = list(sites())
# Jobs of this process end with it, also when it is killed.
Starter()

CONFIGURATION = {
    # The last system whose pattern matches wins nothing: the first does, so the catch-all laptop goes last.
    "systems": [system_of(site) for site in sorted(SITES, key=lambda site: ".*" in site.hosts)],
    "environments": environments_of(SITES),
    "logging": [
        {
            A_LINE_FOR_EACH_VALUE: True,
            # Below it ReFrame formats each message that no handler takes: a third of its time.
            "level": "info",
            "handlers": [{"type": "stream", "name": "stdout", "level": "info", "format": "%(message)s"}],
            "handlers_perflog": [
                {
                    "type": "filelog",
                    "prefix": "%(check_system)s/%(check_partition)s",
                    "level": "info",
                    "format": PERFLOG_LINE,
                    "append": True,
                }
            ],
        }
    ],
    "general": [
        {"check_search_path": [str(ROOT / "reframe_checks")], "purge_environment": False, **polling()}
    ],
}
site_configuration = known_to_reframe(CONFIGURATION)
