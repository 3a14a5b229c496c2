// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Writes as version-1 SDKs do. The payload fields are plain. seq becomes odd with release *before* the payload stores,
// and even with release after them. Thread id and time come from the kernel each time. There are no sites. A compiler
// or an AArch64 core may reorder the plain stores, and readers must cope with the result.
#pragma once

#include "rawregion.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace targets {

struct alignas(64) OldEpoch {
    std::uint64_t timestamp;
    std::uint64_t tid;
    std::uint64_t addr;
    std::atomic<std::uint64_t> seq;
    char reserved[31];
    bool isActive;
};

struct alignas(1024) OldStation {
    std::uint64_t probeId;
    std::uint64_t birthNs;
    bool isDead;
    char pad[47];
    OldEpoch slots[8];
    char flexible[448];
};

static_assert(sizeof(OldStation) == sizeof(corotracer::StationData));
static_assert(offsetof(OldStation, isDead) == offsetof(corotracer::StationHeader, is_dead));
static_assert(offsetof(OldStation, slots) == offsetof(corotracer::StationData, slots));
static_assert(offsetof(OldEpoch, seq) == offsetof(corotracer::Epoch, seq));
static_assert(offsetof(OldEpoch, isActive) == offsetof(corotracer::Epoch, is_active));

class OldSdkWriter {
public:
    static constexpr SizeIn kSizeIn = SizeIn::Int;

    OldSdkWriter(const RawRegion *region, std::uint64_t probeId)
        : m_region(region), m_station(region != nullptr ? reinterpret_cast<OldStation *>(region->allocate()) : nullptr)
    {
        if (m_station == nullptr)
            return;
        m_station->probeId = probeId;
        m_station->birthNs = monotonicNs();
        m_station->isDead = false;
    }
    OldSdkWriter(const OldSdkWriter &) = delete;
    ~OldSdkWriter()
    {
        if (m_station != nullptr)
            m_station->isDead = true;
    }

    void write(std::uint64_t addr, bool isActive)
    {
        if (m_station == nullptr)
            return;
        OldEpoch &slot = m_station->slots[m_written % 8];
        const std::uint64_t seq = slot.seq.load(std::memory_order_relaxed);
        slot.seq.store(seq + 1, std::memory_order_release);
        slot.addr = addr;
        slot.tid = threadId();
        slot.timestamp = monotonicNs();
        slot.isActive = isActive;
        // seq_cst replaces the SDK's release store and the full fence after it.
        slot.seq.store(seq + 2, std::memory_order_seq_cst);
        ++m_written;
        m_region->wakeEngine();
    }

    [[nodiscard]] std::uint64_t written() const { return m_written; }
    [[nodiscard]] bool hasStation() const { return m_station != nullptr; }

private:
    const RawRegion *m_region;
    OldStation *m_station;
    std::uint64_t m_written = 0;
};

}  // namespace targets
