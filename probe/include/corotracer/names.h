// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Names of coroutines and threads. The probe writes the bytes of a name into the region once, as long as its cache has
// the name.
#pragma once

#include "lane.h"
#include "pause.h"
#include "site.h"

#include <string_view>

#include <fcntl.h>
#include <sys/prctl.h>
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

inline constexpr std::uint64_t name_chunk = 16384;  ///< bytes of the string bytes that a process allocates at once

/// Cuts a name to string_limit bytes, without a part of a UTF-8 character at the end.
[[nodiscard]] inline constexpr std::string_view cut_name(std::string_view name) noexcept
{
    if (name.size() <= string_limit)
        return name;
    std::size_t length = string_limit;
    while (length > string_limit - 4 && (static_cast<unsigned char>(name[length]) & 0xC0) == 0x80)
        --length;
    return {name.data(), length};  // substr() would need the C++ runtime
}

/// Allocates `length` string bytes for a name. Returns their offset, or no_offset. Under the lock only.
[[nodiscard]] inline std::uint64_t room_for_name(site_table &table, const site_area &area,
                                                 std::uint64_t length) noexcept
{
    if (table.names_left < length) {
        std::atomic<std::uint64_t> &used = area.extension->strings_used;
        const std::uint64_t untrusted = used.load(std::memory_order_relaxed);
        const bool plenty = untrusted < area.strings_capacity && area.strings_capacity - untrusted >= 8 * name_chunk;
        const std::uint64_t wanted = plenty ? name_chunk : length;
        const std::uint64_t offset = used.fetch_add(wanted, std::memory_order_relaxed);
        if (offset > area.strings_capacity || wanted > area.strings_capacity - offset ||
            !back_with_memory(area.strings + offset, wanted))
            return no_offset;
        table.names_at = offset;
        table.names_left = wanted;
    }
    const std::uint64_t offset = table.names_at;
    table.names_at += length;
    table.names_left -= length;
    return offset;
}

/// Returns the reference of a name, and writes a new name into the region; 0 when there is no room. Under the lock
/// only.
[[nodiscard]] inline std::uint64_t name_by_content(site_table &table, const site_area &area,
                                                   std::string_view name) noexcept
{
    const std::uint64_t hash = hash_bytes(name.data(), name.size(), 2);
    site_table::named &named = table.names[hash % name_entries];
    if (named.string != 0 && named.hash == hash && (named.string & 0xFFFF) == name.size() &&
        std::memcmp(area.strings + (named.string >> 16), name.data(), name.size()) == 0)
        return named.string;
    const std::uint64_t offset = room_for_name(table, area, name.size());
    if (offset == no_offset)
        return 0;
    std::memcpy(area.strings + offset, name.data(), name.size());
    named = {hash, offset << 16 | name.size()};
    return named.string;
}

/// Returns the reference of a name, for records and headers. Returns 0 for an empty name, and when there is no room or
/// the lock is busy for too long; these last two are counted. Preserves errno.
[[nodiscard, gnu::noinline, gnu::cold]] inline std::uint64_t intern_name(std::string_view name) noexcept
{
    const site_area &area = state_v2.sites;
    site_table &table = sites_v2;
    if (name.empty() || area.extension == nullptr)
        return 0;
    name = cut_name(name);
    const int saved_errno = errno;
    std::uint64_t string = 0;
    if (lock_table(table, 100'000'000)) {  // a longer wait: a name is written only once
        string = name_by_content(table, area, name);
        unlock_table(table);
    }
    if (string == 0)
        area.extension->names_dropped.fetch_add(1, std::memory_order_relaxed);
    errno = saved_errno;
    return string;
}

/// Returns the reference of the name that the calling thread has in the operating system. Returns 0 for the main
/// thread, and for a thread that has the name of its process.
inline std::uint64_t system_thread_name(const thread_state &self) noexcept
{
    char own[16] = "";
    char leader[17] = "";
    if (self.tid == state_v2.pid || ::prctl(PR_GET_NAME, own) != 0)
        return 0;
    const int saved_errno = errno;
    const int fd = open_file("/proc/self/comm", O_RDONLY);
    const ssize_t length = ::read(fd, leader, sizeof leader - 1);
    if (fd >= 0)
        ::close(fd);
    errno = saved_errno;
    const std::string_view name(own, ::strnlen(own, sizeof own));
    return length > 0 && name != std::string_view(leader, static_cast<std::size_t>(length) - 1) ? intern_name(name) : 0;
}

/// Sets the name of the calling thread, for its present lane and its later ones. `session` must have lanes.
inline void set_thread_name(std::uint32_t session, std::string_view name) noexcept
{
    const std::uint64_t string = intern_name(name);
    if (string == 0)
        return;
    thread_state &self = thread_v2;
    if (self.session != session)
        join_session(self, session);
    self.thread_name = string;
    if (self.lane != nullptr)
        self.lane->thread_name.store(string, std::memory_order_release);  // partner: the engine's acquire load
    (void)write_record(session, kNoIdentity, string, 0, 0, kRecordThreadName);
}

}  // namespace detail

/// Names the calling thread from now on. UTF-8, cut after 4,096 bytes. Call it after InitTracer. It does nothing while
/// tracing is off, and in a region without lanes. Without it, the thread has its name of the operating system, if that
/// differs from the name of the process.
inline void name_thread(std::string_view name) noexcept
{
    const std::uint32_t session = detail::writing_session();
    if ((session & detail::lanes_bit) != 0)
        detail::set_thread_name(session, name);
}

}  // namespace v2
}  // namespace corotracer

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
