// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "ingest/depend.h"
#include "ingest/ingest.h"

namespace sluice::ingest {
namespace {

using model::ChangeStatus;
using model::FileChange;
using model::Hunk;
using model::UpstreamCommit;

FileChange change(const std::string& path, std::vector<Hunk> hunks) {
  FileChange out;
  out.path = out.old_path = path;
  out.old_mode = out.new_mode = 0100644;
  out.hunks = std::move(hunks);
  return out;
}
UpstreamCommit commit(std::vector<FileChange> files) {
  UpstreamCommit out;
  out.files = std::move(files);
  return out;
}
using Rows = std::vector<std::vector<std::size_t>>;

TEST(TextDependencies, ALineRewrittenTwiceDependsOnItsLastWriter) {
  EXPECT_EQ(
      text_dependencies({commit({change("f", {{10, 1, 10, 1}})}), commit({change("f", {{10, 1, 10, 1}})}),
                         commit({change("f", {{10, 1, 10, 1}})})}),
      (Rows{{}, {0}, {1}}));
}

TEST(TextDependencies, ContextReachesThreeLinesAndNotFour) {
  const auto rows = [](std::uint32_t line) {
    return text_dependencies(
        {commit({change("f", {{10, 1, 10, 1}})}), commit({change("f", {{line, 1, line, 1}})})});
  };
  EXPECT_EQ(rows(13), (Rows{{}, {0}}));
  EXPECT_EQ(rows(14), (Rows{{}, {}}));
  EXPECT_EQ(rows(7), (Rows{{}, {0}}));
  EXPECT_EQ(rows(6), (Rows{{}, {}}));
}

TEST(TextDependencies, InsertionsShiftWhatStandsBelow) {
  EXPECT_EQ(text_dependencies(
                {commit({change("f", {{100, 1, 100, 1}})}), commit({change("f", {{1, 0, 2, 50}})}),
                 commit({change("f", {{100, 1, 100, 1}})}), commit({change("f", {{150, 1, 150, 1}})})}),
            (Rows{{}, {}, {}, {0}}));
}

TEST(TextDependencies, ADeletionLeavesAMark) {
  EXPECT_EQ(text_dependencies({commit({change("f", {{10, 5, 9, 0}})}), commit({change("f", {{9, 0, 10, 1}})}),
                               commit({change("f", {{40, 1, 41, 1}})})}),
            (Rows{{}, {0}, {}}));
}

TEST(TextDependencies, ADeletionAtTheTopOfAFileIsSeenFromTheNewTop) {
  EXPECT_EQ(text_dependencies({commit({change("f", {{1, 5, 0, 0}})}), commit({change("f", {{1, 1, 1, 1}})})}),
            (Rows{{}, {0}}));
}

TEST(TextDependencies, ARenameCarriesItsLinesAndIsNoDependencyItself) {
  FileChange move = change("b", {{30, 1, 30, 1}});
  move.old_path = "a";
  move.status = ChangeStatus::renamed;
  EXPECT_EQ(
      text_dependencies({commit({change("a", {{10, 1, 10, 1}})}), commit({move}),
                         commit({change("b", {{10, 1, 10, 1}})}), commit({change("b", {{20, 1, 20, 1}})})}),
      (Rows{{}, {}, {0}, {}}));
}

TEST(TextDependencies, TwoFilesMaySwapTheirNames) {
  FileChange ab = change("b", {}), ba = change("a", {});
  ab.old_path = "a";
  ba.old_path = "b";
  ab.status = ba.status = ChangeStatus::renamed;
  const auto rows = text_dependencies(
      {commit({change("a", {{10, 1, 10, 1}})}), commit({ab, ba}), commit({change("b", {{10, 1, 10, 1}})})});
  EXPECT_TRUE(std::count(rows[2].begin(), rows[2].end(), 0U) == 1);
}

TEST(TextDependencies, WhoeverTouchesANewFileNeedsTheCommitThatMadeIt) {
  FileChange add = change("n", {{0, 0, 1, 40}});
  add.status = ChangeStatus::added;
  add.old_mode = 0;
  EXPECT_EQ(text_dependencies({commit({add}), commit({change("n", {{39, 1, 39, 1}})})}), (Rows{{}, {0}}));
  FileChange gone = change("n", {{1, 40, 0, 0}});
  gone.status = ChangeStatus::deleted;
  gone.new_mode = 0;
  EXPECT_EQ(text_dependencies({commit({gone}), commit({add}), commit({change("n", {{5, 1, 5, 1}})})}),
            (Rows{{}, {0}, {1}}));
}

TEST(TextDependencies, BinaryFilesAndSubmoduleLinksDependAsAWhole) {
  FileChange binary = change("x", {});
  binary.binary = true;
  EXPECT_EQ(text_dependencies({commit({binary}), commit({binary})}), (Rows{{}, {0}}));
  FileChange link = change("sub", {{1, 1, 1, 1}});
  link.old_mode = link.new_mode = 0160000;
  EXPECT_EQ(text_dependencies({commit({link}), commit({link})}), (Rows{{}, {0}}));
}

TEST(TextDependencies, ABrokenRowDoesNotCorruptAnything) {
  EXPECT_EQ(text_dependencies(
                {commit({change("f", {{10, 5, 10, 5}, {8, 4, 8, 4}, {0, 4000000000, 0, 4000000000}})}),
                 commit({change("f", {{10, 1, 10, 1}})})}),
            (Rows{{}, {0}}));
}

// The same question answered by a list of lines, each with the commit that wrote it.
struct Item {
  bool mark = false;  // a place where lines were deleted
  int owner = -1;     // -1: before the window
};

class Simulation {
 public:
  explicit Simulation(std::size_t lines) { items_.assign(lines, Item{}); }
  std::size_t lines() const {
    return static_cast<std::size_t>(
        std::count_if(items_.begin(), items_.end(), [](const Item& i) { return !i.mark; }));
  }
  // Owners within `context` lines of the old range of the hunk; marks count between two such lines.
  void query(std::size_t first, std::size_t count, std::size_t context, std::set<std::size_t>& found) const {
    const auto low = static_cast<std::ptrdiff_t>(first) - static_cast<std::ptrdiff_t>(context);
    const auto high = static_cast<std::ptrdiff_t>(first + count + context);
    std::ptrdiff_t before = 0;
    for (const Item& item : items_) {
      const bool inside = item.mark ? before > low && before < high : before >= low && before < high;
      if (inside && item.owner >= 0) found.insert(static_cast<std::size_t>(item.owner));
      if (!item.mark) ++before;
    }
  }
  void replace(std::size_t first, std::size_t count, std::size_t added, int owner) {
    std::vector<Item> out;
    std::size_t before = 0;
    bool written = false;
    const auto write = [&] {
      if (written) return;
      written = true;
      if (added == 0) out.push_back({true, owner});
      for (std::size_t k = 0; k < added; ++k) out.push_back({false, owner});
    };
    for (const Item& item : items_) {
      const bool behind = item.mark ? before > first : before >= first;
      if (behind) write();
      const bool gone =
          item.mark ? before > first && before < first + count : before >= first && before < first + count;
      if (!gone) out.push_back(item);
      if (!item.mark) ++before;
    }
    write();
    items_ = std::move(out);
  }

 private:
  std::vector<Item> items_;
};

TEST(TextDependencies, AgreesWithASimulationOfEveryLine) {
  for (unsigned seed = 1; seed <= 400; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::size_t n) {
      return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
    };
    const std::uint32_t context = static_cast<std::uint32_t>(below(5));
    std::map<std::string, Simulation> files;
    for (const char* path : {"a", "b", "c"}) files.emplace(path, Simulation(20 + below(60)));
    std::vector<UpstreamCommit> window;
    Rows want;
    for (int index = 0; index < 30; ++index) {
      UpstreamCommit next;
      std::set<std::size_t> found;
      for (auto& [path, file] : files) {
        if (below(3) == 0) continue;
        FileChange made = change(path, {});
        struct Edit {
          std::size_t first, count, added;
        };
        std::vector<Edit> edits;
        std::size_t at = below(10);
        std::int64_t shift = 0;
        while (at <= file.lines() && edits.size() < 4) {
          Edit edit{at, std::min(below(4), file.lines() - at), below(5)};
          if (edit.count + edit.added == 0) edit.added = 1;
          const auto start = [](std::size_t first, std::size_t count) {
            return static_cast<std::uint32_t>(count == 0 ? first : first + 1);
          };
          made.hunks.push_back(
              {start(edit.first, edit.count), static_cast<std::uint32_t>(edit.count),
               start(static_cast<std::size_t>(static_cast<std::int64_t>(edit.first) + shift), edit.added),
               static_cast<std::uint32_t>(edit.added)});
          file.query(edit.first, edit.count, context, found);
          edits.push_back(edit);
          shift += static_cast<std::int64_t>(edit.added) - static_cast<std::int64_t>(edit.count);
          at += edit.count + 1 + below(25);  // git never gives two hunks that touch
        }
        for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit)
          file.replace(edit->first, edit->count, edit->added, index);
        next.files.push_back(std::move(made));
      }
      window.push_back(std::move(next));
      want.emplace_back(found.begin(), found.end());
    }
    ASSERT_EQ(text_dependencies(window, context), want) << "seed " << seed << ", context " << context;
  }
}

}  // namespace
}  // namespace sluice::ingest
