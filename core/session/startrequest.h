// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A request to start a run, as the command line or a dialog has decided. A plain value.
#pragma once

#include "core/collect/backlogspec.h"
#include "core/session/capturespec.h"
#include "core/target/targetprocess.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace ct {

/// Create region and socket, and wait for a target that is started elsewhere.
struct ListenRequest {};
/// Attach to an existing region, live or post-mortem.
struct AttachRequest {
    std::string regionPath;
};
/// Open a recording (.ctr or JSONL). A region is an AttachRequest.
struct OpenRequest {
    std::string path;
};
/// Show the recording that arrives on standard input.
struct InputRequest {};

/// Show a recording at the pace of its capture, as if live.
struct ReplayRequest {
    std::string path;
    std::uint64_t through = 0;  ///< ns, stream time: passes everything up to here without waiting
    double speed = 1;           ///< see ReplayPace
    bool playing = true;        ///< state after `through`
};

/// How a run began. The values are the alternatives of StartRequest::what, in their order.
enum class RunKind { None, Launched, Listening, Attached, File, Input, Replay };

struct StartRequest {
    std::variant<std::monostate, LaunchSpec, ListenRequest, AttachRequest, OpenRequest, InputRequest, ReplayRequest>
        what;
    CaptureSpec capture;  ///< for LaunchSpec and ListenRequest
    // For live runs.
    BacklogSpec backlog{};
    /// Limit of the observer effect, 0 to 1 of the target's processor time; nullopt = none.
    std::optional<double> maxOverhead{};
    /// Longest time between two batches. A batch without events tells the time, so that views show how long a
    /// state has lasted. Each one wakes two threads, which matters when nothing else happens.
    std::chrono::milliseconds heartbeat{100};

    /// Attaches to a region, which ends in .shm or has the content of one, or else opens a recording.
    static StartRequest forFile(const std::string &path);

    RunKind kind() const { return static_cast<RunKind>(what.index()); }
    /// The program to launch; nullptr in other requests.
    const LaunchSpec *launchSpec() const { return std::get_if<LaunchSpec>(&what); }
    LaunchSpec *launchSpec() { return std::get_if<LaunchSpec>(&what); }
    /// The settings of a replay; nullptr in other requests.
    const ReplayRequest *replay() const { return std::get_if<ReplayRequest>(&what); }
    /// The region or the recording to read; empty in other requests.
    std::string inputPath() const;
};

/// Returns true if such a run reads a recording, false if it captures a region.
inline bool readsRecording(RunKind kind)
{
    return kind >= RunKind::File;
}

}  // namespace ct
