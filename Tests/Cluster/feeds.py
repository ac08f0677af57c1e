"""Checks the feeds of one zone: each page belongs to a chain that begins at a known token."""


class Chain:
    """Consecutive pages. At the token of the first request, the client had all changes."""

    def __init__(self, start):
        self.start, self.items, self.pages = start, [], 0


class Feeds:
    """Checks all pages of one zone. `states` has the last page and the newest batch of each complete feed."""

    def __init__(self, zone):
        self.zone, self.states = zone, []
        # The batch number of each token at which a feed was complete.
        self.known = {}
        # Unfinished chains, by client and next token.
        self.open = {}

    def add(self, page):
        chain = self.chain_of(page)
        if chain is None:
            return
        client, last = page["client"], chain.items[-1][0] if chain.items else chain.start
        for name, value in page["records"]:
            number = self.zone.number_of(name, value)
            if number is None:
                self.zone.report(f"lost: {client} received {name} of {value}, which is not stored")
                continue
            if number <= chain.start:
                self.zone.report(f"twice: {client} receives {name} of {value} after a later token")
            elif (number, name) in chain.items[-1:] or number < last:
                self.zone.report(f"order: {client} receives {name} of {value} after a later batch")
            elif self.zone.begin(number) > page["end"]:
                self.zone.report(f"order: {client} receives {name} of {value} before it was sent")
            chain.items.append((number, name))
            last = max(last, number)
        if page["more"]:
            self.open.setdefault((client, page["to"]), []).append(chain)
        else:
            self.complete(chain, page)

    def chain_of(self, page):
        waiting = self.open.get((page["client"], page["from"]))
        if waiting:
            return waiting.pop()
        if page["from"] is None:
            return Chain(-1)
        if page["from"] in self.known:
            return Chain(self.known[page["from"]])
        return None

    def complete(self, chain, page):
        """Checks that a chain has all changes from its start to its newest batch."""
        numbers = [number for number, _ in chain.items]
        end = max([chain.start, *numbers])
        seen = set(chain.items)
        if len(seen) < len(chain.items):
            self.zone.report(f"twice: {page['client']} receives a change twice")
        present = set(numbers)
        newest = {}
        for number in range(chain.start + 1, end + 1):
            for record in self.zone.saved[self.zone.order[number]]["records"]:
                newest[record["name"]] = number, record.get("deleted", False)
        for name, (number, deleted) in newest.items():
            # A feed from the beginning may leave out deleted records.
            if (number, name) in seen or deleted and chain.start < 0:
                continue
            kind = "half" if number in present else "skipped"
            self.zone.report(f"{kind}: {page['client']} did not receive {name} of "
                             f"{self.zone.order[number]}, but the batch {self.zone.order[end]}")
        self.known.setdefault(page["to"], end)
        self.states.append((page, end))

    def finish(self):
        """Checks the chains that did not end. They may lack only records that changed again later."""
        for (client, _), chains in self.open.items():
            for chain in chains:
                seen = set(chain.items)
                end = chain.items[-1][0] if chain.items else chain.start
                for number in range(chain.start + 1, end):
                    batch = self.zone.order[number]
                    for record in self.zone.saved[batch]["records"]:
                        name = record["name"]
                        if self.zone.changes[name][-1] == (number, batch) and (number, name) not in seen:
                            self.zone.report(f"skipped: {client} did not receive {name} of {batch}")
