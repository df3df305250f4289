// SPDX-License-Identifier: Apache-2.0
#include "core/model/upstream_commit.h"

#include "core/model/names.h"

namespace sluice::model {
namespace {

constexpr NameTable<ChangeStatus, 5> statuses = {{{ChangeStatus::added, "added"},
                                                  {ChangeStatus::deleted, "deleted"},
                                                  {ChangeStatus::modified, "modified"},
                                                  {ChangeStatus::renamed, "renamed"},
                                                  {ChangeStatus::type_changed, "type_changed"}}};
constexpr NameTable<CommitKind, 6> kinds = {{{CommitKind::code, "code"},
                                             {CommitKind::test, "test"},
                                             {CommitKind::docs, "docs"},
                                             {CommitKind::ci, "ci"},
                                             {CommitKind::pin, "pin"},
                                             {CommitKind::merge, "merge"}}};

}  // namespace

std::string_view to_string(ChangeStatus s) { return name_in(statuses, s); }
std::string_view to_string(CommitKind k) { return name_in(kinds, k); }

}  // namespace sluice::model
