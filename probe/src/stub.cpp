// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// The static library probe-stub: empty out-of-line functions, for programs that are compiled with COROTRACER_EXTERN and
// linked to run untraced.
#include "coroTracer.h"

#include <time.h>
#include <unistd.h>

#include <sys/syscall.h>

namespace corotracer {
inline namespace v2 {

void PromiseMixin::be_born(std::uint32_t) noexcept {}
void PromiseMixin::die() noexcept {}
void PromiseMixin::publish(std::uint32_t, std::uint64_t, std::uint64_t) noexcept {}
void PromiseMixin::record_full(std::uint32_t, std::uint64_t, std::uint64_t, bool) noexcept {}
detail::await_suspend_scope PromiseMixin::record_suspend(std::uint32_t, const void *, const location &, std::uint8_t,
                                                         std::uint32_t &) noexcept
{
    return {};
}
void PromiseMixin::leave_suspend(const detail::await_suspend_scope &) noexcept {}
bool PromiseMixin::publish_record(std::uint64_t, std::uint32_t, std::uint8_t) noexcept
{
    return false;
}
void PromiseMixin::write_wait(wait, std::uint64_t, std::uint32_t) noexcept {}
void PromiseMixin::write_waits(std::initializer_list<waited>, bool) noexcept {}
void PromiseMixin::finished(location) noexcept {}
void PromiseMixin::set_name(std::string_view) noexcept {}
void PromiseMixin::set_parent(const PromiseMixin &) noexcept {}
void detail::count_early_birth() noexcept {}

void InitTracer() noexcept {}
void enable(bool) noexcept {}
bool start_flight_recorder(const flight_recorder_options &) noexcept
{
    return false;
}
const char *flight_recorder_path() noexcept
{
    return "";
}
void name_thread(std::string_view) noexcept {}
void note_wake(const PromiseMixin &, const PromiseMixin *) noexcept {}
void note_wakers_left(const PromiseMixin &, std::uint64_t) noexcept {}
void note_acquired(const void *, location) noexcept {}
void note_released(const void *, location) noexcept {}
void note_signalled(const void *, location) noexcept {}
std::uint64_t get_ns() noexcept
{
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}
std::uint64_t get_tid() noexcept
{
    return static_cast<std::uint64_t>(::syscall(SYS_gettid));
}

}  // namespace v2
}  // namespace corotracer
