#!/usr/bin/env python3
"""Writes the man pages of a stratus binary: one of the program, and one of each command.

usage: manual.py BINARY FOLDER [DATE]        DATE: YYYY-MM-DD, today if not given

The texts are those of the commands' own help (`--experimental-dump-help`).
"""
import datetime
import json
import pathlib
import re
import subprocess
import sys

ENVIRONMENT = [
    ("STRATUS_DATA", "The data folder, if --data is not given."),
    ("STRATUS_MANAGEMENT_TOKEN", "The token for --url."),
    ("STRATUS_URL", "The server that apps, 'stratus explain' and 'stratus keys' call."),
    ("STRATUS_CONTAINER", "The ID of the container that apps and these commands use."),
    ("STRATUS_ENVIRONMENT", "development or production."),
    ("STRATUS_API_TOKEN", "The token that identifies the app."),
    ("STRATUS_WEB_AUTH_TOKEN", "The token of the signed-in user."),
    ("STRATUS_KEYS", "The file with the key of encrypted values."),
]
FILES = [
    ("/var/lib/stratus", "The data folder of the server that systemd runs."),
    ("/etc/default/stratus", "The options of the server that systemd runs."),
    (".stratus", "The data folder, if neither --data nor STRATUS_DATA names one."),
]
# If a command has more arguments than this, its synopsis does not list the optional ones.
LONGEST_SYNOPSIS = 10
EXIT_STATUS = "0 on success. Otherwise one sentence on standard error says what to do."


def escape(text):
    """Escapes a text, so that roff prints all of its characters unchanged."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    return re.sub(r"^\.", r"\\&.", text, flags=re.MULTILINE)


def paragraphs(text):
    """Returns the roff requests for a text. Indented lines keep their form."""
    lines, example = [], False
    for line in text.split("\n"):
        if line.startswith("  ") != example and line:
            example = not example
            lines.append(".PP\n.EX" if example else ".EE")
        lines.append(escape(line.strip()) if line.strip() else ".PP")
    return lines + ([".EE"] if example else [])


def spelling(name):
    return ("--" if name["kind"] == "long" else "-") + name["name"]


def is_shown(argument):
    return argument.get("shouldDisplay", True)


def arguments(command, is_program):
    """Returns the arguments to describe. Only the program's page describes --help and --version."""
    return [argument for argument in command.get("arguments", []) if is_shown(argument)
            and (is_program or argument["valueName"] not in ("help", "version"))]


def title(argument):
    """An argument as its description names it: '-h, --help' or '--port <port>'."""
    if argument["kind"] == "positional":
        return f"<{argument['valueName']}>"
    names = ", ".join(spelling(name) for name in argument["names"])
    return names if argument["kind"] == "flag" else f"{names} <{argument['valueName']}>"


def usage(argument):
    """An argument as the synopsis shows it."""
    if argument["kind"] == "positional":
        text = f"<{argument['valueName']}>"
    else:
        text = spelling(argument["preferredName"])
        if argument["kind"] == "option":
            text += f" <{argument['valueName']}>"
    if argument.get("isRepeating"):
        text += " ..."
    return f"[{text}]" if argument.get("isOptional") else text


def describe(argument):
    """The requests that describe an argument."""
    text = argument.get("abstract", "")
    values = argument.get("allValues", [])
    if not all(value in text for value in values):
        text += f" One of: {', '.join(values)}."
    if argument.get("defaultValue") is not None and argument["kind"] == "option":
        text += f" Default: {argument['defaultValue']}."
    lines = [".TP", f".B {escape(title(argument))}", escape(text.strip()) or "\\&"]
    return lines + (paragraphs(argument["discussion"]) if argument.get("discussion") else [])


def arguments_of(command, is_program=False):
    """The requests for all arguments, by the sections of the help."""
    sections = {}
    for argument in arguments(command, is_program):
        heading = argument.get("sectionTitle") or (
            "Arguments" if argument["kind"] == "positional" else "Options")
        sections.setdefault(heading, []).extend(describe(argument))
    return sections


def synopsis(path, command, is_program=False):
    named = sorted(arguments(command, is_program), key=lambda each: each["kind"] == "positional")
    parts = [usage(argument) for argument in named]
    if len(parts) > LONGEST_SYNOPSIS:
        parts = ["[<options>]"] + parts[sum(part.startswith("[") for part in parts):]
    if shown_subcommands(command):
        parts.append("<command>")
    return [f".B {escape(path)}", escape(" ".join(parts))]


def shown_subcommands(command):
    return [sub for sub in command.get("subcommands", [])
            if sub["commandName"] != "help" and is_shown(sub)]


def section_of(path, command):
    """A subcommand on the page of its command."""
    lines = [f".SH {escape(path.upper())}", escape(command.get("abstract", "")), ".PP"]
    lines += synopsis(path, command)
    if command.get("discussion"):
        lines += [".PP"] + paragraphs(command["discussion"])
    for heading, requests in arguments_of(command).items():
        lines += [f".SS {escape(heading)}"] + requests
    for sub in shown_subcommands(command):
        lines += section_of(f"{path} {sub['commandName']}", sub)
    return lines


def terms(rows):
    return [line for name, text in rows for line in (".TP", f".B {escape(name)}", escape(text))]


def page(name, path, command, version, date, others):
    """One page, as its lines."""
    is_program = name == path
    lines = [f'.TH {name.upper()} 1 "{date}" "Stratus {version}" "Stratus manual"', ".nh", ".ad l",
             ".SH NAME", f"{escape(name)} \\- {escape(command.get('abstract', '').rstrip('.'))}",
             ".SH SYNOPSIS"] + synopsis(path, command, is_program)
    if command.get("discussion"):
        lines += [".SH DESCRIPTION"] + paragraphs(command["discussion"])
    if is_program:
        lines += [".SH COMMANDS"] + terms(
            (sub["commandName"], sub.get("abstract", "")) for sub in shown_subcommands(command))
    for heading, requests in arguments_of(command, is_program).items():
        lines += [f".SH {escape(heading.upper())}"] + requests
    if not is_program:
        for sub in shown_subcommands(command):
            lines += section_of(f"{path} {sub['commandName']}", sub)
    lines += [".SH EXIT STATUS", escape(EXIT_STATUS), ".SH ENVIRONMENT"] + terms(ENVIRONMENT)
    lines += [".SH FILES"] + terms(FILES)
    links = [f".BR {escape(other)} (1)" for other in others if other != name]
    return lines + [".SH SEE ALSO", ",\n".join(links)]


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    binary, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    date = sys.argv[3] if len(sys.argv) == 4 else datetime.date.today().isoformat()
    help_text = subprocess.check_output([binary, "--experimental-dump-help"], text=True)
    version = subprocess.check_output([binary, "--version"], text=True).strip()
    program = json.loads(help_text)["command"]
    commands = {"stratus": ("stratus", program)}
    for sub in shown_subcommands(program):
        commands[f"stratus-{sub['commandName']}"] = (f"stratus {sub['commandName']}", sub)
    folder.mkdir(parents=True, exist_ok=True)
    for name, (path, command) in commands.items():
        lines = page(name, path, command, version, date, sorted(commands))
        (folder / f"{name}.1").write_text("\n".join(lines) + "\n")


main()
