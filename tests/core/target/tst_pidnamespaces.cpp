// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/region/processstat.h"
#include "core/target/pidnamespaces.h"
#include "tests/support/check.h"

#include <algorithm>
#include <unistd.h>

using namespace ct;
using Outcome = NamespaceSearch::Outcome;

namespace {

constexpr std::uint64_t kInitial = 0xEFFFFFFC;
constexpr std::uint64_t kContainer = 4026532201;
constexpr std::uint64_t kOther = 4026532202;
constexpr NamespacedPid kWanted{17, kContainer, 5000};

/// Process 900 started at the ticks of the wanted process, all others at other times.
bool startedThen(pid_t pid, std::uint64_t startTicks)
{
    return pid == 900 && startTicks == kWanted.startTicks;
}

NamespaceSearch find(bool isComplete, const ListedProcess &process, const NamespacedPid &wanted = kWanted)
{
    return findProcess(wanted, {isComplete, {{1, kInitial, 1}, {17, kInitial, 17}, process}}, startedThen);
}

}  // namespace

CT_CASE(findsTheProcessByItsNamespaceAndInnerPid)
{
    for (const bool isComplete : {false, true}) {
        const NamespaceSearch search = find(isComplete, {900, kContainer, 17});
        CHECK(search.outcome == Outcome::Found);
        CHECK_EQUAL(search.pid, 900);
    }
}

CT_CASE(anUnlistedProcessHasEnded)
{
    CHECK(find(true, {900, kOther, 17}).outcome == Outcome::None);      // another container
    CHECK(find(true, {900, kInitial, 900}).outcome == Outcome::None);   // no container
    CHECK(find(true, {900, kContainer, 18}).outcome == Outcome::None);  // another process of its container
    CHECK(find(true, {901, kContainer, 17}).outcome == Outcome::None);  // a later container with that inode
    CHECK(find(true, {900, 0, 18}).outcome == Outcome::None);           // a process of another user, with another pid
}

CT_CASE(anIncompleteListingDecidesNothing)
{
    CHECK(find(false, {900, kOther, 17}).outcome == Outcome::Undecided);
    CHECK(find(false, {901, kContainer, 17}).outcome == Outcome::Undecided);
}

/// Another user's process hides its namespace. A kernel before 4.1 hides the inner pid.
CT_CASE(anIncompleteEntryMayBeTheProcess)
{
    CHECK(find(true, {900, 0, 17}).outcome == Outcome::Undecided);
    CHECK(find(true, {900, kContainer, 0}).outcome == Outcome::Undecided);
    CHECK(find(true, {901, 0, 17}).outcome == Outcome::None);
}

/// A target without /proc writes neither its namespace nor its start time.
CT_CASE(aTargetWithoutNamespaceMayBeAnyProcessWithItsPid)
{
    const auto runs = [](pid_t pid, std::uint64_t) { return pid == 900; };
    const NamespacedPid wanted{17, 0, 0};
    CHECK(findProcess(wanted, {true, {{900, kContainer, 17}}}, runs).outcome == Outcome::Undecided);
    CHECK(findProcess(wanted, {true, {{900, kContainer, 18}}}, runs).outcome == Outcome::None);
    CHECK(findProcess(wanted, {true, {{901, kContainer, 17}}}, runs).outcome == Outcome::None);
}

/// The listing has this process, with its own namespace and inner pid.
CT_CASE(theListingHasThisProcess)
{
    const ProcessListing listing = ProcessListing::read();
    const auto self =
        std::find_if(listing.processes.begin(), listing.processes.end(), [](const ListedProcess &process) {
            return process.space == ownPidNamespace() && process.innerPid == std::uint32_t(getpid());
        });
    CHECK(self != listing.processes.end());
    CHECK(!listing.isComplete || ownPidNamespace() == kInitial);
    const NamespacedPid wanted{static_cast<std::uint32_t>(getpid()), ownPidNamespace(),
                               ProcessStat::of(getpid()).startTicks};
    const auto isSelf = [&](pid_t pid, std::uint64_t startTicks) {
        return ProcessStat::of(pid).startTicks == startTicks;
    };
    CHECK(findProcess(wanted, listing, isSelf).outcome == Outcome::Found);
}
