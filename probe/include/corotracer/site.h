// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Registers suspension points. The probe writes file, line and function of a site into the region once. Events then
// carry the site's id.
// See docs/decisions/0004-sites-in-the-region.md.
#pragma once

#include "layout.h"
#include "location.h"
#include "system.h"

#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ctime>

#pragma push_macro("slots")
#pragma push_macro("signals")
#pragma push_macro("emit")
#undef slots
#undef signals
#undef emit

namespace corotracer {
inline namespace v2 {
namespace detail {

inline constexpr std::size_t site_entries = 8192;      ///< cached addresses of locations; a power of two
inline constexpr std::size_t content_entries = 16384;  ///< sites and strings known by content; a power of two
inline constexpr std::size_t name_entries = 4096;      ///< cached names of coroutines and threads; a power of two
inline constexpr std::size_t probe_limit = 32;         ///< entries that a search checks before it gives up
inline constexpr std::size_t string_limit = 4096;      ///< most bytes of a file, function or name; the rest is cut
inline constexpr std::uint64_t golden = 0x9E3779B97F4A7C15ULL;

/// The region's areas for sites and strings, checked against the file's size.
struct site_area {
    ExtensionHeader *extension = nullptr;  ///< null: the region has no sites
    SiteRecord *records = nullptr;
    char *strings = nullptr;
    std::uint64_t strings_capacity = 0;  ///< bytes
    std::uint32_t capacity = 0;          ///< records
};

/// Key of a location in this process: addresses, and line and column; no content of strings.
struct site_key {
    std::uintptr_t first;
    std::uintptr_t second;
    std::uint64_t third;
};
/// True if a location is no more than the address of its data, as in most implementations of std::source_location.
template <class Location>
inline constexpr bool one_word = sizeof(Location) == sizeof(void *);

template <class Location>
[[nodiscard]] inline site_key key_of(const Location &where) noexcept
{
    if constexpr (one_word<Location>) {
        return {std::bit_cast<std::uintptr_t>(where), 0, 0};
    } else {
        return {reinterpret_cast<std::uintptr_t>(where.function_name()),
                reinterpret_cast<std::uintptr_t>(where.file_name()),
                (std::uint64_t{where.line()} << 32) | where.column()};
    }
}

/// Maps locations to ids. Threads read `entries` without a lock. An entry is written once, under `lock`, and published
/// by `state` (release; partner: the acquire load in match). InitTracer clears the table in a forked child, before it
/// publishes the session.
struct site_table {
    struct entry {
        std::atomic<std::uint32_t> state;  ///< 0 = empty, else id + 1
        std::atomic<std::uintptr_t> first;
        std::atomic<std::uintptr_t> second;
        std::atomic<std::uint64_t> third;
    };
    /// A site (value = id) or a string (value = offset), found by its content. Accessed only under `lock`.
    struct known {
        std::uint64_t hash;
        std::uint64_t value;
        std::uint64_t check;  ///< site: (line << 32 | column) + 1; string: length + 1; 0 = empty
    };
    /// A name, found by its content. The number of names is unlimited, so a new name replaces an older one. Accessed
    /// only under `lock`.
    struct named {
        std::uint64_t hash;
        std::uint64_t string;  ///< as in CompactBirth::name; 0 = empty
    };
    alignas(64) entry entries[site_entries];
    alignas(64) std::atomic<std::uint32_t> lock;
    known contents[content_entries];
    named names[name_entries];
    std::uint64_t names_at;    ///< offset of this process's next name in the string bytes
    std::uint64_t names_left;  ///< bytes from names_at that this process owns, with memory
};

/// First entry in which a key may be.
template <class Location>
[[nodiscard]] inline std::size_t home_of(const site_key &key) noexcept
{
    std::uint64_t mixed = key.first;
    if constexpr (!one_word<Location>)
        mixed ^= std::rotl(key.third * golden, 7) ^ (key.second << 3);
    return static_cast<std::size_t>((mixed * golden) >> (64 - std::countr_zero(site_entries)));
}

/// Returns id + 1 if the entry is of this key, else 0.
template <class Location>
[[nodiscard]] inline std::uint32_t match(const site_table::entry &entry, const site_key &key) noexcept
{
    const std::uint32_t state = entry.state.load(std::memory_order_acquire);
    bool same = entry.first.load(std::memory_order_relaxed) == key.first;
    if constexpr (!one_word<Location>) {
        same = same && entry.second.load(std::memory_order_relaxed) == key.second &&
               entry.third.load(std::memory_order_relaxed) == key.third;
    }
    return same ? state : 0;
}

[[nodiscard]] inline std::uint64_t hash_bytes(const char *text, std::size_t length, std::uint64_t seed) noexcept
{
    std::uint64_t hash = seed ^ (length * golden);
    for (std::size_t i = 0; i < length; ++i)
        hash = std::rotl((hash ^ static_cast<unsigned char>(text[i])) * golden, 29);
    return hash ^ (hash >> 32);
}

/// Returns the entry with this content, or an empty entry for it; null when there is no room. Under the lock only.
[[nodiscard]] inline site_table::known *find_content(site_table &table, std::uint64_t hash,
                                                     std::uint64_t check) noexcept
{
    for (std::size_t i = 0; i < probe_limit; ++i) {
        site_table::known &known = table.contents[(hash + i) % content_entries];
        if (known.check == 0 || (known.hash == hash && known.check == check))
            return &known;
    }
    return nullptr;
}

inline constexpr std::uint64_t no_offset = ~std::uint64_t{0};

/// Returns the offset of a string in the string bytes. Writes the string if this process has not written it yet.
/// no_offset: the region has no room. Under the lock only.
[[nodiscard]] inline std::uint64_t intern(site_table &table, const site_area &area, const char *text,
                                          std::size_t length) noexcept
{
    const std::uint64_t hash = hash_bytes(text, length, 1);
    site_table::known *known = find_content(table, hash, length + 1);
    if (known != nullptr && known->check != 0)
        return known->value;
    const std::uint64_t offset = area.extension->strings_used.fetch_add(length, std::memory_order_relaxed);
    if (offset > area.strings_capacity || length > area.strings_capacity - offset)
        return no_offset;
    if (!back_with_memory(area.strings + offset, length + 1))
        return no_offset;
    std::memcpy(area.strings + offset, text, length);
    if (known != nullptr)
        *known = {hash, offset, length + 1};
    return offset;
}

/// Writes a SiteRecord. Returns its id; 0 when the region has no room. Under the lock only.
template <class Location>
[[nodiscard]] inline std::uint32_t write_site(site_table &table, const site_area &area, const Location &where,
                                              std::size_t file_length, std::size_t function_length) noexcept
{
    const std::uint64_t file = intern(table, area, where.file_name(), file_length);
    const std::uint64_t function = intern(table, area, where.function_name(), function_length);
    if (file == no_offset || function == no_offset)
        return 0;
    const std::uint32_t index = area.extension->site_count.fetch_add(1, std::memory_order_relaxed);
    if (index >= area.capacity || !back_with_memory(&area.records[index], sizeof(SiteRecord)))
        return 0;
    SiteRecord &record = area.records[index];
    record.line = where.line();
    record.column = where.column();
    record.file_length = static_cast<std::uint32_t>(file_length);
    record.file_offset = file;
    record.function_length = static_cast<std::uint32_t>(function_length);
    record.function_offset = function;
    record.ready.store(1, std::memory_order_release);  // partner: the engine's acquire load
    return index + 1;
}

/// Returns the id of a location found by its content, and registers a new one. Under the lock only.
template <class Location>
[[nodiscard]] inline std::uint32_t site_by_content(site_table &table, const site_area &area,
                                                   const Location &where) noexcept
{
    const std::size_t file_length = ::strnlen(where.file_name(), string_limit);
    const std::size_t function_length = ::strnlen(where.function_name(), string_limit);
    const std::uint64_t position = ((std::uint64_t{where.line()} << 32) | where.column()) + 1;
    std::uint64_t hash = hash_bytes(where.file_name(), file_length, position);
    hash = hash_bytes(where.function_name(), function_length, hash);
    site_table::known *known = find_content(table, hash, position);
    if (known != nullptr && known->check != 0)
        return static_cast<std::uint32_t>(known->value);
    // A site that the table has no room for is not written. Otherwise each event would write it again.
    const std::uint32_t id =
        known != nullptr ? write_site(table, area, where, file_length, function_length) : std::uint32_t{0};
    if (id == 0)
        area.extension->sites_dropped.fetch_add(1, std::memory_order_relaxed);
    // write_site may have filled the entry that was found above.
    known = find_content(table, hash, position);
    if (known != nullptr)
        *known = {hash, id, position};
    return id;
}

/// Locks the table, for a new site or name. A preempted holder needs a core, so this thread sleeps for 50 us after
/// every 1,000 tries. Returns false after `patience` ns, because the holder may be a stopped thread. The last sleep may
/// exceed that time, by as long as the scheduler lets this thread wait for a core.
[[nodiscard]] inline bool lock_table(site_table &table, std::uint64_t patience) noexcept
{
    for (std::uint64_t until = 0;;) {
        for (int i = 0; i < 1000; ++i) {
            if (table.lock.exchange(1, std::memory_order_acquire) == 0)  // partner: unlock_table
                return true;
        }
        const std::uint64_t now = monotonic_ns();
        until = until == 0 ? now + patience : until;
        if (now >= until)
            return false;
        const no_cancellation guard;  // nanosleep is a cancellation point
        const timespec moment{0, 50'000};
        ::nanosleep(&moment, nullptr);
    }
}

inline void unlock_table(site_table &table) noexcept
{
    table.lock.store(0, std::memory_order_release);  // partner: the acquire exchange of lock_table
}

/// Slow path of site_id: the location is in a later entry, or it is new. Returns 0 (unknown) when another thread keeps
/// the lock for too long.
template <class Location>
[[nodiscard, gnu::noinline, gnu::cold]] inline std::uint32_t site_id_slow(site_table &table, const site_area &area,
                                                                          const Location &where) noexcept
{
    const site_key key = key_of(where);
    const std::size_t home = home_of<Location>(key);
    for (std::size_t i = 0; i < probe_limit; ++i) {
        if (const std::uint32_t found = match<Location>(table.entries[(home + i) % site_entries], key); found != 0)
            return found - 1;
    }
    const int saved_errno = errno;
    if (!lock_table(table, 2'000'000)) {  // a short wait: the next event tries again
        errno = saved_errno;
        return 0;
    }
    const std::uint32_t id = site_by_content(table, area, where);
    for (std::size_t i = 0; i < probe_limit; ++i) {
        site_table::entry &entry = table.entries[(home + i) % site_entries];
        if (entry.state.load(std::memory_order_relaxed) != 0) {
            if (match<Location>(entry, key) != 0)
                break;
            continue;
        }
        entry.first.store(key.first, std::memory_order_relaxed);
        entry.second.store(key.second, std::memory_order_relaxed);
        entry.third.store(key.third, std::memory_order_relaxed);
        entry.state.store(id + 1, std::memory_order_release);
        break;
    }
    unlock_table(table);
    errno = saved_errno;
    return id;
}

/// Returns the id of a location in the region; 0 = unknown. Any thread; locks only for a new location.
template <class Location>
[[nodiscard]] inline std::uint32_t site_id(site_table &table, const site_area &area, const Location &where) noexcept
{
    const site_key key = key_of(where);
    if (const std::uint32_t found = match<Location>(table.entries[home_of<Location>(key)], key); found != 0) [[likely]]
        return found - 1;
    return site_id_slow(table, area, where);
}

/// Clears the table. Only while no thread traces.
inline void clear_sites(site_table &table) noexcept
{
    for (site_table::entry &entry : table.entries)
        entry.state.store(0, std::memory_order_relaxed);
    for (site_table::known &known : table.contents)
        known = {};
    for (site_table::named &named : table.names)
        named = {};
    table.names_left = 0;
    table.lock.store(0, std::memory_order_relaxed);
}

}  // namespace detail
}  // namespace v2
}  // namespace corotracer

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
