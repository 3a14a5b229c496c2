// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Lost wake-up, by reported signals: coroutines that wait for objects which only they themselves have ever signalled. A
// barrier with a party too few and a cycle of full channels look like this. It is a deadlock through signals, but who
// signals next is not certain as with a lock that is held.
#include "core/analysis/rules/functions.h"
#include "core/analysis/rules/rules.h"
#include "core/base/quantitytext.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ct::rules {

namespace {

constexpr std::uint64_t kLeastSignals = 10;  ///< of an object: fewer do not show who signals it
constexpr std::size_t kMostLooks = 20'000;   ///< at objects of waiting coroutines; some 10 ms

struct Member {
    const Waiting *waiting = nullptr;
    std::vector<CoroutineId> signallers;  ///< of its object, all of them
};

/// The coroutines of one process that may wait for one another.
class Group {
public:
    Group(const Facts &facts, const CoroutineFunctions &functions) : m_facts(facts), m_functions(functions) {}

    void add(const Waiting &waiting, std::vector<CoroutineId> signallers)
    {
        m_members.emplace(waiting.coroutine, Member{&waiting, std::move(signallers)});
    }
    void reduce();
    void report(VerdictBuilder &verdict) const;

private:
    bool isInside(const Member &member, const std::set<std::uint64_t> &functions) const;
    std::uint64_t functionOf(CoroutineId id) const
    {
        return m_functions.of(id, bodySiteOf(m_facts.population().at(id)));
    }

    const Facts &m_facts;
    const CoroutineFunctions &m_functions;
    std::map<CoroutineId, Member> m_members;
};

/// True if all that have signalled its object are in the group, or have ended and had one of its functions.
bool Group::isInside(const Member &member, const std::set<std::uint64_t> &functions) const
{
    return std::all_of(member.signallers.begin(), member.signallers.end(), [&](CoroutineId id) {
        if (m_members.contains(id))
            return true;
        const CoroutineSnapshot snapshot = m_facts.population().at(id);
        const bool hasEnded = snapshot.kept && (snapshot.state == CoroutineState::Finished ||
                                                snapshot.state == CoroutineState::Destroyed);
        const std::uint64_t function = hasEnded ? functionOf(id) : 0;
        return function != 0 && functions.contains(function);
    });
}

/// Removes members until the rest only has signallers among itself. A member that leaves takes those along that wait
/// for its signals, so each is looked at once for each change of the functions.
void Group::reduce()
{
    std::unordered_map<CoroutineId, std::vector<CoroutineId>> waitingFor;
    for (const auto &[id, member] : m_members)
        for (const CoroutineId signaller : member.signallers)
            waitingFor[signaller].push_back(id);
    for (std::size_t before = m_members.size() + 1; before != m_members.size();) {
        before = m_members.size();
        std::set<std::uint64_t> functions;
        for (const auto &[id, member] : m_members)
            functions.insert(functionOf(id));
        std::vector<CoroutineId> leaving;
        for (const auto &[id, member] : m_members)
            if (!isInside(member, functions))
                leaving.push_back(id);
        while (!leaving.empty()) {
            const CoroutineId id = leaving.back();
            leaving.pop_back();
            if (m_members.erase(id) != 0)
                leaving.insert(leaving.end(), waitingFor[id].begin(), waitingFor[id].end());
        }
    }
}

void Group::report(VerdictBuilder &verdict) const
{
    if (m_members.size() < 2)
        return;
    for (const auto &[id, member] : m_members) {
        const Waiting &waiting = *member.waiting;
        verdict.add(Rule::LostWakeup, Severity::Warning, 0.8, waiting, [&] {
            return VerdictBuilder::Text{"suspended for " + durationText(waiting.watchedNs) + " in a group of " +
                                            countText(m_members.size(), "coroutine", "coroutines") +
                                            " that wait for signals of one another",
                                        {"all signals of " + objectText(waiting.waits.front()) + " so far came from " +
                                         countText(member.signallers.size(), "coroutine", "coroutines") +
                                         " of this group, or that had its functions and have ended"}};
        });
    }
}

bool mayBeMember(const Facts &facts, const Waiting &waiting, const VerdictBuilder &verdict)
{
    return waiting.kind == PointKind::Await && !waiting.woken && !waiting.wokenTooEarly && waiting.waits.size() == 1 &&
           canBeSignalled(waiting.waits.front().kind) && waiting.waits.front().kind != WaitKind::Lock &&
           waiting.watchedNs >= facts.thresholds().satisfiedNs && !facts.waitsForForgotten(waiting) &&
           !facts.process(waiting.pid).lostNotes && !facts.isStalled(waiting.pid) &&
           !verdict.accuses(Rule::LostWakeup, waiting.coroutine);
}

}  // namespace

void findMutualSignals(const Facts &facts, VerdictBuilder &verdict)
{
    const CoroutineFunctions functions(facts);
    std::map<std::uint32_t, Group> byProcess;
    std::size_t looks = 0;
    for (const Waiting &waiting : facts.waiting()) {
        if (!mayBeMember(facts, waiting, verdict))
            continue;
        if (looks++ == kMostLooks) {
            verdict.abstain(Rule::LostWakeup, "too many coroutines wait for objects to ask who signalled each");
            return;
        }
        std::vector<CoroutineId> signallers =
            facts.objects().allSignallersOf(waiting.pid, waiting.waits.front().object, kLeastSignals);
        if (!signallers.empty())
            byProcess.try_emplace(waiting.pid, facts, functions).first->second.add(waiting, std::move(signallers));
    }
    for (auto &[pid, group] : byProcess) {
        group.reduce();
        group.report(verdict);
    }
}

}  // namespace ct::rules
