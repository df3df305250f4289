// SPDX-License-Identifier: Apache-2.0
// The text of a commit object: what is read is UTF-8, and stays the same when it is written and read again.
#include "git/commit_text.h"

#include "core/text.h"
#include "test/fuzz/fuzz.h"

using namespace sluice;

namespace {

bool same(const model::Person& a, const model::Person& b) {
  return a.name == b.name && a.email == b.email && a.time == b.time && a.zone == b.zone;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string oid(40, 'c');
  const auto commit = git::parse_commit(oid, fuzz::text_of(data, size));
  if (!commit.ok()) {
    FUZZ_CHECK(commit.error().kind == ErrorKind::invalid);
    return 0;
  }
  FUZZ_CHECK(model::is_oid(commit->tree));
  for (const model::Oid& parent : commit->parents) FUZZ_CHECK(model::is_oid(parent));
  for (const std::string* text : {&commit->message, &commit->author.name, &commit->author.email, &commit->committer.name})
    FUZZ_CHECK(core::is_utf8(*text));
  const auto text = git::compose_commit({commit->tree, commit->parents, commit->author, commit->committer, commit->message});
  if (!text.ok()) {  // a conversion can make a NUL of other bytes
    FUZZ_CHECK(commit->message.find('\0') != std::string::npos);
    return 0;
  }
  const auto again = git::parse_commit(oid, *text);
  FUZZ_CHECK(again.ok() && again->tree == commit->tree && again->parents == commit->parents);
  const bool ends = commit->message.empty() || commit->message.back() == '\n';
  FUZZ_CHECK(again->message == (ends ? commit->message : commit->message + '\n'));
  // What cannot stand in a header line is left out, once.
  const auto twice = git::compose_commit({again->tree, again->parents, again->author, again->committer, again->message});
  FUZZ_CHECK(twice.ok() && *twice == *text);
  const auto third = git::parse_commit(oid, *twice);
  FUZZ_CHECK(third.ok() && same(third->author, again->author) && same(third->committer, again->committer));
  return 0;
}
