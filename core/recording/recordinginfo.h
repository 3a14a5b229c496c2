// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// What a recording says once: who was recorded, where, by whom, and how its clocks relate to others. A plain value, and
// its JSON: docs/recording.md, "Kind 1".
#pragma once

#include "core/symbols/module.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ct {

/// Empty, 0 or nullopt where it is not known.
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
    /// Taken together; ns.
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

    /// Who was stuck when the end of the run was decided, before its target was ended.
    struct Judged {
        std::uint64_t ts = 0;     ///< ns, CLOCK_MONOTONIC
        std::uint32_t stuck = 0;  ///< coroutines
        bool operator==(const Judged &) const = default;
    };

    std::string session;
    std::string program;
    std::string version;
    std::vector<std::string> command;
    std::optional<Machine> machine;
    std::map<std::string, std::string> environment;
    std::vector<Clocks> clocks;
    std::vector<Process> processes;
    std::optional<std::uint32_t> target;  ///< pid of the process of births that have none
    std::optional<Exit> exit;
    std::optional<Judged> judged;

    bool operator==(const RecordingInfo &) const = default;
    /// What was said later: adds to this, and replaces members of the same name. Of clocks, those that are later.
    void add(const RecordingInfo &later);
};

/// Without what is not known. Texts become valid UTF-8.
std::string toJson(const RecordingInfo &info);
/// Untrusted text; members that are not known are skipped. nullopt: it is no such object.
std::optional<RecordingInfo> recordingInfoOf(std::string_view json);

}  // namespace ct
