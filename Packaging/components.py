#!/usr/bin/env python3
"""Writes the list of a build's components (CycloneDX 1.5), and the licences of all of them.

usage: components.py SCRATCH BINARY VERSION EPOCH FOLDER

SCRATCH is the folder of the build. EPOCH is the time of the list, in seconds since 1970. Reads
Package.resolved and the checkouts of the packages in SCRATCH. Makes FOLDER/components.cdx.json and
FOLDER/third-party-licences.
"""
import datetime
import json
import pathlib
import re
import shutil
import subprocess
import sys
import uuid

LICENCE_FILE = re.compile(r"(?i)^(licen[cs]e|notice|copying|copyright)([.\-_].*)?$")
# Folders of a checkout whose files are not linked into the program.
NOT_LINKED = {".git", "Tests", "Benchmarks", "IntegrationTests", "docs", "dev", "Examples"}


def licence_id(text):
    """Returns the SPDX expression of a licence's text, or None for an unknown licence."""
    if "Apache License" in text and "Version 2.0" in text:
        has_exception = "Runtime Library Exception" in text
        return "Apache-2.0 WITH Swift-exception" if has_exception else "Apache-2.0"
    if "Permission is hereby granted, free of charge" in text:
        return "MIT"
    if "Redistribution and use in source and binary forms" in text:
        return "BSD-3-Clause"
    return None


def licence_files(checkout):
    """Returns the licences and notices of a package, and of sources that it has copied."""
    for path in sorted(checkout.rglob("*")):
        inside = path.relative_to(checkout)
        if LICENCE_FILE.match(path.name) and path.is_file() and NOT_LINKED.isdisjoint(inside.parts):
            yield path, inside


def library(name, version, licence, **more):
    component = {"type": "library", "name": name, "version": version, "bom-ref": f"{name}@{version}"}
    if licence:
        component["licenses"] = [{"expression": licence}]
    return component | more


def leading_comments(folder):
    """The different comments with a copyright at the top of a folder's C files, as one text.

    These comments replace the licence of sources that were copied without their licence.
    """
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".c", ".cc", ".h", ".S"):
            match = re.match(r"\s*(/\*.*?\*/|(?://[^\n]*\n)+)", path.read_text(errors="replace"), re.S)
            if match and "opyright" in match[1]:
                found.setdefault(match[1].strip(), None)
    return "\n\n".join(found)


def copied_sources(checkout, licences):
    """Copies of BoringSSL in packages. The file hash.txt of a copy names its origin."""
    for path in sorted(checkout.glob("Sources/*/hash.txt")):
        origin = re.search(r"from (\S+) cloned from (\S+) at revision (\w+)", path.read_text())
        if origin:
            title = f"{origin[1].lower()} in {checkout.name}"
            licences.append((f"{title} {origin[3]}", leading_comments(path.parent)))
            yield library(
                title, origin[3], "Apache-2.0 AND MIT AND BSD-3-Clause",
                externalReferences=[{"type": "vcs", "url": origin[2]}])


def swift_packages(root, scratch, licences):
    """The packages that the build has resolved, each with its licences."""
    for pin in sorted(json.loads((root / "Package.resolved").read_text())["pins"],
                      key=lambda pin: pin["identity"]):
        location, state = pin["location"].removesuffix(".git"), pin["state"]
        version = state.get("version") or state["revision"]
        checkout = scratch / "checkouts" / location.rsplit("/", 1)[1]
        main = None
        for path, inside in licence_files(checkout):
            text = path.read_text(errors="replace")
            if len(inside.parts) == 1:
                main = main or licence_id(text)
            licences.append((f"{pin['identity']} {version}: {inside}", text))
        purl = "pkg:swift/" + re.sub(r"^\w+://", "", location) + "@" + version
        yield library(
            pin["identity"], version, main, purl=purl,
            externalReferences=[{"type": "vcs", "url": pin["location"]}],
            pedigree={"commits": [{"uid": state["revision"]}]})
        yield from copied_sources(checkout, licences)


def swift_runtime(licences):
    """The parts of the toolchain that are linked into the program."""
    text = subprocess.check_output(["swift", "--version"], text=True, stderr=subprocess.DEVNULL)
    version = re.search(r"Swift version (\S+)", text)[1]
    home = pathlib.Path(shutil.which("swift")).resolve().parent.parent
    for path in sorted((home / "share" / "swift").glob("LICENSE*")):
        licences.append((f"swift-runtime {version}: {path.name}", path.read_text()))
    yield library(
        "swift-runtime", version, "Apache-2.0 WITH Swift-exception",
        description="the standard library, Foundation and Dispatch")
    unicode = home / "lib" / "swift_static" / "_foundation_unicode"
    licences.append((f"icu in swift-runtime {version}", leading_comments(unicode)))
    yield library("icu in swift-runtime", version, "Unicode-3.0")


def system_libraries(binary):
    """The libraries that the program loads when it starts."""
    text = subprocess.check_output(["readelf", "--dynamic", "--wide", binary], text=True)
    for name in sorted(re.findall(r"\(NEEDED\).*\[(.*)\]", text)):
        yield {"type": "library", "name": name, "bom-ref": name, "scope": "required",
               "description": "a shared library of the system, not part of the package"}


def main():
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    scratch, binary, version, epoch = pathlib.Path(sys.argv[1]), *sys.argv[2:5]
    folder = pathlib.Path(sys.argv[5])
    root = pathlib.Path(__file__).resolve().parent.parent
    licences = []
    parts = list(swift_packages(root, scratch, licences)) + list(swift_runtime(licences))
    parts += system_libraries(binary)
    time = datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc)
    reference = f"stratus@{version}"
    document = {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {
                "type": "application", "name": "stratus", "version": version,
                "bom-ref": reference, "licenses": [{"expression": "Apache-2.0"}]}},
        "components": parts,
        "dependencies": [{"ref": reference, "dependsOn": [part["bom-ref"] for part in parts]}]}
    # The same contents have the same number, so that a package can be built again byte for byte.
    document["serialNumber"] = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(document)).urn
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "components.cdx.json").write_text(json.dumps(document, indent=2) + "\n")
    with open(folder / "third-party-licences", "w") as file:
        for title, text in licences:
            file.write(f"{'=' * 78}\n{title}\n{'=' * 78}\n\n{text.strip()}\n\n")
    without = [part["name"] for part in parts if part.get("purl") and "licenses" not in part]
    if without:
        sys.exit(f"no licence is known of {', '.join(without)}: teach it to {sys.argv[0]}")


main()
