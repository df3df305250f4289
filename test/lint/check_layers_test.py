# SPDX-License-Identifier: Apache-2.0
"""scripts/check_layers.py on small trees with the tables of this repository."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


class CheckLayers(unittest.TestCase):
    def setUp(self):
        self.tree = tempfile.mkdtemp(prefix="sluice-lint-")
        self.addCleanup(shutil.rmtree, self.tree)
        os.mkdir(os.path.join(self.tree, "docs"))
        shutil.copy(os.path.join(ROOT, "docs", "architecture.md"), os.path.join(self.tree, "docs"))

    def check(self, files):
        """Writes {path: text} into the tree and runs the script."""
        for name, text in files.items():
            path = os.path.join(self.tree, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        run = subprocess.run([sys.executable, os.path.join(ROOT, "scripts", "check_layers.py"), self.tree],
                             capture_output=True, text=True, check=False)
        return run.returncode, run.stdout

    def expect_wrong(self, file, include, *says):
        code, out = self.check({file: f"// first line\n#include {include}\n"})
        self.assertEqual(code, 1, out)
        self.assertIn(f"{file}:2: includes {include[1:-1]}", out)
        for words in says:
            self.assertIn(words, out)

    def expect_right(self, file, include):
        code, out = self.check({file: f"#include {include}\n"})
        self.assertEqual(code, 0, out)

    def test_an_include_upward_is_reported_with_what_is_allowed(self):
        self.expect_wrong("core/text.cpp", '"git/git.h"', "core may include nothing of ours")
        self.expect_wrong("git/pick.cpp", '"landing/landing.h"', "git may include core, core/model")

    def test_core_does_not_know_the_nouns(self):
        self.expect_wrong("core/json.cpp", '"core/model/unit.h"')

    def test_folders_of_one_level_do_not_include_each_other(self):
        self.expect_wrong("store/store.cpp", '"git/git.h"')
        self.expect_wrong("agent/agent.cpp", '"guardrails/guardrails.h"')

    def test_inner_headers_of_another_folder_are_closed(self):
        self.expect_wrong("ingest/ingest.cpp", '"git/handle.h"', "the doors are git/git.h, git/read.h")

    def test_guardrails_read_git_by_the_second_door_only(self):
        self.expect_right("guardrails/rule.cpp", '"git/read.h"')
        self.expect_wrong("guardrails/rule.cpp", '"git/git.h"')

    def test_landing_sees_of_guardrails_the_clearance_alone(self):
        self.expect_right("landing/land.cpp", '"guardrails/clearance.h"')
        self.expect_wrong("landing/land.cpp", '"guardrails/guardrails.h"')

    def test_clearances_are_made_in_tests_only(self):
        self.expect_right("test/landing/land_test.cpp", '"guardrails/testing.h"')
        self.expect_wrong("service/sync.cpp", '"guardrails/testing.h"', "test only")

    def test_tests_see_the_inside_of_their_own_folder_only(self):
        self.expect_right("test/git/pick_test.cpp", '"git/handle.h"')
        self.expect_right("test/fuzz/git/diff.cpp", '"git/handle.h"')
        self.expect_wrong("test/store/rows_test.cpp", '"git/handle.h"')
        self.expect_wrong("test/fuzz/core/json.cpp", '"git/handle.h"')
        self.expect_wrong("test/fuzz/driver.cpp", '"git/handle.h"')

    def test_third_party_headers_have_one_home(self):
        self.expect_right("core/json.cpp", "<nlohmann/json.hpp>")
        self.expect_wrong("core/text.cpp", "<nlohmann/json.hpp>", "only core/json.cpp")
        self.expect_wrong("service/app.cpp", "<git2.h>", "only git may")
        self.expect_wrong("service/app.cpp", "<boost/asio.hpp>", "no place in the table")

    def test_system_and_standard_headers_are_free(self):
        for header in ("<vector>", "<sys/stat.h>", "<fmt/format.h>", "<unistd.h>"):
            self.expect_right("git/pick.cpp", header)

    def test_a_new_folder_needs_a_row(self):
        code, out = self.check({"forge/forge.h": "#pragma once\n"})
        self.assertEqual(code, 1)
        self.assertIn("forge/forge.h:1: its folder has no row", out)

    def test_a_document_without_tables_and_a_tree_without_sources_are_no_success(self):
        self.assertEqual(self.check({})[0], 1)
        code, out = self.check({"docs/architecture.md": "# nothing\n", "core/a.h": ""})
        self.assertEqual(code, 1)
        self.assertIn("docs/architecture.md", out)


if __name__ == "__main__":
    unittest.main()
