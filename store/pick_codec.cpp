// SPDX-License-Identifier: Apache-2.0
// A pick as bytes, for the cache. The first number is the version of this layout.
#include <fmt/format.h>

#include "store/codec.h"

namespace sluice::store {
namespace {

constexpr std::uint64_t layout = 1;

void put(Encoder& e, const model::Conflict& c) {
  e.bytes(c.path);
  e.bytes(c.kind);
  e.integer(c.regions);
  e.number(c.stages.size());
  for (const model::Stage& s : c.stages) {
    e.integer(s.stage);
    e.number(s.mode);
    e.hex(s.oid);
    e.bytes(s.path);
  }
}

model::Conflict conflict(Decoder& d) {
  model::Conflict c;
  c.path = d.bytes();
  c.kind = d.bytes();
  c.regions = static_cast<int>(d.integer());
  const std::size_t stages = d.count();
  for (std::size_t i = 0; i < stages; ++i) {
    model::Stage s;
    s.stage = static_cast<int>(d.integer());
    s.mode = static_cast<std::uint32_t>(d.number());
    s.oid = d.hex();
    s.path = d.bytes();
    c.stages.push_back(std::move(s));
  }
  return c;
}

}  // namespace

std::string encode_pick(const model::Pick& p) {
  Encoder e;
  e.number(layout);
  e.hex(p.onto);
  e.number(static_cast<std::uint64_t>(p.status));
  e.hex(p.tree);
  e.bytes(p.cause);
  e.bytes(p.detail);
  e.number(p.conflicts.size());
  for (const model::Conflict& c : p.conflicts) put(e, c);
  e.number(p.renames_skipped ? 1 : 0);
  e.number(p.dropped.size());
  for (const model::DroppedPath& path : p.dropped) {
    e.bytes(path.path);
    e.bytes(path.policy);
    e.bytes(path.why);
  }
  return e.take();
}

Result<model::Pick> decode_pick(const std::string& upstream, std::string_view bytes) {
  Decoder d(bytes);
  model::Pick p;
  if (const std::uint64_t version = d.number(); version != layout)
    return make_error(
        ErrorKind::internal,
        fmt::format("pick of {} is in layout {}, this program reads layout {}", upstream, version, layout));
  p.upstream = upstream;
  p.onto = d.hex();
  p.status = d.one_of(model::PickStatus::unknown);
  p.tree = d.hex();
  p.cause = d.bytes();
  p.detail = d.bytes();
  const std::size_t conflicts = d.count();
  for (std::size_t i = 0; i < conflicts; ++i) p.conflicts.push_back(conflict(d));
  p.renames_skipped = d.boolean();
  const std::size_t dropped = d.count();
  for (std::size_t i = 0; i < dropped; ++i) {
    model::DroppedPath path;
    path.path = d.bytes();
    path.policy = d.bytes();
    path.why = d.bytes();
    p.dropped.push_back(std::move(path));
  }
  if (!d.ok())
    return make_error(ErrorKind::internal,
                      fmt::format("stored pick of {} is damaged ({} bytes)", upstream, bytes.size()));
  return p;
}

}  // namespace sluice::store
