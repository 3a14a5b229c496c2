// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A harvest thread with a region of its own, for tests.
#pragma once

#include "core/harvestthread/harvestthread.h"
#include "tests/support/lanewriter.h"
#include "tests/support/qtsuite.h"
#include "tests/support/regions.h"

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace harvestcapture {

using ct::HarvestThread;
using ct::Region;
using writers::Style;
using writers::Writer;

/// Counts events and losses. The test's thread may read the sums.
class SumSink final : public ct::Sink {
public:
    ct::Result<void> consume(const ct::Batch &batch) override
    {
        const std::lock_guard lock(m_mutex);
        m_streamSums.add(batch);
        ++m_batches;
        if (m_failAfter && m_streamSums.captured >= *m_failAfter)
            return ct::Error{ct::ErrorCode::NoSpace, "disk full"};
        return {};
    }
    ct::Result<void> finish(const ct::Accounting &sums) override
    {
        const std::lock_guard lock(m_mutex);
        m_final = sums;
        return {};
    }
    regions::StreamSums streamSums() const
    {
        const std::lock_guard lock(m_mutex);
        return m_streamSums;
    }
    std::optional<ct::Accounting> final() const
    {
        const std::lock_guard lock(m_mutex);
        return m_final;
    }
    int batches() const
    {
        const std::lock_guard lock(m_mutex);
        return m_batches;
    }
    void failAfter(std::uint64_t captured) { m_failAfter = captured; }

private:
    mutable std::mutex m_mutex;
    regions::StreamSums m_streamSums;
    int m_batches = 0;
    std::optional<ct::Accounting> m_final;
    std::optional<std::uint64_t> m_failAfter;
};

struct Capture {
    explicit Capture(std::uint32_t stations = 64)
    {
        auto created = Region::create({dir.file("r.shm"), stations});
        if (created)
            region.emplace(std::move(*created));
        socketPath = dir.file("r.shm.sock");
    }
    bool start(std::vector<std::shared_ptr<ct::Sink>> more = {})
    {
        more.push_back(sink);
        const ct::BacklogSpec backlog{.bytes = {}, .spillFolder = dir.file(".")};
        thread = std::make_unique<HarvestThread>(*region, socketPath, std::move(more), backlog);
        thread->setHeartbeat(heartbeat);
        return static_cast<bool>(thread->startHarvest());
    }
    Writer born(Style style, std::uint64_t key)
    {
        Writer writer(*writers::allocateFullStation(*region->writableHeader()), style, key);
        writer.create();
        return writer;
    }
    bool isAsleep() const { return region->header().tracer_sleeping.load() == 1; }

    regions::TempDir dir;
    std::optional<Region> region;
    std::string socketPath;
    std::shared_ptr<SumSink> sink = std::make_shared<SumSink>();
    std::unique_ptr<HarvestThread> thread;
    std::chrono::milliseconds heartbeat{100};
};

inline QString qt(const std::string &text)
{
    return QString::fromStdString(text);
}

}  // namespace harvestcapture
