# SPDX-License-Identifier: Apache-2.0
"""Damages good picks in one way each, for `bench/gates faults`. The damaged trees live in a scratch repository."""
import collections, concurrent.futures, random, re

SOURCE = (".cpp", ".cc", ".c", ".h", ".hpp", ".td", ".py", ".cu")
ENV = {"GIT_AUTHOR_NAME": "x", "GIT_AUTHOR_EMAIL": "x", "GIT_COMMITTER_NAME": "x", "GIT_COMMITTER_EMAIL": "x", "GIT_AUTHOR_DATE": "@1000000000 +0000",
       "GIT_COMMITTER_DATE": "@1000000000 +0000"}
TRIVIAL = {"else", "else:", "};", "#endif", "return", "pass", "try:", '"""', "/*", "*/"}


def norm(line):
    return re.sub(r"\s", "", line)


def telling(line):
    return len(norm(line)) > 12 and norm(line) not in TRIVIAL


class Pick:
    """One good pick: its trees by letter, its files by path."""

    def __init__(self, scratch, row, rng):
        self.scratch, self.row, self.rng = scratch, row, rng
        self.trees = {"B": row["upstream"] + "^", "U": row["upstream"], "D": row["parent"], "P": row["commit"]}
        self.changed = self.names("D", "P")
        self.listing = None

    def names(self, before, after):
        raw = self.scratch.run("diff", "--name-only", "--no-renames", "-z", self.trees[before], self.trees[after]).decode(errors="replace")
        return [n for n in raw.split("\0") if n]

    def all_paths(self):
        if self.listing is None:
            self.listing = self.scratch.run("ls-tree", "-r", "--name-only", "-z", self.trees["P"]).decode(errors="replace").split("\0")
        return self.listing

    def lines(self, tree, path):
        try:
            text = self.scratch.run("show", f"{self.trees[tree]}:{path}")
        except RuntimeError:
            return None
        if b"\0" in text or len(text) > 400_000:
            return None
        return text.decode("utf-8", errors="surrogateescape").split("\n")

    def some(self, paths, accept):
        """The first path, in random order, in which `accept(path, lines)` finds something."""
        paths = list(paths)
        self.rng.shuffle(paths)
        for path in paths[:60]:
            lines = self.lines("P", path)
            if lines is None:
                continue
            found = accept(path, lines)
            if found is not None:
                return path, found
        return None

    def write(self, changes):
        """A commit whose tree is P with `changes`: path -> (mode, lines), lines, or None to remove."""
        index = f"{self.scratch.git}/index-{self.row['commit']}-{self.rng.random()}"
        env = {**ENV, "GIT_INDEX_FILE": index}
        self.scratch.run("read-tree", self.trees["P"], env=env)
        for path, content in changes.items():
            if content is None:
                self.scratch.run("update-index", "-z", "--index-info", env=env, stdin=f"0 {'0' * 40}\t{path}\0".encode("utf-8", errors="surrogateescape"))
                continue
            mode, lines = content if isinstance(content, tuple) else (None, content)
            if mode is None:
                entry = self.scratch.run("ls-tree", self.trees["P"], path).decode()
                mode = entry.split()[0] if entry else "100644"
            blob = self.scratch.run("hash-object", "-w", "--stdin", stdin="\n".join(lines).encode("utf-8", errors="surrogateescape")).decode().strip()
            self.scratch.run("update-index", "--add", "--cacheinfo", f"{mode},{blob},{path}", env=env)
        tree = self.scratch.run("write-tree", env=env).decode().strip()
        return self.scratch.run("commit-tree", tree, "-p", self.trees["D"], "-m", "damaged", env=ENV).decode().strip()


def of_source(paths):
    return [p for p in paths if p.endswith(SOURCE)]


def lit_tests(pick):
    touched = [p for p in pick.changed if p.endswith((".mlir", ".ll"))]
    return touched or [p for p in pick.all_paths() if p.startswith("test/") and p.endswith(".mlir")]


def python_tests(pick):
    touched = [p for p in pick.changed if re.search(r"(^|/)test_\w+\.py$", p)]
    return touched or [p for p in pick.all_paths() if re.search(r"(^|/)test_\w+\.py$", p)]


def cpp_tests(pick):
    return [p for p in pick.all_paths() if re.search(r"unittest.*\.cpp$", p)]


def edit(pick, paths, place, change):
    """`place(path, lines)` -> index or None; `change(lines, index)` -> lines."""
    found = pick.some(paths, place)
    if found is None:
        return None
    path, at = found
    return {path: change(pick.lines("P", path), at)}


def index_of(pattern, unless=None):
    regex = re.compile(pattern)

    def place(_, lines):
        hits = [i for i, line in enumerate(lines) if regex.search(line) and not (unless and re.search(unless, line))]
        return hits[len(hits) // 2] if hits else None
    return place


def removed(lines, at):
    return lines[:at] + lines[at + 1:]


def insert(text):
    return lambda lines, at: lines[:at] + ([re.match(r"\s*", lines[at]).group(0) + t for t in text.split("\n")]) + lines[at:]


def insert_at_start(text):
    return lambda lines, at: [text] + lines


def replace(pattern, by):
    return lambda lines, at: lines[:at] + [re.sub(pattern, by, lines[at], count=1)] + lines[at + 1:]


def drop_fork_line(pick):
    def place(path, lines):
        base, upstream = pick.lines("B", path) or [], pick.lines("U", path) or []
        fork = pick.lines("D", path)
        if fork is None:
            return None
        known = {norm(x) for x in base} | {norm(x) for x in upstream}
        counts = collections.Counter(norm(x) for x in lines)
        own = {norm(x) for x in fork} - known
        hits = [i for i, x in enumerate(lines) if telling(x) and norm(x) in own and counts[norm(x)] == 1]
        return pick.rng.choice(hits) if hits else None
    near = of_source(pick.changed)
    return edit(pick, near, place, removed) or edit(pick, of_source(pick.names("B", "D")), place, removed)


def drop_upstream_line(pick):
    def place(path, lines):
        base, upstream = pick.lines("B", path) or [], pick.lines("U", path)
        if upstream is None:
            return None
        added = {norm(x) for x in upstream} - {norm(x) for x in base}
        counts = collections.Counter(norm(x) for x in lines)
        hits = [i for i, x in enumerate(lines) if telling(x) and norm(x) in added and counts[norm(x)] == 1]
        return pick.rng.choice(hits) if hits else None
    return edit(pick, pick.changed, place, removed)


def duplicate_block(pick):
    def place(_, lines):
        hits = [i for i in range(len(lines) - 12) if all(telling(x) for x in lines[i:i + 4])]
        texts = collections.Counter("\n".join(norm(x) for x in lines[i:i + 3]) for i in range(len(lines) - 2))
        hits = [i for i in hits if texts["\n".join(norm(x) for x in lines[i:i + 3])] == 1 and texts["\n".join(norm(x) for x in lines[i + 1:i + 4])] == 1]
        return pick.rng.choice(hits) if hits else None
    return edit(pick, of_source(pick.changed), place, lambda lines, at: lines[:at + 8] + lines[at:at + 4] + lines[at + 8:])


def keep_marker(pick):
    marker = pick.rng.choice(["<<<<<<< HEAD", ">>>>>>> 0123456 (Change)", "|||||||", "<" * 31 + " ours"])
    return edit(pick, pick.changed, lambda _, lines: len(lines) // 2 if len(lines) > 3 else None, lambda lines, at: lines[:at] + [marker] + lines[at:])


def whole_file(pick):
    tests = [p for p in lit_tests(pick) if p not in pick.changed] or lit_tests(pick)
    return {pick.rng.choice(tests): None} if tests else None


def test_function(pick):
    def place(_, lines):
        hits = [i for i, x in enumerate(lines) if re.match(r"def test_\w+\(", x)]
        return hits[-1] if hits else None

    def change(lines, at):
        end = next((i for i in range(at + 1, len(lines)) if re.match(r"[^\s#)\]]", lines[i])), len(lines))
        begin = at
        while begin > 0 and lines[begin - 1].startswith("@"):
            begin -= 1
        return lines[:begin] + lines[end:]
    return edit(pick, python_tests(pick), place, change)


def protected(pick):
    paths = [p for p in pick.all_paths() if re.search(r"^\.github/workflows/.*\.yml$|(^|/)conftest\.py$|(^|/)lit\.(local\.)?cfg(\.py)?$", p)]
    return edit(pick, paths, lambda _, lines: len(lines) // 2 if len(lines) > 3 else None, lambda lines, at: lines[:at] + ["# quiet"] + lines[at:])


def mode(pick):
    entry = [p for p in pick.changed if p.endswith((".cpp", ".h", ".td", ".mlir"))]
    for path in entry:
        lines = pick.lines("P", path)
        listed = pick.scratch.run("ls-tree", pick.trees["P"], path).decode()
        if lines is not None and listed.startswith("100644"):
            return {path: ("100755", lines)}
    return None


def stale_base(pick):
    """P as if the pick had been made on the fork as it was some commits before: what came between is gone."""
    for back in (3, 8, 20):
        try:
            old = pick.scratch.run("rev-parse", f"{pick.trees['D']}~{back}").decode().strip()
        except RuntimeError:
            continue
        between = [p for p in pick.scratch.run("diff", "--name-only", "--no-renames", old, pick.trees["D"]).decode().split("\n") if p and p not in pick.changed]
        changes = {}
        for path in between[:40]:
            try:
                text = pick.scratch.run("show", f"{old}:{path}").decode("utf-8", errors="surrogateescape")
                changes[path] = text.split("\n")
            except RuntimeError:
                changes[path] = None
        if changes:
            return changes
    return None


def pin(pick):
    paths = [p for p in pick.all_paths() if p.endswith("llvm-hash.txt")]
    return edit(pick, paths, lambda _, lines: 0, lambda lines, at: ["0" * 39 + "1"] + lines[1:])


RUN = r"(//|;|#) RUN:.*\| *FileCheck"
DEF = r"^def test_\w+\("
# kind -> (rule, how, hard)
FAULTS = {
    "a line of the fork dropped": ("G23", drop_fork_line),
    "a line of upstream dropped": ("G21", drop_upstream_line),
    "a block stands twice": ("G26", duplicate_block),
    "a conflict marker kept": ("G20", keep_marker),
    "XFAIL added": ("G40", lambda p: edit(p, lit_tests(p), index_of(RUN), insert("// XFAIL: *"))),
    "UNSUPPORTED added in the middle of a line": ("G40", lambda p: edit(p, lit_tests(p), index_of(RUN), insert("// see below UNSUPPORTED: target"))),
    "REQUIRES added": ("G40", lambda p: edit(p, lit_tests(p), index_of(RUN), insert("// REQUIRES: nothing-has-this"))),
    "ALLOW_RETRIES added": ("G40", lambda p: edit(p, lit_tests(p), index_of(RUN), insert("// ALLOW_RETRIES: 3"))),
    "END. added": ("G40", lambda p: edit(p, lit_tests(p), index_of(RUN), insert("// END."))),
    "|| true added to RUN": ("G40", lambda p: edit(p, lit_tests(p), index_of(RUN), replace(r"$", " || true"))),
    "--allow-empty added": ("G40", lambda p: edit(p, lit_tests(p), index_of(RUN, "--allow-empty"), replace(r"FileCheck", "FileCheck --allow-empty"))),
    "--allow-unused-prefixes added": ("G40", lambda p: edit(p, lit_tests(p), index_of(RUN), replace(r"FileCheck", "FileCheck --allow-unused-prefixes"))),
    "not inserted": ("G40", lambda p: edit(p, lit_tests(p), index_of(RUN), replace(r"RUN: *", "RUN: not "))),
    "a RUN line removed": ("G40", lambda p: edit(p, lit_tests(p), index_of(RUN), removed)),
    "the pipe into FileCheck removed": ("G40", lambda p: edit(p, lit_tests(p), index_of(RUN), replace(r"\| *FileCheck.*", ""))),
    "a test file removed": ("G40", whole_file),
    "a test function removed": ("G40", test_function),
    "pytest skip": ("G40", lambda p: edit(p, python_tests(p), index_of(DEF), insert('@pytest.mark.skip(reason="later")'))),
    "pytest skipif": ("G40", lambda p: edit(p, python_tests(p), index_of(DEF), insert('@pytest.mark.skipif(True, reason="later")'))),
    "pytest xfail": ("G40", lambda p: edit(p, python_tests(p), index_of(DEF), insert("@pytest.mark.xfail"))),
    "importorskip": ("G40", lambda p: edit(p, python_tests(p), index_of(r"^import "), insert('pytest.importorskip("absent_module")'))),
    "GTEST_SKIP": ("G40", lambda p: edit(p, cpp_tests(p), index_of(r"^  (EXPECT|ASSERT)_"), insert("GTEST_SKIP();"))),
    "DISABLED_": ("G40", lambda p: edit(p, cpp_tests(p), index_of(r"^TEST(_F)?\("), replace(r", *(\w+)", r", DISABLED_\1"))),
    "a CHECK line removed": ("G41", lambda p: edit(p, lit_tests(p), index_of(r"// CHECK[A-Z-]*: .*\w{5}"), removed)),
    "an assert of a test removed": ("G41", lambda p: edit(p, python_tests(p), index_of(r"^\s+(assert |torch\.testing\.assert_close)", r"[(\\,]$"), removed)),
    "a protected path touched": ("G12", protected),
    "a tolerance widened": ("G45", lambda p: edit(p, [q for q in p.all_paths() if q.endswith(".py") and "test" in q],
                                                 index_of(r"\b(atol|rtol) ?= ?(\d\.?\d*e-\d+|0\.\d+)"), replace(r"\b(atol|rtol) ?= ?[\d.e-]+", r"\1=10.0"))),
    "a parametrisation shortened": ("G45", lambda p: edit(p, python_tests(p), index_of(r'parametrize\(.*\[[^\[\],]+, [^\[\]]+\]\)'),
                                                         replace(r"\[([^\[\],]+), [^\[\]]+\]\)", r"[\1])"))),
    "an exception swallowed (Python)": ("G54", lambda p: edit(p, [q for q in p.changed + p.all_paths() if q.endswith(".py") and "test" not in q][:400],
                                                             index_of(r"^    return \w+"), insert("try:\n    check()\nexcept Exception:\n    pass"))),
    "an exception swallowed (C++)": ("G54", lambda p: edit(p, [q for q in p.changed + p.all_paths() if q.endswith(".cpp")][:400], index_of(r"^  return "),
                                                          insert("try { check(); } catch (...) {}"))),
    "an assert of the code removed": ("G54", lambda p: edit(p, [q for q in p.changed + p.all_paths() if q.endswith(".cpp")][:600],
                                                           index_of(r"^\s+assert\(.*\);$"), removed)),
    "code that asks for CI": ("G53", lambda p: edit(p, of_source([q for q in p.changed + p.all_paths() if q.endswith(".py") and "test" not in q])[:400],
                                                   index_of(r"^    return \w+"), insert('if os.environ.get("CI"):\n    return None'))),
    "an executable bit": ("G13", mode),
    "a bidirectional control": ("G16", lambda p: edit(p, of_source(p.changed), index_of(r"^\s+\w+.*[;:)]$"), replace(r"$", "  // \u202e end"))),
    "a zero-width character": ("G16", lambda p: edit(p, of_source(p.changed), index_of(r"^\s+\w{4}"), replace(r"^(\s+\w\w)", "\\1\u200b"))),
    "a pin moved": ("G15", pin),
    "a stale base": ("G02", stale_base),
}
# Kinds without a hard rule: what they do can be right, and a person has to say so.
SOFT = {"a block stands twice"}


def run(args, rows, gates):
    rng = random.Random(args.seed)
    scratch = gates.Scratch(args.fork, args.upstream)
    rng.shuffle(rows)
    kinds = list(FAULTS)
    wanted = min(args.count, len(rows))
    todo, made = [], collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        good = []
        for n, (row, result) in enumerate(zip(rows, pool.map(lambda r: gates.gate(args, r), rows)), 1):
            if result["verdict"]["verdict"] == "pass":
                good.append(row)
            gates.progress(len(good), wanted, "good picks")
            if len(good) >= wanted:
                pool.shutdown(wait=False, cancel_futures=True)
                break
    for row in good:
        pick = Pick(scratch, row, rng)
        # The kind that was planted least and can be planted here.
        for kind in sorted(kinds, key=lambda k: (made[k], rng.random())):
            try:
                changes = FAULTS[kind][1](pick)
            except RuntimeError:
                changes = None
            if changes is None:
                continue
            todo.append((kind, row, pick.write(changes)))
            made[kind] += 1
            break
        gates.progress(len(todo), len(good), "damaged")
    results = []
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        def one(job):
            kind, row, commit = job
            return kind, row, commit, gates.gate(args, row, result=commit, fork=scratch.git)
        for n, done in enumerate(pool.map(one, todo), 1):
            results.append(done)
            gates.progress(n, len(todo), "judged")
    print(f"{len(results)} good picks, each damaged in one way (seed {args.seed}).\n")
    print("| damage | rule | planted | found | by its rule | missed by its rule |\n|---|---|---|---|---|---|")
    total = found = by_rule = 0
    for kind in kinds:
        rule = FAULTS[kind][0]
        of_kind = [r for r in results if r[0] == kind]
        if not of_kind:
            print(f"| {kind} | {rule} | 0 | - | - | no pick to plant it in |")
            continue
        any_hit = [r for r in of_kind if r[3]["verdict"]["verdict"] not in ("pass", "unresolved")]
        own = [r for r in of_kind if rule in gates.fired(r[3]["verdict"])]
        missed = [r for r in of_kind if rule not in gates.fired(r[3]["verdict"])]
        total, found, by_rule = total + len(of_kind), found + len(any_hit), by_rule + len(own)
        soft = " (soft)" if kind in SOFT else ""
        names = ", ".join(f"{r[1]['commit'][:9]}" for r in missed[:4])
        print(f"| {kind}{soft} | {rule} | {len(of_kind)} | {100 * len(any_hit) // len(of_kind)} % | {100 * len(own) // len(of_kind)} % | {names} |")
    print(f"| all | | {total} | {100 * found / max(1, total):.1f} % | {100 * by_rule / max(1, total):.1f} % | |")
    if args.out:
        import json, pathlib
        pathlib.Path(args.out).mkdir(parents=True, exist_ok=True)
        for kind, row, commit, result in results:
            name = re.sub(r"\W+", "-", kind)
            diff = scratch.run("diff", "-U2", row["commit"], commit).decode(errors="replace")
            pathlib.Path(args.out, f"{name}-{row['commit'][:9]}.json").write_text(json.dumps({"kind": kind, "row": row, "diff": diff[:4000], "verdict": result["verdict"]}))
    scratch.close()
