// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Writers of full stations that imitate the known probes. Every payload is a function of (key, event number), so a torn
// or misnumbered event cannot pass as genuine. Plain stores of old SDKs are relaxed atomics here. These compile to the
// same instructions on x86, and the thread sanitizer reports no data race.
#pragma once

#include "core/protocol/fullstationreader.h"
#include "corotracer/layout.h"

#include <atomic>
#include <cstdint>

namespace writers {

inline constexpr std::uint64_t kTsBase = 1'000'000;

inline std::uint64_t tsOf(std::uint64_t n)
{
    return kTsBase + n * 10;
}
inline std::uint64_t addrOf(std::uint64_t key, std::uint64_t n)
{
    return (key << 40) ^ (n * 0x9E3779B97F4A7C15ULL);
}
inline std::uint32_t tidOf(std::uint64_t key, std::uint64_t n)
{
    return static_cast<std::uint32_t>(key * 31 + n);
}
inline bool activeOf(std::uint64_t n)
{
    return n % 2 == 1;
}

/// Returns true if every field of the event matches what writer `key` stores for number n.
template <class Event>
bool isGenuine(const Event &event, std::uint64_t key)
{
    return event.ts == tsOf(event.n) && event.addr == addrOf(key, event.n) && event.tid == tidOf(key, event.n) &&
           event.active == activeOf(event.n);
}

inline void storePayload(corotracer::Epoch &epoch, std::uint64_t key, std::uint64_t n, std::memory_order order)
{
    epoch.addr.store(addrOf(key, n), order);
    epoch.tid.store(tidOf(key, n), order);
    epoch.timestamp.store(tsOf(n), order);
    epoch.is_active.store(activeOf(n) ? 1 : 0, order);
}

enum class Style {
    OldSdk,     ///< seqlock; odd seq with release, plain payload
    Ours,       ///< seqlock as in this project's probe; the station is marked
    Monotonic,  ///< plain payload, one seq_cst store of seq
};

/// Clears the engine's announcement as a probe does. Returns true if this writer won and must send the byte.
inline bool winsWakeUp(corotracer::GlobalHeader &header)
{
    // seq_cst: partner is the engine's seq_cst announcement before its last pass.
    if (header.tracer_sleeping.load(std::memory_order_seq_cst) != 1)
        return false;
    std::uint32_t expected = 1;
    return header.tracer_sleeping.compare_exchange_strong(expected, 0, std::memory_order_seq_cst);
}

/// Allocates a station as a probe does. Returns nullptr if there is none left.
inline corotracer::StationData *allocateFullStation(corotracer::GlobalHeader &header)
{
    const std::uint32_t max = header.max_stations.load(std::memory_order_relaxed);
    const std::uint32_t index = header.allocated_count.fetch_add(1, std::memory_order_seq_cst);
    return index < max ? reinterpret_cast<corotracer::StationData *>(&header + 1) + index : nullptr;
}

class Writer {
public:
    /// `begin` is the number of events of earlier coroutines in this station.
    Writer(corotracer::StationData &station, Style style, std::uint64_t key, std::uint64_t begin = 0)
        : m_station(&station), m_style(style), m_key(key), m_count(style == Style::Monotonic ? 1 : begin)
    {
    }

    void create()
    {
        if (m_style == Style::Ours) {
            m_station->extension.dialect.store(corotracer::kDialectSeqlock, std::memory_order_relaxed);
            m_station->extension.pid.store(4711, std::memory_order_relaxed);
            m_station->extension.mark.store(corotracer::kStationMark, std::memory_order_relaxed);
        }
        m_station->header.probe_id.store(m_key, std::memory_order_relaxed);
        // Release, last store; partner: the engine's load of birth_ts.
        m_station->header.birth_ts.store(tsOf(0) - 1, std::memory_order_release);
    }

    void destroy()
    {
        if (m_style == Style::Ours)
            m_station->extension.death_ts.store(tsOf(m_count), std::memory_order_relaxed);
        m_station->header.is_dead.store(1, std::memory_order_release);  // partner: the engine's acquire load
    }

    void write()
    {
        switch (m_style) {
        case Style::OldSdk:
            begin(std::memory_order_release);
            finish(std::memory_order_relaxed);
            return;
        case Style::Ours:
            begin(std::memory_order_relaxed);
            finish(std::memory_order_release);
            return;
        case Style::Monotonic: {
            corotracer::Epoch &epoch = m_station->slots[m_count % 8];
            storePayload(epoch, m_key, m_count, std::memory_order_relaxed);
            epoch.seq.store(m_count, std::memory_order_seq_cst);
            ++m_count;
            return;
        }
        }
    }

    /// The first half of a seqlock write, for writers that stop before finish().
    void begin(std::memory_order order)
    {
        corotracer::Epoch &epoch = m_station->slots[m_count % 8];
        epoch.seq.store(epoch.seq.load(std::memory_order_relaxed) + 1, order);
    }
    void finish(std::memory_order payloadOrder)
    {
        corotracer::Epoch &epoch = m_station->slots[m_count % 8];
        storePayload(epoch, m_key, m_count, payloadOrder);
        // seq_cst: partners are the reader's acquire load and, for the wake-up, the engine's announcement.
        epoch.seq.store(epoch.seq.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);
        ++m_count;
    }

    void write(std::uint64_t times)
    {
        for (std::uint64_t i = 0; i < times; ++i)
            write();
    }

    std::uint64_t emitted() const { return m_style == Style::Monotonic ? m_count - 1 : m_count; }
    std::uint64_t key() const { return m_key; }
    corotracer::StationData &station() const { return *m_station; }

private:
    corotracer::StationData *m_station;
    Style m_style;
    std::uint64_t m_key;
    std::uint64_t m_count;
};

}  // namespace writers
