// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
#include "core/recording/format/batchcodec.h"

#include <algorithm>
#include <iterator>

namespace ct::ctr {

namespace {

/// A block with this many rows (without transitions) or bytes of text is full. The limits make a block worth its head,
/// and still write it soon.
constexpr std::size_t kManyRestRows = 32'768;
constexpr std::size_t kManyTextBytes = 1U << 20;
/// Limit for the texts of a batch that is written undivided, in bytes.
constexpr std::size_t kMostTextBytes = 8U << 20;

struct Size {
    std::size_t rows = 0;
    std::size_t textBytes = 0;
};

Size restOf(const Batch &batch)
{
    Size size;
    forEachSort([&](auto, const auto &rows) { size.rows += rows.size(); }, batch);
    for (const Site &site : batch.sites)
        size.textBytes += site.file.size() + site.function.size();
    for (const CoroutineName &name : batch.notes.names)
        size.textBytes += name.name.size();
    return size;
}

template <class Row, class Allocator>
void append(std::vector<Row, Allocator> &to, const std::vector<Row, Allocator> &from, std::size_t begin,
            std::size_t count)
{
    const auto first = from.begin() + static_cast<std::ptrdiff_t>(begin);
    to.insert(to.end(), first, first + static_cast<std::ptrdiff_t>(count));
}

}  // namespace

bool fitsOneBlock(const Batch &batch)
{
    const Size rest = restOf(batch);
    return batch.transitions.size() <= TransitionEncoder::kMostTransitions && rest.rows <= kMostRestRows &&
           rest.textBytes <= kMostTextBytes;
}

void StreamEncoder::beginBlock()
{
    m_batches.clear();
    m_transitions.beginBlock();
    m_rest.clear();
    m_restRows = 0;
    m_textBytes = 0;
    m_lastIsEmpty = false;
}

bool StreamEncoder::hasSpaceFor(const Batch &batch) const
{
    return m_transitions.size() + batch.transitions.size() <= TransitionEncoder::kMostTransitions;
}

bool StreamEncoder::isFull() const
{
    return m_transitions.size() >= TransitionEncoder::kMostTransitions || m_restRows >= kManyRestRows ||
           m_textBytes >= kManyTextBytes || m_batches.size() >= kManyRestRows;
}

void StreamEncoder::addBatch(const Batch &batch)
{
    const bool isEmpty = batch.empty();
    if (isEmpty && m_lastIsEmpty) {
        m_batches.back().now = batch.now;
        return;
    }
    m_lastIsEmpty = isEmpty;
    BatchRow &row = m_batches.emplace_back();
    row.now = batch.now;
    if (!batch.transitions.empty()) {
        row.of(Tag::Transitions) = static_cast<std::uint32_t>(batch.transitions.size());
        m_transitions.addTransitions(batch.transitions);
    }
    const Size rest = restOf(batch);
    if (rest.rows == 0)
        return;
    m_restRows += rest.rows;
    m_textBytes += rest.textBytes;
    forEachSort(
        [&](auto layout, const auto &from, auto &to) {
            row.of(decltype(layout)::kTag) = static_cast<std::uint32_t>(from.size());
            append(to, from, 0, from.size());
        },
        batch, m_rest);
}

std::uint64_t StreamEncoder::firstTs() const
{
    return std::min(m_transitions.firstTs(), firstNow());
}

std::uint64_t StreamEncoder::lastTs() const
{
    return std::max(m_transitions.lastTs(), m_batches.empty() ? 0 : m_batches.back().now);
}

void StreamEncoder::write(const std::optional<Accounting> &sums, ColumnWriter &payload) const
{
    BatchLayout::write(m_batches, payload);
    forEachSort([&](auto layout, const auto &rows) { decltype(layout)::write(rows, payload); }, m_rest);
    m_transitions.write(payload);
    if (sums)
        SumsLayout::write(std::vector<Accounting>{*sums}, payload);
}

bool StreamDecoder::readSection(Tag tag, std::uint64_t count, const ColumnReader &section)
{
    if (tag == Tag::Batches)
        return BatchLayout::read(section, count, m_batches);
    if (tag == Tag::Transitions)
        return m_decoder.read(section, count, m_all.transitions);
    if (tag == Tag::Sums) {
        std::vector<Accounting> sums;
        const bool good = count == 1 && SumsLayout::read(section, count, sums);
        if (good)
            m_sums = sums.front();
        return good;
    }
    bool good = true;
    forEachSort(
        [&](auto layout, auto &rows) {
            if (tag == decltype(layout)::kTag)
                good = decltype(layout)::read(section, count, rows);
        },
        m_all);
    return good;
}

bool StreamDecoder::countsAddUp() const
{
    std::array<std::uint64_t, kBatchSections> sums{};
    for (const BatchRow &batch : m_batches) {
        for (std::size_t i = 0; i < sums.size(); ++i)
            sums[i] += batch.rows[i];
    }
    const auto sumOf = [&](Tag tag) { return sums[batchSection(tag)]; };
    bool good = sumOf(Tag::Transitions) == m_all.transitions.size();
    forEachSort([&](auto layout, const auto &rows) { good &= sumOf(decltype(layout)::kTag) == rows.size(); }, m_all);
    return good;
}

bool StreamDecoder::beginBlock(std::string_view payload)
{
    m_all.clear();
    m_batches.clear();
    m_emitted = {};
    m_next = 0;
    m_sums.reset();
    ColumnReader reader(reinterpret_cast<const std::uint8_t *>(payload.data()), payload.size());
    std::uint32_t seen = 0;
    bool good = true;
    while (good && !reader.atEnd()) {
        const std::uint8_t number = reader.byte();
        const auto tag = static_cast<Tag>(number);
        const std::uint64_t count = reader.plain();
        const ColumnReader section = reader.column();
        good = !reader.failed();
        if (!good || !(tag == Tag::Batches || tag == Tag::Sums || hasBatchRows(tag)))
            continue;
        good = (seen >> number & 1U) == 0 && count <= kMostRows && readSection(tag, count, section);
        seen |= 1U << number;
    }
    m_transitions = m_all.transitions.size();
    if (good && countsAddUp())
        return true;
    m_batches.clear();
    m_sums.reset();
    return false;
}

bool StreamDecoder::next(Batch &batch)
{
    batch.clear();
    if (m_next == m_batches.size())
        return false;
    const BatchRow &row = m_batches[m_next++];
    batch.now = row.now;
    const std::size_t done = m_emitted.of(Tag::Transitions);
    const std::size_t count = row.of(Tag::Transitions);
    if (count == m_all.transitions.size())
        std::swap(batch.transitions, m_all.transitions);
    else
        append(batch.transitions, m_all.transitions, done, count);
    forEachSort(
        [&](auto layout, const auto &from, auto &to) {
            constexpr Tag kTag = decltype(layout)::kTag;
            append(to, from, m_emitted.of(kTag), row.of(kTag));
        },
        m_all, batch);
    for (std::size_t i = 0; i < row.rows.size(); ++i)
        m_emitted.rows[i] += row.rows[i];
    return true;
}

}  // namespace ct::ctr
