"""Faults. A fault is a function of the seed and of its number only.

Five faults in a row concern the five kinds of machines, in an order of their own. So a short run has
each kind once. The machine that is the primary at the time is chosen when the fault begins.
"""

import random

from machine import Trouble

# The kinds of faults of each kind of machine, each with the range of its seconds.
# A lease of Patroni is 10 s. Some pauses are shorter, and some longer.
KINDS = {
    "primary": {
        "kill": (3, 8), "kill PostgreSQL": (0, 0), "kill Patroni": (12, 16), "stop": (4, 16),
        "stop Patroni": (12, 18), "cut": (4, 16), "cut from etcd": (8, 16),
    },
    "standby": {"kill": (3, 8), "stop": (4, 12), "cut": (4, 12), "cut from primary": (4, 12)},
    "node": {"kill": (2, 6), "stop": (4, 20), "cut": (4, 16), "cut from s3": (4, 10)},
    "etcd": {"kill": (3, 8), "stop": (3, 10), "cut": (3, 10)},
    "s3": {"kill": (2, 5), "stop": (3, 10), "cut": (3, 10)},
}
PARTS = {"kill PostgreSQL": ["postgres"], "kill Patroni": ["patroni"], "stop Patroni": ["patroni"]}


class Fault:
    def __init__(self, seed, number):
        block, place = divmod(number - 1, len(KINDS))
        order = sorted(KINDS)
        random.Random(f"{seed}/{block}").shuffle(order)
        chosen = random.Random(f"{seed}/{number}")
        self.number, self.target = number, order[place]
        self.kind = chosen.choice(sorted(KINDS[self.target]))
        self.seconds = chosen.uniform(*KINDS[self.target][self.kind])
        self.choice = chosen.randrange(1000)

    def pick(self, cluster):
        """The service that the fault concerns."""
        if self.target == "primary":
            return cluster.group.primary()
        if self.target == "standby":
            return cluster.group.standby()
        if self.target == "s3":
            return cluster.storage
        several = cluster.nodes if self.target == "node" else cluster.etcd
        return several[self.choice % len(several)]

    def run(self, cluster, wait):
        """Causes the fault, calls `wait` with its seconds, and ends the fault. Returns a sentence."""
        service = self.pick(cluster)
        if service is None:
            raise Trouble(f"there is no {self.target}")
        machine = service.machine
        kind = self.kind
        if kind.startswith("cut") and not cluster.network.separate:
            kind = "stop"
        action, parts = kind.split()[0], PARTS.get(kind)
        if action == "kill":
            machine.kill(parts)
        elif action == "stop":
            machine.stop(parts)
        else:
            cluster.network.cut(machine.name, self.peers(cluster, kind))
        wait(self.seconds)
        if action == "kill" and kind != "kill PostgreSQL":
            service.start_again()
        elif action == "stop":
            machine.go_on()
        elif action == "cut":
            cluster.network.heal()
        return f"{kind}: {machine.name} ({self.target}), {self.seconds:.1f} s"

    def peers(self, cluster, kind):
        """The machines to cut off, or None for all of them."""
        if kind == "cut from etcd":
            return [one.machine.name for one in cluster.etcd]
        if kind == "cut from primary":
            return [one.machine.name for one in [cluster.group.primary()] if one]
        if kind == "cut from s3":
            return ["s3"]
        return None
