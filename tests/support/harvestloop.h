// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A collector and a decoder: what the harvest of a capture does, step by step on one thread, or on two.
#pragma once

#include "core/collect/collector.h"
#include "core/harvest/decoder.h"

#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

class HarvestLoop {
public:
    /// Without `backlog`, as little memory for raw chunks as the region allows.
    explicit HarvestLoop(ct::Region &region, ct::IsAlive isAlive = {}, const ct::BacklogSpec &backlog = {0, {}})
        : m_collector(region, backlog), m_decoder(region, m_collector.queue(), std::move(isAlive))
    {
        m_collector.queue().requests.setWake([this] { m_collector.pass(); });
    }
    ~HarvestLoop()
    {
        m_isEnding.store(true, std::memory_order_relaxed);
        if (m_thread.joinable())
            m_thread.join();
    }

    /// From now on, the collector makes passes on a thread of its own, and a pass of this object only decodes.
    void separate()
    {
        m_collector.queue().requests.setWake([] {});
        m_thread = std::thread([this] {
            while (!m_isEnding.load(std::memory_order_relaxed)) {
                if (!m_collector.pass())
                    std::this_thread::sleep_for(std::chrono::microseconds(50));
            }
        });
    }

    void pass(ct::Batch &batch)
    {
        collect();
        m_decoder.pass(batch);
    }
    /// As if the collector had read its clock at `ns`.
    void passBegunAt(std::uint64_t ns, ct::Batch &batch)
    {
        m_collector.pass();
        m_collector.queue().settled.set(ns, ~std::uint64_t{0});
        m_decoder.pass(batch);
    }
    void safetyPass(ct::Batch &batch)
    {
        m_collector.safetyPass();
        m_decoder.safetyPass(batch);
    }
    bool hasEndsToEmit() { return m_decoder.hasEndsToEmit(); }
    void emitEnds(ct::Batch &batch)
    {
        m_collector.lanePass();
        m_decoder.safetyPass(batch);
    }
    bool finalDrain(ct::Batch &batch)
    {
        collect();
        return m_decoder.finalDrain(batch);
    }

    bool prepareSleep(ct::Batch &batch)
    {
        const bool quiet = m_collector.prepareSleep();
        m_decoder.pass(batch);
        if (quiet && batch.empty() && !m_decoder.hasMore() && !m_decoder.awaitsCollector())
            return true;
        m_collector.cancelSleep();
        return false;
    }
    void cancelSleep() { m_collector.cancelSleep(); }
    bool stillQuiet() const { return m_collector.stillQuiet(); }
    bool mayAnnounceSleep() const { return m_collector.mayAnnounceSleep(); }
    bool areWakesSure() const { return m_collector.areWakesSure(); }
    void setPaused(bool paused) { m_collector.setPaused(paused); }
    bool hasMore() const { return (!m_thread.joinable() && m_collector.hasMore()) || m_decoder.hasMore(); }
    bool isUrgent() const { return m_collector.pauseNs() == 0; }
    std::uint64_t lastPassNs() const { return m_collector.lastPassNs(); }
    ct::Accounting accounting() const { return m_decoder.accounting(); }

    ct::Collector &collector() { return m_collector; }
    ct::Decoder &decoder() { return m_decoder; }

private:
    /// Only when the decoder has nothing left: else the decoder of a test would fall further behind with each pass.
    void collect()
    {
        if (!m_thread.joinable() && !m_decoder.hasMore())
            m_collector.pass();
    }

    ct::Collector m_collector;
    ct::Decoder m_decoder;
    std::atomic<bool> m_isEnding{false};
    std::thread m_thread;
};
