// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A program with more rights than its caller ignores the caller's environment.
#include "probetest.h"

#include <filesystem>
#include <grp.h>
#include <linux/capability.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>

namespace {

constexpr uid_t kNobody = 65534;

enum class Rights { TheCallers, SetUser, SetGroup, FileCapability };

bool giveCapability(const std::string &path)
{
    vfs_cap_data data{};
    data.magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE;
    data.data[0].permitted = 1U << CAP_NET_BIND_SERVICE;
    return ::setxattr(path.c_str(), "security.capability", &data, XATTR_CAPS_SZ_2, 0) == 0;
}

/// Copies of the helper program, and a directory in which user `nobody` can create files.
class TargetDirectory {
public:
    TargetDirectory()
    {
        REQUIRE(::chmod(m_directory.path().c_str(), 0755) == 0);
        REQUIRE(::mkdir(files().c_str(), 0700) == 0 && ::chown(files().c_str(), kNobody, kNobody) == 0);
    }
    std::string files() const { return m_directory.file("files"); }
    bool hasFiles() const { return !std::filesystem::is_empty(files()); }

    /// Returns an empty path if the file system does not grant such rights.
    std::string copyWith(Rights rights) const
    {
        std::string path = m_directory.file("program" + std::to_string(static_cast<int>(rights)));
        std::filesystem::copy_file(PROBE_PRIVILEGED, path);
        REQUIRE(::chown(path.c_str(), 0, 0) == 0);
        const mode_t mode = rights == Rights::SetUser ? 04755 : rights == Rights::SetGroup ? 02755 : 0755;
        REQUIRE(::chmod(path.c_str(), mode) == 0);
        struct statvfs system {};
        const bool ignored = ::statvfs(path.c_str(), &system) != 0 || (system.f_flag & ST_NOSUID) != 0;
        if (rights != Rights::TheCallers && ignored)
            return {};
        return rights != Rights::FileCapability || giveCapability(path) ? path : std::string();
    }

private:
    ct::test::TempDir m_directory;
};

/// Returns the program's output when user `nobody` starts it with `name`=`value` in the environment.
std::string outputAsNobody(const std::string &program, const std::string &name, const std::string &value)
{
    return probetest::captured(STDOUT_FILENO, [&] {
        const pid_t child = ::fork();
        if (child == 0) {
            ::setenv(name.c_str(), value.c_str(), 1);
            if (::setgroups(0, nullptr) == 0 && ::setresgid(kNobody, kNobody, kNobody) == 0 &&
                ::setresuid(kNobody, kNobody, kNobody) == 0)
                ::execl(program.c_str(), program.c_str(), nullptr);
            ::_exit(127);
        }
        int status = 0;
        CHECK(::waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    });
}

CT_CASE(privilegedProgramsAreNotTraced)
{
    if (::geteuid() != 0)
        CHECK_SKIP("only root can give a program more rights");
    const TargetDirectory folder;
    // Control: with the caller's rights alone, the same program is traced.
    const std::string plain = folder.copyWith(Rights::TheCallers);
    CHECK_EQUAL(outputAsNobody(plain, "CTP_FLIGHT_RECORDER", folder.files()), "traced\n");
    CHECK(folder.hasFiles());
    for (const auto &entry : std::filesystem::directory_iterator(folder.files()))
        std::filesystem::remove(entry.path());
    for (const Rights rights : {Rights::SetUser, Rights::SetGroup, Rights::FileCapability}) {
        const std::string program = folder.copyWith(rights);
        if (program.empty()) {
            ct::test::reportSkip(__FILE__, __LINE__, "this file system has no setuid or file capabilities");
            continue;
        }
        CHECK_EQUAL(outputAsNobody(program, "CTP_FLIGHT_RECORDER", folder.files()), "untraced\n");
        CHECK_EQUAL(outputAsNobody(program, "CTP_FLIGHT_RECORDER", folder.files() + "/file.shm"), "untraced\n");
        CHECK_EQUAL(outputAsNobody(program, "CTP_FLIGHT_RECORDER", "1"), "untraced\n");
        CHECK(!folder.hasFiles());
    }
}

CT_CASE(privilegedProgramsWriteIntoNoRegion)
{
    if (::geteuid() != 0)
        CHECK_SKIP("only root can give a program more rights");
    const TargetDirectory folder;
    const probetest::Region region;
    const std::string directory = std::filesystem::path(region.path()).parent_path();
    REQUIRE(::chmod(directory.c_str(), 0755) == 0 && ::chmod(region.path().c_str(), 0666) == 0);
    const std::uint32_t before = region.allocated();
    CHECK_EQUAL(outputAsNobody(folder.copyWith(Rights::TheCallers), "LANG", "C"), "traced\n");
    CHECK_EQUAL(region.allocated(), before + 1);
    for (const Rights rights : {Rights::SetUser, Rights::SetGroup, Rights::FileCapability}) {
        const std::string program = folder.copyWith(rights);
        if (!program.empty())
            CHECK_EQUAL(outputAsNobody(program, "LANG", "C"), "untraced\n");
    }
    CHECK_EQUAL(region.allocated(), before + 1);
}

}  // namespace
