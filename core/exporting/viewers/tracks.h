// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The tracks of an export: for processes and threads, and for coroutines below their function, up to a limit.
#pragma once

#include "core/exporting/viewers/trackencoder.h"
#include "core/exporting/viewers/unitoutput.h"
#include "core/stream/stream.h"

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

namespace ct::viewers {

/// Viewers become slow with many tracks. A limit per function keeps the coroutines of one function from taking all.
struct TrackLimits {
    std::uint32_t all = 5000;
    std::uint32_t ofFunction = 1000;
    std::uint32_t waitingAtEnd = 1000;  ///< extra tracks, for coroutines that still wait when the trace ends
};

class Tracks {
public:
    Tracks(TrackEncoder &encoder, UnitOutput &output, const TrackLimits &limits);

    /// The track of the export itself.
    const Track &about();
    const Track &process(std::uint32_t pid);
    const Track &thread(std::uint32_t pid, std::uint32_t tid);
    Track below(const Track &parent, const std::string &name);

    enum class Limit : std::uint8_t { Applies, Ignored };
    /// Returns no track if a limit is reached. `function`: the name of the track above.
    Track coroutine(CoroutineId id, std::uint32_t pid, const std::string &function, const std::string &name,
                    Limit limit = Limit::Applies);
    void renameCoroutine(CoroutineId id, const Track &track, const std::string &name);

    void nameProcess(std::uint32_t pid, const std::string &name);
    void nameThread(std::uint32_t pid, std::uint32_t tid, const std::string &name);

private:
    struct Group {
        Track track;
        std::uint32_t coroutines = 0;
    };
    std::uint32_t newId() { return ++m_ids; }
    void introduce(const TrackDescription &description) { m_output.put(m_encoder.track(description)); }
    void introduceProcess(std::uint32_t pid, const Track &track);
    void introduceThread(std::uint32_t pid, std::uint32_t tid, const Track &track);
    Group &group(std::uint32_t pid, const std::string &function);

    TrackEncoder &m_encoder;
    UnitOutput &m_output;
    const TrackLimits m_limits;
    std::uint32_t m_ids = 0;
    std::uint32_t m_coroutines = 0;
    Track m_about;
    std::map<std::uint32_t, Track> m_processes;
    std::unordered_map<std::uint64_t, Track> m_threads;  ///< by pid << 32 | tid
    std::map<std::pair<std::uint32_t, std::string>, Group> m_groups;
    std::unordered_map<std::uint32_t, std::string> m_processNames;
    std::unordered_map<std::uint64_t, std::string> m_threadNames;
    std::unordered_map<std::uint32_t, std::uint32_t> m_groupOf;  ///< id of a coroutine's track -> of its group's
};

}  // namespace ct::viewers
