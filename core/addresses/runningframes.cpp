// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/addresses/runningframes.h"

namespace ct {

namespace {

/// True if nothing has happened to the coroutine between the two snapshots.
bool isSameRun(const CoroutineSnapshot &before, const CoroutineSnapshot &after)
{
    return after.kept && after.state == before.state && after.since == before.since && after.events == before.events &&
           after.lost == before.lost && after.addr == before.addr;
}

}  // namespace

bool RunningFrames::mayHaveFinished(const CoroutineSnapshot &coroutine)
{
    return coroutine.state == CoroutineState::Running ||
           (coroutine.state == CoroutineState::Unknown && !coroutine.flagged);
}

bool RunningFrames::request(const CoroutineSnapshot &coroutine, std::uint64_t now)
{
    if (!mayHaveFinished(coroutine) || now < coroutine.since + kEveryNs)
        return false;
    if (m_requests.size() >= kMost && !m_requests.contains(coroutine.id))
        m_requests.clear();
    Request &request = m_requests[coroutine.id];
    if (request.since == coroutine.since && (!request.isFrame || now < request.at + kEveryNs))
        return false;
    request = {coroutine.since, now, true};
    return true;
}

void RunningFrames::compare(const CoroutineSnapshot &before, const CoroutineSnapshot &after,
                            CoroutineFrame::State state, std::uint64_t at)
{
    const auto found = m_requests.find(before.id);
    if (found == m_requests.end() || !mayHaveFinished(before))
        return;
    if (!isSameRun(before, after)) {
        m_requests.erase(found);
        return;
    }
    found->second.isFrame = state != CoroutineFrame::State::Unknown;
    if (state != CoroutineFrame::State::Finished)
        return;
    m_finishes.push_back({before.id, at, kUnknownSite});
    m_requests.erase(found);
}

}  // namespace ct
