// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which files hold the symbols of a module, and the message when none does.
#include "core/symbols/symbolizer.h"
#include "programrun.h"
#include "tests/support/check.h"
#include "tests/support/tempdir.h"

#include <arpa/inet.h>
#include <cstdlib>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace ct;
namespace fs = std::filesystem;

namespace {

/// Returns the map with the program's own module at another path, and optionally with another build id.
ModuleMap moved(const made::ProgramRun &ran, const std::string &name, const std::string &path,
                const char *buildId = nullptr)
{
    std::vector<Module> modules(ran.modules.modules().begin(), ran.modules.modules().end());
    for (Module &module : modules) {
        if (module.path != made::path(name))
            continue;
        module.path = path;
        module.buildId = buildId ? buildId : module.buildId;
    }
    return ModuleMap(modules);
}

DescribedAddress hidden(const made::ProgramRun &ran, const ModuleMap &modules, const DebugSearchPath &searchPath = {})
{
    const std::uint64_t addresses[] = {ran.locations.at("hidden").address};
    return Symbolizer(searchPath).describe(modules, addresses).front();
}

bool knowsLine(const DescribedAddress &described, const made::ProgramRun &ran)
{
    return described.reason == Unresolved::None && described.remedy.empty() && !described.frames.empty() &&
           described.frames.front().line == static_cast<unsigned>(ran.locations.at("hidden").line) &&
           described.frames.front().function == "(anonymous namespace)::hidden(int)";
}

bool says(const DescribedAddress &described, const char *text)
{
    return described.remedy.find(text) != std::string::npos;
}

DebugSearchPath inFolder(const std::string &folder)
{
    DebugSearchPath searchPath;
    searchPath.folders.push_back(folder);
    return searchPath;
}

/// A server that a debuginfod client would connect to.
class Server {
public:
    Server() : m_fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof(address);
        if (::bind(m_fd, reinterpret_cast<sockaddr *>(&address), size) == 0 && ::listen(m_fd, 8) == 0 &&
            ::getsockname(m_fd, reinterpret_cast<sockaddr *>(&address), &size) == 0)
            url = std::string("http://127.0.0.1:").append(std::to_string(ntohs(address.sin_port)));
    }
    ~Server() { ::close(m_fd); }
    Server(const Server &) = delete;
    Server &operator=(const Server &) = delete;
    bool wasAsked() const
    {
        pollfd waiting{m_fd, POLLIN, 0};
        return ::poll(&waiting, 1, 0) > 0;
    }

    std::string url;

private:
    int m_fd;
};

}  // namespace

CT_CASE(findsTheCopyOfAMissingFile)
{
    const made::ProgramRun ran = made::run("gxx_o2");
    REQUIRE(ran.ran);
    const test::TempDir folder;
    const ModuleMap elsewhere = moved(ran, "gxx_o2", "/nowhere/bin/gxx_o2");
    const DescribedAddress missing = hidden(ran, elsewhere);
    CHECK(missing.reason == Unresolved::NoFile && missing.frames.empty());
    CHECK(says(missing, "/nowhere/bin/gxx_o2 does not exist") &&
          says(missing, buildIdOf(made::path("gxx_o2")).c_str()));
    CHECK_EQUAL(missing.module, "/nowhere/bin/gxx_o2");

    fs::create_directories(folder.file("tree/nowhere/bin"));
    fs::copy(made::path("gxx_o2"), folder.file("tree/nowhere/bin/gxx_o2"));
    CHECK(knowsLine(hidden(ran, elsewhere, inFolder(folder.file("tree"))), ran));
    CHECK(knowsLine(hidden(ran, elsewhere, inFolder(folder.file("tree/nowhere/bin"))), ran));
    DebugSearchPath root;
    root.roots = {folder.file("tree")};
    CHECK(knowsLine(hidden(ran, elsewhere, root), ran));
    const ModuleMap deleted = moved(ran, "gxx_o2", made::path("gxx_o2") + " (deleted)");
    CHECK(knowsLine(hidden(ran, deleted), ran));
}

CT_CASE(refusesAnotherBuild)
{
    const made::ProgramRun ran = made::run("gxx_o2");
    REQUIRE(ran.ran);
    const ModuleMap other = moved(ran, "gxx_o2", made::path("gxx_o2"), "0123456789abcdef0123456789abcdef01234567");
    const DescribedAddress described = hidden(ran, other);
    CHECK(described.reason == Unresolved::OtherBuild && described.frames.empty());
    CHECK(says(described, "is not the build that ran"));
    // Without a build id in the recording, the path decides.
    CHECK(knowsLine(hidden(ran, moved(ran, "gxx_o2", made::path("gxx_o2"), "")), ran));
}

CT_CASE(explainsMissingSymbolsAndLines)
{
    if (!made::exists("gxx_stripped"))
        return;
    const made::ProgramRun ran = made::run("gxx_stripped");
    REQUIRE(ran.ran);
    const DescribedAddress stripped = hidden(ran, ran.modules);
    CHECK(stripped.reason == Unresolved::NoSymbols && stripped.frames.empty());
    CHECK(says(stripped, "-g") && says(stripped, "debug package"));

    const made::ProgramRun plain = made::run("gxx_plain");
    REQUIRE(plain.ran);
    const DescribedAddress function = hidden(plain, plain.modules);
    CHECK(function.reason == Unresolved::NoLines && says(function, "-g"));
    REQUIRE(function.frames.size() == 1);
    CHECK_EQUAL(function.frames[0].function, "(anonymous namespace)::hidden(int)");
    CHECK_EQUAL(function.frames[0].line, 0U);
}

CT_CASE(findsSeparateDebugFiles)
{
    if (!made::exists("gxx_separate"))
        return;
    const made::ProgramRun ran = made::run("gxx_separate");
    REQUIRE(ran.ran);
    CHECK(knowsLine(hidden(ran, ran.modules), ran));  // .gnu_debuglink, next to the program

    const test::TempDir folder;
    const std::string program = folder.file("gxx_separate");
    fs::copy(made::path("gxx_separate"), program);
    const ModuleMap alone = moved(ran, "gxx_separate", program);
    CHECK(hidden(ran, alone).reason == Unresolved::NoSymbols);

    fs::create_directory(folder.file(".debug"));
    fs::copy(made::path("gxx_separate.debug"), folder.file(".debug/gxx_separate.debug"));
    CHECK(knowsLine(hidden(ran, alone), ran));
    fs::remove_all(folder.file(".debug"));

    const std::string buildId = buildIdOf(program);
    const std::string byId = folder.file("debug/.build-id/" + buildId.substr(0, 2));
    fs::create_directories(byId);
    fs::copy(made::path("gxx_separate.debug"), byId + "/" + buildId.substr(2) + ".debug");
    CHECK(knowsLine(hidden(ran, alone, inFolder(folder.file("debug"))), ran));
    DebugSearchPath system;
    system.debugFolders = {folder.file("debug")};
    CHECK(knowsLine(hidden(ran, alone, system), ran));
    // Only the debug file, on a machine without the program.
    fs::remove(program);
    CHECK(knowsLine(hidden(ran, alone, system), ran));
}

CT_CASE(refusesADebugFileOfAnotherBuild)
{
    if (!made::exists("gxx_separate"))
        return;
    const made::ProgramRun ran = made::run("gxx_separate");
    const test::TempDir folder;
    fs::copy(made::path("gxx_separate"), folder.file("gxx_separate"));
    fs::copy(made::path("gxx_dwarf4"), folder.file("gxx_separate.debug"));
    CHECK(hidden(ran, moved(ran, "gxx_separate", folder.file("gxx_separate"))).reason == Unresolved::NoSymbols);
}

CT_CASE(computesTheChecksumOfAFile)
{
    const test::TempDir folder;
    std::ofstream(folder.file("sum")) << "123456789";
    CHECK(fileCrc(folder.file("sum")) == 0xCBF43926U);
    CHECK(!fileCrc(folder.file("missing")));
}

CT_CASE(asksNoServerByDefault)
{
    if (!made::exists("gxx_stripped"))
        return;
    const Server server;
    REQUIRE(!server.url.empty());
    ::setenv("DEBUGINFOD_URLS", server.url.c_str(), 1);
    const made::ProgramRun ran = made::run("gxx_stripped");
    CHECK(hidden(ran, ran.modules).reason == Unresolved::NoSymbols);
    CHECK(!server.wasAsked());

    DebugSearchPath searchPath;
    std::string asked;
    searchPath.fetch = [&](const std::string &buildId) {
        asked = buildId;
        return made::path("gxx_separate.debug");
    };
    CHECK(knowsLine(hidden(ran, ran.modules, searchPath), ran));
    CHECK_EQUAL(asked, buildIdOf(made::path("gxx_stripped")));
    ::unsetenv("DEBUGINFOD_URLS");
}

CT_CASE(reportsFilesThatAreNoPrograms)
{
    const made::ProgramRun ran = made::run("gxx_o2");
    const test::TempDir folder;
    std::ofstream(folder.file("text")) << "not a program, but long enough to have a header of an ELF file in its place";
    const DescribedAddress text = hidden(ran, moved(ran, "gxx_o2", folder.file("text"), ""));
    CHECK(text.reason == Unresolved::Unreadable && says(text, "not a 64-bit"));
    CHECK(hidden(ran, moved(ran, "gxx_o2", folder.path(), "")).reason == Unresolved::Unreadable);
    CHECK(hidden(ran, moved(ran, "gxx_o2", "/dev/null", "")).reason == Unresolved::Unreadable);
}
