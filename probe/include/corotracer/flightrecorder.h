// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// The flight recorder: a process makes its own region in overwrite mode, and writes to it until it ends. The file
// stays. An engine can open it while the process lives, or after its end, a crash included.
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
inline namespace v2 {
namespace detail {

/// Region file of this process. Written before the session is published.
struct COROTRACER_ONE_PER_PROCESS flight_state {
    path_buffer path;
    std::uint32_t pid;  ///< process that made the file; a forked child has none
};
COROTRACER_ONE_PER_PROCESS inline constinit flight_state flight_v2{};

/// Makes the region and begins a session with it. On an error, prints it to stderr and deletes the file. Holder of
/// init_lock only.
inline void start_flight(const flight_recorder_options &options) noexcept
{
    path_buffer path;
    const int fd = make_flight_file(options, path);
    if (fd < 0) {
        complain("cannot create the file of the flight recorder", std::strerror(errno));
        return;
    }
    const char *wrong = nullptr;
    if (!write_flight_region(fd, options)) {
        wrong = std::strerror(errno);
    } else {
        flight_v2.path = path;
        flight_v2.pid = static_cast<std::uint32_t>(::getpid());
        wrong = init_from_region(fd, nullptr, 0);
        if (wrong == nullptr && state_v2.process == nullptr)
            wrong =
                "no process entry is free (end other processes of this program)";  // without a process entry there are
                                                                                   // no lanes, and nothing is written
    }
    ::close(fd);
    if (wrong != nullptr) {
        ::unlink(path.text);
        flight_v2.pid = 0;
        complain("cannot start the flight recorder", wrong);
    }
}

/// Starts the flight recorder if CTP_FLIGHT_RECORDER is set. 1 means a file in the standard directory, 0 means off, any
/// other text is the path. CTP_FLIGHT_LANE_MIB and CTP_FLIGHT_POOL_MIB are sizes in MiB, CTP_FLIGHT_RETENTION_MS a time
/// in ms. Holder of init_lock only.
inline void start_flight_from_environment() noexcept
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
    start_flight(options);
}

}  // namespace detail

/// Starts the flight recorder: from now on the process writes its events into its own region file, which keeps the
/// latest ones. corotracer-gui attaches to the file while the process lives, and opens it after its end, a crash
/// included.
///
/// Call it instead of InitTracer, or after it, from any thread. If an engine started the process (CTP_SHM_PATH is set),
/// the engine records instead. If the process already has a session, the call does nothing. A forked child is untraced
/// until it calls this function itself; it then has its own file. Takes about 0.3 ms, and never throws. On an error it
/// prints one line to stderr.
///
/// Returns whether the process has a session, its own or an engine's.
inline bool start_flight_recorder(const flight_recorder_options &options = {}) noexcept
{
    detail::init_once([&options]() noexcept {
        if (detail::environment("CTP_SHM_PATH") != nullptr)
            detail::init_from_environment();
        else
            detail::start_flight(options);
    });
    return detail::page_v2.attached.load(std::memory_order_acquire) != 0;
}

/// Returns the path of the region file that this process writes; empty when there is none. The text stays valid.
inline const char *flight_recorder_path() noexcept
{
    const bool writes_file = detail::page_v2.attached.load(std::memory_order_acquire) != 0 &&
                             detail::flight_v2.pid == static_cast<std::uint32_t>(::getpid());
    return writes_file ? detail::flight_v2.path.text : "";
}

}  // namespace v2
}  // namespace corotracer

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
