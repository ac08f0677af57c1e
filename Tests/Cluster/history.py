"""The history of a run: one JSON object in each line, in the order in which operations ended.

Times are nanoseconds of one monotonic clock. `begin` and `end` enclose the request. A value of a
record is the name of the batch that wrote it, and null if the record does not exist. Each batch has
the record "<batch>.0", which no client changes or deletes later: the anchor of the batch.

    save     client zone begin end batch outcome errors records
             outcome: stored, refused (certainly not stored), or unknown (no answer, or an error after
             which the batch may be stored). errors: the codes in the answer. A record has a name and
             maybe: deleted; expects (the batch whose change tag the request had); file (the hash of
             its file)
    read     client zone begin end records             one answer: names and values
    page     client zone begin end from to more records [final]
             one page of a feed; from and to are tokens, from is null at the beginning. The last
             complete chain of pages that are marked as final defines the order of the batches
    expired  client zone begin end from                the server refused a token as expired
    odd      client begin end endpoint code reason     an error that no fault may cause
    file     client zone begin end name hash           a file, as it was downloaded
    seen     client account end name                   a device has received a record
    watched  client account end                        a device had time to receive everything
    fault    number begin end text targets             a fault, and the end of the recovery; targets:
             the kinds of its machines
"""

import hashlib
import json
import threading
import time


def now():
    return time.monotonic_ns()


def short(text):
    """Returns a short name of a token, so that histories stay small."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class History:
    """Writes a history. Several threads may use it."""

    def __init__(self, path):
        self.file, self.lock = open(path, "w"), threading.Lock()
        # The end of the newest stored save of each zone.
        self.stored = {}

    def write(self, kind, **values):
        if values.get("outcome") == "stored":
            self.stored[values["zone"]] = values["end"]
        line = json.dumps({"kind": kind, **values}, separators=(",", ":"))
        with self.lock:
            # After a run that was ended, some clients may still receive something.
            if not self.file.closed:
                self.file.write(line + "\n")

    def close(self):
        with self.lock:
            self.file.close()
