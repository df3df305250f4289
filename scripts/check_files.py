#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Usage: scripts/check_files.py [ROOT]

Checks the files of the repository ROOT (what git tracks, or all files where ROOT is no repository): the licence
line of every source file, its length, and names that belong to one machine. Prints FILE:LINE and what is wrong.
Exit 1 when something is.
"""
import os
import re
import subprocess
import sys

LICENCE = "SPDX-License-Identifier: Apache-2.0"
SOURCES = (".h", ".cpp", ".py", ".cmake", ".sh", "CMakeLists.txt")
PLAYED = "examples/demo/"  # texts of a made-up project that the demo turns into repositories: no files of ours
MOST_LINES, MOST_TEST_LINES = 500, 800
# A build must work behind any mirror, and a checkout may stand anywhere.
FOREIGN = [
    (re.compile(r"(?<![\w.~-])/work/\w"), "a path of one machine"),
    (re.compile(r"\b(?:pypi\.org|pythonhosted\.org|npmjs\.(?:org|com)|yarnpkg\.com|crates\.io|proxy\.golang\.org|"
                r"rubygems\.org|repo1\.maven\.org|deb\.debian\.org|archive\.ubuntu\.com|docker\.io|ghcr\.io|quay\.io|"
                r"conda\.anaconda\.org)\b"), "a registry host"),
    (re.compile(r"(?i)\b(?:artifactory|nexus|devpi|verdaccio)[\w-]*\.[a-z][\w.-]*\.[a-z]{2,}"), "a registry host"),
]


def files_of(root):
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, check=False)
    if listed.returncode == 0 and listed.stdout:
        names = sorted(os.fsdecode(n) for n in listed.stdout.split(b"\0") if n)
        return [n for n in names if os.path.isfile(os.path.join(root, n))]
    found = []
    for directory, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f != "build")
        found += [os.path.relpath(os.path.join(directory, n), root) for n in names]
    return sorted(found)


def findings_in(name, data):
    if b"\0" in data[:8192]:
        return
    text = data.decode("utf-8", errors="replace")
    lines = text.splitlines()
    script = text.startswith("#!")
    if (name.endswith(SOURCES) or script) and not name.startswith(PLAYED):
        at = 1 if script else 0
        if len(lines) <= at or LICENCE not in lines[at]:
            yield 1, f"the first line (of a script the second) must hold \"{LICENCE}\""
        most = MOST_TEST_LINES if name.startswith("test/") else MOST_LINES
        if len(lines) > most:
            yield len(lines), f"has {len(lines)} lines, the limit is {most}; split it by noun"
    for number, line in enumerate(lines, 1):
        for pattern, what in FOREIGN:
            match = pattern.search(line)
            if match:
                yield number, f"names {what}: {match.group(0)}"


def main():
    root = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), ".."))
    wrong, names = 0, files_of(root)
    for name in names:
        path = os.path.join(root, name)
        if os.path.islink(path):
            continue
        with open(path, "rb") as f:
            data = f.read()
        for number, what in findings_in(name, data):
            print(f"{name}:{number}: {what}")
            wrong += 1
    print(f"{len(names)} files, {wrong} findings")
    return 1 if wrong or not names else 0


if __name__ == "__main__":
    sys.exit(main())
