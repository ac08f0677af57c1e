"""Summarizes a history, and finds the times in which clients had to wait too long."""

from collections import Counter

SECOND = 1_000_000_000
# The longest permitted time without a save in a zone, by the kind of the lost machine. A lost node may hold the
# lock of a zone until PostgreSQL ends its transaction, after 15 s, and other requests wait meanwhile.
# Only files need S3.
SECONDS_MAX = {"node": 25, "s3": 5}


def longest(ends):
    """The longest time between two of these moments: its seconds, and its begin and end."""
    ends = sorted(ends)
    return max(((later - earlier) / SECOND, earlier, later)
               for earlier, later in zip(ends, ends[1:])) if len(ends) > 1 else (0, 0, 0)


def fault_at(faults, begin, end):
    """The fault that covers the greatest part of a stall, as words."""
    def common(fault):
        return min(fault["end"], end) - max(fault["begin"], begin)

    fault = max(faults, key=common, default=None)
    if fault is None or common(fault) <= 0:
        return ""
    return f", during fault {fault['number']} ({fault['text']})"


def saved_by_zone(history):
    """The ends of all acknowledged saves of each zone."""
    ends = {}
    for line in history:
        if line["kind"] == "save" and line["outcome"] == "stored":
            ends.setdefault(line["zone"], []).append(line["end"])
    return ends


def findings(history):
    """The zones that stored nothing for too long although the lost machine is not needed for it."""
    for fault in history:
        if fault["kind"] != "fault" or not set(fault["targets"]) <= set(SECONDS_MAX):
            continue
        for zone, ends in saved_by_zone(history).items():
            inside = [end for end in ends if fault["begin"] <= end <= fault["end"]]
            seconds = longest([fault["begin"], *inside, fault["end"]])[0]
            if seconds > max(SECONDS_MAX[target] for target in fault["targets"]):
                yield (f"{zone}: stall: nothing was stored for {seconds:.1f} s"
                       f"{fault_at([fault], fault['begin'], fault['end'])}")


def by_fault(history):
    """The longest time without an acknowledged save in any zone, for each fault, as words."""
    by_zone = saved_by_zone(history)
    for fault in history:
        if fault["kind"] == "fault":
            begin, end = fault["begin"], fault["end"]
            seconds = max((longest([begin, *[one for one in ends if begin <= one <= end], end])[0]
                           for ends in by_zone.values()), default=0)
            yield f"{fault['number']}: {seconds:.1f} s"


def lateness(history, zones):
    """The time between the answer to a save and the arrival of its anchor, for each device: the
    seconds, and the begin and the end."""
    saved = {f"{batch}.0": zone.saved[batch]["end"] for zone in zones for batch in zone.number
             if zone.saved[batch]["outcome"] == "stored"}
    return sorted((max(0, line["end"] - saved[line["name"]]) / SECOND, saved[line["name"]], line["end"])
                  for line in history if line["kind"] == "seen" and line["name"] in saved)


def summary(history, zones):
    kinds = Counter(line["kind"] for line in history)
    saves = [line for line in history if line["kind"] == "save"]
    outcomes = Counter(line["outcome"] for line in saves)
    stored = {batch for zone in zones for batch in zone.number}
    found = sum(line["outcome"] == "unknown" and line["batch"] in stored for line in saves)
    faults = [line for line in history if line["kind"] == "fault"]
    yield (f"{outcomes['stored']} batches were acknowledged, {outcomes['refused']} refused; "
           f"{outcomes['unknown']} have an unknown outcome, and {found} of these are stored")
    yield (f"{kinds['page']} pages of feeds, {kinds['read']} reads, {kinds['file']} files, "
           f"{kinds['seen']} records on devices, {kinds['expired']} expired tokens")
    by_zone = saved_by_zone(history)
    seconds, begin, end = longest([end for ends in by_zone.values() for end in ends])
    yield (f"longest time without an acknowledged save: {seconds:.1f} s"
           f"{fault_at(faults, begin, end)}")
    one, begin, end = max(map(longest, by_zone.values()), default=(0, 0, 0))
    yield f"the same in one zone: {one:.1f} s{fault_at(faults, begin, end)}"
    if faults:
        yield f"the same by fault: {', '.join(by_fault(history))}"
    seconds, begin, end = longest([line["end"] for line in history if line["kind"] == "page"])
    yield f"longest time without a page of a feed: {seconds:.1f} s{fault_at(faults, begin, end)}"
    late = lateness(history, zones)
    if late:
        seconds, begin, end = late[-1]
        yield (f"from an answer to a save to a device: median {late[len(late) // 2][0]:.2f} s, "
               f"slowest {seconds:.1f} s{fault_at(faults, begin, end)}")
