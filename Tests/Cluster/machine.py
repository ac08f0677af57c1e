"""A machine: an address, a folder, and the processes that work in this folder.

A process belongs to a machine if its working directory is in the machine's folder. This finds the
processes that other processes have started, such as those of PostgreSQL, and never a process that
does not belong to the test.
"""

import os
import shutil
import signal
import subprocess
import threading
import time


class Trouble(Exception):
    """The cluster itself does not work, so the run cannot continue."""


def wait_until(what, condition, seconds):
    """Checks a condition every 0.1 s, until it holds. Raises Trouble after some seconds."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise Trouble(f"after {seconds} s: {what}")
        time.sleep(0.1)


def processes_in(folder):
    """The IDs and names of the processes whose working directory is in a folder."""
    found = {}
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            place = os.readlink(f"/proc/{number}/cwd")
            with open(f"/proc/{number}/comm") as file:
                name = file.read().strip()
        except OSError:
            continue
        if place == folder or place.startswith(folder + "/"):
            found[int(number)] = name
    return found


def kill_all(folder, names=None, seconds=20):
    """Kills all processes in a folder, or only those with certain names, and waits for their end."""
    def chosen():
        return [number for number, name in processes_in(folder).items()
                if names is None or name in names]

    def killed():
        left = chosen()
        send(left, signal.SIGKILL)
        return not left

    wait_until(f"processes in {folder} do not end", killed, seconds)


def send(numbers, which):
    for number in numbers:
        try:
            os.kill(number, which)
        except ProcessLookupError:
            pass


class Lines:
    """Reads the output of a process, line by line."""

    def __init__(self, process, each=None):
        self.seen, self.news, self.ended, self.each = [], threading.Condition(), False, each
        self.process = process
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            with self.news:
                self.seen.append(line.rstrip("\n"))
                self.news.notify_all()
            if self.each:
                self.each(line.rstrip("\n"))
        with self.news:
            self.ended = True
            self.news.notify_all()

    def wait_for(self, part, seconds):
        """Waits for a line that contains a text, and returns this line."""
        def found():
            return next((line for line in self.seen if part in line), None)

        with self.news:
            self.news.wait_for(lambda: found() or self.ended, seconds)
            return found()


class Machine:
    def __init__(self, network, folder, name, user=None, place=None):
        """A new machine, or a folder of its own on another machine (`place`)."""
        if place is None:
            network.add(name)
        self.network, self.name, self.user, self.place = network, name, user, place or name
        self.folder = f"{folder}/{name}"
        self.address = network.address(self.place)
        os.mkdir(self.folder, 0o700)
        self.own(self.folder)

    def own(self, path):
        """Gives a file to the user of this machine's processes."""
        if self.user:
            shutil.chown(path, self.user, self.user)

    def write(self, name, text):
        """Writes a file that other users cannot read, and returns its path."""
        path = f"{self.folder}/{name}"
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(text)
        self.own(path)
        return path

    def start(self, *words, environment=None, each=None):
        """Starts a process, and returns its lines. Its errors go to the file `log`."""
        as_user = []
        if self.user:
            as_user = ["setpriv", "--reuid", self.user, "--regid", self.user, "--clear-groups"]
        with open(f"{self.folder}/log", "a") as log:
            process = subprocess.Popen(
                [*self.network.inside(self.place), *as_user, *words], cwd=self.folder, text=True,
                env=dict(os.environ, HOME=self.folder, **(environment or {})),
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log,
                start_new_session=True)
        return Lines(process, each)

    def processes(self, names=None):
        return [number for number, name in processes_in(self.folder).items()
                if names is None or name in names]

    def kill(self, names=None):
        kill_all(self.folder, names)

    def stop(self, names=None):
        """Stops the processes, and those that they start in the meantime."""
        stopped = []
        while stopped != (found := self.processes(names)):
            send(found, signal.SIGSTOP)
            stopped = found

    def go_on(self):
        send(self.processes(), signal.SIGCONT)
