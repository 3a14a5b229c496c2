// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Support for the probe's tests: a region with the layout of an engine's, read through the test's own mapping. Each
// case runs in a child process, because a process can start tracing only once.
#pragma once

#include "coroTracer.h"
#include "tests/support/child.h"
#include "tests/support/tempdir.h"

#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <sys/wait.h>

namespace probetest {

struct Event {
    std::uint64_t timestamp = 0;
    std::uint64_t tid = 0;
    std::uint64_t addr = 0;
    std::uint64_t seq = 0;
    std::uint32_t site = 0;
    std::uint8_t kind = 0;
    bool active = false;
};

/// The parts of a region file. extension = false creates the region of a version-1 engine.
struct RegionOptions {
    std::uint32_t stations = 64;
    std::uint32_t siteCapacity = 128;
    std::uint64_t stringBytes = 1 << 16;
    bool extension = true;
    bool engineFences = true;
};

/// A zeroed region file of `size` bytes, mapped into the test. The environment names it.
class RegionFile {
public:
    /// `directory` is the directory of the file; if it is empty, a temporary one.
    RegionFile(std::uint64_t size, std::uint32_t stations, const std::string &directory = {})
        : m_directory(directory), m_size(size)
    {
        if (m_directory.empty())
            m_directory = m_temporary.emplace().path();
        const int fd = ::open(path().c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        REQUIRE(fd >= 0 && ::ftruncate(fd, static_cast<off_t>(m_size)) == 0);
        m_base = ::mmap(nullptr, m_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        ::close(fd);
        REQUIRE(m_base != MAP_FAILED);
        ::setenv("CTP_SHM_PATH", path().c_str(), 1);
        ::setenv("CTP_SOCK_PATH", socketPath().c_str(), 1);
        ::setenv("CTP_MAX_STATIONS", std::to_string(stations).c_str(), 1);
    }
    RegionFile(const RegionFile &) = delete;
    RegionFile &operator=(const RegionFile &) = delete;
    ~RegionFile()
    {
        ::munmap(m_base, m_size);
        ::unlink(path().c_str());
        ::unsetenv("CTP_SHM_PATH");
        ::unsetenv("CTP_SOCK_PATH");
        ::unsetenv("CTP_MAX_STATIONS");
    }

    std::string path() const { return m_directory + "/region.shm"; }
    std::string socketPath() const { return m_directory + "/region.sock"; }
    std::uint64_t size() const { return m_size; }
    char *bytes() const { return static_cast<char *>(m_base); }
    corotracer::GlobalHeader &header() const { return *static_cast<corotracer::GlobalHeader *>(m_base); }

private:
    std::optional<ct::test::TempDir> m_temporary;
    std::string m_directory;
    std::uint64_t m_size;
    void *m_base = nullptr;
};

/// A region without lanes.
class Region : public RegionFile {
public:
    explicit Region(const RegionOptions &options = {})
        : RegionFile(stringsOffset(options) + (options.extension ? options.stringBytes : 0), options.stations),
          m_options(options)
    {
        using namespace corotracer;
        header().magic_number = kMagic;
        header().version = kVersion;
        header().max_stations.store(options.stations, std::memory_order_relaxed);
        if (options.extension) {
            ExtensionHeader &extension = header().extension;
            extension.magic = kExtensionMagic;
            extension.version = kExtensionVersion;
            extension.size = sizeof(ExtensionHeader);
            extension.file_size = size();
            extension.stations_reserved = options.stations;
            extension.site_table_offset = siteTableOffset(options);
            extension.site_capacity = options.siteCapacity;
            extension.site_record_size = sizeof(SiteRecord);
            extension.strings_offset = stringsOffset(options);
            extension.strings_capacity = options.stringBytes;
            extension.engine_fences = options.engineFences ? 1 : 0;
        }
    }

    corotracer::StationData &station(std::size_t index) const
    {
        return reinterpret_cast<corotracer::StationData *>(bytes() + corotracer::kHeaderSize)[index];
    }
    std::uint32_t allocated() const { return header().allocated_count.load(std::memory_order_acquire); }
    std::uint32_t sites() const { return header().extension.site_count.load(std::memory_order_acquire); }

    const corotracer::SiteRecord &site(std::uint32_t id) const
    {
        REQUIRE(id >= 1 && id <= m_options.siteCapacity);
        return reinterpret_cast<const corotracer::SiteRecord *>(bytes() + header().extension.site_table_offset)[id - 1];
    }
    std::string siteFile(std::uint32_t id) const { return text(site(id).file_offset, site(id).file_length); }
    std::string siteFunction(std::uint32_t id) const
    {
        return text(site(id).function_offset, site(id).function_length);
    }

    /// Number of events that the station's writer has published, from its seqs.
    std::uint64_t emitted(std::size_t index) const
    {
        std::uint64_t count = 0;
        for (const corotracer::Epoch &epoch : station(index).slots)
            count += epoch.seq.load(std::memory_order_acquire) / 2;
        return count;
    }
    /// Returns the last events of a station, at most eight, oldest first. The writer must be idle.
    std::vector<Event> events(std::size_t index) const
    {
        const std::uint64_t count = emitted(index);
        std::vector<Event> result;
        for (std::uint64_t n = count > 8 ? count - 8 : 0; n < count; ++n) {
            const corotracer::Epoch &epoch = station(index).slots[n % 8];
            Event event;
            event.timestamp = epoch.timestamp.load(std::memory_order_acquire);
            event.tid = epoch.tid.load(std::memory_order_acquire);
            event.addr = epoch.addr.load(std::memory_order_acquire);
            event.seq = epoch.seq.load(std::memory_order_acquire);
            event.site = epoch.site.load(std::memory_order_acquire);
            event.kind = epoch.kind.load(std::memory_order_acquire);
            event.active = epoch.is_active.load(std::memory_order_acquire) == 1;
            CHECK_EQUAL(event.seq, n / 8 * 2 + 2);
            result.push_back(event);
        }
        return result;
    }
    /// Returns "S" per suspension and "R" per resumption, oldest first.
    std::string pattern(std::size_t index) const
    {
        std::string result;
        for (const Event &event : events(index))
            result += event.active ? 'R' : 'S';
        return result;
    }

private:
    std::string text(std::uint64_t offset, std::uint32_t length) const
    {
        REQUIRE(offset <= m_options.stringBytes && length <= m_options.stringBytes - offset);
        return {bytes() + header().extension.strings_offset + offset, length};
    }

    static std::uint64_t siteTableOffset(const RegionOptions &options)
    {
        return corotracer::kHeaderSize + std::uint64_t{options.stations} * corotracer::kStationSize;
    }
    /// Without the extension, this is the end of the file.
    static std::uint64_t stringsOffset(const RegionOptions &options)
    {
        const std::uint64_t sites = options.extension ? options.siteCapacity : 0;
        return siteTableOffset(options) + sites * sizeof(corotracer::SiteRecord);
    }

    RegionOptions m_options;
};

/// Returns false, and reports a skip, under an emulator that grants any madvise() and ignores it (qemu's user mode).
/// There, a full file system always raises SIGBUS.
inline bool kernelHonoursMadvise()
{
    static char memory[4096];
    constexpr int noAdvice = 9999;
    const auto page = reinterpret_cast<std::uintptr_t>(memory) & ~std::uintptr_t{4095};
    const bool keeps = ::madvise(reinterpret_cast<void *>(page), 4096, noAdvice) != 0;
    if (!keeps)
        ct::test::reportSkip(__FILE__, __LINE__, "an emulator stands in for the kernel");
    return keeps;
}

/// Returns the text that `body` writes to `fd`.
template <class Body>
std::string captured(int fd, Body body)
{
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const int saved = ::dup(fd);
    ::dup2(ends[1], fd);
    body();
    ::dup2(saved, fd);
    ::close(saved);
    ::close(ends[1]);
    std::string result;
    char bytes[256];
    for (ssize_t size; (size = ::read(ends[0], bytes, sizeof bytes)) > 0;)
        result.append(bytes, static_cast<std::size_t>(size));
    ::close(ends[0]);
    return result;
}

/// Runs `body` in a forked child. A failed check, a signal or a wrong exit status of the child is a failure here.
inline void inChild(const std::function<void()> &body)
{
    std::fflush(nullptr);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        check::runInChild(body);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    if (check::isSkip(status))
        return;
    CHECK(WIFEXITED(status));
    CHECK_EQUAL(WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), 0);
}

/// An eager coroutine, destroyed by its owner.
struct Task {
    struct promise_type : corotracer::PromiseMixin {
        Task get_return_object() { return Task{std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() noexcept {}
        void unhandled_exception() noexcept { std::abort(); }
    };
    explicit Task(std::coroutine_handle<promise_type> from) : handle(from) {}
    Task(Task &&other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
    Task(const Task &) = delete;
    Task &operator=(const Task &) = delete;
    Task &operator=(Task &&) = delete;
    ~Task()
    {
        if (handle)
            handle.destroy();
    }
    std::coroutine_handle<promise_type> handle;
};

}  // namespace probetest
