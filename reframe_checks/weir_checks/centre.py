"""Finds the site of weir for a system of ReFrame: by its name, or by the extras of its partitions.

    'extras': {'weir': {'site': 'lab', 'partition': 'compute'}}
    'extras': {'weir': {'targets': {'scratch': {'kind': 'parallel', 'path': '/scratch/io'}}}}

The first is a site of config/sites with other names. The second needs no site.yaml: scheduler, access,
launcher, cores and environments are those of the settings that ReFrame has already, and the extras add what
ReFrame does not describe (docs/how-to/reframe.md).
"""

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reframe.core.systems import System, SystemPartition

from weir.base.errors import WeirError, did_you_mean
from weir.base.files import Shape, fault_of

KEY = "weir"
OF_PARTITION = (
    *("nodes", "cores_per_node", "max_ppn", "launcher", "scheduler", "scheduler_options"),
    *("time_limit", "launch", "slow_nodes"),
)
OF_STACK = ("programs", "environment", "launcher_options")
_STACK = {"programs?": dict, "environment?": dict}
OF_SITE = ("targets", "scale", "site", "partition", "environs")
SCHEDULERS = {
    **{"slurm": "slurm", "squeue": "slurm", "pbs": "pbs", "torque": "pbs", "sge": "gridengine"},
    **{"flux": "flux", "oar": "oar", "lsf": "lsf", "local": "local"},
}
LAUNCHERS = {
    **{"srun": "srun", "mpirun": "mpirun", "mpirun-openmpi": "mpirun", "mpirun-intelmpi": "hydra"},
    **{"mpiexec": "hydra", "local": "mpirun"},
}


@dataclass(frozen=True)
class Described:
    """A site as its files would describe it, made from the settings."""

    site: Mapping[str, Any]
    targets: Mapping[str, Mapping[str, Any]]


def name_of(text: str) -> str:
    """The text in the form of weir's names: gpu_A100 is gpu-a100."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def extras_of(partition: SystemPartition) -> dict[str, Any]:
    """The extras for weir: {'weir': 'lab'} is short for {'weir': {'site': 'lab'}}."""
    given = partition.extras.get(KEY, {})
    given = {"site": given} if isinstance(given, str) else given
    _require_keys(partition, given, {**_STACK, "targets?": {"*": dict}, "site?": str, "partition?": str})
    known = [*OF_SITE, *OF_PARTITION, *OF_STACK]
    for key in given:
        if key not in known:
            raise _fault(partition, f"'{key}' is unknown", did_you_mean(key, known))
    return dict(given)


def _require_keys(partition: SystemPartition, given: Any, shape: Shape) -> None:
    if fault := fault_of(given, shape):
        key, wrong = fault
        hint = "'targets': {'scratch': {'kind': 'parallel', 'path': '/scratch/{user}/io'}}, or 'site': 'lab'"
        raise _fault(partition, f"'{key.lstrip('.') or KEY}' {wrong}", f"{hint} (docs/how-to/reframe.md)")


def site_name(system: System, requested: str) -> str:
    """The requested site, else that of the extras, else the one of the system's name."""
    named = {given["site"] for one in system.partitions if "site" in (given := extras_of(one))}
    if not requested and len(named) > 1:
        raise WeirError(
            f"partitions of {system.name} belong to several sites: {', '.join(sorted(named))}",
            hint="choose one: -S site=NAME",
        )
    return requested or next(iter(named), name_of(system.name))


def described(system: System) -> Described | None:
    """The site of the extras; None where no partition names a target."""
    partitions = {one: given for one in system.partitions if "targets" in (given := extras_of(one))}
    if not partitions:
        return None
    targets: dict[str, Any] = {}
    stacks: dict[str, Any] = {}
    of_site: dict[str, Any] = {}
    for partition, given in partitions.items():
        for name, target in given["targets"].items():
            data = {"target": name, "description": f"{target.get('path')} of {system.name}", **target}
            _add(targets, name, data, partition, "target")
        for name, stack in _stacks(partition, given).items():
            _add(stacks, name, stack, partition, "environment")
        if "scale" in given:
            of_site["scale"] = given["scale"]
        of_site.setdefault("partitions", {})[name_of(partition.name)] = _partition(partition, given)
    name = name_of(system.name)
    site = {"site": name, "description": system.descr or system.name, **of_site, "stacks": stacks}
    return Described(site, targets)


def _add(found: dict[str, Any], name: str, data: Any, partition: SystemPartition, what: str) -> None:
    if found.setdefault(name, data) != data:
        problem = f"the {what} '{name}' differs from that of another partition"
        raise _fault(partition, problem, f"use another name, or the same {what} for both")


def _partition(partition: SystemPartition, given: Mapping[str, Any]) -> dict[str, Any]:
    data = {
        "description": partition.descr or partition.name,
        "nodes": 1,
        "scheduler_options": [word for option in partition.access for word in shlex.split(option)],
        "stacks": list(_stacks(partition, given)),
        **{key: given[key] for key in OF_PARTITION if key in given},
    }
    if "scheduler" not in data:
        data["scheduler"] = _known(partition, "scheduler", type(partition.scheduler), SCHEDULERS)
    if "launcher" not in data:
        data["launcher"] = _known(partition, "launcher", partition.launcher_type, LAUNCHERS)
    if "cores_per_node" not in data:
        processor = partition.processor
        if not processor or not processor.num_cpus:
            hint = "'processor': {'num_cpus': N} of the partition, or 'cores_per_node' in the extras for weir"
            raise _fault(partition, "the number of its cores is not known", hint)
        data["cores_per_node"] = processor.num_cpus // (processor.num_cpus_per_core or 1)
    return data


def _known(partition: SystemPartition, what: str, kind: type, names: Mapping[str, str]) -> str:
    """A centre's own launcher counts as the one that it is derived from."""
    registered = [each.registered_name for each in kind.__mro__ if "registered_name" in vars(each)]
    for name in registered:
        if name in names:
            return names[name]
    hint = f"name the one that weir should use: '{what}' in the extras for weir (docs/reference/site.md)"
    raise _fault(partition, f"weir has no {what} '{(registered or [kind.__name__])[0]}'", hint)


def environs_of(partition: SystemPartition, given: Mapping[str, Any]) -> list[Any]:
    """The environments that the extras name, else those with extras of their own for weir, else the first
    one."""
    wanted = given.get("environs", [])
    for name in wanted:
        if partition.environment(name) is None:
            known = [one.name for one in partition.environs]
            raise _fault(partition, f"has no environment '{name}'", did_you_mean(name, known))
    chosen = [one for one in partition.environs if one.name in wanted]
    return chosen or [one for one in partition.environs if KEY in one.extras] or partition.environs[:1]


def _stacks(partition: SystemPartition, given: Mapping[str, Any]) -> dict[str, Any]:
    stacks = {}
    for environ in environs_of(partition, given):
        of_environ = environ.extras.get(KEY, {})
        _require_keys(partition, of_environ, _STACK)
        own = {key: given[key] for key in OF_STACK if key in given} | dict(of_environ)
        modules = ", ".join(environ.modules) or "no modules"
        if "programs" not in own:
            hint = "'programs': {'TOOL': ['COMMAND', ...]} in the extras for weir, of the partition or of it"
            raise _fault(partition, f"the programs of its environment {environ.name} are not named", hint)
        description = f"environment {environ.name} of ReFrame: {modules}"
        stacks[name_of(environ.name)] = {"description": description, **own}
    return stacks


def partitions_for(system: System, partition: str, site: list[str]) -> list[SystemPartition]:
    """ReFrame's partitions on which batches of a partition of the site are measured."""
    named = [
        one for one in system.partitions if extras_of(one).get("partition", name_of(one.name)) == partition
    ]
    if not named and len(site) == 1:  # nothing else can be meant
        named = [one for one in system.partitions if extras_of(one)] or system.partitions[:1]
    return named


def environ_for(partition: SystemPartition, stack: str) -> str:
    """The environment with the stack's name; a stack without one brings its programs, and any will do."""
    names = [one.name for one in partition.environs]
    return next((name for name in names if name_of(name) == stack), names[0] if names else "builtin")


def _fault(partition: SystemPartition, problem: str, hint: str | None) -> WeirError:
    return WeirError(f"partition {partition.fullname} of ReFrame's settings: {problem}", key=KEY, hint=hint)
