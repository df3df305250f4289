// SPDX-License-Identifier: Apache-2.0
#include "config/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/regex.h"
#include "core/text.h"

namespace sluice::config {
namespace {

bool is_alnum(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

bool leaves_root(std::string_view path) {
  for (const std::string_view component : core::split(path, '/'))
    if (component == "..") return true;
  return false;
}

// "[" is closed by the first "]" behind at least one byte (core/glob.h).
bool classes_closed(std::string_view glob) {
  for (std::size_t i = 0; i < glob.size(); ++i) {
    if (glob[i] != '[') continue;
    std::size_t first = i + 1;
    if (first < glob.size() && (glob[first] == '!' || glob[first] == '^')) ++first;
    const std::size_t close = glob.find(']', first + 1);
    if (close == std::string_view::npos || glob.substr(i, close - i).find('/') != std::string_view::npos)
      return false;
    i = close;
  }
  return true;
}

}  // namespace

std::string check_branch(std::string_view branch) {
  if (branch.starts_with("refs/")) return "give the branch without refs/heads/";
  const bool ends_badly = branch.ends_with('/') || branch.ends_with('.') || branch.ends_with(".lock");
  const bool starts_badly = branch.starts_with('-') || branch.starts_with('/') || branch.starts_with('.');
  bool bad = branch.empty() || starts_badly || ends_badly;
  for (const std::string_view part : {"..", "//", "@{", "/."})
    bad = bad || branch.find(part) != std::string_view::npos;
  bad = bad || branch.find_first_of(" ~^:?*[\\\x7f") != std::string_view::npos || branch.size() > 200;
  return bad ? fmt::format("'{}' is not a branch name", core::printable(branch)) : "";
}

std::string check_glob(std::string_view glob) {
  const auto bad = [&](std::string_view why) {
    return fmt::format("bad glob '{}': {}", core::printable(glob), why);
  };
  if (glob.empty()) return "a glob must not be empty";
  if (glob.starts_with('/')) glob.remove_prefix(1);  // anchored at the top of the repository
  if (glob.empty()) return "the glob '/' matches nothing";
  if (glob.size() > 1000) return fmt::format("glob of {} bytes is longer than 1000", glob.size());
  if (glob.starts_with("./")) return bad("drop the leading './'");
  if (glob.find("//") != std::string_view::npos) return bad("it has an empty component");
  if (leaves_root(glob)) return bad("it has a '..' component");
  if (glob.find('\\') != std::string_view::npos)
    return bad("components are separated by '/', and there are no escapes");
  if (glob.find_first_of("{}") != std::string_view::npos)
    return bad("braces are not alternatives, write one entry each");
  if (!classes_closed(glob)) return bad("a '[' is not closed by ']'");
  for (const std::string_view component : core::split(glob, '/')) {
    if (component.size() > 2 && component.find("**") != std::string_view::npos)
      return bad("'**' stands for whole components, as in 'a/**/b'");
  }
  return "";
}

std::string check_trailer(const std::string& pattern) {
  Result<core::Regex> regex = core::Regex::compile(pattern);
  if (!regex.ok()) return regex.error().message;
  // The group count of a pattern shows only in a match; with an empty alternative there always is one.
  const Result<core::Regex> any = core::Regex::compile("(?:" + pattern + ")|");
  std::vector<std::string_view> groups;
  if (!any.ok() || !any->search("", groups))
    return fmt::format("pattern '{}' cannot be used inside another one", core::printable(pattern));
  if (groups.size() != 2)
    return fmt::format(
        "pattern '{}' has {} groups, needs exactly one: the sha (write (?:...) for the others)",
        core::printable(pattern), groups.size() - 1);
  if (regex->search("")) return fmt::format("pattern '{}' matches the empty text", core::printable(pattern));
  return "";
}

std::string check_results(std::string_view path) {
  const auto bad = [&](std::string_view why) {
    return fmt::format("results '{}' {}; it names a file below /build", core::printable(path), why);
  };
  if (path.starts_with('/')) return bad("is absolute");
  if (leaves_root(path)) return bad("has a '..' component");
  if (path.ends_with('/')) return bad("is a directory");
  const std::string glob = check_glob(path);
  return glob.empty() ? "" : fmt::format("results: {}", glob);
}

std::string check_id(std::string_view id) {
  const bool fine = !id.empty() && id.size() <= 64 && is_alnum(id.front()) &&
                    std::all_of(id.begin(), id.end(),
                                [](char c) { return is_alnum(c) || c == '.' || c == '_' || c == '-'; });
  return fine ? ""
              : fmt::format(
                    "'{}' is not a name: at most 64 letters, digits, '.', '_' and '-', a letter or digit "
                    "first",
                    core::printable(id));
}

std::string check_rule_id(std::string_view id) {
  const bool fine =
      id.size() == 3 && id[0] == 'G' && id[1] >= '0' && id[1] <= '9' && id[2] >= '0' && id[2] <= '9';
  return fine ? "" : fmt::format("'{}' is not a rule; rules are G01 to G99", core::printable(id));
}

}  // namespace sluice::config
