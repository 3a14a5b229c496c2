// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/write/batchsplitter.h"

#include <algorithm>
#include <utility>

namespace ct {

namespace {

template <class Row, class Allocator>
void append(std::vector<Row, Allocator> &to, const std::vector<Row, Allocator> &from, std::size_t begin,
            std::size_t count)
{
    const auto first = from.begin() + static_cast<std::ptrdiff_t>(begin);
    to.insert(to.end(), first, first + static_cast<std::ptrdiff_t>(count));
}

/// Divides one sort of rows after the other. Each piece has one sort, or transitions with their losses.
class Divider {
public:
    Divider(const Batch &batch, const PieceLimits &limits) : m_batch(batch), m_limits(limits) { next(); }

    template <class Rows>
    void divide(Rows Batch::*member)
    {
        divide(m_batch.*member, [member](Batch &piece) -> Rows & { return piece.*member; });
    }
    template <class Rows>
    void divide(Rows Notes::*member)
    {
        divide(m_batch.notes.*member, [member](Batch &piece) -> Rows & { return piece.notes.*member; });
    }
    /// Adds each loss to the first piece with a later transition of its coroutine. Losses without a later transition
    /// come in pieces of their own, behind all transitions.
    void divideTransitions();
    std::vector<Batch> takePieces() { return std::move(m_pieces); }

private:
    template <class Rows, class Of>
    void divide(const Rows &rows, Of &&of)
    {
        for (std::size_t begin = 0; begin < rows.size(); begin += m_limits.rows) {
            append(of(m_pieces.back()), rows, begin, std::min(m_limits.rows, rows.size() - begin));
            next();
        }
    }
    void next()
    {
        m_pieces.emplace_back();
        m_pieces.back().now = m_batch.now;
    }

    const Batch &m_batch;
    const PieceLimits m_limits;
    std::vector<Batch> m_pieces;
};

void Divider::divideTransitions()
{
    std::vector<Loss> open = m_batch.losses;
    const auto &events = m_batch.transitions;
    for (std::size_t begin = 0; begin < events.size(); begin += m_limits.transitions) {
        Batch &piece = m_pieces.back();
        append(piece.transitions, events, begin, std::min(m_limits.transitions, events.size() - begin));
        if (!open.empty()) {
            std::vector<std::pair<CoroutineId, std::uint64_t>> latest;
            for (const Transition &event : piece.transitions)
                latest.emplace_back(event.coroutine, event.n);
            std::sort(latest.begin(), latest.end());
            const auto isBefore = [&](const Loss &loss) {
                const auto after =
                    std::lower_bound(latest.begin(), latest.end(), std::pair(loss.coroutine, loss.firstN));
                return after != latest.end() && after->first == loss.coroutine;
            };
            const auto rest = std::stable_partition(open.begin(), open.end(), isBefore);
            piece.losses.assign(open.begin(), rest);
            open.erase(open.begin(), rest);
        }
        next();
    }
    for (std::size_t begin = 0; begin < open.size(); begin += m_limits.rows, next())
        append(m_pieces.back().losses, open, begin, std::min(m_limits.rows, open.size() - begin));
}

}  // namespace

std::vector<Batch> piecesOf(const Batch &batch, const PieceLimits &limits)
{
    Divider pieces(batch, limits);
    pieces.divide(&Batch::sites);
    pieces.divide(&Notes::processes);
    pieces.divide(&Notes::switches);
    pieces.divide(&Batch::births);
    pieces.divide(&Notes::threadNames);
    pieces.divide(&Notes::names);
    pieces.divide(&Notes::parents);
    pieces.divideTransitions();
    pieces.divide(&Notes::waits);
    pieces.divide(&Notes::wakes);
    pieces.divide(&Notes::uses);
    pieces.divide(&Notes::wakersLeft);
    pieces.divide(&Notes::finishes);
    pieces.divide(&Notes::drops);
    pieces.divide(&Notes::processEnds);
    pieces.divide(&Notes::threadSamples);
    pieces.divide(&Notes::descriptorSamples);
    pieces.divide(&Notes::processSamples);
    pieces.divide(&Batch::deaths);
    pieces.divide(&Batch::flags);
    std::vector<Batch> all = pieces.takePieces();
    all.pop_back();  // next() leaves an empty piece at the end
    return all;
}

}  // namespace ct
