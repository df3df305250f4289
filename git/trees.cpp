// SPDX-License-Identifier: Apache-2.0
#include "git/trees.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/text.h"

namespace sluice::git {

namespace {

Error too_deep() {
  return make_error(ErrorKind::invalid, fmt::format("a tree is deeper than the limit of {} directories", max_tree_depth));
}

std::string below(const std::string& prefix, const std::string& name) { return prefix.empty() ? name : prefix + '/' + name; }

// git's order inside a tree: a directory compares as if its name ended in '/'.
bool name_before(const RawTreeEntry& a, const RawTreeEntry& b) {
  const std::size_t n = std::min(a.name.size(), b.name.size());
  const int c = a.name.compare(0, n, b.name, 0, n);
  if (c != 0) return c < 0;
  const auto next = [n](const RawTreeEntry& e) -> unsigned char {
    return n < e.name.size() ? static_cast<unsigned char>(e.name[n]) : (e.is_tree() ? '/' : '\0');
  };
  return next(a) < next(b);
}

using Visit = std::function<bool(const std::string&, const TreeEntry&)>;

Result<bool> walk(const Objects& objects, const Oid& tree, const std::string& prefix, int depth, const Visit& visit) {
  if (depth > max_tree_depth) return too_deep();
  TRY_ASSIGN(const auto entries, objects.tree(tree));
  for (const auto& e : entries) {
    const std::string path = below(prefix, e.name);
    if (e.is_tree()) {
      TRY_ASSIGN(const bool more, walk(objects, e.oid, path, depth + 1, visit));
      if (!more) return false;
    } else if (!visit(path, {e.mode, e.oid})) {
      return false;
    }
  }
  return true;
}

class TreeDiff {
 public:
  explicit TreeDiff(const Objects& objects) : objects_(objects) {}
  std::vector<TreeDelta> deltas;

  Result<void> run(const Oid& before, const Oid& after, const std::string& prefix, int depth) {
    if (before == after) return {};
    if (depth > max_tree_depth) return too_deep();
    TRY_ASSIGN(const auto a, objects_.tree(before));
    TRY_ASSIGN(const auto b, objects_.tree(after));
    std::size_t i = 0, j = 0;
    while (i < a.size() || j < b.size()) {
      if (j == b.size() || (i < a.size() && name_before(a[i], b[j]))) {
        TRY(one_side(a[i++], prefix, depth, true));
      } else if (i == a.size() || name_before(b[j], a[i])) {
        TRY(one_side(b[j++], prefix, depth, false));
      } else {
        TRY(both(a[i++], b[j++], prefix, depth));
      }
    }
    return {};
  }

 private:
  Result<void> one_side(const RawTreeEntry& e, const std::string& prefix, int depth, bool is_before) {
    const std::string path = below(prefix, e.name);
    if (e.is_tree()) return is_before ? run(e.oid, {}, path, depth + 1) : run({}, e.oid, path, depth + 1);
    TreeDelta delta{path, {}, {}};
    (is_before ? delta.before : delta.after) = {e.mode, e.oid};
    deltas.push_back(std::move(delta));
    return {};
  }

  Result<void> both(const RawTreeEntry& a, const RawTreeEntry& b, const std::string& prefix, int depth) {
    if (a.mode == b.mode && a.oid == b.oid) return {};
    const std::string path = below(prefix, a.name);
    if (a.is_tree()) return run(a.oid, b.oid, path, depth + 1);  // equal in order: both are trees
    deltas.push_back({path, {a.mode, a.oid}, {b.mode, b.oid}});
    return {};
  }

  const Objects& objects_;
};

struct Edit {
  std::string_view path;  // below the directory at hand
  const std::optional<TreeEntry>* entry;
};

std::string serialise(const std::map<std::string, RawTreeEntry>& entries) {
  std::vector<RawTreeEntry> sorted;
  for (const auto& [name, entry] : entries) sorted.push_back(entry);
  std::sort(sorted.begin(), sorted.end(), name_before);
  std::string out;
  for (const auto& e : sorted) {
    out += fmt::format("{:o} {}", e.mode, e.name);
    out += '\0';
    git_oid id;
    git_oid_fromstr(&id, e.oid.c_str());
    out.append(reinterpret_cast<const char*>(id.id), GIT_OID_RAWSZ);
  }
  return out;
}

// The new tree, or an empty id when nothing is left.
Result<Oid> apply(const Objects& objects, const Oid& base, const std::vector<Edit>& edits, int depth) {
  if (depth > max_tree_depth) return too_deep();
  TRY_ASSIGN(const auto listed, objects.tree(base));
  std::map<std::string, RawTreeEntry> entries;
  for (const auto& e : listed) entries[e.name] = e;
  std::map<std::string, std::vector<Edit>> nested;
  for (const auto& edit : edits) {
    const auto slash = edit.path.find('/');
    if (slash != std::string_view::npos) {
      nested[std::string(edit.path.substr(0, slash))].push_back({edit.path.substr(slash + 1), edit.entry});
      continue;
    }
    const std::string name(edit.path);
    if (edit.entry->has_value())
      entries[name] = {name, (*edit.entry)->mode, (*edit.entry)->oid};
    else
      entries.erase(name);
  }
  for (const auto& [name, inner] : nested) {
    const auto at = entries.find(name);
    const bool is_tree = at != entries.end() && at->second.is_tree();
    const bool adds = std::any_of(inner.begin(), inner.end(), [](const Edit& e) { return e.entry->has_value(); });
    if (!is_tree && !adds) continue;  // removal below something that is no directory
    TRY_ASSIGN(const Oid changed, apply(objects, is_tree ? at->second.oid : Oid{}, inner, depth + 1));
    if (changed.empty())
      entries.erase(name);
    else
      entries[name] = {name, 0040000, changed};
  }
  if (entries.empty()) return Oid{};
  return objects.write(ObjectType::tree, serialise(entries));
}

}  // namespace

bool safe_component(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && core::to_lower(name) != ".git" &&
         name.find('/') == std::string_view::npos && name.find('\0') == std::string_view::npos;
}

bool safe_path(std::string_view path) {
  const auto parts = core::split(path, '/');
  return !path.empty() && std::all_of(parts.begin(), parts.end(), safe_component);
}

Result<void> walk_tree(const Objects& objects, const Oid& tree, const Visit& visit) {
  const auto done = walk(objects, tree, {}, 0, visit);
  if (!done.ok()) return done.error();
  return {};
}

Result<std::vector<TreeDelta>> diff_tree(const Objects& objects, const Oid& before, const Oid& after) {
  TreeDiff diff(objects);
  TRY(diff.run(before, after, {}, 0));
  return std::move(diff.deltas);
}

Result<std::optional<TreeEntry>> tree_entry(const Objects& objects, const Oid& tree, std::string_view path) {
  Oid at = tree;
  while (true) {
    const auto slash = path.find('/');
    const auto name = path.substr(0, slash);
    TRY_ASSIGN(const auto found, objects.tree_child(at, name));
    if (!found) return std::optional<TreeEntry>();
    if (slash == std::string_view::npos) return std::optional<TreeEntry>({found->mode, found->oid});
    if (!found->is_tree()) return std::optional<TreeEntry>();
    at = found->oid;
    path.remove_prefix(slash + 1);
  }
}

Result<Oid> edit_tree(const Objects& objects, const Oid& base, std::vector<TreeUpdate> updates) {
  std::vector<Edit> edits;
  for (const auto& update : updates) {
    if (update.entry.has_value() && !safe_path(update.path))
      return make_error(ErrorKind::invalid, fmt::format("path \"{}\" may not stand in a tree: it is absolute or holds "
                                                        "an empty, \".\", \"..\" or \".git\" component",
                                                        core::printable(update.path)));
    if (update.entry.has_value()) TRY(to_git_oid(update.entry->oid));
    edits.push_back({update.path, &update.entry});
  }
  // A path that is a file for one update and a directory for another has no right answer.
  std::vector<std::string_view> added;
  for (const auto& edit : edits)
    if (edit.entry->has_value()) added.push_back(edit.path);
  std::sort(added.begin(), added.end());
  for (const auto path : added) {
    const std::string inside = std::string(path) + '/';
    const auto next = std::lower_bound(added.begin(), added.end(), std::string_view(inside));
    if (next != added.end() && next->substr(0, inside.size()) == inside)
      return make_error(ErrorKind::invalid, fmt::format("path \"{}\" cannot be both a file and a directory", core::printable(path)));
  }
  TRY_ASSIGN(const Oid tree, apply(objects, base, edits, 0));
  if (!tree.empty()) return tree;
  return objects.write(ObjectType::tree, {});
}

}  // namespace sluice::git
