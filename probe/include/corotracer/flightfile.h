// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// The region file of a flight recorder: its directory, its creation, and the deletion of old files. Uses only the
// standard library and Linux calls. Writes with write(2), so a full file system raises no signal.
#pragma once

#include "calendartime.h"
#include "layout.h"
#include "system.h"
#include "types.h"

#include <bit>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dirent.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
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

/// Buffer for a path, with its terminator.
struct path_buffer {
    char text[PATH_MAX] = "";
};

/// Parses at most ten digits at the start of a text, and moves `text` behind them. Returns 0 when there are none.
[[nodiscard]] inline long leading_number(const char *&text) noexcept
{
    long value = 0;
    const char *digit = text;
    for (; *digit >= '0' && *digit <= '9' && digit - text < 10; ++digit)
        value = value * 10 + (*digit - '0');
    text = digit;
    return value;
}

/// Returns the process that a file belongs to by its name, `PID-flight-ANYTHING.shm`; 0 for any other name.
[[nodiscard]] inline pid_t recorder_of(const char *name) noexcept
{
    const long pid = leading_number(name);
    const std::size_t length = std::strlen(name);
    const bool matches =
        std::strncmp(name, "-flight-", 8) == 0 && length > 12 && std::strcmp(name + length - 4, ".shm") == 0;
    return matches && pid > 1 && pid <= INT_MAX ? static_cast<pid_t>(pid) : 0;
}

/// Deletes flight recorder files of ended processes, except for the latest `keep`. Deletes at most 64 files.
inline void delete_old_flight_files(const char *directory, std::uint32_t keep) noexcept
{
    constexpr int deletions_at_most = 64;
    for (int i = 0; i < deletions_at_most; ++i) {
        const int fd = open_file(directory, O_RDONLY | O_DIRECTORY);
        DIR *const list = fd < 0 ? nullptr : ::fdopendir(fd);
        if (list == nullptr) {
            ::close(fd);
            return;
        }
        std::uint32_t count = 0;
        char oldest[NAME_MAX + 1] = "";
        timespec oldest_time{};
        while (const dirent *const entry = ::readdir(list)) {
            const pid_t pid = recorder_of(entry->d_name);
            struct stat status {};
            if (pid == 0 || ::kill(pid, 0) == 0 || errno != ESRCH ||
                ::fstatat(::dirfd(list), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode))
                continue;
            const timespec &time = status.st_mtim;
            if (count++ == 0 || time.tv_sec < oldest_time.tv_sec ||
                (time.tv_sec == oldest_time.tv_sec && time.tv_nsec < oldest_time.tv_nsec)) {
                std::memcpy(oldest, entry->d_name, std::strlen(entry->d_name) + 1);
                oldest_time = time;
            }
        }
        const bool done = count <= keep || ::unlinkat(::dirfd(list), oldest, 0) != 0;
        ::closedir(list);
        if (done)
            return;
    }
}

/// Makes the directory if it is missing. Returns false with errno if it cannot be made, or is no directory of this user
/// alone.
[[nodiscard]] inline bool prepare_directory(const char *directory) noexcept
{
    if (::mkdir(directory, 0700) != 0 && errno != EEXIST)
        return false;
    struct stat status {};
    if (::lstat(directory, &status) != 0)
        return false;
    if (!S_ISDIR(status.st_mode) || status.st_uid != ::geteuid() || (status.st_mode & 077) != 0) {
        errno = EPERM;
        return false;
    }
    return true;
}

/// Creates a file that only this user can access. Returns -1 with errno on failure, also if the path exists.
[[nodiscard]] inline int make_file(const char *path) noexcept
{
    const int made = ::open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, 0600);
    const int fd = above_streams(made);
    if (made >= 0 && fd < 0)
        ::unlink(path);
    return fd;
}

/// Creates a file with a new name in a directory, and stores its path in `path`. Returns -1 with errno on failure.
[[nodiscard]] inline int make_file_in(const char *directory, path_buffer &path) noexcept
{
    for (int attempt = 0; attempt < 16; ++attempt) {
        std::uint64_t chance = 0;
        if (::getrandom(&chance, sizeof chance, GRND_NONBLOCK) != sizeof chance)
            chance = monotonic_ns() * 0x9E3779B97F4A7C15ULL;
        const int length = std::snprintf(path.text, sizeof path.text, "%s/%ld-flight-%08llx.shm", directory,
                                         static_cast<long>(::getpid()), static_cast<unsigned long long>(chance >> 32));
        if (length < 0 || static_cast<std::size_t>(length) >= sizeof path.text) {
            errno = ENAMETOOLONG;
            return -1;
        }
        const int fd = make_file(path.text);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

/// Makes the path of a standard directory: /dev/shm/corotracer-UID for choice 0, `runtime`/corotracer for choice 1.
/// `runtime` may be null. Returns false when there is no such path, or it is too long.
template <std::size_t Size>
[[nodiscard]] inline bool standard_directory(int choice, const char *runtime, char (&directory)[Size]) noexcept
{
    if (choice != 0 && (runtime == nullptr || runtime[0] == '\0'))
        return false;
    const int length =
        choice == 0 ? std::snprintf(directory, Size, "/dev/shm/corotracer-%lu", static_cast<unsigned long>(::geteuid()))
                    : std::snprintf(directory, Size, "%s/corotracer", runtime);
    return length > 0 && static_cast<std::size_t>(length) < Size;
}

/// Creates the file that the options describe, and stores its path in `path`. Returns -1 with errno on failure.
[[nodiscard]] inline int make_flight_file(const flight_recorder_options &options, path_buffer &path) noexcept
{
    if (options.path != nullptr && options.path[0] != '\0') {
        struct stat status {};
        if (::stat(options.path, &status) == 0 && S_ISDIR(status.st_mode))
            return make_file_in(options.path, path);
        const std::size_t length = std::strlen(options.path);
        if (length >= sizeof path.text) {
            errno = ENAMETOOLONG;
            return -1;
        }
        std::memcpy(path.text, options.path, length + 1);
        return make_file(path.text);
    }
    for (int choice = 0; choice < 2; ++choice) {
        char directory[512];
        if (!standard_directory(choice, environment("XDG_RUNTIME_DIR"), directory) || !prepare_directory(directory))
            continue;
        delete_old_flight_files(directory, options.keep_old);
        const int fd = make_file_in(directory, path);
        if (fd >= 0)
            return fd;
    }
    return -1;
}

/// Returns the free bytes of the file system of an open file. Unlimited on an error, and for a tmpfs without a limit,
/// which reports 0 blocks.
[[nodiscard]] inline std::uint64_t free_bytes(int fd) noexcept
{
    struct statvfs space {};
    if (::fstatvfs(fd, &space) != 0 || space.f_blocks == 0)
        return ~std::uint64_t{0};
    return static_cast<std::uint64_t>(space.f_bavail) * space.f_frsize;
}

/// Plans the areas of a flight recorder, one after the other, each on its own pages. Returns the size of the file in
/// bytes. At most half of the `free` bytes are for lanes. Otherwise the first threads would use up all memory for a
/// pool that is larger than it.
inline std::uint64_t plan_flight_region(const flight_recorder_options &options, ExtensionHeader &extension,
                                        std::uint64_t free = ~std::uint64_t{0}) noexcept
{
    constexpr std::uint64_t page = 4096;
    constexpr std::uint64_t lane_bytes_min = std::uint64_t{kLaneRecordsMin} * sizeof(LaneRecord);
    constexpr std::uint64_t lane_bytes_max = std::uint64_t{kLaneRecordsMax} * sizeof(LaneRecord);
    constexpr std::uint64_t pool_max = std::uint64_t{1} << 40;
    const auto between = [](std::uint64_t low, std::uint64_t value, std::uint64_t high) {
        return value < low ? low : value > high ? high : value;
    };
    std::uint64_t end = page;
    const auto append = [&end](std::uint64_t bytes) {
        const std::uint64_t offset = end;
        end += (bytes + page - 1) / page * page;
        return offset;
    };
    extension.site_record_size = sizeof(SiteRecord);
    extension.site_capacity = 65536;
    extension.site_table_offset = append(extension.site_capacity * sizeof(SiteRecord));
    extension.strings_capacity = 64ULL << 20;
    extension.strings_offset = append(extension.strings_capacity);
    extension.process_capacity = 16;
    extension.process_table_offset = append(extension.process_capacity * sizeof(ProcessEntry));
    extension.lane_capacity = 4096;
    extension.lane_directory_offset = append(extension.lane_capacity * sizeof(LaneHeader));
    extension.compact_stations_reserved = static_cast<std::uint32_t>(between(1, options.coroutines, kMaxStations));
    extension.states_offset = append(extension.compact_stations_reserved * sizeof(CompactState));
    extension.births_offset = append(extension.compact_stations_reserved * sizeof(CompactBirth));
    const std::uint64_t lane_bytes = std::bit_floor(between(lane_bytes_min, options.lane_bytes, lane_bytes_max));
    extension.lane_records = static_cast<std::uint32_t>(lane_bytes / sizeof(LaneRecord));
    const std::uint64_t pool_bytes = options.pool_bytes < free / 2 ? options.pool_bytes : free / 2;
    extension.lane_pool_size = between(2 * lane_bytes_min, pool_bytes, pool_max) / page * page;
    extension.lane_pool_offset = append(extension.lane_pool_size);
    extension.lane_mode = kLanesOverwrite;
    extension.lane_retention_ms = options.retention_ms;
    extension.lanes_shrink = 1;
    return end;
}

/// Writes all bytes at an offset of a file. Returns false with errno on failure.
[[nodiscard]] inline bool write_at(int fd, const void *bytes, std::size_t size, std::size_t offset) noexcept
{
    return ::pwrite(fd, bytes, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
}

/// Makes an empty file a region. The magic number comes last: without it, a file is no region. Uses write(2), so a full
/// file system is an error and no SIGBUS. Returns false with errno on failure.
[[nodiscard]] inline bool write_flight_region(int fd, const flight_recorder_options &options) noexcept
{
    static_assert(offsetof(GlobalHeader, extension) % alignof(ExtensionHeader) == 0);
    alignas(GlobalHeader) static constexpr char zeroes[sizeof(GlobalHeader)] = {};
    ExtensionHeader extension{};
    const std::uint64_t size = plan_flight_region(options, extension, free_bytes(fd));
    rlimit limit{};
    if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < size) {
        errno = EFBIG;  // ftruncate(2) would raise SIGXFSZ
        return false;
    }
    if (::ftruncate(fd, static_cast<off_t>(size)) != 0)
        return false;
    const clock_moment now = read_moment(has_invariant_counter());
    extension.magic = kExtensionMagic;
    extension.version = kExtensionVersion;
    extension.size = sizeof(ExtensionHeader);
    extension.file_size = size;
    extension.created_counter = now.counter;
    extension.created_monotonic_ns = now.monotonic_ns;
    extension.created_realtime_ns = now.realtime_ns;
    return write_at(fd, zeroes, sizeof zeroes, 0) &&
           write_at(fd, &kVersion, sizeof kVersion, offsetof(GlobalHeader, version)) &&
           write_at(fd, &extension, sizeof extension, offsetof(GlobalHeader, extension)) &&
           write_at(fd, &kMagic, sizeof kMagic, 0);
}

}  // namespace detail
}  // namespace v2
}  // namespace corotracer

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
