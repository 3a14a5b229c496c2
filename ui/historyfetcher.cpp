// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/historyfetcher.h"

#include "core/playback/historyrestorer.h"
#include "core/recording/read/recordingoverview.h"
#include "core/recording/read/streamindex.h"
#include "core/session/run.h"
#include "ui/sampler.h"
#include "ui/timeline/timelineview.h"

#include <algorithm>

namespace ct {

namespace {

constexpr int kDensityMs = 200;

}  // namespace

HistoryFetcher::HistoryFetcher(const Sampler &sampler, TimelineView &timeline, QObject *parent)
    : QObject(parent), m_sampler(sampler), m_timeline(timeline)
{
    connect(&sampler, &Sampler::ticked, this, &HistoryFetcher::tick);
}

void HistoryFetcher::setRun(const Run *run)
{
    m_run = run;
    m_range = {};
    m_version = 0;
    m_sinceDensity.invalidate();
    m_basis = {};
    m_shownWhole = false;
}

void HistoryFetcher::tick()
{
    const std::int64_t from = std::max<std::int64_t>(0, m_timeline.visibleFrom());
    const std::pair range{from, std::max(from, m_timeline.visibleFrom() + m_timeline.visibleSpan())};
    const auto begin = static_cast<std::uint64_t>(range.first);
    const auto end = static_cast<std::uint64_t>(range.second);
    // While the view moves or follows a run, do not read: the run has priority.
    const bool moves = std::exchange(m_range, range) != range || isFollowing();
    if (!moves && m_run->restorer())
        m_run->restorer()->request(begin, end);
    const bool isMissing = !isInMemory(begin, end);
    m_timeline.setEvictedText(isMissing ? textOfMissing(moves) : textOfBefore(moves), isMissing);
    if (!m_sinceDensity.isValid() || m_sinceDensity.elapsed() >= kDensityMs) {
        if (m_run->history()->firstTs() != 0)  // else try again at the next tick
            m_sinceDensity.start();
        showDensity();
    }
    const std::uint64_t version = m_run->history()->restoredVersion();
    if (std::exchange(m_version, version) != version)
        m_timeline.refresh();
}

/// Shows the density of the stretches in the history. For a file that is being loaded, adds the unread blocks of its
/// overview.
void HistoryFetcher::showDensity()
{
    const History &history = *m_run->history();
    const bool isRead = m_run->isOpened() && m_run->state() != RunState::Ended;
    const auto overview = isRead ? m_run->overview() : nullptr;
    m_shownWhole = m_shownWhole && isRead;
    const Basis basis{
        &history,          overview.get(),  history.streamed(), history.evictedEvents(), history.restoredVersion(),
        history.firstTs(), history.lastTs()};
    if (std::exchange(m_basis, basis) == basis)
        return;
    if (!overview && history.evictedEvents() == 0) {
        m_timeline.setStretches({}, 0);
        return;
    }
    std::vector<History::Stretch> stretches = history.stretches();
    const std::uint64_t read = history.lastTs();
    for (std::size_t i = 0; overview && i < overview->blocks.size(); ++i) {
        const ctr::BlockLocation &location = overview->blocks[i].location;
        if (location.transitions != 0 && location.firstTs > read)
            stretches.push_back({location.firstTs, location.lastTs, location.transitions, false});
    }
    m_timeline.setStretches(std::move(stretches), overview ? overview->lastTs : 0);
    if (overview && history.firstTs() != 0 && !std::exchange(m_shownWhole, true))
        m_timeline.zoomToFit();
}

bool HistoryFetcher::isFollowing() const
{
    return m_timeline.followLive() && !m_sampler.isPaused() && m_run->state() != RunState::Ended;
}

bool HistoryFetcher::isInMemory(std::uint64_t from, std::uint64_t to) const
{
    const History &history = *m_run->history();
    const std::uint64_t evicted = std::min(to, history.evictedBefore());
    return from >= evicted || history.isInMemory(from, evicted);
}

/// True if evicted events can be restored from a recording.
bool HistoryFetcher::canRestore() const
{
    const std::shared_ptr<const StreamIndex> recorded = m_run->streamIndex();
    return recorded && m_run->restorer() && (!recorded->isClosed() || recorded->blocks() > 0);
}

/// The text for a view that is partly not in memory.
QString HistoryFetcher::textOfMissing(bool moves) const
{
    if (!canRestore())
        return m_run->readsRecording()
                   ? tr("No longer in memory, and parts of a JSONL file cannot be read again: use a .ctr recording")
                   : tr("No longer in memory, and not recorded");
    if (isFollowing())
        return tr("Older events are in the recording: stop following to see them");
    if (moves || m_run->restorer()->isBusy())
        return tr("Reading older events …");
    if (m_run->restorer()->lostPieces() > 0)
        return tr("No longer in the recording either");
    return tr("Too many events for memory: zoom in to see the rest");
}

/// The text for a view that is in memory, if a row shows a state that began before it. Else empty.
QString HistoryFetcher::textOfBefore(bool moves) const
{
    if (m_run->history()->evictedEvents() == 0 || !m_timeline.showsEvicted())
        return {};
    if (!canRestore())
        return tr("Events before this part are no longer in memory");
    if (!moves && m_run->restorer()->isBusy())
        return tr("Reading older events …");
    if (!moves && m_run->restorer()->lostPieces() > 0)
        return tr("Events before this part are no longer in the recording either");
    return tr("Events before this part are not in memory: zoom out");
}

}  // namespace ct
