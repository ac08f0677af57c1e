"""Histories without bugs, from a simulated server. The tests of the checker plant bugs in them."""

import heapq
import random

ZONE = "ann/Z1"
STEPS = 40


class Simulation:
    """Clients of one zone. An operation takes effect at one moment between its begin and its end."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.events, self.count, self.lines = [], 0, []
        # The zone: its changes in order, as (name, value), and the newest change of each name.
        self.log, self.newest = [], {}

    def at(self, moment, action):
        self.count += 1
        heapq.heappush(self.events, (moment, self.count, action))

    def run(self):
        for number in range(3):
            self.at(self.random.randrange(50), lambda now, n=number: self.write(f"w{n}", now, 0, {}))
        for name in ["f1", "f2"]:
            self.at(self.random.randrange(50), lambda now, n=name: self.follow(n, now, None, [None], 0))
        while self.events:
            moment, _, action = heapq.heappop(self.events)
            action(moment)
        end = self.lines[-1]["end"] + 1000
        self.pages("last", end, final=True)
        for name in self.newest:
            self.lines.append({"kind": "seen", "client": "d1", "account": "ann", "end": end,
                               "name": name})
        self.lines[-len(self.newest):] = sorted(
            self.lines[-len(self.newest):], key=lambda line: self.newest[line["name"]])
        self.lines.append({"kind": "watched", "client": "d1", "account": "ann", "end": end})
        return self.lines

    def perform(self, begin, effect, after):
        """Calls `effect` at some moment after `begin`, and `after` with its result at the end."""
        def take_effect(now):
            result = effect()
            self.at(now + self.random.randrange(1, 40), lambda end: after(end, result))
        self.at(begin + self.random.randrange(1, 40), take_effect)

    def current(self, name):
        place = self.newest.get(name)
        return None if place is None else self.log[place][1]

    def write(self, client, begin, number, tags):
        if number == STEPS:
            return
        batch = f"{ZONE}.{client}-{number}"
        records = [{"name": f"{batch}.{n}"} for n in range(self.random.choice([1, 2, 3]))]
        register = f"{ZONE}.R{self.random.randrange(2)}"
        if self.random.random() < 0.6:
            records.append({"name": register})
            if register in tags:
                records[-1]["expects"] = tags[register]
        if number and self.random.random() < 0.2:
            old = f"{ZONE}.{client}-{number - 1}.1"
            if self.current(old):
                records.append({"name": old, "deleted": True})
        is_stored = self.random.random() < 0.95

        def effect():
            for record in records:
                if "expects" in record and self.current(record["name"]) != record["expects"]:
                    return "refused", {register: self.current(register)}
            if is_stored:
                for record in records:
                    self.change(record["name"], None if record.get("deleted") else batch)
            return "stored", {register: self.current(register)}

        def after(end, result):
            outcome, seen = result
            if not is_stored or self.random.random() < 0.05:
                outcome = "unknown"
            self.lines.append({"kind": "save", "client": client, "zone": ZONE, "begin": begin,
                               "end": end, "batch": batch, "outcome": outcome, "records": records})
            known = dict(tags)
            if outcome == "unknown":
                known.pop(register, None)
            else:
                self.lines.append({"kind": "read", "client": client, "zone": ZONE, "begin": begin,
                                   "end": end, "records": seen})
                if seen[register]:
                    known[register] = seen[register]
            self.at(end + self.random.randrange(1, 40),
                    lambda now: self.write(client, now, number + 1, known))
        self.perform(begin, effect, after)

    def change(self, name, value):
        self.newest[name] = len(self.log)
        self.log.append((name, value))

    def page(self, token, limit):
        """A page of the feed after a position in the log, which is the token."""
        start = 0 if token is None else int(token)
        places = [place for place in range(start, len(self.log))
                  if self.newest[self.log[place][0]] == place]
        more = len(places) > limit
        end = places[limit - 1] + 1 if more else len(self.log)
        records = [list(self.log[place]) for place in places[:limit]]
        return {"from": token, "to": str(end), "more": more, "records": records}

    def follow(self, client, begin, token, kept, number):
        if number == 2 * STEPS:
            return

        def after(end, page):
            self.lines.append({"kind": "page", "client": client, "zone": ZONE, "begin": begin,
                               "end": end, **page})
            following = page["to"]
            if not page["more"]:
                kept.append(following)
                if self.random.random() < 0.1:
                    following = self.random.choice(kept)
            self.at(end + self.random.randrange(1, 40),
                    lambda now: self.follow(client, now, following, kept, number + 1))
        limit = self.random.choice([2, 5, 20])
        self.perform(begin, lambda: self.page(token, limit), after)

    def pages(self, client, begin, final):
        token, more = None, True
        while more:
            page = self.page(token, 7)
            token, more = page["to"], page["more"]
            self.lines.append({"kind": "page", "client": client, "zone": ZONE, "begin": begin,
                               "end": begin + 1, "final": final, **page})


def sample(seed):
    return Simulation(seed).run()
