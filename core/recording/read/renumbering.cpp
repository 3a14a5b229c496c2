// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
#include "core/recording/read/renumbering.h"

#include "core/stream/rowvisitor.h"

#include <algorithm>

namespace ct::ctr {

void Renumbering::setStart(std::vector<CoroutineId> living, CoroutineId born)
{
    m_living = std::move(living);
    m_born = born;
}

CoroutineId Renumbering::of(CoroutineId id) const
{
    if (id >= m_born)
        return id == kNoCoroutine ? id : id - m_born + static_cast<CoroutineId>(m_living.size());
    const auto found = std::lower_bound(m_living.begin(), m_living.end(), id);
    return found != m_living.end() && *found == id ? static_cast<CoroutineId>(found - m_living.begin()) : kNoCoroutine;
}

void Renumbering::apply(Batch &batch) const
{
    if (m_born == 0)
        return;
    const auto rename = [this](auto &rows) {
        for (auto &row : rows)
            row.coroutine = of(row.coroutine);
        std::erase_if(rows, [](const auto &row) { return row.coroutine == kNoCoroutine; });
    };
    rename(batch.births);
    forEachCoroutinesRows(batch, rename);
    for (Parent &parent : batch.notes.parents)
        parent.parent = of(parent.parent);
    std::erase_if(batch.notes.parents, [](const Parent &parent) { return parent.parent == kNoCoroutine; });
    for (WaitsOn &waits : batch.notes.waits)
        waits.target = of(waits.target);
    for (Wake &wake : batch.notes.wakes)
        wake.by = of(wake.by);
    for (Use &use : batch.notes.uses)
        use.by = of(use.by);
}

}  // namespace ct::ctr
