// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Turns the stream of a run into the rows of a session: docs/interchange.md, "Databases".
#pragma once

#include "core/addresses/exportedaddresses.h"
#include "core/databases/changingrows.h"
#include "core/databases/exportcontext.h"
#include "core/databases/rowstore.h"
#include "core/recording/text/coroutinesums.h"
#include "core/recording/write/filesink.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace ct {

/// A Sink. Opens the store in the first consume() with rows, or in finish(), and stays on that thread. If the store
/// grows visibly, commits every half second of stream time, or after 20,000 rows.
///
/// At the end, writes the sums, then the counts of coroutines, facts, addresses, findings and indexes. If the disk is
/// too full for a part, that part and those after it are missing: `complete` stays 0, and the error names them. If it
/// is too full for events, the sums and counts are those of the events that are in the store.
class SessionWriter final : public FileSink {
public:
    SessionWriter(std::unique_ptr<RowStore> store, ExportContext context);
    ~SessionWriter() override;  ///< without finish(): commits what was consumed, if the store grows visibly

    Result<void> consume(const Batch &batch) override;
    Result<void> finish(const Accounting &accounting) override;
    void finishFailed(const Accounting &accounting) override;
    std::uint64_t written() const override { return m_committed; }
    std::string remark() const override;

private:
    Result<void> ensureBegun();
    Result<void> write(const Batch &batch);
    Result<void> addRows(const Batch &batch);
    Result<void> addEvents(const Batch &batch);
    Result<void> addGaps(const Batch &batch);
    Result<void> addFlags(const Batch &batch);
    Result<void> addUnexplained(const Transition &transition, std::uint64_t count);
    void noteGap(CoroutineId coroutine, const CoroutineSums::Gap &gap);
    Result<void> commit();
    void takeBack();
    Result<void> complete(const Accounting &sums);
    Result<void> writeSums(const Accounting &accounting);
    Result<void> writeSelection();
    Result<void> writeAddresses();
    Result<void> writeFindings();
    Result<void> writeSession();
    std::string nameFor(const std::string &name) const;
    std::string key() const;
    Result<void> close();

    const ExportContext m_context;
    std::unique_ptr<RowStore> m_store;  ///< nullptr after the end, or after an error that left nothing to complete
    const bool m_growsVisibly;
    bool m_begun = false;
    CoroutineSums m_coroutineSums;
    ChangingRows m_changing;
    ExportedAddresses m_addresses;
    std::string m_storeRemark;  ///< RowStore::remark()
    std::uint64_t m_committedAt = 0;
    std::uint64_t m_rowsSinceCommit = 0;
    std::uint64_t m_consumed = 0;           ///< transitions added to the store
    std::uint64_t m_committed = 0;          ///< transitions that are visible to readers
    std::uint64_t m_notSelectedBefore = 0;  ///< see kNotSelectedBeforeName
    RecordingInfo m_info;                   ///< valid at the end
    bool m_isPart = false;                  ///< valid at the end: ExportContext::isPart
    struct Span {
        std::uint64_t firstTs = 0;
        std::uint64_t lastTs = 0;
    };
    Span m_span;           ///< of the transitions added
    Span m_committedSpan;  ///< of those committed
    std::vector<std::pair<CoroutineId, CoroutineSums::Gap>> m_uncommittedGaps;
    std::vector<CoroutineId> m_uncommittedEvents;
    bool m_hasFailed = false;  ///< the store grows visibly and has no room for more events
    std::uint64_t m_now = 0;   ///< ns, CLOCK_MONOTONIC: the latest pass
};

}  // namespace ct
