// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Waits that came before or during their suspension.
#pragma once

#include "core/exporting/viewers/slice.h"
#include "core/stream/causenames.h"
#include "core/stream/stream.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace ct::viewers {

class PendingWaits {
public:
    struct Wait {
        WaitsOn first;              ///< the one with the first object, if there are several
        std::uint32_t objects = 0;  ///< rows of the suspension
    };

    void add(const WaitsOn &waits)
    {
        Wait &wait = m_waits[keyOf(waits.coroutine, waits.n)];
        if (wait.objects++ == 0)
            wait.first = waits;
    }
    const Wait *find(CoroutineId id, std::uint64_t n) const
    {
        if (m_waits.empty())
            return nullptr;
        const auto found = m_waits.find(keyOf(id, n));
        return found != m_waits.end() ? &found->second : nullptr;
    }
    void remove(CoroutineId id, std::uint64_t n)
    {
        if (!m_waits.empty())
            m_waits.erase(keyOf(id, n));
    }

    /// From time to time, removes the waits of lost suspensions. `isOver`: whether a wait is for an earlier suspension
    /// than the present one. Returns their number.
    template <class IsOver>
    std::size_t removeLost(IsOver isOver)
    {
        if (m_waits.size() < m_mostBeforeSearch)
            return 0;
        const std::size_t removed = std::erase_if(m_waits, [&](const auto &wait) { return isOver(wait.second.first); });
        m_mostBeforeSearch = std::max(kFewest, 2 * m_waits.size());
        return removed;
    }
    std::size_t size() const { return m_waits.size(); }

    static void addArgs(const Wait &wait, Args &args)
    {
        const WaitsOn &first = wait.first;
        args.text(ArgName::WaitsFor, waitKindName(first.kind));
        if (isNumberOfObject(first.kind))
            args.id(ArgName::Object, first.object);
        else if (first.object != 0)
            args.address(ArgName::Object, first.object);
        if (first.target != kNoCoroutine)
            args.number(ArgName::Awaits, first.target);
        if (wait.objects > 1)
            args.number(ArgName::Objects, wait.objects);
    }

private:
    static constexpr std::size_t kFewest = 65'536;
    static std::uint64_t keyOf(CoroutineId id, std::uint64_t n) { return std::uint64_t{id} << 32 | (n & 0xFFFF'FFFF); }

    std::unordered_map<std::uint64_t, Wait> m_waits;
    std::size_t m_mostBeforeSearch = kFewest;
};

}  // namespace ct::viewers
