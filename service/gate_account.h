// SPDX-License-Identifier: Apache-2.0
// The accounting record of people and other bots, for `sluice gate`: from a file, from the body of a request, and from
// the messages of the judged commits.
#pragma once

#include <string>
#include <vector>

#include "core/model/accounting.h"
#include "core/model/verdict.h"
#include "core/result.h"

namespace sluice::service {

using model::Oid;

class GateAccount {
 public:
  // Either may be empty; `-` is stdin, once. Errors: invalid, naming file, line and field; those of reading.
  static Result<GateAccount> read(const std::string& account_file, const std::string& body_file);

  // Entries that can only be meant for this commit: those that name `upstream`, and those of its own message, less what
  // `theirs`, the message of `upstream`, says itself.
  Result<std::vector<model::AccountEntry>> of_commit(const Oid& upstream, const std::string& theirs, const std::string& message, const std::string& name);
  // Entries that name nobody and speak of an open finding of `verdict`.
  std::vector<model::AccountEntry> that_answer(const model::Verdict& verdict);
  // All that name nobody, when `verdict` is the only one: a false entry is to be found out.
  std::vector<model::AccountEntry> all_open(const model::Verdict& verdict);

  // What nobody asked for, for people.
  std::vector<std::string> unused() const;

 private:
  struct Entry {
    model::AccountEntry entry;
    std::string from;  // "FILE entry 3"
    bool used = false;
  };
  std::vector<Entry> entries_;
};

}  // namespace sluice::service
