// SPDX-License-Identifier: Apache-2.0
// A person's answer to a taken unit, as stored data: a killed submit is finished by the next run, and an answer
// follows trunk like any other change, by a three-way merge.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/model/accounting.h"
#include "core/model/proposal.h"
#include "core/model/unit.h"
#include "core/model/verdict.h"
#include "git/git.h"
#include "service/app.h"

namespace sluice::service {

// What the person says to one member.
struct PersonsAnswer {
  Oid upstream;
  Oid onto;               // tree that it was made on
  bool clean = false;     // the pick had no conflict there: `tree` is the machine merge
  Oid tree;               // the pick as the person left it
  Oid end;                // and with what they added to it, as commits of their own; equal to `tree` without such
  std::string message;    // words of the companion, should there be one
  model::Person author;   // of the companion
  std::vector<model::AccountEntry> account;
};

struct Submission {
  std::string unit, who;
  Oid base;  // trunk commit that it was made on
  Oid head;  // the person's last commit; refs/sluice/units/<id>/submitted keeps it
  std::vector<PersonsAnswer> members;  // in order; later commits of the unit may have none: they are picked on top
  std::size_t given = 0;  // picks of the unit on the person's branch; the others follow on top
  std::int64_t at = 0;
  // "" = to be judged, by this run or the next. refused | cleared (autonomy observe): kept for reference.
  std::string outcome;
  std::string why;      // of a refusal
  std::string verdict;  // digest of its record, where one was made
};

std::string take_branch(const std::string& unit);    // refs/heads/sluice/take/<unit>
std::string submitted_ref(const std::string& unit);  // refs/sluice/units/<unit>/submitted

std::string account_key(const std::string& unit);    // value: entries that a person filled in, kept for the next submit

// No secret in what a person wrote is stored: masked in place.
void mask(std::vector<model::AccountEntry>& account, const std::vector<std::string>& held);
Result<void> put_submission(App& app, const Submission& submission);
Result<std::optional<Submission>> submission_of(App& app, const std::string& unit);
// The one that waits to be judged.
Result<std::optional<Submission>> open_submission(App& app, const std::string& unit);
// The judgement of an open submission was red, or autonomy holds it back: the unit is `taken` again. One transaction.
Result<void> close_submission(App& app, const std::string& unit, const std::string& outcome, const std::string& why,
                              const std::string& verdict);
// Units whose submission waits to be judged: a former process did not come to the end of it.
Result<std::vector<model::Unit>> units_with_open_submission(App& app);
Result<void> forget_submission(App& app, const std::string& unit);
// Nobody has the unit any more: take row and submission go, in the transaction under way if there is one. The
// refs that it needed are removed by remove_take_refs, afterwards.
Result<void> forget_take(App& app, const std::string& unit, const std::string& why);
Result<void> remove_take_refs(App& app, const std::string& unit);

// The same for every unit that nobody has taken any more.
Result<void> remove_refs_of_ended_takes(App& app);

// Sets tree, companion, resolutions and account of `member`, whose pick is made on `member.onto`. Returns why
// the answer does not fit there; empty = it does.
Result<std::string> apply_answer(App& app, git::Picker& picker, const Submission& submission, const PersonsAnswer& answer,
                                 model::ProposalMember& member);

}  // namespace sluice::service
