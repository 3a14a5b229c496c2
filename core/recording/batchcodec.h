// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Batches as the payload of a block of kind Stream, and back, with their borders.
#pragma once

#include "core/recording/rowlayouts.h"
#include "core/recording/transitioncolumns.h"

#include <optional>
#include <string_view>

namespace ct::ctr {

/// Rows of everything but transitions in a batch that goes into one block.
inline constexpr std::size_t kMostRestRows = 65'536;
bool fitsOneBlock(const Batch &batch);

/// Collects batches that fit one block each.
class StreamEncoder {
public:
    void begin();  ///< the next block
    /// Whether there is room for another one.
    bool hasRoomFor(const Batch &batch) const;
    void add(const Batch &batch);
    bool isEmpty() const { return m_batches.empty(); }
    bool isFull() const;

    std::size_t transitions() const { return m_transitions.size(); }
    std::uint64_t firstTs() const;  ///< the smallest among the transitions, else when the first batch was taken
    std::uint64_t lastTs() const;
    std::uint64_t firstNow() const { return m_batches.empty() ? 0 : m_batches.front().now; }
    void write(const std::optional<Accounting> &sums, ColumnWriter &payload) const;

private:
    std::vector<BatchRow> m_batches;
    TransitionEncoder m_transitions;
    Batch m_rest;  ///< all of them, without transitions
    std::size_t m_restRows = 0;
    std::size_t m_textBytes = 0;
    bool m_lastIsEmpty = false;
};

/// Untrusted: what comes out has values in their ranges and counts that add up, no more.
class StreamDecoder {
public:
    /// False: the payload contradicts itself, and nothing of it is given out.
    bool begin(std::string_view payload);
    /// Replaces `batch` by the next one. False: there is none.
    bool next(Batch &batch);
    const std::optional<Accounting> &sums() const { return m_sums; }
    std::uint64_t transitions() const { return m_transitions; }  ///< in all batches of the payload

private:
    bool readSection(Tag tag, std::uint64_t count, const ColumnReader &section);
    bool countsAddUp() const;

    TransitionDecoder m_decoder;
    std::vector<BatchRow> m_batches;
    Batch m_all;
    BatchRow m_given;  ///< rows that went out
    std::uint64_t m_transitions = 0;
    std::size_t m_next = 0;
    std::optional<Accounting> m_sums;
};

/// Rows of one layout from a payload with sections; false: it contradicts itself.
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
