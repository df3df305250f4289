// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/json_schema.h"
#include "core/text.h"
#include "tools/splice.h"
#include "tools/tool.h"

namespace sluice::tools {
namespace {

const Tool* const all_tools[] = {&list_conflicts, &get_region, &read_lines, &search,     &why_line, &upstream_patch,
                                 &resolve_region, &adapt_lines, &account,   &run_checks, &submit,   &give_up};

// The longest argument is 60,000 characters of up to 4 bytes; the deepest an array in the object.
constexpr std::size_t most_bytes = 512u << 10, most_values = 1000;
constexpr int deepest = 4;

Answer broken(std::string why) {
  Answer out = refused(std::move(why));
  out.schema_error = true;
  return out;
}

// Size and depth, before anything walks through all of it.
class Caps {
 public:
  bool over(const Json& value, int depth = 1) {
    if (depth > deepest || ++values_ > most_values) return true;
    if (value.is_string()) bytes_ += value.as_string().size();
    for (const Json& item : value.items()) {
      if (over(item, depth + 1)) return true;
    }
    for (const auto& [key, member] : value.members()) {
      bytes_ += key.size();
      if (over(member, depth + 1)) return true;
    }
    return bytes_ > most_bytes;
  }

 private:
  std::size_t bytes_ = 0, values_ = 0;
};

// The first text that no file, path or message may hold; empty = none.
std::string unfit_text(const Json& value, const std::string& where) {
  if (value.is_string()) {
    const std::string why = unfit(value.as_string());
    return why.empty() ? why : fmt::format("{} {}", where, why);
  }
  for (const Json& item : value.items()) {
    if (std::string why = unfit_text(item, where); !why.empty()) return why;
  }
  for (const auto& [key, member] : value.members()) {
    if (std::string why = unfit_text(member, core::printable(key, 40)); !why.empty()) return why;
  }
  return {};
}

std::string names() {
  std::string out;
  for (const Tool* tool : all_tools) out += (out.empty() ? "" : ", ") + std::string(tool->name);
  return out;
}

}  // namespace

struct Toolbox::State {
  State(const World& w, Buffer& b, Checks& c) : world(&w), buffer(&b), checks(&c) {}

  const World* world;
  Buffer* buffer;
  Checks* checks;
  Rounds rounds;
  std::vector<Offer> offers;               // as all_tools
  std::vector<core::JsonSchema> schemas;
};

Toolbox::Toolbox(std::unique_ptr<State> state) : state_(std::move(state)) {}
Toolbox::Toolbox(Toolbox&&) noexcept = default;
Toolbox& Toolbox::operator=(Toolbox&&) noexcept = default;
Toolbox::~Toolbox() = default;

Result<Toolbox> Toolbox::open(const World& world, Buffer& buffer, Checks& checks, const Descriptions& descriptions) {
  auto state = std::make_unique<State>(world, buffer, checks);
  for (const Tool* tool : all_tools) {
    const auto is_it = [&](const auto& description) { return description.first == tool->name; };
    const auto found = std::find_if(descriptions.begin(), descriptions.end(), is_it);
    if (found == descriptions.end() || found->second.empty())
      return make_error(ErrorKind::invalid, fmt::format("the tool {} has no description", tool->name));
    if (std::count_if(descriptions.begin(), descriptions.end(), is_it) > 1)
      return make_error(ErrorKind::invalid, fmt::format("the tool {} has more than one description", tool->name));
    TRY_ASSIGN(Json parameters, Json::parse(tool->parameters));
    TRY_ASSIGN(core::JsonSchema schema, core::JsonSchema::compile(parameters));
    state->offers.push_back({std::string(tool->name), found->second, std::move(parameters)});
    state->schemas.push_back(std::move(schema));
  }
  for (const auto& [name, text] : descriptions) {
    const bool known = std::any_of(std::begin(all_tools), std::end(all_tools), [&](const Tool* tool) { return tool->name == name; });
    if (!known) return make_error(ErrorKind::invalid, fmt::format("a description is for {}, which is no tool", core::printable(name, 60)));
  }
  return Toolbox(std::move(state));
}

const std::vector<Offer>& Toolbox::offers() const { return state_->offers; }

Result<Answer> Toolbox::call(std::string_view name, const std::optional<Json>& arguments) {
  std::size_t k = 0;
  while (k < std::size(all_tools) && all_tools[k]->name != name) ++k;
  if (k == std::size(all_tools)) return broken(fmt::format("there is no tool \"{}\"; the tools are {}", core::printable(name, 60), names()));
  if (!arguments || !arguments->is_object()) return broken(fmt::format("the arguments of {} must be one JSON object", name));
  if (Caps().over(*arguments))
    return broken(fmt::format("the arguments of {} are too large or too deep: at most {} bytes, {} values, {} levels", name, most_bytes,
                              most_values, deepest));
  if (auto fits = state_->schemas[k].check(*arguments); !fits.ok()) {
    if (fits.error().kind == ErrorKind::invalid) return broken(fmt::format("the arguments of {} do not fit: {}", name, fits.error().message));
    return std::move(fits.error());
  }
  if (const std::string why = unfit_text(*arguments, "the text"); !why.empty()) return refused(why);
  return all_tools[k]->call(Desk{*state_->world, *state_->buffer, *state_->checks, state_->rounds}, *arguments);
}

int Toolbox::static_checks() const { return state_->rounds.static_checks; }
int Toolbox::compile_checks() const { return state_->rounds.compile_checks; }
int Toolbox::unchanged_rounds() const { return state_->rounds.unchanged; }
const std::vector<Finding>& Toolbox::last_findings() const { return state_->rounds.last; }

}  // namespace sluice::tools
