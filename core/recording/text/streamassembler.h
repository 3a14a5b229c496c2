// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Builds batches from the content of a file, assigns coroutine ids and counts the sums.
#pragma once

#include "core/stream/stream.h"

#include <cstdint>

namespace ct {

class StreamAssembler {
public:
    /// Sets the batch for the following calls. It must outlive them.
    void setBatch(Batch &batch) { m_batch = &batch; }
    Batch &batch() { return *m_batch; }

    CoroutineId birth(std::uint64_t probeId, std::uint64_t birthTs, std::uint32_t pid, Dialect dialect)
    {
        Birth birth;
        birth.coroutine = m_nextId++;
        birth.pid = pid;
        birth.dialect = dialect;
        birth.probeId = probeId;
        birth.birthTs = birthTs;
        m_batch->births.push_back(birth);
        ++m_sums.coroutines;
        return birth.coroutine;
    }

    void loss(CoroutineId id, std::uint64_t firstN, std::uint64_t count, bool beforeAttach)
    {
        if (count == 0)
            return;
        m_batch->losses.push_back({id, firstN, count, beforeAttach});
        (beforeAttach ? m_sums.missedBeforeAttach : m_sums.lost) += count;
    }

    void transition(const Transition &transition)
    {
        m_batch->transitions.push_back(transition);
        ++m_sums.captured;
    }

    void flag(CoroutineId id, Flag::Reason reason)
    {
        m_batch->flags.push_back({id, reason});
        ++m_sums.flaggedStations;
    }

    void drop(std::uint64_t records) { m_sums.recordsDropped += records; }

    const RunSums &sums() const { return m_sums; }

private:
    Batch *m_batch = nullptr;
    CoroutineId m_nextId = 0;
    RunSums m_sums;
};

}  // namespace ct
