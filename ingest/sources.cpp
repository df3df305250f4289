// SPDX-License-Identifier: Apache-2.0
#include "ingest/sources.h"

#include <algorithm>
#include <utility>

#include "core/text.h"

namespace sluice::ingest {
namespace {

using model::Oid;

constexpr std::size_t max_unknown = 1000;   // shas of one message that are on no line and are looked up
constexpr std::size_t max_header = 400;     // bytes of a subject that are looked at
constexpr std::size_t shortest_title = 10;  // "fix" is everybody's

bool starts_word(std::string_view text, std::size_t at) {
  return at == 0 || std::string_view(" '\"]:").find(text[at - 1]) != std::string_view::npos;
}

// Position of what a map holds once; 0 = nobody's or several.
template <class Map, class Key>
std::int64_t only(const Map& map, const Key& key) {
  const auto at = map.find(key);
  return at == map.end() ? 0 : at->second;
}

template <class Map, class Key>
void put(Map& map, Key key, std::int64_t position) {
  const auto [at, added] = map.emplace(std::move(key), position);
  if (!added) at->second = 0;
}

}  // namespace

bool ShaSet::holds(std::string_view sha) const {
  const auto at = shas_.lower_bound(sha);
  if (at != shas_.end() && std::string_view(*at).starts_with(sha)) return true;
  for (std::size_t length = 7; length < sha.size(); ++length) {
    if (shas_.contains(sha.substr(0, length))) return true;
  }
  return false;
}

Sources::Sources(const git::Reader& reader, const std::vector<Oid>& line, Oid base, TrailerRules trailers, MessageRules messages,
                 SourceWords words)
    : reader_(&reader),
      line_(&line),
      base_(std::move(base)),
      trailers_(std::move(trailers)),
      messages_(std::move(messages)),
      words_(std::move(words)),
      placer_(reader, line) {}

Result<Sources> Sources::open(const git::Reader& reader, const std::vector<Oid>& line, Oid base, const std::vector<std::string>& patterns) {
  TRY_ASSIGN(TrailerRules trailers, TrailerRules::compile(patterns));
  TRY_ASSIGN(MessageRules messages, MessageRules::compile());
  TRY_ASSIGN(SourceWords words, SourceWords::compile());
  return Sources(reader, line, std::move(base), std::move(trailers), std::move(messages), std::move(words));
}

// Subjects and numbers of upstream's line.
Result<void> Sources::load_index() {
  if (indexed_) return {};
  std::int64_t position = 0;
  for (const Oid& oid : *line_) {
    ++position;
    TRY_ASSIGN(const git::Commit commit, reader_->commit(oid));
    const std::string_view subject = subject_line(commit.message);
    put(by_subject_, std::string(subject), position);
    if (auto title = title_key(subject); title.size() >= shortest_title) put(by_title_, std::move(title), position);
    if (const std::int64_t pr = trailing_pr(subject); pr > 0) put(by_number_, pr, position);
  }
  indexed_ = true;
  return {};
}

Result<void> Sources::listen(const Oid& upstream, NamedSources& out) const {
  TRY_ASSIGN(const git::Commit commit, reader_->commit(upstream));
  for (const Carried& named : trailers_.scan(commit.message).carried) out.quoted.add(named.sha);
  for (const Mention& mention : messages_.mentions(commit.message.substr(0, commit.message.find('\n')), commit.message)) {
    for (const std::string& sha : mention.shas) out.mentioned.add(sha);
  }
  return {};
}

Result<void> Sources::look_behind_base(NamedSource& source) const {
  Oid oid;
  if (!model::is_oid(source.sha)) {
    const auto resolved = reader_->resolve(source.sha);
    if (resolved.ok() && resolved->starts_with(source.sha)) oid = *resolved;  // a branch may be called like a sha
  } else if (reader_->has(source.sha) && reader_->commit(source.sha).ok()) {
    oid = source.sha;
  }
  if (oid.empty()) return {};
  source.commit = oid;
  if (base_.empty()) return {};
  TRY_ASSIGN(source.older, reader_->is_ancestor(oid, base_));
  return {};
}

Result<NamedSources> Sources::named(const git::Commit& commit) {
  NamedSources out;
  const BodyTrailers body = trailers_.scan(commit.message);
  out.unit = body.unit;
  std::set<Oid> heard;
  std::size_t unknown = 0;
  // Last first: what the fork added stands below what it copied.
  for (auto carried = body.carried.rbegin(); carried != body.carried.rend(); ++carried) {
    if (out.quoted.holds(carried->sha)) continue;
    NamedSource source{carried->sha, {}, {}, false, carried->disposition, carried->configured, carried->rule};
    TRY_ASSIGN(source.place, placer_.find(carried->sha));
    source.commit = source.place.commit;
    if (source.place.kind == Place::Kind::absent && ++unknown <= max_unknown) TRY(look_behind_base(source));
    // A commit that is only spoken of lends this message no words.
    if ((source.placed() || source.older) && source.lands() && heard.insert(source.commit).second) TRY(listen(source.commit, out));
    out.named.push_back(std::move(source));
  }
  return out;
}

Result<ListedSources> Sources::listed(const git::Commit& commit) {
  ListedSources out;
  const BundleWords words = words_.bundle(commit.message);
  out.declared = words.declared;
  out.several = words.several;
  if (words.lines.empty() && words.numbers.empty()) return out;
  TRY(load_index());
  const auto add = [&](std::int64_t position) {
    if (std::find(out.positions.begin(), out.positions.end(), position) == out.positions.end()) out.positions.push_back(position);
  };
  for (const auto& [number, sha] : words.lines) {
    const Place place = placer_.on_line(sha);
    if (place.kind == Place::Kind::line && only(by_number_, number) == place.position) add(place.position);
  }
  for (const std::int64_t number : words.numbers) {
    if (const std::int64_t position = only(by_number_, number); position > 0) add(position);
  }
  return out;
}

Result<HeaderSource> Sources::header(const git::Commit& commit) {
  HeaderSource out;
  const std::string_view subject = subject_line(commit.message);
  const std::size_t length = std::min(subject.size(), max_header);
  std::vector<std::string_view> endings{subject, without_last_number(subject)};
  for (std::size_t i = 0, n = endings.size(); i < n; ++i) {
    std::string_view text = endings[i];
    while (!text.empty() && (text.back() == '\'' || text.back() == '"')) endings.push_back(text = text.substr(0, text.size() - 1));
  }
  TRY(load_index());
  for (std::size_t from = 0; from < length; ++from) {
    if (!starts_word(subject, from)) continue;
    for (const std::string_view ending : endings) {
      if (ending.size() <= from) continue;
      const std::string words(ending.substr(from));
      const std::int64_t position = only(by_subject_, words);
      if (position == 0) continue;
      if (speaks_of_undoing(subject.substr(0, from))) {
        out.undoes = words;
        return out;
      }
      TRY_ASSIGN(const git::Commit upstream, reader_->commit(at(position)));
      const bool author = upstream.author.time == commit.author.time && upstream.author.email == commit.author.email;
      if (!author && trailing_pr(words) == 0) continue;
      out.position = position;
      out.author = author;
      return out;
    }
  }
  return out;
}

Result<HeaderSource> Sources::title(const git::Commit& commit) {
  HeaderSource out;
  const std::string_view subject = subject_line(commit.message);
  if (subject.size() > max_header) return out;
  TRY(load_index());
  for (const std::string& words : titles(subject)) {
    const auto hit = by_title_.find(words);
    if (hit == by_title_.end()) continue;
    out.position = hit->second;
    if (out.position > 0) return out;
    // Several have it: a number that the message gives may be the one of them.
    std::vector<std::int64_t> numbers = words_.numbers(commit.message);
    for (std::string_view rest = subject; trailing_pr(rest) > 0; rest = without_last_number(rest)) numbers.push_back(trailing_pr(rest));
    for (const std::int64_t number : numbers) {
      const std::int64_t position = only(by_number_, number);
      if (position == 0) continue;
      TRY_ASSIGN(const git::Commit upstream, reader_->commit(at(position)));
      if (title_key(subject_line(upstream.message)) == words) out.position = position;
    }
    out.ambiguous = out.position == 0;
    return out;
  }
  return out;
}

Result<std::vector<std::int64_t>> Sources::numbered(const git::Commit& commit) {
  std::vector<std::int64_t> positions;
  const std::vector<std::int64_t> numbers = words_.numbers(commit.message);
  if (numbers.empty()) return positions;
  TRY(load_index());
  for (const std::int64_t number : numbers) {
    const std::int64_t position = only(by_number_, number);
    if (position == 0) return std::vector<std::int64_t>{};
    positions.push_back(position);
  }
  return positions;
}

Result<std::optional<Oid>> Sources::undone(const git::Commit& commit, const Oid& upstream_tip) const {
  if (commit.parents.empty()) return std::optional<Oid>{};
  for (const Mention& mention : messages_.mentions(subject_line(commit.message), commit.message)) {
    if (mention.kind != model::RevertLink::Kind::revert) continue;
    for (const std::string& sha : mention.shas) {
      const auto oid = reader_->resolve(sha);
      if (!oid.ok() || on_line(*oid).kind == Place::Kind::line) continue;
      TRY_ASSIGN(const bool of_upstream, reader_->is_ancestor(*oid, upstream_tip));
      if (of_upstream) continue;
      TRY_ASSIGN(const bool of_trunk, reader_->is_ancestor(*oid, commit.parents[0]));
      if (of_trunk) return std::optional<Oid>(*oid);
    }
  }
  return std::optional<Oid>{};
}

}  // namespace sluice::ingest
