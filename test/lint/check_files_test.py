# SPDX-License-Identifier: Apache-2.0
"""scripts/check_files.py on small trees."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
LICENCE = "SPDX-License-Identifier: Apache-2.0\n"


class CheckFiles(unittest.TestCase):
    def setUp(self):
        self.tree = tempfile.mkdtemp(prefix="sluice-lint-")
        self.addCleanup(shutil.rmtree, self.tree)

    def check(self, name, text):
        path = os.path.join(self.tree, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        run = subprocess.run([sys.executable, os.path.join(ROOT, "scripts", "check_files.py"), self.tree],
                             capture_output=True, text=True, check=False)
        os.remove(path)
        return run.returncode, run.stdout

    def test_a_clean_file_passes(self):
        self.assertEqual(self.check("core/a.h", "// " + LICENCE)[0], 0)
        self.assertEqual(self.check("scripts/a", "#!/bin/sh\n# " + LICENCE)[0], 0)
        self.assertEqual(self.check("docs/a.md", "work/ and ./work/x and a/work/y\n")[0], 0)

    def test_a_missing_licence_line_is_reported(self):
        for name, text in (("core/a.h", "#pragma once\n// " + LICENCE), ("core/b.cpp", ""), ("scripts/c", "#!/bin/sh\n")):
            code, out = self.check(name, text)
            self.assertEqual(code, 1, name)
            self.assertIn(f"{name}:1:", out)

    def test_long_files_are_reported_and_tests_may_be_longer(self):
        text = "// " + LICENCE + "//\n" * 500
        code, out = self.check("core/a.cpp", text)
        self.assertEqual(code, 1)
        self.assertIn("has 501 lines, the limit is 500", out)
        self.assertEqual(self.check("test/core/a_test.cpp", text)[0], 0)
        self.assertEqual(self.check("test/core/a_test.cpp", text + "//\n" * 300)[0], 1)

    def test_names_of_one_machine_are_reported(self):
        # Put together here, so that this file does not hold them.
        for words in ("see /wo" + "rk/x", "pip install -i https://py" + "pi.org/simple", "artifac" + "tory.corp.example.com"):
            code, out = self.check("docs/a.md", "fine\n" + words + "\n")
            self.assertEqual(code, 1, words)
            self.assertIn("docs/a.md:2: names", out)

    def test_an_empty_tree_is_no_success(self):
        run = subprocess.run([sys.executable, os.path.join(ROOT, "scripts", "check_files.py"), self.tree],
                             capture_output=True, check=False)
        self.assertEqual(run.returncode, 1)


if __name__ == "__main__":
    unittest.main()
