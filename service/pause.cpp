// SPDX-License-Identifier: Apache-2.0
#include "service/pause.h"

#include <fmt/format.h>

#include "config/config.h"
#include "core/file.h"
#include "core/text.h"
#include "service/remotes.h"

namespace sluice::service {

namespace {

using core::Json;

constexpr const char* seen_key = "pause_seen";
constexpr std::size_t most_bytes = 64u << 10;

std::string file_of(const std::string& store_path) { return core::join_path(store_path, "paused"); }

// The event of a pause or a resume, by whoever holds the lock first: the process at work, or this one.
void note_if_free(const std::string& config_path) {
  auto app = open_app(config_path, Access::write);
  if (app.ok()) (void)!halted(*app).ok();  // a store at fault shows itself to the next command
}

}  // namespace

std::optional<Pause> read_pause(const std::string& store_path, std::int64_t now) {
  const auto text = core::read_file(file_of(store_path), most_bytes);
  // A link to nowhere is a file that cannot be read, and no missing one.
  if (!text.ok() && text.error().kind == ErrorKind::not_found && !core::exists(file_of(store_path))) return std::nullopt;
  Pause pause;
  const auto json = text.ok() ? Json::parse(*text) : Result<Json>(text.error());
  if (!json.ok() || !(*json)["reason"].is_string()) {
    pause.reason = fmt::format("the file {} cannot be read; `sluice resume` removes it", file_of(store_path));
    return pause;
  }
  pause.reason = (*json)["reason"].as_string();
  pause.who = (*json)["who"].as_string();
  pause.at = (*json)["at"].as_int();
  pause.until = (*json)["until"].as_int();
  if (pause.until > 0 && pause.until <= now) return std::nullopt;
  return pause;
}

std::string pause_words(const Pause& pause) {
  std::string out = "paused";
  if (pause.at > 0) out += " since " + core::format_utc(pause.at);
  if (!pause.who.empty()) out += " by " + core::printable(pause.who, 80);
  if (pause.until > 0) out += ", until " + core::format_utc(pause.until);
  return out + ": " + core::printable(pause.reason, 400);
}

Result<Pause> pause_line(const std::string& config_path, const std::string& reason, const std::string& who,
                         const std::string& until) {
  TRY_ASSIGN(const model::Config config, config::load(config_path));
  TRY_ASSIGN(const core::SystemClock clock, core::SystemClock::from_environment());
  Pause pause{std::string(core::trim(reason)), who, clock.now(), 0};
  if (pause.reason.empty()) return make_error(ErrorKind::invalid, "a reason is needed: --reason TEXT says why, for whoever finds sluice paused");
  if (!until.empty()) {
    TRY_ASSIGN(pause.until, core::parse_utc(until));
    if (pause.until <= pause.at) return make_error(ErrorKind::invalid, fmt::format("--until {} is over: it is {} now", until, core::format_utc(pause.at)));
  }
  TRY(core::make_directories(config.store_path));
  const Json json = Json::object({{"reason", core::to_utf8(pause.reason)}, {"who", core::to_utf8(who)}, {"at", pause.at}, {"until", pause.until}});
  TRY(core::write_file(file_of(config.store_path), json.dump() + "\n"));
  note_if_free(config_path);
  return pause;
}

Result<bool> resume_line(const std::string& config_path, const std::string& who, std::string& still) {
  TRY_ASSIGN(const model::Config config, config::load(config_path));
  const std::string file = file_of(config.store_path);
  const bool was = core::exists(file);
  TRY(core::remove_all(file));
  if (auto app = open_app(config_path, Access::write); app.ok()) {
    TRY_ASSIGN(still, halted(*app));
    if (was) TRY(app->store.append_event("line.resumed", app->config.fork.branch, Json::object({{"who", who}}), app->clock.now()));
  }
  return was;
}

Result<std::string> halted(App& app) {
  const auto pause = read_pause(app.config.store_path, app.clock.now());
  const std::string words = pause ? pause_words(*pause) : std::string();
  if (app.lock != nullptr) {
    TRY_ASSIGN(const auto seen, app.store.value(seen_key));
    if (seen.value_or("") != words) {
      TRY_ASSIGN(auto transaction, app.store.begin());
      TRY(app.store.put_value(seen_key, words));
      TRY(app.store.append_event(words.empty() ? "line.unpaused" : "line.paused", app.config.fork.branch,
                                 Json::object({{"reason", words.empty() ? seen.value_or("") : words}}), app.clock.now()));
      TRY(transaction.commit());
    }
  }
  if (!words.empty()) return words;
  return line_stopped(app);
}

}  // namespace sluice::service
