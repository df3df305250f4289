// SPDX-License-Identifier: Apache-2.0
// Second door of store/: records as they lie in the database, for an audit. The front door answers with the newest
// record of a key, parsed; an audit wants each one, and says itself what is wrong with it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/model/oid.h"
#include "core/result.h"

namespace sluice::store {

struct RawRecord {
  std::string key;   // verdict: digest. evidence: suite
  std::string text;  // the stored JSON, byte for byte
};

// A connection of its own; reads only.
class AuditReader {
 public:
  // Errors: those of opening the database of `<dir>/sluice.db`.
  static Result<AuditReader> open(const std::string& dir);
  AuditReader(AuditReader&&) noexcept;
  ~AuditReader();

  Result<std::vector<RawRecord>> evidence_of(const model::Oid& tree);  // oldest first
  Result<std::vector<RawRecord>> verdicts_of(const std::string& digest);

 private:
  struct State;
  explicit AuditReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace sluice::store
