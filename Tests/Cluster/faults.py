"""The faults of a run. The seed and the number of a fault determine the fault.

Each group of five faults (1 to 5, 6 to 10 and so on) affects each of the five kinds of machines once, in a
random order. From fault 6 on, about one fault in three has a second action at another kind of machine. The
primary and the standby are found out only when an action begins.
"""

import random

# The kinds of faults of each kind of machine. The numbers are the shortest and the longest duration
# of a fault, in seconds.
# A lease of Patroni is 10 s. Some pauses are shorter, and some longer.
KINDS = {
    "primary": {
        "kill": (3, 8), "kill PostgreSQL": (0, 0), "kill Patroni": (12, 16), "stop": (4, 16),
        "stop Patroni": (12, 18), "cut": (4, 16), "cut from etcd": (8, 16),
    },
    "standby": {"kill": (3, 8), "stop": (4, 12), "cut": (4, 12), "cut from primary": (4, 12)},
    "node": {
        "kill": (2, 6), "stop": (4, 16), "cut": (4, 16), "cut from s3": (4, 10),
        # After 30 s, other nodes remove the rows of a node (docs/internals/nodes.md).
        "stop for long": (32, 36),
    },
    "etcd": {"kill": (3, 8), "stop": (3, 10), "cut": (3, 10)},
    "s3": {"kill": (2, 5), "stop": (3, 10), "cut": (3, 10)},
}
PARTS = {"kill PostgreSQL": ["postgres"], "kill Patroni": ["patroni"], "stop Patroni": ["patroni"]}
PAIRS_FROM = 6
DELAY_SECONDS_MAX = 4


class Action:
    """One fault of one machine, with its beginning and its end."""

    def __init__(self, target, chosen, delay):
        self.target = target
        self.kind = chosen.choice(sorted(KINDS[target]))
        seconds = chosen.uniform(*KINDS[target][self.kind])
        self.begins, self.ends = delay, delay + seconds
        self.choice = chosen.randrange(1000)
        self.service = self.undo = None

    def pick(self, cluster):
        """The service that the action affects, or None if there is no such service at the moment."""
        if self.target == "primary":
            return cluster.group.primary()
        if self.target == "standby":
            return cluster.group.standby()
        if self.target == "s3":
            return cluster.storage
        several = cluster.nodes if self.target == "node" else cluster.etcd
        return several[self.choice % len(several)]

    def begin(self, cluster):
        self.service = self.pick(cluster)
        if self.service is None:
            self.undo = lambda: None
            return
        machine, network = self.service.machine, cluster.network
        if self.kind.startswith("cut") and not network.separate:
            self.kind = "stop"
        kind, parts = self.kind.split()[0], PARTS.get(self.kind)
        if kind == "kill":
            machine.kill(parts)
            # Patroni starts a killed PostgreSQL again.
            again = self.kind != "kill PostgreSQL"
            self.undo = self.service.start_again if again else lambda: None
        elif kind == "stop":
            machine.stop(parts)
            self.undo = machine.go_on
        else:
            pairs = network.cut(machine.name, self.peers(cluster))
            self.undo = lambda: network.heal(pairs)

    def peers(self, cluster):
        """The machines to cut off, or None for all of them."""
        if self.kind == "cut from etcd":
            return [one.machine.name for one in cluster.etcd]
        if self.kind == "cut from primary":
            return [one.machine.name for one in [cluster.group.primary()] if one]
        if self.kind == "cut from s3":
            return ["s3"]
        return None

    def words(self):
        if self.service is None:
            return f"{self.kind}: there is no {self.target}"
        return (f"{self.kind}: {self.service.machine.name} ({self.target}), "
                f"{self.ends - self.begins:.1f} s")


class Fault:
    def __init__(self, seed, number):
        block, place = divmod(number - 1, len(KINDS))
        order = sorted(KINDS)
        random.Random(f"{seed}/{block}").shuffle(order)
        chosen = random.Random(f"{seed}/{number}")
        self.number = number
        self.actions = [Action(order[place], chosen, 0)]
        if number >= PAIRS_FROM and chosen.randrange(3) == 0:
            others = [target for target in order if target != order[place]]
            self.actions.append(Action(
                chosen.choice(others), chosen, chosen.uniform(0, DELAY_SECONDS_MAX)))

    def plan(self):
        return " and ".join(f"{action.kind} ({action.target})" for action in self.actions)

    def run(self, cluster, wait):
        """Runs the actions, and calls `wait` with the seconds between two steps. Returns a description."""
        steps = sorted(
            [(action.begins, 0, number, action) for number, action in enumerate(self.actions)]
            + [(action.ends, 1, number, action) for number, action in enumerate(self.actions)],
            key=lambda step: step[:3])
        now = 0
        for moment, is_end, _, action in steps:
            wait(moment - now)
            now = moment
            if is_end:
                action.undo()
            else:
                action.begin(cluster)
        return " and ".join(action.words() for action in self.actions)
