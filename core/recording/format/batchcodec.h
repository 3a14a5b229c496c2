// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Encodes batches as the payload of a Stream block, and decodes them again. The borders between batches survive.
#pragma once

#include "core/recording/format/rowlayouts.h"
#include "core/recording/format/transitioncolumns.h"

#include <optional>
#include <string_view>

namespace ct::ctr {

/// Limit for one block: rows in a batch other than its transitions.
inline constexpr std::size_t kMostRestRows = 65'536;
/// True if a batch can be written without dividing it.
bool fitsOneBlock(const Batch &batch);

/// Collects the batches of one block. Each batch must fit a block by itself: see fitsOneBlock().
class StreamEncoder {
public:
    void beginBlock();  ///< starts the next block
    /// True if the transitions of `batch` still fit.
    bool hasSpaceFor(const Batch &batch) const;
    void addBatch(const Batch &batch);
    bool isEmpty() const { return m_batches.empty(); }
    bool isFull() const;

    std::size_t transitions() const { return m_transitions.size(); }
    std::uint64_t firstTs() const;  ///< ns: the earlier of the first batch's `now` and its earliest transition
    std::uint64_t lastTs() const;   ///< ns: the later of the last batch's `now` and the latest transition
    std::uint64_t firstNow() const { return m_batches.empty() ? 0 : m_batches.front().now; }
    void write(const std::optional<Accounting> &sums, ColumnWriter &payload) const;

private:
    std::vector<BatchRow> m_batches;
    TransitionEncoder m_transitions;
    Batch m_rest;  ///< the rows of all batches, without transitions
    std::size_t m_restRows = 0;
    std::size_t m_textBytes = 0;
    bool m_lastIsEmpty = false;
};

/// Decodes an untrusted payload. It checks only that values are in range and that counts add up.
class StreamDecoder {
public:
    /// Returns false when the payload contradicts itself; next() then returns no batch.
    bool beginBlock(std::string_view payload);
    /// Replaces `batch` by the next one. Returns false when there is none.
    bool next(Batch &batch);
    const std::optional<Accounting> &sums() const { return m_sums; }
    std::uint64_t transitions() const { return m_transitions; }  ///< transitions in all batches of the payload

private:
    bool readSection(Tag tag, std::uint64_t count, const ColumnReader &section);
    bool countsAddUp() const;

    TransitionDecoder m_decoder;
    std::vector<BatchRow> m_batches;
    Batch m_all;
    BatchRow m_emitted;  ///< rows that next() has returned so far
    std::uint64_t m_transitions = 0;
    std::size_t m_next = 0;
    std::optional<Accounting> m_sums;
};

/// Reads the rows of one layout and skips all other sections. Returns false when the payload contradicts itself.
template <class Layout_>
bool readOnly(std::string_view payload, std::vector<typename Layout_::Row> &rows)
{
    ColumnReader reader(reinterpret_cast<const std::uint8_t *>(payload.data()), payload.size());
    rows.clear();
    while (!reader.atEnd()) {
        const auto tag = static_cast<Tag>(reader.byte());
        const std::uint64_t count = reader.plain();
        const ColumnReader section = reader.column();
        if (reader.failed())
            return false;
        if (tag == Layout_::kTag && (count > kMostRows || !Layout_::read(section, count, rows)))
            return false;
    }
    return true;
}

}  // namespace ct::ctr
