// SPDX-License-Identifier: Apache-2.0
// A replay as it is kept between runs. It holds the texts of the regions, so it stays where --state says.
#include <array>

#include "service/backtest/history.h"

namespace sluice::service::backtest {

namespace {

constexpr std::array<std::pair<std::string_view, std::string Case::*>, 14> texts = {{
    {"id", &Case::id}, {"path", &Case::path}, {"repo", &Case::repo}, {"landed", &Case::landed}, {"upstream", &Case::upstream}, {"lang", &Case::lang},
    {"class", &Case::klass}, {"before", &Case::before}, {"after", &Case::after}, {"base", &Case::base}, {"ours", &Case::ours}, {"theirs", &Case::theirs},
    {"resolved", &Case::resolved}, {"region", &Case::region},
}};

core::Json counts_json(const std::map<std::string, std::int64_t>& counts) {
  core::Json out = core::Json::object();
  for (const auto& [key, n] : counts) out.set(key, n);
  return out;
}

std::map<std::string, std::int64_t> parse_counts(const core::Json& json) {
  std::map<std::string, std::int64_t> out;
  for (const auto& [key, n] : json.members()) out[key] = n.as_int();
  return out;
}

}  // namespace

core::Json to_json(const Replay& replay) {
  core::Json cases = core::Json::array();
  for (const Case& one : replay.cases) {
    core::Json json = core::Json::object({{"date", one.date}, {"located", one.located}});
    for (const auto& [key, text] : texts) json.set(key, one.*text);
    cases.push(std::move(json));
  }
  return core::Json::object({{"commit", replay.pick.commit},
                             {"parent", replay.pick.parent},
                             {"upstream", replay.pick.upstream},
                             {"date", replay.pick.date},
                             {"conflicted", replay.conflicted},
                             {"why", replay.why},
                             {"cases", std::move(cases)},
                             {"other", counts_json(replay.other)},
                             {"left_out", counts_json(replay.left_out)}});
}

Result<Replay> parse_replay(const core::Json& json) {
  Replay out;
  out.pick = {json["commit"].as_string(), json["parent"].as_string(), json["upstream"].as_string(), json["date"].as_int()};
  if (!model::is_oid(out.pick.commit)) return make_error(ErrorKind::invalid, "no replay of a pick");
  out.conflicted = json["conflicted"].as_bool();
  out.why = json["why"].as_string();
  for (const core::Json& value : json["cases"].items()) {
    Case one;
    one.date = value["date"].as_int();
    one.located = value["located"].as_bool();
    for (const auto& [key, text] : texts) one.*text = value[key].as_string();
    out.cases.push_back(std::move(one));
  }
  out.other = parse_counts(json["other"]);
  out.left_out = parse_counts(json["left_out"]);
  return out;
}

}  // namespace sluice::service::backtest
