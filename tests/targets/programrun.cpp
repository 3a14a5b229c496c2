// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "programrun.h"

#include "corotracer/layout.h"
#include "tests/support/paths.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace targets {

namespace {

namespace fs = std::filesystem;
using namespace corotracer;

constexpr std::uint32_t kSiteCapacity = 1024;
constexpr std::uint64_t kStringsCapacity = 1 << 20;

class TemporaryFolder {
public:
    TemporaryFolder()
    {
        std::string pattern = (fs::temp_directory_path() / "ct-targets-XXXXXX").string();
        if (::mkdtemp(pattern.data()) == nullptr)
            throw std::runtime_error("no temporary folder");
        m_path = pattern;
    }
    TemporaryFolder(const TemporaryFolder &) = delete;
    ~TemporaryFolder()
    {
        std::error_code ignored;
        fs::remove_all(m_path, ignored);
    }
    [[nodiscard]] fs::path operator/(const char *name) const { return m_path / name; }

private:
    fs::path m_path;
};

/// A mapped region with the layout that an engine creates.
class TestRegion {
public:
    TestRegion(const fs::path &path, std::uint32_t stations, bool versionOne)
        : m_stations(stations),
          m_sites(kHeaderSize + stations * kStationSize),
          m_size(versionOne ? m_sites : m_sites + kSiteCapacity * sizeof(SiteRecord) + kStringsCapacity),
          m_versionOne(versionOne)
    {
        const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd < 0 || ::ftruncate(fd, static_cast<off_t>(m_size)) != 0)
            throw std::runtime_error("cannot create " + path.string());
        m_bytes = static_cast<char *>(::mmap(nullptr, m_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
        ::close(fd);
        if (m_bytes == MAP_FAILED)
            throw std::runtime_error("cannot map " + path.string());
        GlobalHeader &header = *reinterpret_cast<GlobalHeader *>(m_bytes);
        ExtensionHeader &extension = header.extension;
        header.magic_number = kMagic;
        header.version = kVersion;
        header.max_stations = stations;
        if (versionOne)
            return;
        extension.magic = kExtensionMagic;
        extension.version = kExtensionVersion;
        extension.size = sizeof(ExtensionHeader);
        extension.file_size = m_size;
        extension.stations_reserved = stations;
        extension.site_table_offset = m_sites;
        extension.site_capacity = kSiteCapacity;
        extension.site_record_size = sizeof(SiteRecord);
        extension.strings_offset = m_sites + kSiteCapacity * sizeof(SiteRecord);
        extension.strings_capacity = kStringsCapacity;
    }
    TestRegion(const TestRegion &) = delete;
    ~TestRegion() { ::munmap(m_bytes, m_size); }

    /// Plain reads suffice, because the writers have ended.
    void readInto(Run &run) const
    {
        const GlobalHeader &header = *reinterpret_cast<const GlobalHeader *>(m_bytes);
        run.allocated = header.allocated_count;
        const auto *reserved = reinterpret_cast<const char *>(&header.extension);
        run.touchedReserved = m_versionOne && std::any_of(reserved, static_cast<const char *>(m_bytes) + kHeaderSize,
                                                          [](char c) { return c != 0; });
        for (std::uint64_t i = 0; i < std::min<std::uint64_t>(run.allocated, m_stations); ++i)
            readStation(reinterpret_cast<const StationData *>(m_bytes + kHeaderSize)[i], run);
    }

private:
    void readStation(const StationData &station, Run &run) const
    {
        std::uint64_t largest = 0;
        const Epoch *last = nullptr;
        for (const Epoch &slot : station.slots) {
            run.eventsSeqlock += slot.seq / 2;
            largest = std::max<std::uint64_t>(largest, slot.seq);
            if (slot.seq != 0 && (last == nullptr || slot.timestamp >= last->timestamp))
                last = &slot;
        }
        run.eventsMonotonic += largest;
        run.born += station.header.birth_ts != 0 ? 1 : 0;
        run.alive += station.header.birth_ts != 0 && station.header.is_dead == 0 ? 1 : 0;
        if (!m_versionOne && station.header.is_dead == 0 && last != nullptr && last->is_active == 0)
            ++run.sites[functionOf(last->site)];
    }

    [[nodiscard]] std::string functionOf(std::uint32_t site) const
    {
        if (site == 0 || site > kSiteCapacity)
            return "?";
        const SiteRecord &record = reinterpret_cast<const SiteRecord *>(m_bytes + m_sites)[site - 1];
        const char *strings = m_bytes + m_sites + kSiteCapacity * sizeof(SiteRecord);
        return {strings + record.function_offset, record.function_length};
    }

    std::uint32_t m_stations;
    std::size_t m_sites;
    std::size_t m_size;
    bool m_versionOne;
    char *m_bytes = nullptr;
};

std::map<std::string, std::uint64_t> parseTruth(const fs::path &path)
{
    std::map<std::string, std::uint64_t> truth;
    std::ifstream file(path);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    std::replace_if(
        text.begin(), text.end(), [](char c) { return std::strchr("{}\",:", c) != nullptr; }, ' ');
    std::istringstream words(text);
    std::string name;
    std::uint64_t value = 0;
    while (words >> name >> value)
        truth[name] = value;
    return truth;
}

[[noreturn]] void becomeProgram(const std::vector<std::string> &arguments, const Surroundings &surroundings,
                                const TemporaryFolder &folder, int outFd, int errFd)
{
    const std::string program = ct::test::kBinDir + "/" + arguments.front();
    std::vector<char *> argv;
    for (const std::string &argument : arguments)
        argv.push_back(const_cast<char *>(argument.c_str()));
    argv.push_back(nullptr);
    ::setenv("CT_EMITTED_FILE", (folder / "truth").c_str(), 1);
    for (const char *name : {"CTP_SHM_PATH", "CTP_SOCK_PATH", "CTP_MAX_STATIONS"})
        ::unsetenv(name);
    if (surroundings.stations != 0) {
        ::setenv("CTP_SHM_PATH", (folder / "region").c_str(), 1);
        ::setenv("CTP_SOCK_PATH", (folder / "nobody.sock").c_str(), 1);
        ::setenv("CTP_MAX_STATIONS", std::to_string(surroundings.stations).c_str(), 1);
    }
    ::dup2(outFd, STDOUT_FILENO);
    ::dup2(errFd, STDERR_FILENO);
    ::execv(program.c_str(), argv.data());
    ::_exit(127);
}

/// Reads until the program and all its children have closed the pipe. Calls afterFirst() once, after the first output.
std::string readAll(int fd, const std::function<void()> &afterFirst)
{
    std::string text;
    std::array<char, 4096> buffer;
    for (;;) {
        const ssize_t count = ::read(fd, buffer.data(), buffer.size());
        if (count <= 0)
            return text;
        const bool first = text.empty();
        text.append(buffer.data(), static_cast<std::size_t>(count));
        if (first && afterFirst)
            afterFirst();
    }
}

}  // namespace

Run runProgram(const std::vector<std::string> &arguments, const Surroundings &surroundings)
{
    const TemporaryFolder folder;
    std::unique_ptr<TestRegion> region;
    if (surroundings.stations != 0)
        region = std::make_unique<TestRegion>(folder / "region", surroundings.stations, surroundings.versionOne);
    int out[2] = {-1, -1};
    const int errors = ::open((folder / "errors").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (::pipe2(out, O_CLOEXEC) != 0 || errors < 0)
        throw std::runtime_error("no pipe");
    const pid_t pid = ::fork();
    if (pid == 0)
        becomeProgram(arguments, surroundings, folder, out[1], errors);
    ::close(out[1]);
    ::close(errors);
    Run run;
    run.output = readAll(out[0], [&] {
        if (surroundings.afterFirstOutput)
            surroundings.afterFirstOutput(pid);
    });
    ::close(out[0]);
    int status = 0;
    ::waitpid(pid, &status, 0);
    run.exitStatus = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    run.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    run.truth = parseTruth(folder / "truth");
    std::ifstream errorFile(folder / "errors");
    for (std::string line; std::getline(errorFile, line);) {
        // Address sanitizer says so of every program that switches stacks.
        if (line.find("ASan doesn't fully support makecontext/swapcontext") == std::string::npos)
            run.errors += line + '\n';
    }
    if (region)
        region->readInto(run);
    return run;
}

}  // namespace targets
