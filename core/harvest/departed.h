// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Those whose end is known and not told yet: notes about them may lie in lanes that were not read so far. Harvest
// thread only.
#pragma once

#include "core/trace/stream.h"

#include <cstdint>
#include <deque>
#include <unordered_map>

namespace ct {

class Departed {
public:
    struct One {
        std::uint64_t identity = 0;
        std::uint64_t next = 0;  ///< how many events it had
        std::uint64_t due = 0;   ///< ns; once the lanes were read up to then, nothing comes that is about it
        Death death;
    };

    void add(const One &one) { m_all.push_back(one); }
    /// Looked up only when a note comes late, so that a death costs no more than its place in a row.
    const One *find(std::uint64_t identity);
    /// Tells the ends of those that were due before `ns`.
    void tell(std::uint64_t ns, Batch &batch);
    bool empty() const { return m_all.empty(); }

private:
    std::deque<One> m_all;
    std::uint64_t m_first = 0;                                 ///< number of the first; they count on
    std::uint64_t m_indexed = 0;                               ///< those below it are in m_index
    std::unordered_map<std::uint64_t, std::uint64_t> m_index;  ///< numbers, by identity
};

}  // namespace ct
