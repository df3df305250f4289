// SPDX-License-Identifier: Apache-2.0
#include "ingest/place.h"

#include <algorithm>

namespace sluice::ingest {
namespace {

constexpr std::size_t max_side_commits = 200'000;  // one merge that brings more is not a topic branch

}  // namespace

Placer::Placer(const git::Reader& reader, const std::vector<model::Oid>& line)
    : reader_(&reader), line_(&line) {
  sorted_.reserve(line.size());
  std::int64_t position = 0;
  for (const auto& oid : line) sorted_.emplace_back(oid, ++position);
  std::sort(sorted_.begin(), sorted_.end());
}

Place Placer::on_line(std::string_view sha) const {
  if (sha.size() < 7) return {};
  const auto first =
      std::lower_bound(sorted_.begin(), sorted_.end(), sha,
                       [](const auto& entry, std::string_view key) { return entry.first < key; });
  if (first == sorted_.end() || !first->first.starts_with(sha)) return {};
  if (const auto second = first + 1; second != sorted_.end() && second->first.starts_with(sha))
    return {Place::Kind::ambiguous, {}, 0, {}};
  return {Place::Kind::line, model::Oid(first->first), first->second, model::Oid(first->first)};
}

Result<void> Placer::load_sides() {
  if (sides_loaded_) return {};
  std::map<model::Oid, std::int64_t, std::less<>> sides;
  std::int64_t position = 0;
  for (const auto& oid : *line_) {
    ++position;
    TRY_ASSIGN(const auto commit, reader_->commit(oid));
    if (commit.parents.size() < 2) continue;
    for (std::size_t k = 1; k < commit.parents.size(); ++k) {
      TRY_ASSIGN(const auto brought, reader_->log(commit.parents[k], commit.parents[0], max_side_commits));
      for (const auto& side : brought) sides.emplace(side, position);
    }
  }
  sides_ = std::move(sides);
  sides_loaded_ = true;
  return {};
}

Result<Place> Placer::find(std::string_view sha) {
  Place place = on_line(sha);
  if (place.kind == Place::Kind::ambiguous || (place.kind == Place::Kind::line && sha.size() == 40))
    return place;
  if (sha.size() < 7) return Place{};
  TRY(load_sides());
  const auto first = sides_.lower_bound(sha);
  if (first == sides_.end() || !std::string_view(first->first).starts_with(sha)) return place;
  if (place.kind == Place::Kind::line) return Place{Place::Kind::ambiguous, {}, 0, {}};
  if (const auto second = std::next(first);
      second != sides_.end() && std::string_view(second->first).starts_with(sha))
    return Place{Place::Kind::ambiguous, {}, 0, {}};
  return Place{Place::Kind::side, (*line_)[static_cast<std::size_t>(first->second) - 1], first->second, first->first};
}

}  // namespace sluice::ingest
