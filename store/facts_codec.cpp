// SPDX-License-Identifier: Apache-2.0
// Facts of one upstream commit as bytes. The first number is the version of this layout; facts are
// computed from git, so a layout that is not known is computed again, not migrated.
#include <fmt/format.h>

#include "store/codec.h"

namespace sluice::store {
namespace {

constexpr std::uint64_t layout = 1;

void put(Encoder& e, const model::Person& p) {
  e.bytes(p.name);
  e.bytes(p.email);
  e.integer(p.time);
  e.integer(p.zone);
}

model::Person person(Decoder& d) {
  model::Person p;
  p.name = d.bytes();
  p.email = d.bytes();
  p.time = d.integer();
  p.zone = static_cast<int>(d.integer());
  return p;
}

void put(Encoder& e, const model::FileChange& f) {
  e.bytes(f.path);
  e.bytes(f.old_path == f.path ? std::string_view() : std::string_view(f.old_path));
  e.number(static_cast<std::uint64_t>(f.status) * 4 + (f.binary ? 2 : 0) + (f.old_path == f.path ? 1 : 0));
  e.number(f.old_mode);
  e.number(f.new_mode);
  e.hex(f.old_blob);
  e.hex(f.new_blob);
  e.hex(f.removed_sha);
  e.hex(f.added_sha);
  e.number(f.hunks.size());
  for (const model::Hunk& h : f.hunks) {
    e.number(h.old_start);
    e.number(h.old_count);
    e.number(h.new_start);
    e.number(h.new_count);
  }
}

std::uint32_t small(Decoder& d) {
  const std::uint64_t value = d.number();
  if (value > 0xffffffffu) d.fail();
  return static_cast<std::uint32_t>(value);
}

model::FileChange file(Decoder& d) {
  model::FileChange f;
  f.path = d.bytes();
  f.old_path = d.bytes();
  const std::uint64_t bits = d.number();
  if (bits / 4 > static_cast<std::uint64_t>(model::ChangeStatus::type_changed))
    d.fail();
  else
    f.status = static_cast<model::ChangeStatus>(bits / 4);
  f.binary = (bits & 2) != 0;
  if ((bits & 1) != 0) f.old_path = f.path;
  f.old_mode = small(d);
  f.new_mode = small(d);
  f.old_blob = d.hex();
  f.new_blob = d.hex();
  f.removed_sha = d.hex();
  f.added_sha = d.hex();
  f.hunks.resize(d.count());
  for (model::Hunk& h : f.hunks) h = {small(d), small(d), small(d), small(d)};
  return f;
}

void put(Encoder& e, const std::vector<std::string>& words) {
  e.number(words.size());
  for (const std::string& w : words) e.bytes(w);
}

std::vector<std::string> words(Decoder& d) {
  std::vector<std::string> out(d.count());
  for (std::string& w : out) w = d.bytes();
  return out;
}

}  // namespace

std::string encode_facts(const model::UpstreamCommit& c) {
  Encoder e;
  e.number(layout);
  e.hex(c.parent);
  e.number(c.parents.size());
  for (const model::Oid& p : c.parents) e.hex(p);
  e.hex(c.tree);
  e.integer(c.position);
  put(e, c.author);
  put(e, c.committer);
  e.bytes(c.subject);
  e.bytes(c.message);
  e.integer(c.pr);
  e.number(static_cast<std::uint64_t>(c.kind));
  e.number(c.files.size());
  for (const model::FileChange& f : c.files) put(e, f);
  put(e, c.symbols_defined);
  put(e, c.symbols_removed);
  put(e, c.symbols_named);
  e.number(c.reverts.size());
  for (const model::RevertLink& r : c.reverts) {
    e.number(static_cast<std::uint64_t>(r.kind));
    e.hex(r.oid);
    e.bytes(r.text);
  }
  e.number(c.evil_merge ? 1 : 0);
  return e.take();
}

Result<model::UpstreamCommit> decode_facts(const std::string& oid, std::string_view bytes) {
  Decoder d(bytes);
  model::UpstreamCommit c;
  const std::uint64_t version = d.number();
  if (version != layout)
    return make_error(
        ErrorKind::internal,
        fmt::format("facts of {} are in layout {}, this program reads layout {}", oid, version, layout));
  c.oid = oid;
  c.parent = d.hex();
  c.parents.resize(d.count());
  for (model::Oid& p : c.parents) p = d.hex();
  c.tree = d.hex();
  c.position = d.integer();
  c.author = person(d);
  c.committer = person(d);
  c.subject = d.bytes();
  c.message = d.bytes();
  c.pr = d.integer();
  c.kind = d.one_of(model::CommitKind::merge);
  const std::size_t files = d.count();
  for (std::size_t i = 0; i < files; ++i) c.files.push_back(file(d));
  c.symbols_defined = words(d);
  c.symbols_removed = words(d);
  c.symbols_named = words(d);
  const std::size_t reverts = d.count();
  for (std::size_t i = 0; i < reverts; ++i) {
    model::RevertLink r;
    r.kind = d.one_of(model::RevertLink::Kind::partial_revert);
    r.oid = d.hex();
    r.text = d.bytes();
    c.reverts.push_back(std::move(r));
  }
  c.evil_merge = d.boolean();
  if (!d.ok())
    return make_error(ErrorKind::internal,
                      fmt::format("stored facts of {} are damaged ({} bytes)", oid, bytes.size()));
  return c;
}

}  // namespace sluice::store
