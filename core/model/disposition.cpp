// SPDX-License-Identifier: Apache-2.0
#include "core/model/disposition.h"

#include "core/model/names.h"

namespace sluice::model {
namespace {

constexpr NameTable<Disposition, 12> dispositions = {
    {{Disposition::pending, "pending"},
     {Disposition::picked, "picked"},
     {Disposition::adapted, "adapted"},
     {Disposition::picked_empty, "picked_empty"},
     {Disposition::already, "already"},
     {Disposition::superseded, "superseded"},
     {Disposition::reverted_upstream, "reverted_upstream"},
     {Disposition::follow_up_of, "follow_up_of"},
     {Disposition::deferred, "deferred"},
     {Disposition::skip_for_current_base, "skip_for_current_base"},
     {Disposition::backed_out, "backed_out"},
     {Disposition::wont_port, "wont_port"}}};

}  // namespace

std::string_view to_string(Disposition d) { return name_in(dispositions, d); }
std::optional<Disposition> parse_disposition(std::string_view text) { return value_in(dispositions, text); }

std::string_view fork_word(Disposition d) {
  switch (d) {
    case Disposition::picked:
    case Disposition::adapted:
    case Disposition::picked_empty:
      return "PICKED";
    case Disposition::deferred:
      return "DEFERRED_BLOCKED";
    case Disposition::skip_for_current_base:
      return "SKIP_FOR_CURRENT_BASE";
    case Disposition::wont_port:
      return "WONT_PORT";
    default:
      return to_string(d);
  }
}

bool is_settled(Disposition d) {
  switch (d) {
    case Disposition::picked:
    case Disposition::adapted:
    case Disposition::picked_empty:
    case Disposition::already:
    case Disposition::superseded:
    case Disposition::reverted_upstream:
    case Disposition::follow_up_of:
    case Disposition::wont_port:
      return true;
    case Disposition::pending:
    case Disposition::deferred:
    case Disposition::skip_for_current_base:
    case Disposition::backed_out:
      return false;
  }
  return false;
}

bool is_dispositioned(Disposition d) { return d != Disposition::pending; }
bool is_backlog(Disposition d) { return d == Disposition::deferred || d == Disposition::backed_out; }

}  // namespace sluice::model
