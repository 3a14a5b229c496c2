// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/text/eventnumbering.h"

#include <algorithm>

namespace ct {

namespace {

constexpr std::uint64_t kLap = 8;
constexpr std::size_t kUndecidedMax = 16;
/// Idle time in ns of the stream. After it, no more lines of a coroutine can come from the same pass of the collector.
constexpr std::uint64_t kIdleNs = 1'000'000'000;
/// A line this much earlier than all lines of a coroutine, in ns, is of another run. The clock begins again with the
/// machine. The lines of one pass of the collector span less.
constexpr std::uint64_t kOtherRunNs = 10'000'000'000;
constexpr std::uint32_t kLinesBetweenFlushes = 65536;

std::uint64_t lapOf(std::uint64_t seq)
{
    return seq / 2 + (seq & 1);
}

/// True if `ts` is more than `ns` after `before`. Times are untrusted, so a sum with one could overflow.
bool isLater(std::uint64_t ts, std::uint64_t before, std::uint64_t ns)
{
    return ts > before && ts - before > ns;
}

}  // namespace

/// One coroutine: its state so far, and the few events that wait for their neighbours.
class EventNumbering::Track {
public:
    explicit Track(const Identity &identity) : m_identity(identity) {}

    /// True if this event can belong to the coroutine. May also determine the dialect.
    bool accepts(const Transition &event)
    {
        if (isOfOtherRun(event))
            return false;
        if (m_dialect == Dialect::Unknown && !m_pending.empty())
            learnDialect(event);
        switch (m_dialect) {
        case Dialect::Unknown: return m_pending.empty() || event.seq + kLap > m_maxSeq;
        case Dialect::Lane:  // impossible here: captures from lanes have event numbers
        case Dialect::Seqlock: return acceptsSeqlock(event);
        case Dialect::Monotonic: return event.seq + kLap > m_maxSeq && event.seq >= m_nextN && !isPending(event.seq);
        }
        return false;
    }

    /// True if this event resembles a late line of the coroutine that had the key before.
    bool isTooEarly(const Transition &event) const
    {
        return event.ts < m_firstTs && lapOf(event.seq) > lapOf(m_maxSeq);
    }

    /// True if the event cannot be of the same run: it is far earlier than all others, or the suspension of a coroutine
    /// that is suspended, long after that and in the same lap, of which no event can be lost yet.
    bool isOfOtherRun(const Transition &event) const
    {
        if (m_lastTs == 0)
            return false;
        const bool isSecondSuspension = !event.active && !m_isActive && isLater(event.ts, m_lastTs, kIdleNs);
        return isLater(m_firstTs, event.ts, kOtherRunNs) ||
               (isSecondSuspension && lapOf(event.seq) == lapOf(m_maxSeq) && m_dialect != Dialect::Monotonic);
    }

    void addEvent(const Transition &event, StreamAssembler &out)
    {
        const bool newLap = lapOf(event.seq) > lapOf(m_maxSeq);
        m_firstTs = std::min(m_firstTs, event.ts);
        if (event.ts >= m_lastTs)
            m_isActive = event.active;
        m_lastTs = std::max(m_lastTs, event.ts);
        if (newLap)
            m_oldestOfMaxLap = event.ts;
        else if (lapOf(event.seq) == lapOf(m_maxSeq))
            m_oldestOfMaxLap = std::min(m_oldestOfMaxLap, event.ts);
        m_maxSeq = std::max(m_maxSeq, event.seq);
        m_contradicted = m_contradicted || (m_dialect == Dialect::Seqlock && (event.seq & 1) != 0);
        m_pending.push_back({event, !newLap && lapOf(event.seq) < lapOf(m_maxSeq)});
        if (m_dialect == Dialect::Unknown && m_pending.size() >= kUndecidedMax)
            decideDialect();
        if (m_dialect == Dialect::Seqlock && newLap && lapOf(m_maxSeq) > 2)
            putSeqlock(lapOf(m_maxSeq) - 2, out);
        else if (m_dialect == Dialect::Monotonic && m_pending.size() >= kUndecidedMax)
            putMonotonic(m_maxSeq - kLap, out);
    }

    /// Emits all waiting events.
    void flush(StreamAssembler &out)
    {
        if (m_pending.empty())
            return;
        if (m_dialect == Dialect::Unknown)
            decideDialect();
        if (m_dialect == Dialect::Monotonic)
            putMonotonic(m_maxSeq, out);
        else
            putSeqlock(lapOf(m_maxSeq), out);
    }

    bool isWaiting() const { return !m_pending.empty(); }
    bool idleSince(std::uint64_t ts) const { return m_lastTs < ts; }

private:
    bool isPending(std::uint64_t seq) const
    {
        return std::any_of(m_pending.begin(), m_pending.end(), [&](const Waiting &w) { return w.event.seq == seq; });
    }

    void learnDialect(const Transition &event)
    {
        if ((event.seq & 1) != 0 || (m_pending.front().event.seq & 1) != 0) {
            m_dialect = Dialect::Monotonic;
        } else if (isPending(event.seq)) {
            // A repeated seq that is the latest, but not the highest, comes from a new coroutine with the same
            // probe_id.
            const bool restarted = m_pending.size() > 1 && event.seq < m_maxSeq && event.ts > m_lastTs;
            m_dialect = restarted ? Dialect::Monotonic : Dialect::Seqlock;
        }
    }

    void decideDialect()
    {
        const bool odd = (m_pending.front().event.seq & 1) != 0;
        m_dialect = odd || m_pending.size() > 1 ? Dialect::Monotonic : Dialect::Seqlock;
    }

    bool acceptsSeqlock(const Transition &event) const
    {
        const std::uint64_t lap = lapOf(event.seq);
        const std::uint64_t maxLap = lapOf(m_maxSeq);
        if (lap + 1 < maxLap || lap < m_openLap || (lap < maxLap && event.ts > m_oldestOfMaxLap))
            return false;
        const auto waiting = std::count_if(m_pending.begin(), m_pending.end(),
                                           [&](const Waiting &w) { return lapOf(w.event.seq) == lap; });
        return static_cast<std::uint64_t>(waiting) + (lap == m_openLap ? m_inOpenLap : 0) < kLap;
    }

    void putBirth(StreamAssembler &out)
    {
        if (m_id == kNoCoroutine) {
            m_id = out.birth(m_identity.probeId, m_identity.birthTs, m_identity.pid, m_dialect);
            m_nextN = m_dialect == Dialect::Monotonic ? 1 : 0;
        }
        if (m_contradicted && !m_flagged) {
            m_flagged = true;
            out.flag(m_id, Flag::Reason::DialectContradiction);
        }
    }

    void putEvent(Transition &event, std::uint64_t n, StreamAssembler &out)
    {
        out.loss(m_id, m_nextN, n - m_nextN, false);
        event.n = n;
        event.coroutine = m_id;
        out.transition(event);
        m_nextN = n + 1;
    }

    void putSeqlock(std::uint64_t throughLap, StreamAssembler &out)
    {
        const auto before = [](const Waiting &a, const Waiting &b) {
            const std::uint64_t lapA = lapOf(a.event.seq);
            const std::uint64_t lapB = lapOf(b.event.seq);
            return lapA != lapB ? lapA < lapB : a.event.ts < b.event.ts;
        };
        std::stable_sort(m_pending.begin(), m_pending.end(), before);
        std::size_t done = 0;
        while (done < m_pending.size() && lapOf(m_pending[done].event.seq) <= throughLap)
            done = putLap(done, out);
        m_pending.erase(m_pending.begin(), m_pending.begin() + static_cast<std::ptrdiff_t>(done));
    }

    /// Emits the events of one lap, from index `done` on. Returns the index behind them.
    std::size_t putLap(std::size_t done, StreamAssembler &out)
    {
        const std::uint64_t lap = lapOf(m_pending[done].event.seq);
        std::size_t end = done;
        std::uint64_t tail = 0;
        for (; end < m_pending.size() && lapOf(m_pending[end].event.seq) == lap; ++end)
            tail += m_pending[end].tail ? 1 : 0;
        putBirth(out);
        std::uint64_t indexInLap = lap == m_openLap ? m_inOpenLap : 0;
        for (; done < end; ++done) {
            if (end - done == tail)
                indexInLap = kLap - tail;
            putEvent(m_pending[done].event, (lap - 1) * kLap + indexInLap++, out);
        }
        m_openLap = lap;
        m_inOpenLap = indexInLap;
        return end;
    }

    void putMonotonic(std::uint64_t throughSeq, StreamAssembler &out)
    {
        std::sort(m_pending.begin(), m_pending.end(),
                  [](const Waiting &a, const Waiting &b) { return a.event.seq < b.event.seq; });
        std::size_t done = 0;
        for (; done < m_pending.size() && m_pending[done].event.seq <= throughSeq; ++done) {
            putBirth(out);
            putEvent(m_pending[done].event, m_pending[done].event.seq, out);
        }
        m_pending.erase(m_pending.begin(), m_pending.begin() + static_cast<std::ptrdiff_t>(done));
    }

    struct Waiting {
        Transition event;
        bool tail;  ///< came after a line of a later lap, so it is among the last of its own lap
    };

    Identity m_identity;
    CoroutineId m_id = kNoCoroutine;
    Dialect m_dialect = Dialect::Unknown;
    bool m_contradicted = false;
    bool m_flagged = false;
    bool m_isActive = false;  ///< as of the latest event
    std::uint64_t m_maxSeq = 0;
    std::uint64_t m_firstTs = ~0ULL;
    std::uint64_t m_lastTs = 0;
    std::uint64_t m_oldestOfMaxLap = 0;
    std::uint64_t m_openLap = 0;    ///< lap of the latest emitted event
    std::uint64_t m_inOpenLap = 0;  ///< slots of this lap that are used
    std::uint64_t m_nextN = 0;
    std::vector<Waiting> m_pending;
};

EventNumbering::EventNumbering(StreamAssembler &out) : m_out(out) {}

EventNumbering::~EventNumbering() = default;

void EventNumbering::addEvent(const Identity &identity, const Transition &transition)
{
    Tracks &tracks = m_tracks[identity.key];
    Track *track = tracks.current.get();
    if (track && !track->accepts(transition)) {
        const bool late = track->isTooEarly(transition) && tracks.previous && tracks.previous->accepts(transition);
        if (!late && tracks.previous)
            tracks.previous->flush(m_out);
        if (late) {
            track = tracks.previous.get();
        } else {
            tracks.previous = std::move(tracks.current);
            track = nullptr;
        }
    }
    if (!track) {
        tracks.current = std::make_unique<Track>(identity);
        track = tracks.current.get();
        (void)track->accepts(transition);
    }
    track->addEvent(transition, m_out);
    if (!tracks.listed) {
        tracks.listed = true;
        m_waiting.push_back(identity.key);
    }
    m_latestTs = std::max(m_latestTs, transition.ts);
    if (++m_sinceFlush >= kLinesBetweenFlushes)
        flushIdle();
}

/// Emits the waiting events of idle coroutines, so they do not wait until the end of a long recording.
void EventNumbering::flushIdle()
{
    m_sinceFlush = 0;
    if (m_latestTs < kIdleNs)
        return;
    const std::uint64_t limit = m_latestTs - kIdleNs;
    std::erase_if(m_waiting, [&](std::uint64_t key) {
        Tracks &tracks = m_tracks[key];
        if (tracks.previous && tracks.previous->idleSince(limit))
            tracks.previous->flush(m_out);
        if (tracks.current->idleSince(limit))
            tracks.current->flush(m_out);
        const bool waiting = tracks.current->isWaiting() || (tracks.previous && tracks.previous->isWaiting());
        tracks.listed = waiting;
        return !waiting;
    });
}

bool EventNumbering::drain(std::size_t wanted)
{
    const std::uint64_t target = m_out.sums().captured + wanted;
    while (m_drained < m_waiting.size() && m_out.sums().captured < target) {
        Tracks &tracks = m_tracks[m_waiting[m_drained++]];
        if (tracks.previous)
            tracks.previous->flush(m_out);
        tracks.current->flush(m_out);
    }
    return m_drained < m_waiting.size();
}

}  // namespace ct
