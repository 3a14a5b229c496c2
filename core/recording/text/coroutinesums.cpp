// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/text/coroutinesums.h"

#include <algorithm>

namespace ct {

void CoroutineSums::addBatch(const Batch &batch)
{
    for (const Birth &birth : batch.births) {
        if (birth.coroutine == kNoCoroutine)
            continue;
        if (birth.coroutine >= m_entries.size())
            m_entries.resize(static_cast<std::size_t>(birth.coroutine) + 1);
        Entry &entry = m_entries[birth.coroutine];
        entry.probeId = birth.probeId;
        entry.birthTs = birth.birthTs;
        entry.pid = birth.pid;
        entry.isMadeUp = birth.pid == 0 && birth.probeId == 0 && birth.birthTs == 0;
        entry.nextN = birth.dialect == Dialect::Monotonic ? 1 : 0;
    }
    for (const Loss &loss : batch.losses) {
        Entry &entry = at(loss.coroutine);
        (loss.beforeAttach ? entry.missed : entry.lost) += loss.count;
        std::vector<Loss> &open = m_losses[loss.coroutine];
        // Merge adjacent losses, or the list would grow for a coroutine that only has losses.
        if (!open.empty() && open.back().beforeAttach == loss.beforeAttach &&
            open.back().firstN + open.back().count == loss.firstN)
            open.back().count += loss.count;
        else
            open.push_back(loss);
    }
}

void CoroutineSums::takeBackGap(CoroutineId id, const Gap &gap)
{
    Entry &entry = at(id);
    entry.lost -= gap.lost;
    entry.missed -= gap.missed;
    entry.unexplained -= gap.unexplained;
}

std::optional<CoroutineSums::EndGap> CoroutineSums::takeEndGap(CoroutineId id)
{
    const auto found = m_losses.find(id);
    if (found == m_losses.end())
        return std::nullopt;
    EndGap end;
    end.coroutine = id;
    for (const Loss &loss : found->second)
        end.n = std::max(end.n, loss.firstN + loss.count);
    Entry &entry = at(id);
    Transition next;
    next.coroutine = id;
    next.n = end.n;
    static_cast<Gap &>(end) = explain(entry, next, entry.nextN);
    entry.nextN = std::max(entry.nextN, end.n);
    m_losses.erase(id);
    // Earlier events than the losses are missing because they are not selected.
    if (m_unselected && entry.events == 0)
        end.notSelected += std::exchange(end.unexplained, 0);
    return end.lost != 0 || end.missed != 0 ? std::optional(end) : std::nullopt;
}

/// True for the first selected event of a coroutine, if earlier events are not selected.
bool CoroutineSums::followsUnselected(const Entry &entry, const Transition &transition) const
{
    if (!m_unselected || entry.events != 1)
        return false;
    const auto first = m_unselected->firstNumbers.find(transition.coroutine);
    return first != m_unselected->firstNumbers.end() && first->second == transition.n;
}

CoroutineSums::Gap CoroutineSums::explain(Entry &entry, const Transition &transition, std::uint64_t expected)
{
    Gap gap;
    if (transition.n < expected)
        return gap;  // the numbers of a flagged station have no meaning
    const std::uint64_t missing = transition.n - expected;
    if (followsUnselected(entry, transition)) {
        gap.notSelected = missing;
        return gap;
    }
    if (const auto found = m_losses.find(transition.coroutine); found != m_losses.end()) {
        std::vector<Loss> &open = found->second;
        const auto later =
            std::find_if(open.begin(), open.end(), [&](const Loss &loss) { return loss.firstN >= transition.n; });
        std::uint64_t remaining = missing;
        for (auto loss = open.begin(); loss != later; ++loss) {
            const std::uint64_t count = std::min(loss->count, remaining);
            (loss->beforeAttach ? gap.missed : gap.lost) += count;
            remaining -= count;
        }
        open.erase(open.begin(), later);
        if (open.empty())
            m_losses.erase(found);
    }
    gap.unexplained = missing - gap.lost - gap.missed;
    entry.unexplained += gap.unexplained;
    return gap;
}

}  // namespace ct
