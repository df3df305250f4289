// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ingest/depend.h"
#include "ingest/planner.h"

namespace sluice::ingest {
namespace {

// A name that so many commits use says nothing about any two of them.
constexpr std::size_t common_at_least = 20;
constexpr std::size_t common_share = 20;  // one commit in so many
constexpr std::uint32_t context_lines = 3;

struct SymbolUse {
  std::vector<std::size_t> changed_by;  // ascending
  std::size_t named_by = 0;
};

}  // namespace

void Planner::link() {
  std::vector<const model::UpstreamCommit*> window;
  window.reserve(nodes_.size());
  for (const Node& node : nodes_) window.push_back(node.facts);
  auto text = text_links(window, context_lines);

  const auto can_matter = [](const Node& node) { return node.fate != Fate::settled; };
  std::unordered_map<std::string_view, SymbolUse> symbols;
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    if (!can_matter(nodes_[k])) continue;
    for (const auto* names : {&nodes_[k].facts->symbols_defined, &nodes_[k].facts->symbols_removed})
      for (const std::string& name : *names) {
        auto& by = symbols[name].changed_by;
        if (name.size() >= 3 && (by.empty() || by.back() != k)) by.push_back(k);
      }
  }
  for (const Node& node : nodes_)
    for (const std::string& name : node.facts->symbols_named)
      if (const auto use = symbols.find(name); use != symbols.end()) ++use->second.named_by;
  const std::size_t common = std::max(common_at_least, nodes_.size() / common_share);

  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    Node& node = nodes_[k];
    if (!can_matter(node)) continue;
    for (const TextLink& link : text[k])
      if (can_matter(nodes_[link.to])) node.links.push_back({link.to, link.path, {}});
    for (const std::string& name : node.facts->symbols_named) {
      const auto use = symbols.find(name);
      if (use == symbols.end() || use->second.named_by > common) continue;
      for (const std::size_t by : use->second.changed_by) {
        if (by >= k) break;
        node.links.push_back({by, nullptr, use->first});
      }
    }
    // One link a commit; the textual one says more.
    std::stable_sort(node.links.begin(), node.links.end(), [](const Link& a, const Link& b) {
      return a.to != b.to ? a.to < b.to : (a.path != nullptr) > (b.path != nullptr);
    });
    node.links.erase(std::unique(node.links.begin(), node.links.end(),
                                 [](const Link& a, const Link& b) { return a.to == b.to; }),
                     node.links.end());
  }
}

}  // namespace sluice::ingest
