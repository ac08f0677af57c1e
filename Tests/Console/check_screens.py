#!/usr/bin/env python3
"""Shows every screen in every way, and checks it with axe and with checks of our own.

usage: check_screens.py [--axe axe.js] [--only NAME …] [--ways WAY …] [--pictures FOLDER]
"""
import argparse
import itertools
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "mock")]

import browser as chromium  # noqa: E402
from answers import State  # noqa: E402
from screens import SCREENS  # noqa: E402
from server import MockServer  # noqa: E402


def check(page, source):
    findings = chromium.own_findings(page) + chromium.messages(page)
    if source:
        findings += chromium.axe_findings(page, source)
    return findings


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--axe", type=Path)
    parser.add_argument("--only", nargs="*", default=list(SCREENS) + ["sign-in", "set-up"])
    parser.add_argument("--ways", nargs="*", default=list(chromium.WAYS))
    parser.add_argument("--every", type=int, default=1, help="check only every Nth combination of a screen and a way")
    parser.add_argument("--pictures", type=Path)
    options = parser.parse_args()
    source = options.axe.read_text() if options.axe else None
    if options.pictures:
        options.pictures.mkdir(parents=True, exist_ok=True)
    server = MockServer().begin()
    page = chromium.start()
    faulty = count = 0
    combinations = list(itertools.product(options.only, options.ways))[::options.every]
    try:
        for name, group in itertools.groupby(combinations, key=lambda combination: combination[0]):
            server.state = State(is_set_up=name != "set-up")
            server.state.is_signed_in = name not in ("sign-in", "set-up")
            for _, way in group:
                chromium.show_in(page, way)
                chromium.open_page(page, server.url + SCREENS.get(name, "/"))
                findings = check(page, source)
                count += 1
                if options.pictures:
                    page.save_screenshot(str(options.pictures / f"{name}-{way}.png"))
                for finding in findings:
                    print(f"{name}, {way}: {finding}")
                faulty += bool(findings)
    finally:
        page.quit()
        server.ends.set()
    print(f"{count} pages checked, {faulty} with findings"
          + ("" if source else "; axe was not given, so only our own checks ran"))
    return 1 if faulty else 0


if __name__ == "__main__":
    sys.exit(main())
