"""The order of the batches of one zone, as its feed shows it at the end of the run."""

import bisect

END = float("inf")


class Zone:
    """What the clients have sent to one zone, and the order in which the server has stored it.

    Every batch has an anchor, a record that no client changes later. So the last feed from the beginning
    has each stored batch exactly once. The position of the anchor is the batch's number."""

    def __init__(self, name, saves, final):
        self.name, self.saves, self.findings = name, saves, []
        self.saved = {save["batch"]: save for save in saves}
        # A name that several batches write is a register; all other names have one writer.
        self.deleters = {record["name"]: save["batch"] for save in saves
                         for record in save["records"] if record.get("deleted")}
        self.order = []
        for name, value in final:
            if value is not None and name == f"{value}.0" and value in self.saved:
                self.order.append(value)
        self.number = {}
        for batch in self.order:
            self.number.setdefault(batch, len(self.number))
        # The changes of each record, in order: the number of the batch, and the new value.
        self.changes = {}
        for batch in self.number:
            for record in self.saved[batch]["records"]:
                value = None if record.get("deleted") else batch
                self.changes.setdefault(record["name"], []).append((self.number[batch], value))
        self.check_outcomes()
        self.check_final(final)
        self.check_tags()

    def report(self, sentence):
        self.findings.append(f"{self.name}: {sentence}")

    def begin(self, number):
        return self.saved[self.order[number]]["begin"]

    def number_of(self, name, value):
        """The number of the batch that gave a record this value, or None if it is not stored."""
        batch = self.deleters.get(name) if value is None else value
        number = self.number.get(batch)
        if number is None or (number, value) not in self.changes.get(name, []):
            return None
        return number

    def periods(self, name, value):
        """The ranges of batch numbers after which a record has a value. -1 is the empty zone."""
        changes = [(-1, None), *self.changes.get(name, [])]
        ends = [number for number, _ in changes[1:]] + [END]
        return [(first, end) for (first, now), end in zip(changes, ends) if now == value]

    def value_after(self, name, number):
        """The value of a record after a batch."""
        changes = self.changes.get(name, [])
        place = bisect.bisect_right([change for change, _ in changes], number)
        return changes[place - 1][1] if place else None

    def check_outcomes(self):
        for save in self.saves:
            found = save["batch"] in self.number
            if save["outcome"] == "stored" and not found:
                self.report(f"lost: the acknowledged batch {save['batch']} is not found")
            if save["outcome"] == "refused" and found:
                self.report(f"the refused batch {save['batch']} is stored")

    def check_final(self, final):
        """Compares the last feed with the state after all its batches."""
        expected = {name: changes[-1] for name, changes in self.changes.items()}
        found, last = {}, -1
        for name, value in final:
            if name in found:
                self.report(f"twice: the last feed has {name} twice")
            found[name] = value
            number = self.number_of(name, value)
            if number is None:
                self.report(f"half: {name} has the value {value}, but this batch is not complete")
                continue
            if number < last:
                self.report(f"order: {name} of {value} comes after a later batch")
            last = max(last, number)
        for name, (number, value) in expected.items():
            if value is not None and name not in found:
                self.report(f"half: {name} of the stored batch {value} is not found")
            elif name in found and found[name] != value:
                self.report(f"lost: {name} has the value {found[name]}, not {value}")

    def check_tags(self):
        for batch, number in self.number.items():
            for record in self.saved[batch]["records"]:
                if "expects" not in record:
                    continue
                before = self.value_after(record["name"], number - 1)
                if before != record["expects"]:
                    self.report(f"tag: {batch} replaced {before} of {record['name']}, "
                                f"but sent the change tag of {record['expects']}")
