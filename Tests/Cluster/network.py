"""The network of the machines.

With separate networks, each machine has a network namespace and an address of its own. All of them
are connected to one bridge, as if by cables to a switch. The test itself and HAProxy are in the
namespace of the bridge. Without separate networks, all addresses are 127.0.0.1, and no connection
can be cut.

A cut is silent: the kernel has a wrong hardware address for the peer, so its packets are lost.
"""

import socket
import subprocess

BRIDGE = "switch"
# The machine of the test itself.
HOME = "home"
PREFIX = "10.77.0."
# No interface has this hardware address.
LOST = "02:00:00:00:00:ff"


def free_ports(count):
    """Returns ports that no process uses. They are different from each other."""
    sockets = []
    for _ in range(count):
        sockets.append(socket.socket())
        sockets[-1].bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def run(*words, text=None):
    done = subprocess.run(words, input=text, capture_output=True, text=True, timeout=20)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr.strip()}")


class Network:
    def __init__(self, separate):
        self.separate = separate
        self.numbers = {HOME: 1}
        if separate:
            run("ip", "link", "set", "lo", "up")
            run("ip", "link", "add", BRIDGE, "address", self.hardware(HOME), "type", "bridge")
            run("ip", "address", "add", f"{PREFIX}1/24", "dev", BRIDGE)
            run("ip", "link", "set", BRIDGE, "up")

    def address(self, name):
        return f"{PREFIX}{self.numbers[name]}" if self.separate else "127.0.0.1"

    def hardware(self, name):
        return f"02:00:00:00:00:{self.numbers[name]:02x}"

    def add(self, name):
        """Adds a machine, and connects it."""
        self.numbers[name] = len(self.numbers) + 10
        if not self.separate:
            return
        cable = f"to-{name}"
        run("ip", "netns", "add", name)
        run("ip", "link", "add", cable, "type", "veth", "peer", "name", "eth0",
            "address", self.hardware(name), "netns", name)
        run("ip", "link", "set", cable, "master", BRIDGE, "up")
        run("ip", "-netns", name, "-batch", "-", text=(
            "link set lo up\n"
            f"address add {self.address(name)}/24 dev eth0\n"
            "link set eth0 up\n"))
        for other in self.numbers:
            if other != name:
                self.connect(name, other, True)

    def inside(self, name):
        """The words before a command that make it run on a machine."""
        return ["nsenter", f"--net=/run/netns/{name}", "--"] if self.separate and name != HOME else []

    def connect(self, one, other, connected):
        for here, there in [(one, other), (other, one)]:
            hardware = self.hardware(there) if connected else LOST
            place, device = ([], BRIDGE) if here == HOME else (["-netns", here], "eth0")
            run("ip", *place, "neighbour", "replace", self.address(there), "lladdr", hardware,
                "dev", device, "nud", "permanent")

    def cut(self, name, others=None):
        """Cuts a machine off from some machines, or from all. Returns the pairs for `heal`."""
        pairs = [(name, other) for other in (self.numbers if others is None else others)
                 if other != name]
        for pair in pairs:
            self.connect(*pair, False)
        return pairs

    def heal(self, pairs):
        for pair in pairs:
            self.connect(*pair, True)
