// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Coroutine frames in running programs, compared with the lines where they are suspended.
#include "core/symbols/coroutineframe.h"
#include "core/symbols/symbolizer.h"
#include "runningprogram.h"
#include "tests/support/check.h"

#include <algorithm>
#include <cstring>

using namespace ct;
using made::framesIn;
using made::RunningProgram;
using made::Seen;

namespace {

std::string functionOf(const std::string &name)
{
    if (name == "loop")
        return "work::loop<long>(long)";
    return name == "sequence" ? "work::sequence(int)" : "work::" + name + "()";
}

struct Count {
    int lines = 0;
    int functionOnly = 0;
};

/// Checks the function. The resolved line, if any, must be the one where the coroutine waits.
void checkFrame(Symbolizer &symbolizer, const ModuleMap &modules, const Seen &seen, const MemoryReader &read,
                Count &count)
{
    const CoroutineFrame frame = describeCoroutineFrame(symbolizer, modules, seen.frame, read);
    CHECK(frame.state == CoroutineFrame::State::Suspended);
    REQUIRE(frame.location.frames.size() == 1);
    const SourceFrame &source = frame.location.frames.front();
    CHECK_EQUAL(source.function, functionOf(seen.name));
    CHECK((source.line == 0) == (frame.location.reason == Unresolved::NoLines));
    CHECK((source.line == 0) == (frame.location.remedy.find("only the function is known") == 0));
    if (source.line == 0) {
        ++count.functionOnly;
        std::cout << seen.name << " at line " << seen.line << ": function only" << std::endl;
        return;
    }
    ++count.lines;
    CHECK_EQUAL(source.line, seen.line);
    CHECK(source.file.ends_with("/tests/core/symbols/coroutines.cpp"));
}

/// `lines`: whether lines are expected. Then all suspensions must have one, except those at awaitables without code.
void checkProgram(const std::string &name, bool lines)
{
    if (!made::exists(name))
        return;
    RunningProgram program(name);
    Symbolizer symbolizer;
    ModuleMap modules;
    Count known;
    Count silent;
    for (int round = 0; round < 3; ++round) {
        const std::vector<std::string> said = program.listen();
        if (round == 0)
            modules = made::modulesOf(said);
        const std::vector<Seen> frames = framesIn(said);
        CHECK(frames.size() >= 2);
        for (const Seen &seen : frames) {
            const bool plain = seen.name == "silent" || seen.name == "ready";
            checkFrame(symbolizer, modules, seen, program.reader(), plain ? silent : known);
        }
        program.goOn();
    }
    std::cout << name << ": line known of " << known.lines << ", function only of " << known.functionOnly
              << "; of those without code of their own " << silent.lines << " and " << silent.functionOnly << std::endl;
    CHECK_EQUAL(known.lines > 0, lines);
    CHECK_EQUAL(known.functionOnly, lines ? 0 : known.functionOnly);

    const std::vector<Seen> last = framesIn(program.listen());
    REQUIRE(last.size() == 1);
    const CoroutineFrame finished = describeCoroutineFrame(symbolizer, modules, last[0].frame, program.reader());
    CHECK(finished.state == CoroutineFrame::State::Finished);
    REQUIRE(finished.location.frames.size() == 1);
    CHECK_EQUAL(finished.location.frames[0].function, "work::sequence(int)");
}

}  // namespace

CT_CASE(findsTheLinesOfSuspensions)
{
#if defined(__x86_64__)
    for (const char *name : {"coroutines_gxx_o0", "coroutines_gxx_o2", "coroutines_clang_o0", "coroutines_clang_o2"})
        checkProgram(name, true);
#else
    std::cout << "SKIPPED: only functions are known on this processor" << std::endl;
#endif
}

CT_CASE(withoutDebugInformationOnlyTheFunctionIsKnown)
{
    checkProgram("coroutines_plain", false);
}

CT_CASE(strippedProgramsHaveNoFrameLocation)
{
    RunningProgram program("coroutines_stripped");
    const std::vector<std::string> said = program.listen();
    const std::vector<Seen> frames = framesIn(said);
    REQUIRE(!frames.empty());
    Symbolizer symbolizer;
    const CoroutineFrame frame =
        describeCoroutineFrame(symbolizer, made::modulesOf(said), frames.front().frame, program.reader());
    CHECK(frame.state == CoroutineFrame::State::Unknown && frame.location.frames.empty());
    CHECK(frame.location.reason == Unresolved::NoSymbols);
    CHECK(frame.location.remedy.find("without -s") != std::string::npos ||
          frame.location.remedy.find("-g") != std::string::npos);
}

CT_CASE(refusesMemoryThatIsNoFrame)
{
    RunningProgram program("coroutines_gxx_o2");
    const std::vector<std::string> said = program.listen();
    const ModuleMap modules = made::modulesOf(said);
    const std::vector<Seen> frames = framesIn(said);
    REQUIRE(!frames.empty() && !modules.modules().empty());
    Symbolizer symbolizer;
    const MemoryReader read = program.reader();
    const auto gapOf = [&](std::uint64_t address) {
        return describeCoroutineFrame(symbolizer, modules, address, read).location.reason;
    };
    CHECK(gapOf(0) == Unresolved::NotACoroutine);
    CHECK(gapOf(frames[0].frame + 1) == Unresolved::NotACoroutine);
    CHECK(gapOf(frames[0].frame + 16) == Unresolved::NotACoroutine);
    CHECK(gapOf(modules.modules().front().begin) == Unresolved::NotACoroutine);
    CHECK(gapOf(8) == Unresolved::NotReadable);
    // Two addresses in the program, but of no coroutine.
    const std::uint64_t fake[] = {modules.modules().front().begin, modules.modules().front().begin};
    const CoroutineFrame frame =
        describeCoroutineFrame(symbolizer, modules, 64, [&](std::uint64_t, void *to, std::size_t size) {
            std::memcpy(to, fake, std::min(size, sizeof(fake)));
            return size <= sizeof(fake);
        });
    CHECK(frame.location.reason == Unresolved::NotACoroutine);
    program.end();
    CHECK(gapOf(frames[0].frame) == Unresolved::NotReadable);
}
