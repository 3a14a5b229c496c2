// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// A batch of the stream as the library gives it out.
#pragma once

#include "core/recording/rowlayouts.h"
#include "core/trace/stream.h"
#include "core/uninitialized.h"

#include <corotracer/recording/capi.h>

#include <string_view>
#include <vector>

namespace ct {

ctr_text textOf(std::string_view text);
ctr_sums sumsOf(const Accounting &sums);

/// Keeps the rows; texts in them are those of the batch.
class Rows {
public:
    /// Valid until the next call, as long as `batch` and `outputs` stay as they are.
    const ctr_batch *take(const Batch &batch, const std::vector<ctr::OutputPiece> &outputs);

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
    Many<ctr_drop> m_drops;
    Many<ctr_switch> m_switches;
    Many<ctr_process> m_processes;
    Many<ctr_process_end> m_processEnds;
    Many<ctr_thread_name> m_threadNames;
    Many<ctr_output> m_outputs;
    ctr_batch m_batch{};
};

}  // namespace ct
