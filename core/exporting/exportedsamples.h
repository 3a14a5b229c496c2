// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The samples of an export: those in the recording, and newer ones that only memory has.
#pragma once

#include "core/trace/population.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace ct {

/// For one export, on its thread.
class ExportedSamples {
public:
    /// Takes the samples that are in memory now. Later ones are not part of the export.
    explicit ExportedSamples(const Population &population);

    /// Adds the samples of the next part of the recording to `to`.
    void addRecorded(const Notes &recorded, Notes &to);
    /// Adds the samples that memory has and the recording lacks. Call it last.
    void addRemembered(Notes &to);
    /// Samples that are neither in memory nor in the recording.
    std::uint64_t missing() const { return m_consumed - std::min(m_consumed, m_exported); }

private:
    /// The latest time (ns), by what the samples are about: pid, tid; pid, epoll, descriptor; pid.
    using Recorded = std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint64_t>;

    template <class Row>
    void addRecorded(const std::vector<Row> &rows, Recorded &recorded, std::vector<Row> &to);
    template <class Row>
    void addNewer(const std::vector<Row> &rows, const Recorded &recorded, std::vector<Row> &to);

    const std::uint64_t m_consumed;  ///< rows that the population has consumed
    Notes m_remembered;
    std::uint64_t m_now = 0;  ///< ns: end of the export
    std::uint64_t m_exported = 0;
    Recorded m_threads;
    Recorded m_descriptors;
    Recorded m_processes;
};

}  // namespace ct
