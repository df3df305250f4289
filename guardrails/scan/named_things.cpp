// SPDX-License-Identifier: Apache-2.0
#include "guardrails/scan/named_things.h"

#include "core/text.h"
#include "guardrails/scan/lexical.h"

namespace sluice::guardrails {
namespace {

void note(std::map<std::string, NamedThing>& out, const std::string& kind, std::string_view scope,
          std::string_view name, std::uint32_t line) {
  NamedThing& thing = out[kind + "\n" + std::string(scope) + "\n" + core::strip_space(name)];
  thing.kind = kind;
  thing.name = std::string(name);
  thing.lines.push_back(line);
}

std::size_t indent_of(std::string_view line) {
  const std::size_t at = line.find_first_not_of(" \t");
  return at == std::string_view::npos ? line.size() : at;
}

}  // namespace

Result<NamedThings> NamedThings::create() {
  TRY_ASSIGN(core::Regex test,
             core::Regex::compile(R"(^\s*((?:TYPED_)?TEST(?:_F|_P)?)\s*\(\s*(\w+)\s*,\s*(\w+)\s*\))"));
  TRY_ASSIGN(core::Regex bound_class, core::Regex::compile(R"(\b(?:class_|enum_)\s*<\s*([^,>]+))"));
  TRY_ASSIGN(core::Regex binding,
             core::Regex::compile(R"(\.(?:def|def_static|def_property\w*|value|attr)\(\s*"([^"]+)\")"));
  TRY_ASSIGN(core::Regex registration,
             core::Regex::compile(R"(\b(\w*[Rr]egister\w*)\s*(?:<[^()]*>)?\(\s*"([^"]+)\")"));
  TRY_ASSIGN(core::Regex record, core::Regex::compile(R"(^def[m]?\s+(\w+))"));
  TRY_ASSIGN(
      core::Regex cmake,
      core::Regex::compile(
          R"(^\s*(add_\w*(?:library|executable|test|target)|add_subdirectory|function|macro)\s*\(\s*(?:NAME\s+)?([\w./$\{\}-]+))"));
  TRY_ASSIGN(core::Regex mlir,
             core::Regex::compile(R"(^\s*(?:\w+\.)?func(?:\s+(?:public|private))?\s+@([\w$.-]+)\s*[(<])"));
  return NamedThings(std::move(test), std::move(bound_class), std::move(binding), std::move(registration),
                     std::move(record), std::move(cmake), std::move(mlir));
}

std::map<std::string, NamedThing> NamedThings::find(std::string_view path, std::string_view text) const {
  Found out;
  switch (family_of(path)) {
    case Family::c:
      find_c(text, path.ends_with(".td"), out);
      break;
    case Family::python:
      find_python(text, out);
      break;
    case Family::cmake:
      find_cmake(text, out);
      break;
    case Family::none:
      if (path.ends_with(".mlir")) find_mlir(text, out);
      break;
  }
  return out;
}

void NamedThings::find_c(std::string_view text, bool tablegen, Found& out) const {
  std::uint32_t number = 0;
  std::string scope;
  std::vector<std::string_view> groups;
  for (const std::string_view line : core::split_lines(text)) {
    ++number;
    if (core::trim(line).starts_with("//")) continue;
    if (tablegen) {
      if (record_.search(line, groups)) note(out, "record", "", groups[1], number);
      continue;
    }
    if (bound_class_.search(line, groups)) scope = std::string(groups[1]);
    if (binding_.search(line, groups)) note(out, "binding", scope, groups[1], number);
    if (test_.search(line, groups)) note(out, "test", groups[2], groups[3], number);
    if (registration_.search(line, groups)) note(out, "registration", groups[1], groups[2], number);
    const std::string_view bare = core::trim(line);
    const bool function =
        indent_of(line) == 0 && bare.ends_with("{") && bare.find('(') != std::string_view::npos &&
        bare.find('=') == std::string_view::npos && !bare.starts_with("#") && !bare.starts_with("}");
    if (function) note(out, "function", "", bare, number);
  }
}

void NamedThings::find_python(std::string_view text, Found& out) const {
  struct Open {
    std::size_t indent;
    std::string name;
  };
  std::vector<Open> open;
  const std::string blanked = blank_comments(text, Family::python);
  std::uint32_t number = 0;
  for (const std::string_view line : core::split_lines(blanked)) {
    ++number;
    const std::string_view bare = core::trim(line);
    if (bare.empty()) continue;
    const std::size_t indent = indent_of(line);
    while (!open.empty() && open.back().indent >= indent) open.pop_back();
    std::string_view rest = bare;
    if (rest.starts_with("async ")) rest.remove_prefix(6);
    const bool function = rest.starts_with("def "), klass = rest.starts_with("class ");
    if (!function && !klass) {
      // A conditional definition has a scope of its own: `if cuda: def f ... else: def f ...`.
      if (bare.ends_with(":")) open.push_back({indent, std::to_string(number)});
      continue;
    }
    const auto names = core::identifiers(rest.substr(function ? 4 : 6));
    if (names.empty()) continue;
    std::string scope;
    for (const Open& outer : open) scope += outer.name + ".";
    note(out, "function", scope, names.front(), number);
    open.push_back({indent, std::string(names.front())});
  }
}

void NamedThings::find_cmake(std::string_view text, Found& out) const {
  std::uint32_t number = 0;
  std::vector<std::string_view> groups;
  for (const std::string_view line : core::split_lines(text)) {
    ++number;
    if (!core::trim(line).starts_with("#") && cmake_.search(line, groups)) {
      note(out, "registration", core::to_lower(groups[1]), groups[2], number);
    }
  }
}

void NamedThings::find_mlir(std::string_view text, Found& out) const {
  if (text.find("// -----") != std::string_view::npos) return;  // one module a part: equal names are legal
  std::uint32_t number = 0;
  std::vector<std::string_view> groups;
  for (const std::string_view line : core::split_lines(text)) {
    ++number;
    if (mlir_.search(line, groups)) note(out, "test", "", groups[1], number);
  }
}

}  // namespace sluice::guardrails
