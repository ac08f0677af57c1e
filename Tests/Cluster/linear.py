"""Checks that the operations of one zone are linearizable.

The order of the batches is known, so a state of the zone is a number: that of the newest batch. An
operation has a set of states. A save has one. A complete feed has one, because every batch adds a
record to it. A read by name has a range for each of its records, and one answer has one state. The
operations are linearizable if each of them can have a state, such that no operation has a smaller
state than one that ended before it began. The smallest possible states are found in the order of the
beginnings.
"""

import heapq


def overlap(one, other):
    """The common parts of two lists of ranges [first, end)."""
    return [(max(a, c), min(b, d)) for a, b in one for c, d in other if max(a, c) < min(b, d)]


def operations(zone, reads, states):
    """Returns (begin, end, ranges, whether it is a save, name) of each operation."""
    for batch, number in zone.number.items():
        save = zone.saved[batch]
        end = save["end"] if save["outcome"] == "stored" else float("inf")
        yield save["begin"], end, [(number, number + 1)], True, batch
    for page, number in states:
        yield (page["begin"], page["end"], [(number, number + 1)], False,
               f"a feed of {page['client']}")
    for read in reads:
        ranges = [(-1, float("inf"))]
        for name, value in read["records"].items():
            if value is not None and zone.number_of(name, value) is None:
                zone.report(f"lost: {read['client']} has read {name} of {value}, which is not stored")
                break
            ranges = overlap(ranges, zone.periods(name, value))
        else:
            if not ranges:
                zone.report(f"half: no state of the zone has what {read['client']} has read: "
                            f"{read['records']}")
                continue
            yield (read["begin"], read["end"], ranges, False,
                   f"a read of {', '.join(read['records'])} by {read['client']}")


def check(zone, reads, states):
    ended, newest, newest_name = [], -1, "the empty zone"
    for begin, end, ranges, is_save, name in sorted(
            operations(zone, reads, states), key=lambda operation: operation[0]):
        while ended and ended[0][0] < begin:
            _, state, which = heapq.heappop(ended)
            if state > newest:
                newest, newest_name = state, which
        possible = [max(first, newest) for first, last in ranges if newest < last]
        if not possible:
            zone.report(f"stale: {name} does not see {newest_name}, which ended before")
            continue
        state = min(possible)
        if is_save and newest >= state:
            zone.report(f"order: {name} comes before {newest_name}, which ended before it was sent")
        if not is_save and state >= 0 and zone.begin(state) > end:
            zone.report(f"order: {name} sees {zone.order[state]} before it was sent")
        heapq.heappush(ended, (end, state, name))
