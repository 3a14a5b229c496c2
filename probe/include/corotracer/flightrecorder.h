// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// The flight recorder: a process makes a region of its own, whose lanes overwrite what is old, and goes on writing it
// until it ends. The file stays: whoever is interested opens it, while the process lives or after it has crashed.
#pragma once

#include "flightfile.h"
#include "start.h"

#pragma push_macro("slots")
#pragma push_macro("signals")
#pragma push_macro("emit")
#undef slots
#undef signals
#undef emit

namespace corotracer {
namespace detail {

/// Where this process records. Written before the session is published.
struct COROTRACER_ONE_PER_PROCESS recording_state {
    path_buffer path;
    std::uint32_t pid;  ///< whose recording it is: a forked child has none
};
COROTRACER_ONE_PER_PROCESS inline constinit recording_state recording_v1{};

/// Makes the region and begins a session with it. The holder of init_lock only.
inline void start_recording(const flight_recorder_options &options) noexcept
{
    path_buffer path;
    const int fd = make_recording_file(options, path);
    if (fd < 0) {
        complain("no file for the flight recorder", std::strerror(errno));
        return;
    }
    const char *wrong = nullptr;
    if (!write_recording(fd, options)) {
        wrong = std::strerror(errno);
    } else {
        recording_v1.path = path;
        recording_v1.pid = static_cast<std::uint32_t>(::getpid());
        wrong = init_from_region(fd, nullptr, 0);
        if (wrong == nullptr && state_v1.process == nullptr)
            wrong = "no room";  // and so no lanes: the session is there, but nobody writes
    }
    ::close(fd);
    if (wrong != nullptr) {
        ::unlink(path.text);
        recording_v1.pid = 0;
        complain("no flight recorder", wrong);
    }
}

/// CTP_FLIGHT_RECORDER: 1 for a file in the standard place, or a path; CTP_FLIGHT_LANE_MIB, CTP_FLIGHT_POOL_MIB and
/// CTP_FLIGHT_RETENTION_MS: how much to keep, and for how long.
inline void start_recording_from_environment() noexcept
{
    const char *const wish = environment("CTP_FLIGHT_RECORDER");
    if (wish == nullptr || wish[0] == '\0' || std::strcmp(wish, "0") == 0)
        return;
    flight_recorder_options options;
    options.path = std::strcmp(wish, "1") == 0 ? "" : wish;
    if (const char *const mib = environment("CTP_FLIGHT_LANE_MIB"); mib != nullptr && parse_stations(mib) != 0)
        options.lane_bytes = std::uint64_t{parse_stations(mib)} << 20;
    if (const char *const mib = environment("CTP_FLIGHT_POOL_MIB"); mib != nullptr && parse_stations(mib) != 0)
        options.pool_bytes = std::uint64_t{parse_stations(mib)} << 20;
    if (const char *const ms = environment("CTP_FLIGHT_RETENTION_MS"); ms != nullptr)
        options.retention_ms = parse_stations(ms);
    start_recording(options);
}

}  // namespace detail

/// Records what the coroutines do from now on, without an engine: into a region file of the process's own, of which the
/// latest events are kept. corotracer-gui attaches to it while the process lives, and opens it after its end, a crash
/// included. Call it instead of InitTracer, or after it. Where an engine started the process it is the engine that
/// records; a second call does nothing. Takes about 0.3 ms; never throws. What is wrong, if anything, is one line on
/// stderr. A forked child that is to be recorded calls it again, and gets a file of its own.
/// Returns whether the process is traced now, be it by itself or by an engine.
inline bool start_flight_recorder(const flight_recorder_options &options = {}) noexcept
{
    detail::init_once([&options]() noexcept {
        if (detail::environment("CTP_SHM_PATH") != nullptr)
            detail::init_from_environment();
        else
            detail::start_recording(options);
    });
    return detail::page_v1.attached.load(std::memory_order_acquire) != 0;
}

/// The file that this process records into; empty when it does not.
inline const char *flight_recorder_path() noexcept
{
    const bool recording = detail::page_v1.attached.load(std::memory_order_acquire) != 0 &&
                           detail::recording_v1.pid == static_cast<std::uint32_t>(::getpid());
    return recording ? detail::recording_v1.path.text : "";
}

}  // namespace corotracer

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
