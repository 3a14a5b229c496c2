// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Reads a file on a thread of its own, a little ahead of the consumer. Decoding and consuming then use two cores.
#pragma once

#include "core/recording/read/streamfile.h"

#include <condition_variable>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace ct {

/// Returns the batches of another source in its order. Sums, progress and facts are as they were after each batch. One
/// thread at a time.
class ReadAhead final : public StreamFile {
public:
    /// Most rows (of all sorts) that are read ahead, in addition to the batch that is being read: some 12 MiB.
    static constexpr std::size_t kMostRows = 1U << 18;

    /// Works without a thread, if the system has none.
    explicit ReadAhead(std::unique_ptr<StreamFile> source);
    /// Waits for the source's current read. A source that follows a file must be cancelled before.
    ~ReadAhead() override;

    Result<bool> next(Batch &batch) override;
    double progress() const override { return m_progress; }
    Accounting accounting() const override { return m_accounting; }
    bool hasEnded() const override { return m_hasEnded; }
    bool isDamaged() const override { return m_isDamaged; }
    bool takeFacts(FileFacts &facts) override;

private:
    struct Read {
        Batch batch;
        std::size_t rows = 0;
        Accounting accounting;
        double progress = 0;
        bool hasEnded = false;
        bool isDamaged = false;
        std::unique_ptr<FileFacts> facts;  ///< rare
        Result<bool> outcome = true;       ///< false or an error: the last entry, without a batch
    };
    void run();
    std::list<Read> readNext(Batch spare);
    bool pop(Read &read);

    const std::unique_ptr<StreamFile> m_source;  ///< used by the thread, while there is one
    /// The entry for a lack of memory, made while there is memory; empty once it is used. Used like m_source.
    std::list<Read> m_lackOfMemory;
    // Used by the caller's thread, up to m_mutex: state after the latest batch.
    Accounting m_accounting;
    bool m_hasEnded = false;
    bool m_isDamaged = false;
    double m_progress = 0;
    std::unique_ptr<FileFacts> m_facts;  ///< not yet passed on by takeFacts()
    bool m_ended = false;                ///< the last outcome was returned

    std::mutex m_mutex;  ///< guards the members below; locked only for a few moves
    std::condition_variable m_filled;
    std::condition_variable m_freed;
    std::list<Read> m_ready;
    std::vector<Batch> m_spare;  ///< used batches, whose memory is used again
    std::size_t m_rows = 0;      ///< rows in m_ready
    bool m_hungry = false;       ///< the caller waits: wake it for any batch
    bool m_over = false;         ///< m_ready gets no more entries
    bool m_stop = false;
    std::thread m_thread;
};

}  // namespace ct
