// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// What happens when a shared object with its own copy of the probe's state is unloaded (dlclose(3)) and the process
// continues: the probe closes its descriptor, its mapping of the region and its lanes. It keeps its entry in the
// process table, so that the next copy that the process loads can take the entry over. When the whole program exits,
// the probe keeps everything, because other threads may still write events.
#pragma once

#include "lanedirectory.h"
#include "region.h"
#include "wake.h"

#include <cxxabi.h>

#include <pthread.h>
#include <unistd.h>

#pragma push_macro("slots")
#pragma push_macro("signals")
#pragma push_macro("emit")
#undef slots
#undef signals
#undef emit

namespace corotracer {
inline namespace v2 {
namespace detail {

/// True from the moment the object with this copy of the code is unloaded.
[[gnu::visibility("hidden")]] inline constinit bool is_unloading = false;

/// Runs before end_state if the object is unloaded: dlclose(3) calls such functions before those of __cxa_atexit. When
/// the program exits, it is the other way round.
[[gnu::destructor, gnu::used, gnu::visibility("hidden")]] inline void note_unloading() noexcept
{
    is_unloading = true;
}

/// Closes the lanes of all threads that used this state. No thread can write to them any more.
inline void close_lanes(const lane_areas &areas, std::uint32_t process) noexcept
{
    const std::uint32_t count = lanes_made(areas);
    for (std::uint32_t i = 0; i < count; ++i) {
        LaneHeader &lane = areas.directory[i];
        // Acquire; partner: the last store of acquire_lane.
        if (lane.state.load(std::memory_order_acquire) != kLaneActive ||
            lane.process.load(std::memory_order_relaxed) != process)
            continue;
        lane.closed_ts.store(monotonic_ns(), std::memory_order_relaxed);
        lane.state.store(kLaneClosed, std::memory_order_release);  // partner: the engine's acquire load
    }
}

/// Ends the session, for good: the object with the state is being unloaded.
inline void end_session() noexcept
{
    process_state &state = state_v2;
    if (state.sessions.load(std::memory_order_relaxed) == 0)
        return;
    // In a forked child without a session of its own, lanes and entry belong to the parent.
    if (page_v2.attached.load(std::memory_order_acquire) != 0 && state.process != nullptr) {
        close_lanes(state.lanes, state.process_index);
        // Release; partner: the acquire in adopt_entry.
        state.process->abandoned.store(state.process->init_ns.load(std::memory_order_relaxed),
                                       std::memory_order_release);
    }
    const int fd = state.socket.fd.load(std::memory_order_relaxed);
    if (is_own_socket(fd, state.socket.inode.load(std::memory_order_relaxed)))
        ::close(fd);
    unmap(state.mapped);
}

/// Removes the thread key, because leave_lane cannot be called later. Runs when the program exits, or when the object
/// with the state is unloaded.
inline void end_state(void *) noexcept
{
    const int saved_errno = errno;
    leave_lane(nullptr);
    const std::uint32_t key = state_v2.thread_key.exchange(0, std::memory_order_relaxed);
    if (key != 0)
        (void)::pthread_key_delete(static_cast<pthread_key_t>(key - 1));
    if (is_unloading)
        end_session();
    errno = saved_errno;
}

/// Registers end_state. Uses the C++ ABI, because atexit(3) may be of another object (thread sanitizer has one).
[[nodiscard]] inline bool call_at_unload() noexcept
{
    return ::__cxxabiv1::__cxa_atexit(&end_state, nullptr, &this_object) == 0;
}

/// Functions of the object that has the state. A plugin that shares the state may be unloaded while the state is in
/// use.
struct COROTRACER_ONE_PER_PROCESS state_code {
    void (*leave)(void *) noexcept;
    bool (*call_at_unload)() noexcept;
};
COROTRACER_ONE_PER_PROCESS inline constinit state_code code_v2{&leave_lane, &call_at_unload};

/// Makes the key whose destructor is leave_lane. Holder of init_lock only. Without a key, threads keep their lanes
/// until the process ends.
inline void make_thread_key() noexcept
{
    std::atomic<std::uint32_t> &thread_key = state_v2.thread_key;
    pthread_key_t key = 0;
    if (thread_key.load(std::memory_order_relaxed) != 0 || ::pthread_key_create(&key, code_v2.leave) != 0)
        return;  // a forked child has the key of its parent
    if (code_v2.call_at_unload())
        thread_key.store(static_cast<std::uint32_t>(key) + 1, std::memory_order_relaxed);
    else
        (void)::pthread_key_delete(key);
}

}  // namespace detail
}  // namespace v2
}  // namespace corotracer

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
