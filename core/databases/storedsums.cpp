// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/databases/storedsums.h"

namespace ct {

namespace {

template <auto kMember>
constexpr StoredSum sum(std::string_view name)
{
    return {name, [](const Accounting &sums) { return static_cast<std::uint64_t>(sums.*kMember); },
            [](Accounting &sums, std::uint64_t value) {
                sums.*kMember = static_cast<std::remove_reference_t<decltype(sums.*kMember)>>(value);
            }};
}

constexpr StoredSum kSums[] = {
    sum<&Accounting::captured>("events"),
    sum<&Accounting::lost>("lost_events"),
    sum<&Accounting::missedBeforeAttach>("missed_before_attach"),
    sum<&Accounting::notesEvicted>("dropped_notes"),
    sum<&Accounting::notesLost>("notes_lost"),
    sum<&Accounting::coroutines>("coroutines"),
    sum<&Accounting::coroutinesMissed>("coroutines_missed"),
    sum<&Accounting::lostWithoutCoroutine>("lost_without_coroutine"),
    sum<&Accounting::missedWithoutCoroutine>("missed_without_coroutine"),
    sum<&Accounting::overflowCoroutines>("coroutines_not_kept"),
    sum<&Accounting::overflowEvents>("events_not_kept"),
    sum<&Accounting::overflowNames>("names_not_kept"),
    sum<&Accounting::eventsNotWritten>("events_not_written"),
    sum<&Accounting::coroutinesNotWritten>("coroutines_not_written"),
    sum<&Accounting::untraced>("untraced_coroutines"),
    sum<&Accounting::birthsOvertaken>("births_overtaken"),
    sum<&Accounting::bornWhileOff>("born_while_off"),
    sum<&Accounting::bornBeforeInit>("born_before_init"),
    sum<&Accounting::flaggedStations>("flagged_stations"),
    sum<&Accounting::sitesDropped>("sites_dropped"),
    sum<&Accounting::recordsDropped>("records_dropped"),
    sum<&Accounting::recordsInHoles>("records_in_holes"),
    sum<&Accounting::threadsWithoutLane>("threads_without_lane"),
    sum<&Accounting::lanesShortened>("lanes_shortened"),
    sum<&Accounting::lanesDamaged>("lanes_damaged"),
    sum<&Accounting::processesUnmapped>("processes_unmapped"),
    sum<&Accounting::processesPartlyMapped>("processes_partly_mapped"),
    sum<&Accounting::timesApproximate>("times_approximate"),
};

}  // namespace

std::span<const StoredSum> storedSums()
{
    return kSums;
}

}  // namespace ct
