// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Writes the monotonic dialect of the protocol's published text, without the probe. Each station has one seq that
// counts events from 1. The payload goes to slot seq % 8, then one store publishes seq. There is no odd phase.
#include "support/writerjob.h"

namespace {

class MonotonicWriter {
public:
    static constexpr targets::SizeIn kSizeIn = targets::SizeIn::Usize;

    MonotonicWriter(const targets::RawRegion *region, std::uint64_t probeId)
        : m_region(region), m_station(region != nullptr ? region->allocate() : nullptr)
    {
        if (m_station == nullptr)
            return;
        m_station->header.probe_id.store(probeId, std::memory_order_relaxed);
        m_station->header.is_dead.store(0, std::memory_order_relaxed);
        // Release: a reader that sees the birth also sees probe_id. Partner: the engine's acquire load of birth_ts.
        m_station->header.birth_ts.store(targets::monotonicNs(), std::memory_order_release);
    }
    MonotonicWriter(const MonotonicWriter &) = delete;
    ~MonotonicWriter()
    {
        if (m_station != nullptr)
            m_station->header.is_dead.store(1, std::memory_order_release);  // partner: the engine's acquire load
    }

    void write(std::uint64_t addr, bool isActive)
    {
        if (m_station == nullptr)
            return;
        const std::uint64_t seq = ++m_written;
        corotracer::Epoch &slot = m_station->slots[seq % corotracer::kSlotsPerStation];
        slot.timestamp.store(targets::monotonicNs(), std::memory_order_relaxed);
        slot.tid.store(targets::threadId(), std::memory_order_relaxed);
        slot.addr.store(addr, std::memory_order_relaxed);
        slot.is_active.store(isActive ? 1 : 0, std::memory_order_relaxed);
        // Publishes the payload; partner: the engine's acquire load. seq_cst because of the wake-up that follows.
        slot.seq.store(seq, std::memory_order_seq_cst);
        m_region->wakeEngine();
    }

    [[nodiscard]] std::uint64_t written() const { return m_written; }
    [[nodiscard]] bool hasStation() const { return m_station != nullptr; }

private:
    const targets::RawRegion *m_region;
    corotracer::StationData *m_station;
    std::uint64_t m_written = 0;
};

}  // namespace

int main(int argc, char **argv)
{
    return targets::runWriterProgram<MonotonicWriter>("coroutines traced in the monotonic dialect", argc, argv);
}
