"""What a history contains, and for how long its clients had to wait."""

from collections import Counter

SECOND = 1_000_000_000


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


def lateness(history, zones):
    """The seconds between the answer to a save and the arrival of its anchor, for each device."""
    saved = {f"{batch}.0": zone.saved[batch]["end"] for zone in zones for batch in zone.number
             if zone.saved[batch]["outcome"] == "stored"}
    return sorted(max(0, line["end"] - saved[line["name"]]) / SECOND for line in history
                  if line["kind"] == "seen" and line["name"] in saved)


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
    names = {"all zones": [line for line in saves if line["outcome"] == "stored"]}
    for line in names["all zones"]:
        names.setdefault(line["zone"], []).append(line)
    names.pop("all zones")
    everything = [line["end"] for line in saves if line["outcome"] == "stored"]
    seconds, begin, end = longest(everything)
    yield (f"longest time without an acknowledged save: {seconds:.1f} s"
           f"{fault_at(faults, begin, end)}")
    one, begin, end = max((longest([line["end"] for line in lines]) for lines in names.values()),
                          default=(0, 0, 0))
    yield f"the same in one zone: {one:.1f} s{fault_at(faults, begin, end)}"
    seconds, begin, end = longest([line["end"] for line in history if line["kind"] == "page"])
    yield f"longest time without a page of a feed: {seconds:.1f} s{fault_at(faults, begin, end)}"
    late = lateness(history, zones)
    if late:
        yield (f"from an answer to a save to a device: median {late[len(late) // 2]:.2f} s, "
               f"slowest {late[-1]:.1f} s")
