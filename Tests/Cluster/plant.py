#!/usr/bin/env python3
"""Plants a bug in a history, to show that the checker finds it.

Usage: plant BUG SEED FILE     prints the changed history; the bugs are the functions in BUGS
"""

import copy
import json
import random
import sys


def only(history, kind, **values):
    return [line for line in history if line["kind"] == kind
            and all(line.get(name) == value for name, value in values.items())]


def stored(history, condition):
    return [line for line in only(history, "save", outcome="stored") if condition(line)]


def without(history, gone):
    """Removes records from all answers. `gone` tells whether a record with a value is removed."""
    kept = []
    for line in history:
        if line["kind"] == "page":
            line["records"] = [one for one in line["records"] if not gone(*one)]
        elif line["kind"] == "read" and any(gone(*one) for one in line["records"].items()):
            continue
        elif line["kind"] == "seen" and gone(line["name"], None):
            continue
        kept.append(line)
    return kept


def lost_write(history, chosen):
    """An acknowledged batch of new records is in no answer."""
    save = chosen.choice(stored(history, lambda line: all(
        record["name"].startswith(line["batch"]) for record in line["records"])))
    names = {record["name"] for record in save["records"]}
    return without(history, lambda name, _: name in names)


def half_stored(history, chosen):
    """A batch is stored without one of its records."""
    save = chosen.choice(stored(history, lambda line: any(
        record["name"] == f"{line['batch']}.1" for record in line["records"])))
    return without(history, lambda name, _: name == f"{save['batch']}.1")


def pages_of(history, condition):
    return [line for line in only(history, "page") if not line.get("final") and condition(line)]


def value_count(page):
    return len({value for _, value in page["records"] if value is not None})


def half_seen(history, chosen):
    """A feed ends in the middle of a batch, and the next page has the rest."""
    pages = pages_of(history, lambda line: not line["more"])
    options = []
    for page in pages:
        following = [line for line in pages if line["client"] == page["client"]
                     and line["from"] == page["to"] and line["begin"] > page["end"]]
        ends = [value for _, value in page["records"][-2:] if value is not None]
        if following and len(ends) == 2 and ends[0] == ends[1]:
            options.append((page, following[0]))
    page, following = chosen.choice(options)
    following["records"].insert(0, page["records"].pop())
    return history


def twice(history, chosen):
    """A feed has a record once more after a later token."""
    earlier = {(line["client"], line["to"]): line["records"] for line in only(history, "page")
               if line["records"]}
    page = chosen.choice(pages_of(history, lambda line: (line["client"], line["from"]) in earlier))
    page["records"].insert(0, list(earlier[page["client"], page["from"]][-1]))
    return history


def out_of_order(history, chosen):
    """A page has two batches in the wrong order."""
    page = chosen.choice(pages_of(history, lambda line: value_count(line) > 1))
    records = page["records"]
    place = chosen.choice([place for place in range(len(records) - 1)
                           if None not in (records[place][1], records[place + 1][1])
                           and records[place][1] != records[place + 1][1]] or [0])
    records[place], records[-1] = records[-1], records[place]
    return history


def skipped(history, chosen):
    """A feed leaves out a batch, and goes on with later ones."""
    options = []
    for page in pages_of(history, lambda line: None not in dict(line["records"]).values()):
        options += [(page, value) for name, value in page["records"]
                    if name == f"{value}.0" and value != page["records"][-1][1]]
    page, left_out = chosen.choice(options)
    page["records"] = [one for one in page["records"] if one[1] != left_out]
    return history


def replaced(history):
    """Saves that replaced a known value, with the record that they replaced."""
    return [(save, record) for save in stored(history, lambda _: True)
            for record in save["records"] if "expects" in record]


def stale_read(history, chosen):
    """A read begins after a save was acknowledged, and has the value from before."""
    save, record = chosen.choice(replaced(history))
    history.append({"kind": "read", "client": "reader", "zone": save["zone"], "begin": save["end"] + 1,
                    "end": save["end"] + 2, "records": {record["name"]: record["expects"]}})
    return history


def stale_feed(history, chosen):
    """A feed does not have a batch that was acknowledged before the feed was asked for."""
    ends = {line["batch"]: line["end"] for line in stored(history, lambda _: True)}
    page = chosen.choice(pages_of(
        history, lambda line: not line["more"] and line["from"] and value_count(line) == 1 and any(
            name == f"{value}.0" and ends.get(value, line["end"]) < line["begin"]
            for name, value in line["records"])))
    page.update(records=[], to=page["from"])
    return history


def ignored_tag(history, chosen):
    """A save with an old change tag is acknowledged."""
    _, record = chosen.choice(replaced(history))
    record["expects"] = "another batch"
    return history


def refused_write(history, chosen):
    """A batch is stored although it was refused."""
    chosen.choice(stored(history, lambda _: True))["outcome"] = "refused"
    return history


# For each bug, the first words of a finding that shows the bug. A skipped batch looks like half a
# batch if the earlier page has a part of it.
BUGS = {
    lost_write: ["lost"], twice: ["twice", "order"], out_of_order: ["order"], skipped: ["skipped", "half"],
    stale_read: ["stale"], stale_feed: ["stale", "skipped", "half"], half_stored: ["half"],
    half_seen: ["half"], ignored_tag: ["tag"], refused_write: ["the refused"],
}


def plant(bug, history, seed):
    """Returns a changed copy, or None if the history has no place for the bug."""
    try:
        return bug(copy.deepcopy(history), random.Random(seed))
    except IndexError:
        return None


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    named = {bug.__name__: bug for bug in BUGS}[sys.argv[1]]
    with open(sys.argv[3]) as file:
        lines = [json.loads(line) for line in file]
    for line in plant(named, lines, sys.argv[2]):
        print(json.dumps(line))
