// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/target/regionusers.h"

#include "core/harvest/processlist.h"
#include "core/protocol/layoutcheck.h"
#include "core/target/tracinginstructions.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <map>
#include <unistd.h>

namespace ct {

namespace {

using corotracer::ProcessEntry;

/// Copy of an entry of the process table. All fields are untrusted.
class EntryCopy {
public:
    template <class T>
    T field(std::size_t offset) const
    {
        T value;
        std::memcpy(&value, m_bytes.data() + offset, sizeof value);
        return value;
    }
    NamespacedPid process() const
    {
        return {field<std::uint32_t>(offsetof(ProcessEntry, pid)),
                field<std::uint64_t>(offsetof(ProcessEntry, pid_namespace)),
                field<std::uint64_t>(offsetof(ProcessEntry, start_ticks))};
    }
    std::string name() const
    {
        const auto length = field<std::uint32_t>(offsetof(ProcessEntry, name_length));
        const char *const text = reinterpret_cast<const char *>(m_bytes.data() + offsetof(ProcessEntry, name));
        return std::string(text, std::min<std::size_t>(length, sizeof(ProcessEntry::name)));
    }

private:
    std::array<std::byte, sizeof(ProcessEntry)> m_bytes;
};

struct Descriptor {
    explicit Descriptor(const std::string &path) : fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;
    ~Descriptor()
    {
        if (fd >= 0)
            ::close(fd);
    }
    const int fd;
};

/// Returns false if we may not trace the process: the kernel then refuses to show its mappings.
bool mayReadMappings(pid_t pid)
{
    return Descriptor("/proc/" + std::to_string(pid) + "/maps").fd >= 0;
}

bool mayBeProcess(pid_t pid, std::uint64_t startTicks)
{
    return startTicks != 0 ? processIsAlive(static_cast<std::uint32_t>(pid), startTicks) : processRuns(pid);
}

/// State of a process of another pid namespace. A process that does not seem to map the file stays Unknown: file
/// systems of containers report other devices, so it may map the file under another name.
UserState stateElsewhere(const NamespacedPid &untrusted, const ProcessListing &listing, const FileIdentity &file)
{
    const NamespaceSearch search = findProcess(untrusted, listing, mayBeProcess);
    if (search.outcome == NamespaceSearch::Outcome::None)
        return UserState::Ended;
    const bool maps = search.outcome == NamespaceSearch::Outcome::Found && processMaps(search.pid, file);
    return maps ? UserState::Alive : UserState::Unknown;
}

/// State of a process of our pid namespace.
UserState stateHere(const NamespacedPid &untrusted, const FileIdentity &file)
{
    const auto [pid, space, startTicks] = untrusted;
    const bool isPlausible = pid != 0 && pid <= std::uint32_t{std::numeric_limits<pid_t>::max()};
    if (!isPlausible || !processIsAlive(pid, startTicks))
        return UserState::Ended;
    if (!mayReadMappings(static_cast<pid_t>(pid)))
        return processIsAlive(pid, startTicks) ? UserState::Unknown : UserState::Ended;
    return processMaps(static_cast<pid_t>(pid), file) ? UserState::Alive : UserState::Ended;
}

/// Returns nullopt if another file has replaced this one, or if it has no extension.
std::optional<ExtensionAreas> areasOf(int fd, const FileIdentity &file)
{
    struct stat status {};
    std::array<std::byte, corotracer::kHeaderSize> header{};
    if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_ino != file.inode ||
        ::pread(fd, header.data(), header.size(), 0) != static_cast<ssize_t>(header.size()))
        return std::nullopt;
    const Result<ValidatedLayout> layout = checkLayout(header, static_cast<std::uint64_t>(status.st_size));
    return layout ? layout->extension : std::nullopt;
}

}  // namespace

std::vector<RegionUser> regionUsers(const FileIdentity &file)
{
    const std::uint64_t ourNamespace = ownPidNamespace();
    std::optional<ProcessListing> listing;  // read once, and only when needed
    return regionUsers(file, [&](const NamespacedPid &untrusted) {
        const bool isInOurNamespace = ourNamespace != 0 && untrusted.space == ourNamespace && untrusted.startTicks != 0;
        if (!isInOurNamespace && !listing)
            listing = ProcessListing::read();
        return isInOurNamespace ? stateHere(untrusted, file) : stateElsewhere(untrusted, *listing, file);
    });
}

std::vector<RegionUser> regionUsers(const FileIdentity &file, const StateOf &stateOf)
{
    std::vector<RegionUser> users;
    const Descriptor opened(file.path);
    const std::optional<ExtensionAreas> areas = opened.fd >= 0 ? areasOf(opened.fd, file) : std::nullopt;
    if (!areas)
        return users;
    std::vector<EntryCopy> entries(areas->processCapacity);
    const std::size_t bytes = entries.size() * sizeof(EntryCopy);
    const ssize_t got = ::pread(opened.fd, entries.data(), bytes, static_cast<off_t>(areas->processTableOffset));
    entries.resize(got > 0 ? static_cast<std::size_t>(got) / sizeof(EntryCopy) : 0);
    std::map<NamespacedPid, UserState> known;
    for (const EntryCopy &entry : entries) {
        if (entry.field<std::uint32_t>(offsetof(ProcessEntry, state)) != corotracer::kProcessActive)
            continue;
        const NamespacedPid untrusted = entry.process();
        const auto [answer, isNew] = known.try_emplace(untrusted, UserState::Unknown);
        if (isNew)
            answer->second = stateOf(untrusted);
        users.push_back({untrusted.pid, entry.name(), answer->second});
    }
    return users;
}

std::vector<RegionUser> unknownUsers(const FileIdentity &file)
{
    std::vector<RegionUser> users = regionUsers(file);
    std::erase_if(users, [](const RegionUser &user) { return user.state != UserState::Unknown; });
    return users;
}

std::string mayBeInUse(const RegionUser &user)
{
    const std::string process = "process " + std::to_string(user.pid) + " of another user or container";
    return "may be in use by " + (user.name.empty() ? process : user.name + " (" + process + ")");
}

std::string onceItHasEnded(const FileIdentity &file)
{
    return "If you know that it has ended, remove the file: rm " +
           shellQuoted(QString::fromStdString(file.path)).toStdString();
}

}  // namespace ct
