// SPDX-License-Identifier: Apache-2.0
// A night that can be played again and again: a fork and an upstream with every kind of commit, the real
// program as a process of its own, and everything that it leaves behind as text that can be compared.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/process.h"
#include "test/service/world.h"

namespace sluice::test {

class Stage {
 public:
  // `more` commits, each a bundle or two more: for a longer night.
  explicit Stage(int more = 0);

  // Back to the evening: no store, the fork as it was.
  void reset();
  // `sluice sync`, or another command, as a process with a fixed clock. `env` is added.
  core::ProcessResult run(const std::map<std::string, std::string>& env = {}, const std::vector<std::string>& command = {"sync"},
                          std::int64_t kill_after_ms = 0);
  // The last `sync` came to the end that it stores last of all.
  bool run_has_ended() const;
  // The steps that an undisturbed run passes, in order.
  std::vector<std::string> steps();

  // Refs of the fork and of the store, ledger, units, the ledger's log and the event log (without runs and alerts), one line
  // each. `left_over`: what must not be there after a run, as well: takes, locks, run directories, processes.
  std::string left_behind();
  std::vector<std::string> left_over();

  World world;

 private:
  std::string pristine_, store_;
};

// Lines of `b` that `a` lacks and the other way round, for a failure message.
std::string difference(const std::string& a, const std::string& b);

}  // namespace sluice::test
