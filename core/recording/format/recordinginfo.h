// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// The description of a recorded run: program, machine, clocks, target and its processes. A plain value, and its JSON:
// docs/recording.md, "Kind 1".
#pragma once

#include "core/stream/module.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ct {

/// Unknown members are empty, 0 or nullopt.
struct RecordingInfo {
    struct Machine {
        std::string name;
        std::string system;  ///< "Linux 6.1.0 x86_64"
        std::string processor;
        std::uint64_t cores = 0;
        std::uint64_t memory = 0;  ///< bytes
        std::uint64_t page = 0;    ///< bytes
        bool operator==(const Machine &) const = default;
    };
    /// Three clocks, read together, in ns.
    struct Clocks {
        std::uint64_t monotonic = 0;
        std::uint64_t realtime = 0;
        std::uint64_t boottime = 0;
        bool operator==(const Clocks &) const = default;
    };
    using Module = ct::Module;
    struct Process {
        std::uint32_t pid = 0;
        std::string executable;
        std::vector<Module> modules;
        bool operator==(const Process &) const = default;
    };
    struct Exit {
        std::optional<std::uint32_t> status;
        std::optional<std::uint32_t> signal;
        bool operator==(const Exit &) const = default;
    };

    /// Number of coroutines that were stuck when the end of the run was decided, before the target was ended.
    struct Judged {
        std::uint64_t ts = 0;     ///< ns, CLOCK_MONOTONIC
        std::uint32_t stuck = 0;  ///< coroutines
        bool operator==(const Judged &) const = default;
    };

    /// What the capture cost its target, up to its end: see RunEffect.
    struct Effect {
        std::uint64_t eventPs = 0;      ///< time of one event, in ps
        std::uint64_t targetCpuNs = 0;  ///< ns
        std::uint64_t limitedNs = 0;    ///< ns
        bool operator==(const Effect &) const = default;
    };

    /// The file was made from a part of a recording: see ExportContext::isPart.
    struct Part {
        std::uint64_t dropped = 0;  ///< numbers of events that are missing in the part, without a loss
        bool operator==(const Part &) const = default;
    };

    std::string session;
    std::string program;
    std::string version;
    std::vector<std::string> command;
    std::optional<Machine> machine;
    std::map<std::string, std::string> environment;
    std::vector<Clocks> clocks;
    std::vector<Process> processes;
    std::optional<std::uint32_t> target;  ///< pid of the process whose coroutines have pid 0
    std::optional<Exit> exit;
    std::optional<Judged> judged;
    /// ns, CLOCK_MONOTONIC: when the end of the run was decided, and what a diagnosis judges; 0 = it ended by itself.
    std::uint64_t decided = 0;
    std::optional<Effect> effect;
    std::optional<Part> part;  ///< nullopt: the file was not made from a part

    bool operator==(const RecordingInfo &) const = default;
    /// Merges a later Info into this one. Known members of `later` replace members of equal name. Processes and modules
    /// are added, and clocks only when they are later than all earlier ones.
    void mergeLater(const RecordingInfo &later);
};

/// Leaves out unknown members. Texts become valid UTF-8.
std::string toJson(const RecordingInfo &info);
/// Parses untrusted text and skips unknown members. Returns nullopt when the text is not a valid Info object.
std::optional<RecordingInfo> recordingInfoOf(std::string_view json);

}  // namespace ct
