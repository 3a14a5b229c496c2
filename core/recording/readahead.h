// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reads a file on a thread of its own, a little ahead of whoever consumes the stream, so that decoding and consuming
// share two cores.
#pragma once

#include "core/recording/filesource.h"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace ct {

/// Gives what another source gives, in its order, with its sums, progress and facts as they were after each batch. One
/// thread at a time.
class ReadAhead final : public FileSource {
public:
    /// Rows (of all sorts) that are read ahead, at most, beside the batch that is being read: some 12 MiB.
    static constexpr std::size_t kMostRows = 1U << 18;

    /// Without another thread, when the system has none.
    explicit ReadAhead(std::unique_ptr<FileSource> source);
    /// Waits for what the source is just reading: one that follows a file has to be told to stop before.
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
        Result<bool> outcome = true;       ///< false or an error: the last one, without a batch
    };
    void run();
    void readNext(Read &read);
    bool take(Read &read);

    const std::unique_ptr<FileSource> m_source;  ///< the thread's, while there is one
    Accounting m_accounting;                     ///< the user's, and
    bool m_hasEnded = false;
    bool m_isDamaged = false;
    double m_progress = 0;               ///< what follows up to m_mutex
    std::unique_ptr<FileFacts> m_facts;  ///< not yet taken
    bool m_ended = false;                ///< the last outcome was given

    std::mutex m_mutex;  ///< guards what follows; held for a few moves
    std::condition_variable m_filled;
    std::condition_variable m_freed;
    std::deque<Read> m_ready;
    std::vector<Batch> m_spare;  ///< used ones: their memory is used again
    std::size_t m_rows = 0;      ///< in m_ready
    bool m_hungry = false;       ///< anything is worth waking up for
    bool m_over = false;         ///< nothing more will be ready
    bool m_stop = false;
    std::thread m_thread;
};

}  // namespace ct
