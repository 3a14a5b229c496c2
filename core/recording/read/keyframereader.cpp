// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
#include "core/recording/read/keyframereader.h"

#include <utility>

namespace ct::ctr {

void KeyframeReader::beginKeyframe(const KeyframeRow &row)
{
    m_batches.clear();
    m_born = row.born;
    m_next = 0;
    m_piecesRead = 0;
    m_pieces = row.pieces;
}

bool KeyframeReader::addPiece(std::string_view payload)
{
    std::vector<KeyframeRow> rows;
    if (!readOnly<KeyframeLayout>(payload, rows) || rows.size() != 1)
        return false;
    if (rows.front().piece == 0)
        beginKeyframe(rows.front());
    const bool continues = rows.front().piece == m_piecesRead && rows.front().pieces == m_pieces &&
                           m_piecesRead < m_pieces && rows.front().born == m_born;
    bool good = continues && m_decoder.beginBlock(payload);
    for (Batch batch; good && m_decoder.next(batch);) {
        for (const Birth &birth : batch.births) {
            good &= birth.coroutine >= m_next && birth.coroutine < m_born;
            m_next = birth.coroutine + 1;
        }
        m_batches.push_back(std::move(batch));
    }
    m_piecesRead += good;
    if (!good)
        beginKeyframe({});
    return good;
}

std::vector<CoroutineId> KeyframeReader::living() const
{
    std::vector<CoroutineId> ids;
    for (const Batch &batch : m_batches) {
        for (const Birth &birth : batch.births)
            ids.push_back(birth.coroutine);
    }
    return ids;
}

std::deque<Batch> KeyframeReader::takeBatches()
{
    return std::exchange(m_batches, {});
}

}  // namespace ct::ctr
