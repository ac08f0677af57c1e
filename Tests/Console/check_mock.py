#!/usr/bin/env python3
"""Compares the keys in the mock server's answers with the JSON keys of StratusWire, so that the front
end is not tested with names that the server does not have."""
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "mock")]

import data  # noqa: E402
from answers import Refusal, State  # noqa: E402

WIRE = HERE.parents[1] / "Sources/StratusWire"
BODY = {"containerID": data.NOTES, "environment": "development"}


def keys(value):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys(inner)


def main():
    sources = [path.read_text() for path in WIRE.rglob("*.swift")]
    written = {key for text in sources
               for key in re.findall(r'(?:member|writer\.key)\("(\w+)"', text)}
    paths = {path: text for text in sources for path in re.findall(r'path = "([\w/-]+)"', text)}
    used = set()
    for file in (HERE.parents[1] / "Sources/StratusConsoleFiles/Files").rglob("*.js"):
        used |= set(re.findall(r'manage\(\s*"([\w/-]+)"', file.read_text()))
    state = State()
    state.is_signed_in = True
    faults = []
    for path in sorted(used):
        if path not in paths:
            faults.append(f"{path}: StratusWire has no such endpoint")
            continue
        try:
            answer = state.answer(f"management/{path}", dict(BODY, email="new@example.org", code="7KQM-PX2A-W9TD-4HGN"))
        except Refusal:
            continue
        # NB: types are shared between files, so a key may be written by any file of the folder.
        near = {key for key in keys(answer) if f'"{key}"' not in paths[path]}
        unknown = near - written
        if unknown:
            faults.append(f"{path}: StratusWire writes no {', '.join(sorted(unknown))}")
        top = {key for key in answer if f'"{key}"' not in paths[path]}
        if top:
            faults.append(f"{path}: the answer has no {', '.join(sorted(top))}")
    print("\n".join(faults) or f"{len(used)} endpoints have the names of StratusWire")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
