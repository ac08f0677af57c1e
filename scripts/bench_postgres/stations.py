"""Parts of a simulation: the simulated time, queues with servers, and the log of a database."""
import heapq


class Clock:
    """The simulated time, and the work that will happen later."""

    def __init__(self):
        self.now = 0.0
        self.later = []
        self.count = 0

    def after(self, seconds, work):
        self.count += 1
        heapq.heappush(self.later, (self.now + seconds, self.count, work))

    def step(self):
        self.now, _, work = heapq.heappop(self.later)
        work()


class Station:
    """Servers with one queue, for example the cores of a machine, or connections. It counts their busy time."""

    def __init__(self, clock, servers):
        self.clock, self.servers = clock, servers
        self.free = servers
        self.queue = []
        self.first = 0
        self.busy = 0.0

    def take(self, work):
        """Calls `work` when a server is free. The caller must give the server back."""
        if self.free:
            self.free -= 1
            work()
        else:
            self.queue.append(work)

    def give(self, seconds):
        """Gives a server back that was used for these seconds."""
        self.busy += seconds
        if self.first == len(self.queue):
            self.free += 1
            return
        work = self.queue[self.first]
        self.first += 1
        if self.first > 10_000:
            self.queue, self.first = self.queue[self.first:], 0
        work()

    def use(self, seconds, then):
        """Uses a server for these seconds, and then calls `then`."""

        def start():
            self.clock.after(seconds, end)

        def end():
            self.give(seconds)
            then()

        self.take(start)


class Log:
    """PostgreSQL's log. One flush takes all commits that wait when it begins."""

    def __init__(self, clock, seconds):
        self.clock, self.seconds = clock, seconds
        self.waiting = []
        self.is_flushing = False
        self.busy = 0.0

    def flush(self, then):
        self.waiting.append(then)
        if not self.is_flushing:
            self.begin()

    def begin(self):
        self.is_flushing = True
        group, self.waiting = self.waiting, []

        def end():
            self.busy += self.seconds
            self.is_flushing = False
            for then in group:
                then()
            if self.waiting and not self.is_flushing:
                self.begin()

        self.clock.after(self.seconds, end)
