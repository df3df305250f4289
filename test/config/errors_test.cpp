// SPDX-License-Identifier: Apache-2.0
// What is refused, and that the message names file, line, key and the way out.
#include "test/config/support.h"

namespace sluice::config {
namespace {

struct Case {
  const char* name;
  std::string more;  // appended to the smallest configuration, starting on line 9
  const char* want;
};

void check(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    const std::string message = error_of(with(c.more));
    EXPECT_NE(message.find(c.want), std::string::npos)
        << c.name << "\n  wanted: " << c.want << "\n  got: " << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << c.name;
  }
}

std::string suite(const std::string& more) {
  return "[[suite]]\nid = \"t\"\nkind = \"lit\"\ncommand = [\"lit\"]\nresults = \"r.json\"\n" + more;
}

TEST(Errors, UnknownKeysAndSectionsNameTheLineAndTheClosestKey) {
  check({
      {"key", "[landing]\nautonomi = \"land\"\n",
       "sluice.toml:10: unknown key 'autonomi' in [landing]; did you mean 'autonomy'?"},
      {"key far from all", "[fork_surface]\nzzzzzzzzzz = 1\n",
       "unknown key 'zzzzzzzzzz' in [fork_surface]; known here: globs"},
      {"suite key", suite("timout = 3\n"),
       "sluice.toml:14: unknown key 'timout' in [[suite]]; did you mean 'timeout'?"},
      {"section", "[landin]\nautonomy = \"land\"\n",
       "sluice.toml:9: unknown section [landin]; did you mean 'landing'?"},
      {"array section", "[[suit]]\nid = \"x\"\n", "unknown section [[suit]]; did you mean 'suite'?"},
      {"hostile key", "[landing]\n\"a\\u001b[31m\" = 1\n", "unknown key 'a\\x1B"},
      {"nested", "[landing.more]\na = 1\n", "unknown key 'more' in [landing]"},
  });
  EXPECT_EQ(
      error_of("stray = 1\n" + smallest).rfind("sluice.toml:1: unknown key 'stray' outside every section", 0),
      0u);
}

TEST(Errors, AKeyOfTooManyPartsIsToldAndNotFollowed) {
  std::string dots, quoted;
  for (int i = 0; i < 500'000; ++i) dots += "a.", quoted += "\"b.\".";
  check({
      {"key", dots + "a = 1\n", "sluice.toml:9: a key of more than 65 parts"},
      {"header", "[" + dots + "a]\n", "sluice.toml:9: a key of more than 65 parts"},
      {"quoted", "x = 1\n" + quoted + "c = 1\n", "sluice.toml:10: a key of more than 65 parts"},
      {"in an inline table", "x = { " + dots + "a = 1 }\n", "sluice.toml:9: a key of more than 65 parts"},
      {"behind texts", "x = \"\"\"\n' \\\"\"\"\"\ny = '''\n\"''' # it's\n" + dots + "a = 1\n",
       "sluice.toml:13: a key of more than 65 parts"},
  });
  const std::string ellipsis(100, '.');
  EXPECT_TRUE(parse(with("# " + ellipsis + "\n[[path]]\nglob = \"a\"\nclass = \"pin\"\nowner = \"" + ellipsis + "\"\n"), "sluice.toml").ok())
      << "dots of no key";
}

TEST(Errors, OfSeveralProblemsTheFirstInTheFileIsTold) {
  EXPECT_EQ(error_of(with("[landing]\nbundle_max = 0\n[message]\nnope = 1\n")).rfind("sluice.toml:10:", 0),
            0u);
  // The misspelt key is the cause of the missing one.
  EXPECT_NE(error_of("[fork]\nulr = \"/a\"\nbranch = \"main\"\n").find("did you mean 'url'?"),
            std::string::npos);
}

TEST(Errors, WhatIsMissingIsNamed) {
  EXPECT_NE(error_of("").find("section [fork] is missing"), std::string::npos);
  EXPECT_NE(
      error_of("[fork]\nurl = \"/a\"\n[upstream]\nurl = \"/b\"\nbranch = \"m\"\n[store]\npath = \"s\"\n")
          .find("sluice.toml:1: [fork] lacks the key 'branch'"),
      std::string::npos);
  check({
      {"suite id", "[[suite]]\nkind = \"build\"\ncommand = [\"make\"]\n",
       "sluice.toml:9: [[suite]] lacks the key 'id'"},
      {"suite command", "[[suite]]\nid = \"b\"\nkind = \"build\"\n", "lacks the key 'command'"},
      {"runner kind", "[[runner]]\nname = \"x\"\n", "[[runner]] lacks the key 'kind'"},
      {"path glob", "[[path]]\nclass = \"pin\"\n", "[[path]] lacks the key 'glob'"},
  });
}

TEST(Errors, WhatThisVersionCannotDoIsSaidAndNeverIgnored) {
  check({
      {"forge", "[forge]\nkind = \"github\"\n", "sluice.toml:9: section [forge] is not supported by this version"},
      {"schedule", "[schedule]\nsync = \"1h\"\n", "section [schedule] is not supported"},
      {"input", "[[input]]\nname = \"x\"\n", "section [input] is not supported"},
      {"pull-request", "[landing]\nmode = \"pull-request\"\n",
       "sluice.toml:10: [landing] mode: 'pull-request' is not supported by this version"},
      {"export", "[landing]\nmode = \"export\"\n", "'export' is not supported"},
      {"propose", "[landing]\nautonomy = \"propose\"\n", "'propose' is not supported"},
      {"signing", "[landing]\nsigning = true\n", "key 'signing' in [landing] is not supported"},
      {"expand_merges", "[[path]]\nglob = \"a\"\nautonomy = \"land\"\n",
       "key 'autonomy' in [[path]] is not supported"},
      {"slurm", "[[runner]]\nkind = \"slurm\"\npartition = \"gpu\"\n", "'slurm' is not supported"},
      {"actions", "[[runner]]\nkind = \"github_actions\"\n", "'github_actions' is not supported"},
      {"perf", "[[suite]]\nid = \"p\"\nkind = \"perf\"\ncommand = [\"p\"]\n", "'perf' is not supported"},
      {"two runners", "[[runner]]\nkind = \"local\"\n[[runner]]\nkind = \"local\"\nname = \"b\"\n",
       "a second [[runner]]"},
  });
}

TEST(Errors, OfInvariantsNameTheLineAndTheKey) {
  const auto entry = [](const std::string& more) { return "[[invariant]]\npath = \"lib/\"\n" + more; };
  check({
      {"no path", "[[invariant]]\npattern = 'x'\n", "sluice.toml:9: [[invariant]] lacks the key 'path'"},
      {"no pattern", entry(""), "sluice.toml:9: [[invariant]] lacks the key 'pattern'"},
      {"bad glob", "[[invariant]]\npath = \"a**\"\npattern = 'x'\n", "sluice.toml:10: [[invariant]] path: bad glob 'a**'"},
      {"bad expression", entry("pattern = '(x'\n"), "sluice.toml:11: [[invariant]] pattern: "},
      {"matches nothing", entry("pattern = 'x*'\n"), "'x*' matches the empty line"},
      {"none at all", entry("pattern = 'x'\nmin = 0\n"), "sluice.toml:12: [[invariant]] min: 0 is not between 1 and 1000000"},
      {"other key", entry("pattern = 'x'\nminimum = 2\n"), "sluice.toml:12: unknown key 'minimum' in [[invariant]]"},
      {"one section", "[invariant]\npath = \"a\"\n", "write [[invariant]]"},
  });
}

TEST(Errors, WrongTypesAndRangesNameTheValueAndTheLimit) {
  check({
      {"integer as text", "[landing]\nbundle_max = \"5\"\n",
       "[landing] bundle_max: must be an integer, not a text"},
      {"too many", "[landing]\nbundle_max = 1001\n", "1001 is not between 1 and 1000"},
      {"bool as text", "[[runner]]\nkind = \"local\"\nallow_unsandboxed = \"no\"\n",
       "must be true or false, not a text"},
      {"text as integer", "[message]\nsubject_prefix = 5\n", "must be a text, not an integer"},
      {"newline in a prefix", "[message]\nsubject_prefix = \"a\\nb\"\n", "control character 0x0a"},
      {"empty", "[message]\nsubject_prefix = \"\"\n", "is empty; leave the key out"},
      {"email", "[message]\ncommitter_email = \"a <b>\"\n", "must not hold '<'"},
      {"threshold", "[rules.G26]\nthreshold = -1\n", "-1 is not between 0"},
      {"nan", "[rules.G26]\nthreshold = nan\n", "nan is not between 0"},
      {"word", "[rules.G26]\nmode = \"enforced\"\n",
       "'enforced' is not one of enforce, observe, off; did you mean 'enforce'?"},
      {"rule id", "[rules.G261]\nmode = \"off\"\n", "'G261' is not a rule; rules are G01 to G99"},
      {"rule id small", "[rules.g26]\nmode = \"off\"\n", "'g26' is not a rule"},
      {"rule no table", "[rules]\nG26 = \"off\"\n", "write [rules.G26]"},
      {"single suite", "[suite]\nid = \"x\"\n", "write [[suite]]"},
      {"fork_surface array", "[[fork_surface]]\nglobs = []\n", "write [fork_surface]"},
      {"twice", "[fork_surface]\nglobs = [\"a\", \"a\"]\n", "names 'a' twice"},
      {"time", suite("timeout = \"5 minutes\"\n"), "'5 minutes' is not a time"},
      {"time overflow", suite("timeout = \"999999999h\"\n"), "is not between 1 and 604800 s"},
      {"time zero", suite("timeout = 0\n"), "0 is not between 1 and 604800"},
      {"lane", suite("required_for = [\"bundles\"]\n"), "'bundles' is not one of bundle, chain, pin"},
      {"skip without reason", suite("allowed_skips = { a = \" \" }\n"), "the skip of 'a' needs a reason"},
      {"variable", "[[environment]]\nname = \"e\"\nvariables = { \"A B\" = \"x\" }\n",
       "'A B' is not the name of a variable"},
      {"root", "[[environment]]\nname = \"e\"\nroot = \"images/x\"\n", "is not an absolute path"},
      {"shell line", "[[suite]]\nid = \"b\"\nkind = \"build\"\ncommand = \"make all\"\n",
       "there is no shell"},
      {"mixed command", "[[suite]]\nid = \"b\"\nkind = \"build\"\ncommand = [[\"a\"], \"b\"]\n",
       "mixes programs and arrays"},
      {"empty step", "[[suite]]\nid = \"b\"\nkind = \"build\"\ncommand = [[]]\n", "names no program"},
      {"bad id", "[[suite]]\nid = \"../b\"\nkind = \"build\"\ncommand = [\"make\"]\n",
       "'../b' is not a name"},
  });
}

TEST(Errors, ContradictionsAreTold) {
  const std::string two_builds =
      build_suite + "[[suite]]\nid = \"asan\"\nkind = \"build\"\ncommand = [\"make\"]\n";
  check({
      {"id twice", build_suite + build_suite, "sluice.toml:14: [[suite]] id: 'build' is used twice"},
      {"needs nothing known", build_suite + suite("needs = \"biuld\"\n"),
       "'biuld' is not a suite of kind build; did you mean 'build'?"},
      {"needs a test", suite("needs = \"t\"\n"), "'t' is not a suite of kind build"},
      {"needs of a build", build_suite + "needs = \"build\"\n", "is a build itself and needs none"},
      {"which build", two_builds + suite(""), "must say which build it needs: build, asan"},
      {"environment", suite("environment = \"toolchain\"\n"),
       "sluice.toml:14: [[suite]] environment: 'toolchain' is not defined"},
      {"runner", suite("runner = \"big\"\n"), "'big' is not defined"},
      {"results of a test", "[[suite]]\nid = \"t\"\nkind = \"lit\"\ncommand = [\"lit\"]\n",
       "of kind lit lacks results"},
      {"results of a build", build_suite + "results = \"x\"\n", "suite 'build' is a build"},
      {"deleted and block", "[[path]]\nglob = \"a\"\nclass = \"deleted\"\nupstream = \"block\"\n",
       "keep one"},
      {"nothing set", "[[path]]\nglob = \"a\"\n", "the entry for 'a' sets nothing"},
      {"environment twice", "[[environment]]\nname = \"e\"\n[[environment]]\nname = \"e\"\n",
       "'e' is used twice"},
  });
}

TEST(Errors, TheForkMayNotBeItsOwnUpstream) {
  for (const char* upstream : {"https://h/a/b", "https://h/a/b.git", "https://h/a/b/"}) {
    const std::string text =
        std::string("[fork]\nurl = \"https://h/a/b.git\"\nbranch = \"main\"\n[upstream]\nurl = \"") +
        upstream + "\"\nbranch = \"main\"\n[store]\npath = \"s\"\n";
    EXPECT_NE(error_of(text).find("same repository and branch"), std::string::npos) << upstream;
  }
}

TEST(Errors, TrailerPatternsNeedExactlyOneGroup) {
  const auto pattern = [](const std::string& p) { return "[trailers]\nimport = ['" + p + "']\n"; };
  check({
      {"invalid", pattern("([0-9a-f]{40}"), "[trailers] import: regular expression"},
      {"none", pattern("[0-9a-f]{40}"), "has 0 groups, needs exactly one"},
      {"two", pattern("(a)(b)"), "has 2 groups"},
      {"empty match", pattern("(a*)"), "matches the empty text"},
  });
  for (const char* fine : {"^X: ([0-9a-f]{40})$", "(?i)(?:a|b): ([0-9a-f]+)", "\\(cherry ([0-9a-f]+)\\)",
                           "[(](?P<sha>[0-9a-f]+)"})
    EXPECT_EQ(error_of(with(pattern(fine))), "") << fine;
}

TEST(Errors, GlobsThatMatchOtherThanTheySeemAreRefused) {
  const auto glob = [](const std::string& g) { return "[[path]]\nglob = '" + g + "'\nclass = \"pin\"\n"; };
  check({
      {"parent", glob("../a"), "has a '..' component"},
      {"dot", glob("./a"), "drop the leading './'"},
      {"empty component", glob("a//b"), "empty component"},
      {"class", glob("a[bc"), "a '[' is not closed"},
      {"braces", glob("*.{h,cpp}"), "braces are not alternatives"},
      {"backslash", glob("a\\b"), "separated by '/'"},
      {"stars", glob("a**/b"), "'**' stands for whole components"},
      {"surface", "[fork_surface]\nglobs = [\"a\", \"{b}\"]\n", "[fork_surface] globs: bad glob '{b}'"},
  });
  for (const char* fine :
       {"*.pdf", "/README.md", "lib/", "a/**/b", "**", "a[b-d]", "[!a]*", "[]]", "test/**", "a b"})
    EXPECT_EQ(error_of(with(glob(fine))), "") << fine;
}

TEST(Errors, ResultsStayBelowTheBuildDirectory) {
  const auto results = [](const std::string& r) {
    return "[[suite]]\nid = \"t\"\nkind = \"lit\"\ncommand = [\"lit\"]\nresults = \"" + r + "\"\n";
  };
  check({
      {"absolute", results("/build/r.json"), "is absolute; it names a file below /build"},
      {"parent", results("a/../../r"), "has a '..' component"},
      {"directory", results("out/"), "is a directory"},
  });
  for (const char* fine : {"r.json", "out/*.xml", "a/**/r.xml"})
    EXPECT_EQ(error_of(with(results(fine))), "") << fine;
}

TEST(Errors, BranchNamesGoThroughUntouchedOrNotAtAll) {
  for (const char* bad :
       {"refs/heads/main", "-x", "a..b", "a b", "a:b", "/a", "a/", "a.lock", "a@{1}", "a//b", "a~1", ".a"}) {
    const std::string text = std::string("[fork]\nurl = \"/a\"\nbranch = \"") + bad +
                             "\"\n[upstream]\nurl = \"/b\"\nbranch = \"m\"\n[store]\npath = \"s\"\n";
    EXPECT_EQ(error_of(text).rfind("sluice.toml:3: [fork] branch:", 0), 0u) << bad << ": " << error_of(text);
  }
}

TEST(Errors, TextThatIsNoTomlNamesItsLine) {
  EXPECT_EQ(error_of("[fork]\nurl = \n").rfind("sluice.toml:2:", 0), 0u) << error_of("[fork]\nurl = \n");
  EXPECT_EQ(error_of("[fork]\nurl = \"a\"\nurl = \"b\"\n").rfind("sluice.toml:3:", 0), 0u);
  EXPECT_EQ(error_of("a = \"\xff\xfe\"\n").rfind("sluice.toml:1:", 0), 0u);
  EXPECT_NE(error_of(std::string("a = 1\0", 6)), "");
  EXPECT_NE(error_of("a = " + std::string(100000, '[')), "");
  EXPECT_NE(error_of(std::string(5 << 20, '#')).find("are more than 4194304"), std::string::npos);
}

// Every prefix and every one-byte change of the example is read to the end: an answer or an error.
TEST(Errors, NoTextCrashesTheReader) {
  const std::string text =
      with(build_suite + suite("allowed_skips = { a = \"b\" }\n") + "[rules.G26]\nmode = \"off\"\n");
  for (std::size_t size = 0; size < text.size(); ++size)
    (void)parse(text.substr(0, size), "sluice.toml").ok();
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (const char c : {'\0', '"', '[', '=', '\n', '\xff'}) {
      std::string changed = text;
      changed[at] = c;
      (void)parse(changed, "sluice.toml").ok();
    }
  }
}

}  // namespace
}  // namespace sluice::config
