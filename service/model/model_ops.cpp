// SPDX-License-Identifier: Apache-2.0
#include "service/model/model_ops.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "service/folding.h"

namespace sluice::service {

namespace {

std::string money_text(std::int64_t millionths, const std::string& currency) { return fmt::format("{:.4f} {}", static_cast<double>(millionths) / 1e6, currency); }

}  // namespace

Result<std::string> preview_unit(App& app, const std::string& id) {
  TRY_ASSIGN(const auto unit, app.store.unit(id));
  if (!unit) return make_error(ErrorKind::not_found, fmt::format("no unit is called {}; `sluice status` and `sluice plan` list them", core::printable(id)));
  TRY_ASSIGN(const auto trunk, app.repo.ref("refs/sluice/fork"));
  if (!trunk) return make_error(ErrorKind::not_found, "the fork was never fetched; run `sluice plan` first");
  TRY_ASSIGN(Folder folder, Folder::open(app));
  TRY_ASSIGN(Oid tree, app.repo.reader().tree_of(*trunk));
  for (const Oid& oid : unit->commits) {
    TRY_ASSIGN(const auto facts, app.store.facts(oid));
    if (!facts) return make_error(ErrorKind::not_found, fmt::format("no facts are stored for upstream commit {}; run `sluice plan`", oid));
    const model::Pick pick = folder.pick(oid, tree);
    if (pick.status == model::PickStatus::error) return make_error(ErrorKind::internal, fmt::format("{} cannot be picked: {}: {}", oid, pick.cause, pick.detail));
    if (pick.status == model::PickStatus::empty) continue;
    if (pick.status == model::PickStatus::conflict) {
      TRY_ASSIGN(const agent::Answer answer, folder.resolver().answer(id, *facts, pick, *trunk));
      if (!answer.complete || answer.for_person) return folder.resolver().preview(id, *facts, pick, *trunk);
      tree = answer.tree;
    } else {
      tree = pick.tree;
    }
  }
  return make_error(ErrorKind::not_found, fmt::format("every commit of {} merges cleanly or is answered without a model", id));
}

Result<ModelState> model_state(App& app) {
  ModelState out;
  out.currency = app.config.model.budget.currency;
  for (const model::EndpointConfig& e : app.config.model.endpoints) {
    if (e.name != app.config.model.use) continue;
    out.endpoint = e.name;
    out.model = e.model;
    out.url = e.base_url;
  }
  TRY_ASSIGN(const auto book, store::AgentStore::open(app.config.store_path));
  TRY_ASSIGN(out.runs, book->transcripts());
  std::reverse(out.runs.begin(), out.runs.end());
  TRY_ASSIGN(out.sent, book->sent());
  TRY_ASSIGN(out.night, book->spent("night", core::format_utc(app.clock.now()).substr(0, 10)));
  TRY_ASSIGN(out.fork, book->spent("fork", app.config.fork.url + " " + app.config.fork.branch));
  TRY_ASSIGN(const auto breakers, StoredBreakers::all(app.store));
  for (const auto& [name, state] : breakers) out.breakers.emplace_back(name, state.reason);
  return out;
}

core::Json model_json(const ModelState& state) {
  core::Json runs = core::Json::array(), sent = core::Json::array(), breakers = core::Json::array();
  for (const store::TranscriptRow& r : state.runs) {
    runs.push(core::Json::object({{"run", r.run}, {"job", r.job}, {"unit", r.unit}, {"upstream", r.upstream}, {"endpoint", r.endpoint}, {"model", r.model},
                                  {"outcome", r.outcome}, {"started_at", core::format_utc(r.started_at)}, {"tokens_in", r.tokens_in},
                                  {"tokens_out", r.tokens_out}, {"money", static_cast<double>(r.money) / 1e6}, {"lines", r.lines}}));
  }
  for (const auto& s : state.sent) {
    sent.push(core::Json::object({{"endpoint", s.endpoint}, {"path", s.path}, {"times", s.times}, {"first_at", core::format_utc(s.first_at)},
                                  {"last_at", core::format_utc(s.last_at)}}));
  }
  for (const auto& [name, why] : state.breakers) breakers.push(core::Json::object({{"endpoint", name}, {"reason", why}}));
  const auto spent = [](const store::Spend& s) { return core::Json::object({{"tokens", s.tokens}, {"money", static_cast<double>(s.money) / 1e6}}); };
  return core::Json::object({{"schema", "sluice.model/1"}, {"endpoint", state.endpoint}, {"model", state.model}, {"url", state.url}, {"currency", state.currency},
                             {"spent", core::Json::object({{"night", spent(state.night)}, {"fork", spent(state.fork)}})}, {"runs", std::move(runs)},
                             {"sent", std::move(sent)}, {"breakers", std::move(breakers)}});
}

std::string model_text(const ModelState& state, bool sent) {
  std::string out;
  if (sent) {
    if (state.sent.empty()) return "no line of any path was ever sent\n";
    for (const auto& s : state.sent)
      out += fmt::format("{}  {} to {}, {} time{}\n", core::format_utc(s.last_at), core::printable(s.path, 400), core::printable(s.endpoint), s.times, s.times == 1 ? "" : "s");
    return out;
  }
  out += state.endpoint.empty() ? "no model: conflicts that no rule answers go to a person\n"
                                : fmt::format("endpoint {}: {} at {}\n", state.endpoint, core::printable(state.model), core::printable(state.url, 400));
  for (const auto& [name, why] : state.breakers) out += fmt::format("NOT ASKED: {}: {} (sluice model reset {})\n", name, core::printable(why, 400), name);
  out += fmt::format("spent tonight {} tokens, {}; in all {} tokens, {}\n", state.night.tokens, money_text(state.night.money, state.currency), state.fork.tokens,
                     money_text(state.fork.money, state.currency));
  if (state.runs.empty()) return out + "no run yet\n";
  out += fmt::format("{:<27} {:<12} {:<14} {:>9} {:>8} {:>10}  {}\n", "run", "job", "unit", "tokens in", "out", "cost", "outcome");
  constexpr std::size_t shown = 40;
  for (std::size_t i = 0; i < std::min(shown, state.runs.size()); ++i) {
    const store::TranscriptRow& r = state.runs[i];
    out += fmt::format("{:<27} {:<12} {:<14} {:>9} {:>8} {:>10.4f}  {}\n", r.run, r.job, r.unit, r.tokens_in, r.tokens_out, static_cast<double>(r.money) / 1e6,
                       r.ended_at == 0 ? "did not end" : core::printable(r.outcome));
  }
  if (state.runs.size() > shown) out += fmt::format("and {} older ones (--json lists all)\n", state.runs.size() - shown);
  return out;
}

Result<std::size_t> reset_breakers(App& app, const std::string& endpoint) { return StoredBreakers::reset(app.store, endpoint); }

std::vector<Finding> check_model(App& app) {
  using Level = Finding::Level;
  const auto endpoint = chosen_endpoint(app.config, app.model);
  if (!endpoint.ok()) return {{Level::problem, "model", endpoint.error().message, "correct [model]"}};
  if (*endpoint == nullptr) return {};
  const std::string what = fmt::format("{} at {}", (*endpoint)->model, (*endpoint)->base_url);
  if (app.config.ladder.model == model::RungMode::off) return {{Level::ok, "model", what + ": not asked, [ladder] model = \"off\"", ""}};
  auto office = ModelOffice::open(app, true);
  if (!office.ok()) return {{Level::problem, "model", office.error().message, "correct [model] or [budget]"}};
  std::vector<Finding> out;
  if (app.config.ladder.model != model::RungMode::land)
    out.push_back({Level::ok, "model", "[ladder] model = \"propose\": its answers wait as drafts for a person", ""});
  agent::LlmRequest request;
  request.system = "You check a connection. Call the tool `ready` with ok set to true.";
  request.tools.push_back({"ready", "Says that you can be reached.", *core::Json::parse(R"({"type":"object","additionalProperties":false,"properties":{"ok":{"type":"boolean"}},"required":["ok"]})")});
  agent::LlmMessage message;
  message.text = "Are you ready?";
  request.messages.push_back(std::move(message));
  request.max_output_tokens = std::min<std::int64_t>(1024, (*endpoint)->max_output_tokens);
  const auto reservation = (*office)->budget().reserve({"doctor", "", (*office)->desk().night, (*office)->desk().fork}, 400, request.max_output_tokens);
  if (!reservation.ok()) {
    out.push_back({Level::warning, "model", what + ": not asked: " + reservation.error().message, "raise [budget], or wait for the next night"});
    return out;
  }
  agent::CallObserver once;
  once.may_retry = [] { return std::string("this only looks whether it works"); };
  const agent::LlmOutcome outcome = (*office)->provider().call(request, {core::steady_ms() + 60'000, app.cancel}, once);
  (void)(*office)->budget().settle(*reservation, outcome.spent);
  if (outcome.kind != agent::LlmOutcome::Kind::ok) {
    const bool refused = outcome.kind == agent::LlmOutcome::Kind::denied;
    out.push_back({Level::problem, "model", fmt::format("{}: {}", what, outcome.reason), refused ? "check the key, the account and its limits; then `sluice model reset`" : "check [model] base_url and model"});
    return out;
  }
  const auto& calls = outcome.reply.message.calls;
  const bool called = calls.size() == 1 && calls.front().name == "ready" && calls.front().arguments && (*calls.front().arguments)["ok"].as_bool();
  const std::string used = outcome.reply.usage.known ? fmt::format("{} tokens in, {} out", outcome.reply.usage.all_input(), outcome.reply.usage.output)
                                                     : std::string("no usage reported: each call is charged what was reserved");
  if (called) out.push_back({Level::ok, "model", fmt::format("{} answers and calls tools ({})", what, used), ""});
  else out.push_back({Level::problem, "model", fmt::format("{} answers, and does not call the tool that it is offered", what),
                      "serve the model with tool calls (vLLM: --enable-auto-tool-choice --tool-call-parser; llama.cpp: --jinja), or take one that has them"});
  return out;
}

}  // namespace sluice::service
