#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Usage: scripts/check_layers.py [ROOT]

Checks every #include below ROOT (default: this repository) against the tables of ROOT/docs/architecture.md,
section "Allowed includes". Prints FILE:LINE, the include and what is allowed. Exit 1 when something is wrong.
"""
import os
import re
import sys

SOURCES = (".h", ".cpp", ".hpp", ".cc", ".cxx")
NO_PART = {"examples", "build", "demo"}  # programs of their own, and build outputs
VOCABULARY = ("core", "core/model")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
TICKED = re.compile(r"`([^`]+)`")
THIRD_PARTY = re.compile(r"`([^`]+)`(?: \(`([^`]+)`\))?")


class Rules:
    def __init__(self, text):
        section = re.split(r"^## ", text, flags=re.M)
        section = next((s for s in section if s.startswith("Allowed includes")), None)
        if section is None:
            raise ValueError('no section "Allowed includes"')
        self.allowed = {}       # folder -> folders and headers
        self.third_party = {}   # header or prefix -> (folder, file or None)
        self.doors = {}         # header -> (folders it is for, whether only for them)
        table = None
        for line in section.splitlines():
            cells = [c.strip() for c in line.strip().strip("|").split("|")] if line.startswith("|") else None
            if cells is None:
                table = None
            elif table is None:
                table = cells[0]
            elif table == "level" and not cells[0].startswith("---"):
                self.add_folder(*cells[1:4])
            elif table == "header" and not cells[0].startswith("---"):
                self.doors[TICKED.findall(cells[0])[0]] = (TICKED.findall(cells[1]), cells[1].endswith("only"))
        everywhere = re.search(r"^Everywhere:(.*?)\n\n", section, flags=re.M | re.S)
        self.everywhere = TICKED.findall(everywhere.group(1)) if everywhere else []
        if len(self.allowed) < 2 or not self.everywhere:
            raise ValueError("the tables of \"Allowed includes\" cannot be read")

    def add_folder(self, folder, may, third_party):
        folder = TICKED.findall(folder)[0]
        # Rows are in order of level, so "everything above" is what has been read so far.
        self.allowed[folder] = list(self.allowed) if may.startswith("everything above") else TICKED.findall(may)
        for header, file in THIRD_PARTY.findall(third_party):
            self.third_party[header] = (folder, file or None)

    def folder_of(self, path):
        found = [f for f in self.allowed if path.startswith(f + "/")]
        return max(found, key=len, default=None)

    def wrong_own(self, file, header):
        """Why `file` may not include our `header`; None when it may."""
        here, there = self.folder_of(file), self.folder_of(header)
        if here == there:
            return None
        may = self.allowed[here]
        listed = ", ".join(may) or "nothing of ours"
        below = file.split("/")[2 if file.startswith("test/fuzz/") else 1]
        if here == "test" and below == there and there != "test":
            return None  # inner headers of the folder under test
        for_whom, only = self.doors.get(header, ([], False))
        if only and here not in for_whom:
            return f"it is for {', '.join(for_whom)} only"
        if there not in may and header not in may and here not in for_whom:
            return f"{here} may include {listed}"
        if there in VOCABULARY or header in may or header in self.doors:
            return None
        front = f"{there}/{there}.h"
        if header != front:
            doors = [d for d, (_, closed) in self.doors.items() if self.folder_of(d) == there and not closed]
            return f"of {there} the doors are {', '.join([front] + doors)}"
        return None

    def wrong_foreign(self, file, header):
        def begins(entry):
            return header == entry or (entry.endswith("/") and header.startswith(entry))
        here = self.folder_of(file)
        for entry, (folder, only_file) in self.third_party.items():
            if begins(entry):
                if here != folder:
                    return f"only {only_file or folder} may include it"
                return None if only_file in (None, file) else f"only {only_file} may include it"
        if any(begins(e) for e in self.everywhere) or not re.search(r"[./]", header):
            return None
        return "it has no place in the table; allowed everywhere are the standard library, " + ", ".join(self.everywhere)


def source_files(root):
    for directory, folders, names in os.walk(root):
        top = directory == root
        folders[:] = sorted(f for f in folders if not f.startswith(".") and not (top and f in NO_PART))
        for name in sorted(names):
            if name.endswith(SOURCES):
                yield os.path.relpath(os.path.join(directory, name), root).replace(os.sep, "/")


def check(root):
    with open(os.path.join(root, "docs", "architecture.md"), encoding="utf-8") as f:
        rules = Rules(f.read())
    findings, files = [], 0
    for file in source_files(root):
        files += 1
        if rules.folder_of(file) is None:
            findings.append(f"{file}:1: its folder has no row in the table of docs/architecture.md")
            continue
        with open(os.path.join(root, file), encoding="utf-8", errors="replace") as f:
            for number, line in enumerate(f, 1):
                match = INCLUDE.match(line)
                if match is None:
                    continue
                bracket, header = match.groups()
                if bracket == "<":
                    why = rules.wrong_foreign(file, header)
                elif rules.folder_of(header) is None:
                    why = "quotes are for our own headers, by their path from the root"
                else:
                    why = rules.wrong_own(file, header)
                if why is not None:
                    findings.append(f"{file}:{number}: includes {header}, but {why}")
    return findings, files


def main():
    root = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), ".."))
    try:
        findings, files = check(root)
    except (OSError, ValueError) as error:
        print(f"docs/architecture.md: {error}")
        return 1
    for finding in findings:
        print(finding)
    print(f"{files} source files, {len(findings)} wrong includes")
    return 1 if findings or files == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
