"""Prints what was seen, in about ten lines for each mount."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from weir.audit.evidence import CLIENT, DEVICES, EVIDENCE, PROOFS
from weir.audit.explain import hint_of
from weir.audit.judge import UNPROVEN, VERDICTS, Judgement
from weir.audit.registry import rules
from weir.base.units import about_size, counted, percent, three_digits
from weir.prove.claims import counted_text
from weir.prove.mounts import KINDS, Mount, Phase
from weir.prove.records import MOVED, JudgedRecord, JudgedRow, synced_share
from weir.prove.results import Claim
from weir.records.model import Finding
from weir.witness.nodes import known_sum

_LEAST_BYTES = 1 << 20  # bytes, or names, that make a mount worth its lines
_LEAST_NAMES = 100
_MOST_PHASES = 6  # phases of a mount in the text; --json has all
_NOTICEABLE = 0.005
_WIDTH = 11  # characters of a name
_OF_OTHERS = "others-"  # how the rules about other users of the storage begin
_APART = 0.1  # share of a result: a count that is further away is explained


def is_worth_lines(mount: Mount) -> bool:
    names = sum(sum(phase.names.values()) for phase in mount.phases)
    moved = max(mount.moved_bytes, mount.whole.fetched_bytes or 0, mount.whole.dirtied_bytes or 0)
    return moved >= _LEAST_BYTES or names >= _LEAST_NAMES


def moved_below(mount: Mount) -> bool:
    """Whether the device or the servers of a mount moved more than what always passes."""
    device = (mount.whole.device or ())[:2]
    servers = [count for one in mount.whole.servers for count in one[:2] if count is not None]
    return max([*device, *servers], default=0) >= _LEAST_BYTES


def watched_lines(mount: Mount) -> Iterator[str]:
    """The lines about a mount on which no call was seen, while processes that left no report moved bytes."""
    yield _title(mount)
    yield line("requested", "not seen")
    yield line("device", _device(mount))
    yield from (line("servers", text) for text in _servers(mount))


def little_line(mount: Mount) -> str:
    """A single line about a mount with too few bytes for a verdict."""
    return f"{_title(mount)}: {_requested(mount)}; a verdict takes {about_size(_LEAST_BYTES)}"


def _title(mount: Mount) -> str:
    return f"{mount.point} ({mount.file_system or 'unknown file system'} on {mount.source})"


def mount_lines(mount: Mount, judged: Sequence[JudgedRecord]) -> Iterator[str]:
    """The facts of a mount and the verdicts about them."""
    yield _title(mount)
    yield line("requested", _requested(mount))
    yield line("names", _names(mount))
    yield line("kernel", _kernel(mount))
    yield line("device", _device(mount))
    yield from (line("servers", text) for text in _servers(mount))
    yield line("caches", _caches(mount))
    yield line("syncs", _syncs(mount))
    yield line("O_DIRECT", _direct(mount))
    yield line("time", _time(mount.phases))
    shown = [one for one in judged if one.mount is mount]
    for at, one in enumerate(shown[:_MOST_PHASES]):
        yield line(f"{one.access} {at + 1}" if len(shown) > 2 else one.access, _verdict(one))
    if len(shown) > _MOST_PHASES:
        yield line("", f"and {len(shown) - _MOST_PHASES} more phases (--json names all)")


def line(name: str, text: str) -> str:
    return f"  {name:<{_WIDTH}}{text}"


def _requested(mount: Mount) -> str:
    parts = []
    for at, (access, name) in enumerate((("read", "read_bytes"), ("write", "written_bytes"))):
        calls = sum(phase.calls[access] for phase in mount.phases)
        text = f"{access} {about_size(mount.sum(name))} in {calls:,} calls"
        if mount.streamed[at]:
            text += f" and up to {about_size(mount.streamed[at])} by streams"
        parts.append(text)
    if mount.counts["mappings"]:
        parts.append(f"{mount.counts['mappings']:,} mappings, whose transfers are not seen")
    return "; ".join(parts)


def _names(mount: Mount) -> str:
    total: Counter[str] = Counter()
    for phase in mount.phases:
        total.update(phase.names)
    shown = {"open": "opens", "create": "creates", "stat": "stats", "unlink": "removes", "rename": "renames"}
    shown |= {"mkdir": "directories made", "rmdir": "directories removed"}
    parts = [f"{total[name]:,} {text}" for name, text in shown.items() if total.get(name)]
    return ", ".join(parts) or "no operation on names"


def _kernel(mount: Mount) -> str:
    whole = mount.whole
    if whole.fetched_bytes is None or whole.dirtied_bytes is None:
        if mount.counted and mount.killed:
            return "not known: it counts by process, and some left no report"
        if mount.counted:
            return "not told apart: it counts by process, and the program used several file systems"
        return f"does not count for each process on {mount.file_system or 'this file system'}"
    return f"fetched {about_size(whole.fetched_bytes)}, was given {about_size(whole.dirtied_bytes)}"


def _device(mount: Mount) -> str:
    if mount.whole.device is None:
        return f"not counted: {mount.device_reason or 'unknown'}"
    read, written = mount.whole.device[:2]
    return f"{mount.device} gave {about_size(read)} and was written {about_size(written)}, by all its users"


def _servers(mount: Mount) -> Iterator[str]:
    for at, one in enumerate(mount.observers):
        if not one["known"] or at >= len(mount.whole.servers):
            yield f"{one['observer']}: not counted: {one['what']}"
            continue
        sent, received, requests = mount.whole.servers[at][:3]
        told = [f"{about_size(sent)} sent"] if sent is not None else []
        told += [f"{about_size(received)} received"] if received is not None else []
        told += [f"{requests:,} requests"] if requests is not None else []
        yield f"{one['observer']} ({one['what']}): {', '.join(told) or 'nothing counted'}"


def _caches(mount: Mount) -> str:
    read = mount.sum("read_bytes")
    if not read:
        return "nothing was read by calls"
    fetched = known_sum(one.growth.by_reads_bytes for one in mount.phases)
    if fetched is None:  # not known of the reads alone
        fetched = mount.whole.fetched_bytes
    else:
        fetched += sum(one.growth.ahead_before_bytes for one in mount.phases)
    if fetched is None and mount.whole.device is not None:
        fetched = mount.whole.device[0]
    if fetched is None:
        return "what they answered is not known"
    share = max(0.0, 1 - fetched / read)
    return f"of the bytes read, {percent(share)} % came from memory of this node or are holes"


def _syncs(mount: Mount) -> str:
    done = {name: count for name, count in mount.syncs.items() if count and name != "failed"}
    through = [flag for flag in mount.flags if flag in ("O_SYNC", "O_DSYNC")]
    if not done and not through and mount.sum("synced_bytes"):
        through = ["flags of single calls (RWF_DSYNC)"]
    if not done and not mount.sum("written_bytes"):
        return "nothing was written by calls"
    if not done and not through:
        return "none: what was written may still be in memory"
    text = ", ".join([*(f"{count:,} {name}" for name, count in done.items()), *through])
    if mount.syncs.get("failed"):
        text += f", {mount.syncs['failed']:,} failed"
    if mount.sum("written_bytes"):
        text += f"; they cover {_covered(mount)}"
    if mount.unwritten is not None:
        left = mount.unwritten["dirty_bytes"] + mount.unwritten["writeback_bytes"]
        text += f"; right after one {about_size(left)} were unwritten" if left else ""
    return text


def _covered(mount: Mount) -> str:
    within = min(synced_share(mount.phases), 1)
    later = min(mount.sum("synced_earlier_bytes") / mount.sum("written_bytes"), 1 - within)
    text = f"{percent(within + later)} % of what was written"
    return f"{text}, {percent(later)} % after its phase had ended" if later >= _NOTICEABLE else text


def _direct(mount: Mount) -> str:
    requested, confirmed = mount.counts["direct_requested"], mount.counts["direct_kernel"]
    if not requested:
        return "not requested"
    moved = mount.sum("read_bytes") + mount.sum("written_bytes")
    direct = mount.sum("direct_read_bytes") + mount.sum("direct_written_bytes")
    share = f"{percent(direct / moved)} % of the bytes" if moved else "no bytes"
    return f"{requested:,} opens of {mount.counts['opens']:,}, {confirmed:,} confirmed by the kernel; {share}"


def _time(phases: Sequence[Phase]) -> str:
    busy_s = {kind: sum(phase.busy_ns[kind] for phase in phases) / 1e9 for kind in KINDS}
    parts = [f"{kind} {three_digits(each_s)} s" for kind, each_s in busy_s.items() if each_s >= 5e-7]
    lasted_s = sum(phase.lasted_s for phase in phases)
    whole = f"{three_digits(sum(busy_s.values()))} s in calls ({', '.join(parts)})"
    return f"{whole}, {three_digits(lasted_s)} s from first to last" if lasted_s else whole


def _verdict(one: JudgedRecord) -> str:
    row = one.row
    moved = sum(int(getattr(phase, MOVED[one.access])) for phase in one.phases)
    rate = f", {three_digits(row['bw_mib_s'])} MiB/s" if row["bw_mib_s"] else ""
    return f"{about_size(moved)}{rate}: {verdict_text(one)}"


def verdict_text(one: JudgedRow) -> str:
    """The verdict with its reason, or with what it is proven by or lacks."""
    row = one.row
    if row["verdict"] == "VALID":
        notes = [note.rule for note in one.judgement.notes]
        where = ", which is its memory" if one.subject.in_memory else ""
        told = f"VALID, proven to the {row['proof']}{where}" + (f" ({', '.join(notes)})" if notes else "")
        why = [one.judgement.not_observable.get(rule) for rule in PROOFS[DEVICES].rules]
        further = next(filter(None, why), None) if row["proof"] == CLIENT else None
        return f"{told}; not to the devices: {further}" if further else told
    if row["verdict"] == "UNPROVEN":
        lacking = {rule for name in one.judgement.missing for rule in EVIDENCE[name].rules}
        why = [text for rule, text in one.judgement.not_observable.items() if rule in lacking]
        return f"UNPROVEN, lacks {row['missing'].replace(';', ', ')}" + (f": {why[0]}" if why else "")
    worst = most_telling(one.judgement)
    return f"{row['verdict']}, {worst.rule}: {worst.evidence}"


def most_telling(judgement: Judgement) -> Finding:
    """The finding to show first of those that make the verdict. An observation, such as that nothing was
    fetched, tells more than a number in a table of results, such as a short time; what the program did tells
    more than what others did meanwhile."""
    made = [one for one in judgement.findings if one.verdict == judgement.verdict]
    return min(made, key=lambda one: (not rules()[one.rule].needs_output, one.rule.startswith(_OF_OTHERS)))


def headline(judged: Sequence[JudgedRow | None], what: str) -> str:
    """Counts the verdicts, with the most frequent finding."""
    verdicts = Counter(UNPROVEN if one is None else str(one.row["verdict"]) for one in judged)
    if not judged:
        return "nothing was seen that a verdict could be about"
    many = f"{verdicts['VALID']} of {counted(len(judged), what)} VALID"
    others = [f"{verdicts[name]} {name}" for name in VERDICTS[1:] if verdicts[name]]
    rules_ = Counter(most_telling(one.judgement).rule for one in judged if one and one.judgement.findings)
    found = f" ({', '.join(name for name, _ in rules_.most_common(2))})" if rules_ else ""
    return ", ".join([many, *others]) + found


def hint_lines(judged: Iterable[JudgedRow | None]) -> Iterator[str]:
    """The hint of each finding that makes a verdict, once. The program is started by hand as for a log, so
    the hint is that of a log."""
    found = (most_telling(one.judgement).rule for one in judged if one and one.judgement.findings)
    for name in dict.fromkeys(found):
        yield f"hint: {name}: {hint_of(rules()[name], of_log=True)}"


def claim_lines(claims: Sequence[tuple[Claim, JudgedRecord | None]]) -> Iterator[str]:
    """Lines with each claim beside the counts."""
    sharing = Counter(_calls_of(one) for _, one in claims if one is not None)
    for claim, judged in claims:
        rate, ops = claim.row.get("bw_mib_s"), claim.row.get("ops_s")
        number = f"{three_digits(ops or 0)} operations/s" if rate is None else f"{three_digits(rate)} MiB/s"
        if judged is None:
            access = f"{claim.row['access']} " if claim.row.get("access") else ""
            yield f"claimed by {claim.who}: {access}{number}: UNPROVEN, no call on any mount was seen"
            continue
        counted = counted_text(judged)
        beside = f"; counted {about_size(counted['bytes'])}" if counted["bytes"] else ""
        beside += f" at {three_digits(counted['mib_s'])} MiB/s" if counted["mib_s"] else ""
        why = _why_apart(judged, counted, sharing[_calls_of(judged)])
        beside += f" ({', '.join(why)})" if why else ""
        yield f"claimed by {claim.who}: {judged.access} {number}{beside}: {verdict_text(judged)}"


def _calls_of(one: JudgedRecord) -> tuple[str, str, tuple[int, ...]]:
    return one.mount.point, one.access, tuple(phase.began_ns for phase in one.phases)


def _why_apart(one: JudgedRecord, counted: Mapping[str, float | int | None], results: int) -> list[str]:
    """The reasons why a count is more than a tenth away from the result."""
    row, bytes_, rate = one.row, counted["bytes"], counted["mib_s"]
    if not bytes_ or not rate or not row["bw_mib_s"] or abs(rate / row["bw_mib_s"] - 1) <= _APART:
        return []
    why = [f"calls of {results} results"] if results > 1 else []
    if results == 1 and row["moved_bytes"] and abs(bytes_ / row["moved_bytes"] - 1) > _APART:
        why.append(f"{about_size(row['moved_bytes'])} of the bytes are those of the result")
    lasted_s = sum(phase.access_s(one.access) for phase in one.phases)
    inside_s = sum(phase.inside_s(one.access) for phase in one.phases)
    took = f"{three_digits(lasted_s)} s from first to last, {three_digits(inside_s)} s within calls"
    return [*why, f"{took}, {three_digits(row['total_s'])} s of the result" if row["total_s"] else took]
