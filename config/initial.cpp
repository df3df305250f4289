// SPDX-License-Identifier: Apache-2.0
// The file that `sluice init` writes. Its comments are the first lesson; docs/configuration.md is the rest.
#include <fmt/format.h>

#include "config/config.h"
#include "core/text.h"

namespace sluice::config {
namespace {

// A TOML text: literal where that reads better (regular expressions), else escaped. TOML is UTF-8.
std::string quoted(std::string_view bytes) {
  const std::string text = core::to_utf8(bytes);
  bool plain = text.find('\'') == std::string::npos;
  for (const char c : text) plain = plain && static_cast<unsigned char>(c) >= 0x20 && c != 0x7f;
  if (plain && text.find_first_of("\\\"") != std::string::npos) return "'" + text + "'";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') out += '\\';
    if (byte < 0x20 || byte == 0x7f)
      out += fmt::format("\\u{:04X}", static_cast<unsigned>(byte));
    else
      out += c;
  }
  return out + "\"";
}

// One line of a comment: nothing from outside may end it.
std::string comment(std::string_view text) { return core::printable(text, 160); }

// Bytes that TOML cannot hold become `?`, which matches one byte.
std::string glob_text(std::string_view glob) {
  std::string out;
  for (std::size_t i = 0; i < glob.size();) {
    const auto byte = static_cast<unsigned char>(glob[i]);
    std::size_t length = byte < 0x80 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    length = std::min(length, glob.size() - i);
    const std::string_view unit = glob.substr(i, length);
    if (core::is_utf8(unit) && byte >= 0x20 && byte != 0x7f) {
      out += unit;
      i += length;
    } else {
      out += '?';
      ++i;
    }
  }
  return out;
}

void remotes(std::string& out, const InitialConfig& f) {
  out += fmt::format(
      "# The fork whose branch sluice keeps in step. Credentials come from SLUICE_ASKPASS or an ssh key, "
      "never from\n"
      "# this file.\n"
      "[fork]\nurl = {}\nbranch = {}\n\n"
      "# Where the commits come from. `repo` turns `#12` in a message into `{}#12`.\n"
      "[upstream]\nurl = {}\nbranch = {}\n",
      quoted(f.fork.url), quoted(f.fork.branch),
      f.upstream_repo.empty() ? "owner/name" : comment(f.upstream_repo), quoted(f.upstream.url),
      quoted(f.upstream.branch));
  out += f.upstream_repo.empty() ? "# repo = \"owner/name\"    # not known from the URL; until it is set, `#12` becomes `# 12`: a link to no one\n"
                                 : fmt::format("repo = {}\n", quoted(f.upstream_repo));
  out += fmt::format(
      "# window_days = 3          # leave commits alone until they are this old: many fix-ups come within "
      "days\n\n"
      "# Database and git objects; a relative path is relative to this file.\n"
      "[store]\npath = {}\n\n",
      quoted(f.store_path));
}

void landing(std::string& out) {
  out +=
      "# observe: plan and judge, write nothing outside the store. Change it to \"land\" once you agree with "
      "what\n"
      "# `sluice plan` says; while the branch `sluice-stop` exists on the fork's remote nothing lands in any "
      "case.\n"
      "[landing]\nautonomy = \"observe\"\n"
      "bundle_max = 64            # members of one bundle of low-risk commits\n\n"
      "# [message]\n"
      "# subject_prefix = \"[upstream] \"\n"
      "# committer_name = \"sluice\"\n"
      "# committer_email = \"sluice@example.org\"\n\n";
}

void trailers(std::string& out, const InitialConfig& f) {
  out +=
      "# How picks of the past name their upstream commit: regular expressions with one group, the full "
      "sha.\n"
      "# `Upstream-Commit:` and `(cherry picked from commit ...)` are known without being listed.\n"
      "[trailers]\n";
  if (f.trailers.empty()) {
    out += "import = []                # none found in the fork's history\n\n";
    return;
  }
  out += "import = [\n";
  for (const FoundTrailer& t : f.trailers) {
    out += fmt::format("  # {} times, such as: {}\n  {},\n", t.count, comment(t.example), quoted(t.pattern));
  }
  out += "]\n\n";
}

void entries(std::string& out, const std::vector<FoundPath>& found, std::string_view setting) {
  for (const FoundPath& path : found) {
    if (!path.why.empty()) out += fmt::format("# {}\n", comment(path.why));
    out += fmt::format("[[path]]\nglob = {}\n{}\n\n", quoted(glob_text(path.glob)), setting);
  }
}

void paths(std::string& out, const InitialConfig& f) {
  out +=
      "# Paths. `*` stays within a directory, `**` does not, and a glob without `/` matches file names "
      "anywhere.\n"
      "# The first entry that matches decides each property it sets.\n"
      "#   class     deleted | protected | pin | risk | generated | test | fork\n"
      "#   upstream  list | explain | block | ours      what to say of upstream's own changes there\n"
      "#   missing   fail | drop                        a blob that the object store lacks\n"
      "#   owner     whom to ask\n\n";
  if (!f.missing.empty())
    out +=
        "# These blobs are not in the object store (too large for the mirror, as a rule). Dropped, they are "
        "left out\n"
        "# of picks and builds, and the fork's own entry stays as it is.\n\n";
  entries(out, f.missing, "missing = \"drop\"");
  if (!f.deleted.empty())
    out += "# The fork deleted these; deleted they stay when upstream changes them.\n\n";
  entries(out, f.deleted, "class = \"deleted\"");
  if (!f.pins.empty())
    out += "# A change here moves a toolchain: such commits travel alone, in the pin lane.\n\n";
  entries(out, f.pins, "class = \"pin\"");
}

void fork_surface(std::string& out, const InitialConfig& f) {
  out += "# What the fork owns. Losing a line of it in a pick goes to a person.\n[fork_surface]\n";
  if (f.fork_surface.empty()) {
    out += "globs = []\n\n";
    return;
  }
  out += "globs = [\n";
  for (const std::string& glob : f.fork_surface) out += fmt::format("  {},\n", quoted(glob_text(glob)));
  out += "]\n\n";
}

void suites(std::string& out, const InitialConfig& f) {
  out +=
      "# Suites run in a sandbox without network: sources read-only at /src, an own directory at /build. A "
      "command\n"
      "# is an argv (no shell), or an array of them for several steps. Nothing lands without a green "
      "suite.\n";
  if (f.build == InitialConfig::Build::none) {
    out +=
        "# No build was recognised; a first one could be:\n"
        "# [[suite]]\n# id = \"build\"\n# kind = \"build\"\n"
        "# command = [[\"cmake\", \"-S\", \"/src\", \"-B\", \"/build\"], [\"cmake\", \"--build\", "
        "\"/build\"]]\n"
        "#\n# [[suite]]\n# id = \"unit\"\n# kind = \"ctest\"           # or junit, gtest, lit\n"
        "# command = [\"ctest\", \"--test-dir\", \"/build\", \"--output-junit\", \"/build/unit.xml\", "
        "\"--no-tests=error\"]\n"
        "# results = \"unit.xml\"       # below /build; the judge reads this, not the exit status alone\n";
    return;
  }
  // Ninja is parallel by itself; `--parallel` without a number would let make start every job at once.
  const bool ninja = f.build == InitialConfig::Build::cmake_ninja;
  const std::string source = f.source_subdir.empty() ? "/src" : "/src/" + f.source_subdir;
  out += fmt::format(
      "[[suite]]\nid = \"build\"\nkind = \"build\"\ncommand = [\n"
      "  [\"cmake\", \"-S\", {}, \"-B\", \"/build\", \"-G\", \"{}\"],\n"
      "  [\"cmake\", \"--build\", \"/build\"{}],\n]\ntimeout = \"60m\"\n",
      quoted(source), ninja ? "Ninja" : "Unix Makefiles", ninja ? "" : ", \"--parallel\", \"4\"");
  if (!f.ctest) {
    out +=
        "\n# The project registers no tests with CTest. Add a suite that writes lit, JUnit or gtest results: "
        "a build\n"
        "# alone proves little.\n";
    return;
  }
  out +=
      "\n# --no-tests=error: without it ctest is green when it finds nothing to run.\n"
      "[[suite]]\nid = \"ctest\"\nkind = \"ctest\"\nneeds = \"build\"\n"
      "command = [\"ctest\", \"--test-dir\", \"/build\", \"--output-junit\", \"/build/ctest.xml\", "
      "\"--no-tests=error\"]\n"
      "results = \"ctest.xml\"      # below /build; the judge reads this, not the exit status alone\n"
      "timeout = \"30m\"\n"
      "# allowed_skips = { \"gpu_smoke\" = \"this machine has no GPU\" }\n";
}

}  // namespace

std::string literal_glob(std::string_view path) {
  std::string out = glob_text(path);
  // A class would be read, a brace or a backslash refused.
  for (char& c : out)
    if (std::string_view("*[]{}\\").find(c) != std::string_view::npos) c = '?';
  // Without '/' it would match this name in every directory; a leading one ties it to the top.
  return out.find('/') == std::string::npos ? "/" + out : out;
}

std::string render_initial(const InitialConfig& found) {
  std::string out =
      "# sluice: keeps a fork in step with its upstream. `sluice doctor` checks this file and the machine;\n"
      "# docs/configuration.md lists every key. Keys that are not known are errors.\n\n";
  remotes(out, found);
  landing(out);
  trailers(out, found);
  paths(out, found);
  fork_surface(out, found);
  out +=
      "# Every guardrail is enforced. To watch one before trusting it:\n"
      "# [rules.G26]\n# mode = \"observe\"         # enforce | observe | off\n\n";
  suites(out, found);
  return out;
}

}  // namespace sluice::config
