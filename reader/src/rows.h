// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Converts a batch of the stream to the rows of the C interface.
#pragma once

#include "core/base/uninitialized.h"
#include "core/recording/format/rowlayouts.h"
#include "core/stream/stream.h"

#include <corotracer/recording/capi.h>

#include <string_view>
#include <vector>

namespace ct {

ctr_text textOf(std::string_view text);
ctr_sums sumsOf(const Accounting &sums);

/// Owns the rows of the latest batch. Texts in the rows point into the batch.
class Rows {
public:
    /// Converts a batch. The result is valid until the next call, and while `batch` and `outputs` are unchanged.
    const ctr_batch *convert(const Batch &batch, const std::vector<ctr::OutputPiece> &outputs);

private:
    template <class Row>
    using Many = std::vector<Row, Uninitialized<Row>>;

    Many<ctr_site> m_sites;
    Many<ctr_birth> m_births;
    Many<ctr_loss> m_losses;
    Many<ctr_transition> m_transitions;
    Many<ctr_death> m_deaths;
    Many<ctr_flag> m_flags;
    Many<ctr_name> m_names;
    Many<ctr_parent> m_parents;
    Many<ctr_wait> m_waits;
    Many<ctr_wake> m_wakes;
    Many<ctr_use> m_uses;
    Many<ctr_wakers_left> m_wakersLeft;
    Many<ctr_finish> m_finishes;
    Many<ctr_drop> m_drops;
    Many<ctr_switch> m_switches;
    Many<ctr_process> m_processes;
    Many<ctr_process_end> m_processEnds;
    Many<ctr_thread_name> m_threadNames;
    Many<ctr_thread_sample> m_threadSamples;
    Many<ctr_descriptor_sample> m_descriptorSamples;
    Many<ctr_process_sample> m_processSamples;
    Many<ctr_output> m_outputs;
    ctr_batch m_batch{};
};

}  // namespace ct
