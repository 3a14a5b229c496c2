// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporting/viewers/tracks.h"

namespace ct::viewers {

namespace {

using Kind = TrackDescription::Kind;

std::uint64_t keyOf(std::uint32_t pid, std::uint32_t tid)
{
    return std::uint64_t{pid} << 32 | tid;
}

std::string coroutineName(CoroutineId id, const std::string &name)
{
    // Viewers join tracks with equal names.
    std::string text = name;
    text += text.empty() ? "#" : " #";
    return text += std::to_string(id);
}

}  // namespace

Tracks::Tracks(TrackEncoder &encoder, UnitOutput &output, const TrackLimits &limits)
    : m_encoder(encoder), m_output(output), m_limits(limits)
{
}

const Track &Tracks::about()
{
    if (!m_about) {
        m_about = {newId(), Track::kMadeUp, Track::kMadeUp};
        introduce({m_about, 0, Kind::Group, "corotracer-gui"});
        introduce({m_about, 0, Kind::Plain, "corotracer-gui"});
    }
    return m_about;
}

/// A pid of 0 is unknown, because a version-1 probe does not write it. Viewers take 0 for the kernel, so it becomes a
/// group instead of a process.
void Tracks::introduceProcess(std::uint32_t pid, const Track &track)
{
    const auto name = m_processNames.find(pid);
    if (pid != 0)
        introduce({track, 0, Kind::Process, name != m_processNames.end() ? name->second : std::string()});
    else
        introduce({track, 0, Kind::Group, "unknown process"});
}

const Track &Tracks::process(std::uint32_t pid)
{
    Track &track = m_processes[pid];
    if (!track) {
        track = {newId(), pid, 0};
        track.tid = Track::kMadeUp + track.id;
        introduceProcess(pid, track);
    }
    return track;
}

void Tracks::introduceThread(std::uint32_t pid, std::uint32_t tid, const Track &track)
{
    const auto name = m_threadNames.find(keyOf(pid, tid));
    const bool isNamed = name != m_threadNames.end();
    if (pid != 0)
        introduce({track, 0, Kind::Thread, isNamed ? name->second : std::string()});
    else
        introduce({track, process(0).id, Kind::Plain, isNamed ? name->second : "thread " + std::to_string(tid)});
}

const Track &Tracks::thread(std::uint32_t pid, std::uint32_t tid)
{
    Track &track = m_threads[keyOf(pid, tid)];
    if (!track) {
        (void)process(pid);
        track = {newId(), pid, tid};
        introduceThread(pid, tid, track);
    }
    return track;
}

Track Tracks::below(const Track &parent, const std::string &name)
{
    const std::uint32_t id = newId();
    const Track track{id, parent.pid, Track::kMadeUp + id};
    introduce({track, parent.id, Kind::Plain, name});
    return track;
}

Tracks::Group &Tracks::group(std::uint32_t pid, const std::string &function)
{
    Group &group = m_groups[{pid, function}];
    if (!group.track) {
        const Track &parent = process(pid);
        const std::uint32_t id = newId();
        group.track = {id, Track::kMadeUp + id, 0};
        introduce({group.track, parent.id, Kind::Group, function});
    }
    return group;
}

Track Tracks::coroutine(CoroutineId id, std::uint32_t pid, const std::string &function, const std::string &name,
                        Limit limit)
{
    if (limit == Limit::Applies && m_coroutines >= m_limits.all)
        return {};
    Group &above = group(pid, function);
    if (limit == Limit::Applies && above.coroutines >= m_limits.ofFunction)
        return {};
    if (limit == Limit::Applies) {
        ++m_coroutines;
        ++above.coroutines;
    }
    const std::uint32_t track = newId();
    const Track made{track, above.track.pid, Track::kMadeUp + track};
    m_groupOf[track] = above.track.id;
    renameCoroutine(id, made, name);
    return made;
}

void Tracks::renameCoroutine(CoroutineId id, const Track &track, const std::string &name)
{
    introduce({track, m_groupOf[track.id], Kind::Plain, coroutineName(id, name)});
}

void Tracks::nameProcess(std::uint32_t pid, const std::string &name)
{
    if (name.empty())
        return;
    m_processNames[pid] = name;
    if (const auto known = m_processes.find(pid); known != m_processes.end())
        introduceProcess(pid, known->second);
}

void Tracks::nameThread(std::uint32_t pid, std::uint32_t tid, const std::string &name)
{
    std::string &known = m_threadNames[keyOf(pid, tid)];
    if (name.empty() || known == name)
        return;
    known = name;
    if (const auto track = m_threads.find(keyOf(pid, tid)); track != m_threads.end())
        introduceThread(pid, tid, track->second);
}

}  // namespace ct::viewers
