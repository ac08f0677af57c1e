#!/usr/bin/env python3
"""Runs a program at a terminal of its own, and prints each row of the terminal that changes.

usage: terminal.py COLUMNS ROWS COMMAND...

Each line of standard input is typed into the program, followed by the Enter key. '@keys TEXT' types
the text without Enter; in it, '\\x03' is Ctrl-C. '@size COLUMNS ROWS' changes the size of the
terminal. A row that changes is printed as 'NUMBER|TEXT'; the first row is 1. The last line is 'left
as found' if the program has restored the terminal's settings, and 'left spoilt' if not. Only the
escape sequences that the examples use are known.
"""
import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios

SEQUENCE = re.compile(r"\x1b\[(\??)([0-9;]*)([A-Za-z])")


class Terminal:
    def __init__(self, columns, rows):
        self.rows = {}
        self.shown = {}
        self.row, self.column = 1, 1
        self.rest = ""
        self.resize(columns, rows)

    def resize(self, columns, rows):
        self.size = (columns, rows)

    def take(self, text):
        text = self.rest + text
        self.rest = ""
        at = 0
        while at < len(text):
            match = SEQUENCE.match(text, at)
            if match:
                self.command(*match.groups())
                at = match.end()
            elif text[at] == "\x1b":
                # The rest of the escape sequence has not arrived yet.
                self.rest = text[at:]
                return
            else:
                self.character(text[at])
                at += 1

    def command(self, private, numbers, letter):
        if private:
            return
        if letter == "H":
            row, column = (numbers or "1;1").split(";")
            self.row, self.column = int(row), int(column)
        elif letter == "K":
            self.rows[self.row] = self.rows.get(self.row, "")[: self.column - 1]

    def character(self, character):
        if character == "\r":
            self.column = 1
        elif character == "\n":
            self.row += 1
        else:
            line = self.rows.get(self.row, "").ljust(self.column - 1)
            self.rows[self.row] = line[: self.column - 1] + character + line[self.column :]
            self.column += 1
            if self.column > self.size[0] + 1:
                print(f"row {self.row} is too wide: {self.rows[self.row]}")
            if self.row > self.size[1]:
                print(f"row {self.row} is below the screen")

    def show(self):
        for row, text in sorted(self.rows.items()):
            text = text.rstrip()
            if self.shown.get(row, "") != text:
                print(f"{row}|{text}")
                self.shown[row] = text
        sys.stdout.flush()


def set_size(terminal, columns, rows):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def settings(descriptor):
    return termios.tcgetattr(descriptor)


def main():
    columns, rows = int(sys.argv[1]), int(sys.argv[2])
    ours, theirs = pty.openpty()
    set_size(ours, columns, rows)
    before = settings(theirs)
    program = subprocess.Popen(
        sys.argv[3:], stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    )
    signal.signal(signal.SIGTERM, lambda *_: program.terminate())
    screen = Terminal(columns, rows)
    decoder = codecs.getincrementaldecoder("utf-8")()
    typed = b""
    sources = [ours, 0]
    while True:
        ready, _, _ = select.select(sources, [], [], 0.1)
        if ours in ready:
            screen.take(decoder.decode(os.read(ours, 65536)))
        elif program.poll() is not None:
            break
        else:
            # The program has stopped printing, so the screen is in the intended state.
            screen.show()
        if 0 in ready:
            some = os.read(0, 65536)
            if not some:
                sources.remove(0)
            typed += some
            while b"\n" in typed:
                line, typed = typed.split(b"\n", 1)
                if line.startswith(b"@keys "):
                    os.write(ours, line[6:].decode("unicode_escape").encode())
                elif line.startswith(b"@size "):
                    columns, rows = map(int, line[6:].split())
                    screen.resize(columns, rows)
                    set_size(ours, columns, rows)
                    os.killpg(program.pid, signal.SIGWINCH)
                else:
                    os.write(ours, line + b"\r")
    screen.show()
    print("left as found" if settings(theirs) == before else "left spoilt")
    sys.exit(program.returncode)


if __name__ == "__main__":
    main()
