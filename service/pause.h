// SPDX-License-Identifier: Apache-2.0
// The operator's brake. A file in the store's directory, so that it can be pulled while another process works and
// holds the store's lock; whoever works reads it between any two steps, and directly before trunk is moved.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "service/app.h"

namespace sluice::service {

struct Pause {
  std::string reason, who;
  std::int64_t at = 0, until = 0;  // until 0: until somebody resumes
};

// The pause in force at `now`; nothing when there is none or its time is over. A file that cannot be read
// counts as a pause: a brake must not fail open.
std::optional<Pause> read_pause(const std::string& store_path, std::int64_t now);
// "paused since 2026-11-30T08:00:00Z by kim, until ...: reason".
std::string pause_words(const Pause& pause);

// The commands. They need no lock and wait for nobody. Errors: invalid (no reason, a time that is over).
Result<Pause> pause_line(const std::string& config_path, const std::string& reason, const std::string& who,
                         const std::string& until);
// False when nothing was paused. `still`: another stop that is in force, as far as is known; may stay empty.
Result<bool> resume_line(const std::string& config_path, const std::string& who, std::string& still);

// Why nothing may go on: the pause, the stop branch as last seen, or a stop of sluice's own (remotes.h);
// empty = go on. Logs an event when a pause began or ended, if this process may write.
Result<std::string> halted(App& app);

}  // namespace sluice::service
