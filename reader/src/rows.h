// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Converts batches of the stream to the rows of the C interface.
#pragma once

#include "core/base/uninitialized.h"
#include "core/recording/format/rowlayouts.h"
#include "core/stream/stream.h"

#include <corotracer/recording/capi.h>

#include <cstddef>
#include <string_view>
#include <vector>

namespace ct {

ctr_text textOf(std::string_view text);
ctr_sums sumsOf(const Accounting &sums);

/// Owns the rows of the latest batches, joined to one. Texts in the rows point into the batches.
class Rows {
public:
    /// The next append() begins a new batch. Earlier results become invalid.
    void clear();
    /// Appends the rows of a batch. The result is valid until the next call, and while `batch` and `outputs` are
    /// unchanged, or given to keepTexts().
    const ctr_batch *append(const Batch &batch, const std::vector<ctr::OutputPiece> &outputs);
    /// Takes over the texts of the batch that was appended last, so that another one can be read and appended.
    void keepTexts(Batch &batch, std::vector<ctr::OutputPiece> &outputs);
    /// Number of rows of all sorts since clear().
    std::size_t count() const { return m_count; }

private:
    template <class From, class To, class Row>
    void put(const From &from, To &to, const Row *&rows, std::size_t &count);

    /// All rows of a batch that hold texts.
    struct Texts {
        std::vector<Site> sites;
        std::vector<CoroutineName> names;
        std::vector<Process> processes;
        std::vector<ThreadName> threadNames;
        std::vector<ctr::OutputPiece> outputs;
    };
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
    std::vector<Texts> m_texts;
    ctr_batch m_batch{};
    std::size_t m_count = 0;
    bool m_isNew = true;
};

}  // namespace ct
