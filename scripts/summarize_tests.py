#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Usage: summarize_tests.py RESULTS.xml MINIMUM TEST_DIR

Reads what `ctest --output-junit` wrote. Prints each failure, each suite that did not run and why, and as
last line `N passed, N failed, N skipped`. Exit 1 when a test failed, or when fewer than MINIMUM ran.
A suite is the part of a test's name before the first dot: the folder below TEST_DIR.
"""
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter, defaultdict


def reason_of(case):
    """Why a test was skipped, in one line: what GTEST_SKIP printed, else what ctest says."""
    if case.get("status") == "disabled":
        return "it is disabled"
    said = re.search(r": Skipped\s*\n(.+)", case.findtext("system-out") or "")
    return said.group(1).strip() if said else "no reason given"


def outcome_of(case):
    status = case.get("status", "")
    if status == "run":
        return "passed"
    if status == "disabled":
        return "skipped"
    # Only this message is a skip: ctest writes a program that is missing as <skipped> too.
    skipped = case.find("skipped")
    if status == "notrun" and skipped is not None and skipped.get("message") == "SKIP_REGULAR_EXPRESSION_MATCHED":
        return "skipped"
    return "failed"


def main():
    results, minimum, test_dir = sys.argv[1], int(sys.argv[2]), pathlib.Path(sys.argv[3])
    cases = ElementTree.parse(results).getroot().findall(".//testcase")
    total = Counter()
    by_suite = defaultdict(Counter)
    reasons = defaultdict(Counter)
    for case in cases:
        name, outcome = case.get("name", "?"), outcome_of(case)
        suite = name.split(".")[0]
        total[outcome] += 1
        by_suite[suite][outcome] += 1
        if outcome == "failed":
            print(f"FAILED  {name}")
        if outcome == "skipped":
            reasons[suite][reason_of(case)] += 1

    print()
    for suite, counts in sorted(by_suite.items()):
        print(f"suite {suite}: {counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
        for reason, count in reasons[suite].most_common():
            print(f"  not run: {count} of {sum(counts.values())}, because {reason}")
    if minimum > 0:
        for folder in sorted(p.name for p in test_dir.iterdir() if p.is_dir()):
            if folder not in by_suite:
                why = "no test of it is registered" if (test_dir / folder / "CMakeLists.txt").exists() \
                    else "it has no CMakeLists.txt"
                print(f"suite {folder}: not run, because {why}")

    ran = total["passed"] + total["failed"]
    short = ran < minimum
    if short:
        print(f"test: {ran} tests ran, but test/minimum-tests asks for at least {minimum}: tests are missing")
    elif minimum > 0:
        print(f"{ran} tests ran; the stored minimum is {minimum}")
    print(f"{total['passed']} passed, {total['failed']} failed, {total['skipped']} skipped")
    return 1 if total["failed"] or short or ran == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
