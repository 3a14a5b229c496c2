// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The Python module of the reader library. Makes recordings; pythonmodule.py and pythonpeers.py read them and check
// what they get.
#include "core/recording/read/segments.h"
#include "tests/core/recording/recordingtest.h"
#include "tests/support/paths.h"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <string>

using namespace recordingtest;

namespace {

constexpr std::uint64_t kMost = ~std::uint64_t{0};

bool runs(const std::string &command)
{
    return std::system(command.c_str()) == 0;
}

/// Returns an interpreter that has NumPy and pandas. Debian's packages are for /usr/bin/python3.
std::string pythonWithPandas()
{
    for (const char *const python : {"python3", "/usr/bin/python3"}) {
        if (runs(std::string(python) + " -c 'import numpy, pandas' 2> /dev/null"))
            return python;
    }
    CHECK_SKIP("no python3 has NumPy and pandas; install python3-numpy and python3-pandas");
}

/// The module in the sources, with the library of this build.
std::string environment()
{
    return "PYTHONPATH=" + ct::test::kSourceDir + "/reader/python LD_LIBRARY_PATH=" + ct::test::kBinDir +
           "/../reader PYTHONDONTWRITEBYTECODE=1 ";
}

/// Runs a function of pythonmodule.py or pythonpeers.py. Warnings are errors, unless the function catches them.
void checkInPython(const std::string &function, std::initializer_list<std::string> arguments,
                   const std::string &python = pythonWithPandas())
{
    std::string command = environment() + python + " -W error " + ct::test::kSourceDir + "/tests/reader/" + function;
    for (const std::string &argument : arguments)
        command += " '" + argument + "'";
    if (!runs(command))
        check::fail(__FILE__, __LINE__, function + " failed");
}

/// Writes a recording with rows of every sort. Its sums are right.
void writeSample(const std::string &path, int batches = 20, std::size_t transitions = 200)
{
    RandomStream stream(5);
    const auto sink = writer(path);
    RecordingInfo info;
    info.session = "sample";
    sink->addInfo(info);
    sink->addOutput(7, std::string("begin\0\n", 7));
    Accounting sums;
    for (int i = 0; i < batches; ++i) {
        Batch batch = stream.next(transitions);
        batch.now = 1'000'000'000'000 + static_cast<std::uint64_t>(i) * 300'000'000;
        sums.captured += batch.transitions.size();
        REQUIRE(static_cast<bool>(sink->consume(batch)));
    }
    sink->addOutput(8, "end\n");
    REQUIRE(static_cast<bool>(sink->finish(sums)));
}

void writeEmpty(const std::string &path)
{
    REQUIRE(static_cast<bool>(writer(path)->finish({})));
}

std::string recordProgram(const TempDir &dir, const std::string &program)
{
    const std::string path = dir.file("run.ctr");
    REQUIRE(runs(ct::test::kBinDir + "/corotracer-gui --batch -o " + path + " -- " + ct::test::kBinDir + "/" + program +
                 " > /dev/null 2>&1"));
    return path;
}

Batch extremeBatch()
{
    constexpr std::array values{std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 63, kMost};
    Batch batch;
    batch.now = 5;
    for (std::uint32_t i = 0; i < values.size(); ++i) {
        const std::uint64_t value = values.at(i);
        batch.births.push_back({i, i, 0, 0, Dialect::Lane, value, value});
        Transition event;
        event.ts = std::max<std::uint64_t>(value, 1);
        event.addr = event.seq = value;
        event.coroutine = i;
        batch.transitions.push_back(event);
        batch.notes.wakes.push_back({i, kNoCoroutine, 1, value, 0, 0});
        batch.notes.waits.push_back({i, 0, WaitKind::Other, value, i == 0 ? 0 : kNoCoroutine, 0});
    }
    batch.notes.names = {{0, "a \"quoted\", name\nof two lines: \xC3\xA4"}, {1, "\xFF"}};
    return batch;
}

/// What the example prints about a recording in `dir`.
std::string outputOfExample(const TempDir &dir, const std::string &name)
{
    REQUIRE(runs("cd " + dir.path() + " && " + environment() + pythonWithPandas() + ' ' + ct::test::kSourceDir +
                 "/reader/example/latency.py " + name + " > out 2> errors"));
    CHECK_EQUAL(contentOf(dir.file("errors")), "");
    return contentOf(dir.file("out"));
}

}  // namespace

CT_CASE(readsEveryRowOfRandomStreams)
{
    const TempDir dir;
    writeSample(dir.file("run.ctr"));
    checkInPython("pythonpeers.py every_row", {dir.file("run.ctr")});
}

CT_CASE(readsEveryRowOfRealRuns)
{
    const TempDir dir;
    for (const char *const program :
         {"ct_storm --coroutines 300 --threads 2 --transitions 50000 --rate 500000", "ct_causality --workers 20"}) {
        const std::string path = recordProgram(dir, program);
        checkInPython("pythonpeers.py every_row", {path});
        checkInPython("pythonmodule.py sums", {path});
    }
}

CT_CASE(agreesWithExportsOfTheSameRecording)
{
    const TempDir dir;
    const std::string path = recordProgram(dir, "ct_causality --workers 20");
    REQUIRE(runs("cd " + dir.path() + " && " + ct::test::kBinDir + "/corotracer-gui --batch --input " + path +
                 " --export csv --export jsonl > /dev/null 2>&1"));
    checkInPython("pythonpeers.py exports",
                  {path, dir.file("run.csv"), dir.file("run.causes.csv"), dir.file("run.jsonl")});
}

/// Values that data frames lose when types are guessed: numbers above 2^53 next to empty fields, a name like NA.
CT_CASE(codeInTheManualReadsCsvExactly)
{
    const TempDir dir;
    const std::string path = dir.file("run.ctr");
    const auto sink = writer(path);
    Batch batch = extremeBatch();
    batch.notes.names = {{0, "NA"}, {1, "a \"quoted\", name\nof two lines: \xC3\xA4"}, {2, "null"}, {3, "\xFF"}};
    batch.notes.wakes[0].ts = (std::uint64_t{1} << 60) + 1;
    batch.notes.waits.push_back(
        {0, (std::uint64_t{1} << 53) + 1, WaitKind::Timer, (std::uint64_t{1} << 60) + 1, kNoCoroutine, 0});
    REQUIRE(static_cast<bool>(sink->consume(batch)));
    Accounting sums;
    sums.captured = batch.transitions.size();
    REQUIRE(static_cast<bool>(sink->finish(sums)));
    REQUIRE(runs("cd " + dir.path() + " && " + ct::test::kBinDir + "/corotracer-gui --batch --input " + path +
                 " --export csv > /dev/null 2>&1"));
    checkInPython("pythonpeers.py csv_recipe", {path, dir.path()});
}

CT_CASE(sumsOfTheTablesAreTheSumsOfTheRun)
{
    const TempDir dir;
    writeSample(dir.file("run.ctr"));
    checkInPython("pythonmodule.py sums", {dir.file("run.ctr")});
}

CT_CASE(keepsAll64Bits)
{
    const TempDir dir;
    const auto sink = writer(dir.file("run.ctr"));
    REQUIRE(static_cast<bool>(sink->consume(extremeBatch())));
    Accounting sums;
    sums.captured = 4;
    REQUIRE(static_cast<bool>(sink->finish(sums)));
    checkInPython("pythonmodule.py extremes", {dir.file("run.ctr")});
}

CT_CASE(emptyTablesHaveTheSameTypes)
{
    const TempDir dir;
    writeSample(dir.file("run.ctr"));
    writeEmpty(dir.file("empty.ctr"));
    checkInPython("pythonmodule.py types", {dir.file("run.ctr"), dir.file("empty.ctr")});
    checkInPython("pythonmodule.py enumerations", {});
}

CT_CASE(saysThatACutRecordingIsIncomplete)
{
    const TempDir dir;
    writeSample(dir.file("run.ctr"));
    const std::string content = contentOf(dir.file("run.ctr"));
    for (const std::size_t size : {std::size_t{64}, content.size() / 3, content.size() / 2, content.size() - 40}) {
        putContent(dir.file("cut.ctr"), std::string_view(content).substr(0, size));
        checkInPython("pythonmodule.py incomplete",
                      {dir.file("cut.ctr"), std::to_string(readAll(dir.file("cut.ctr")).sums.captured),
                       "interrupted or is still being written"});
    }
}

CT_CASE(saysWhereARecordingIsDamaged)
{
    const TempDir dir;
    writeSample(dir.file("run.ctr"));
    std::string content = contentOf(dir.file("run.ctr"));
    content[content.size() / 2] ^= 16;
    putContent(dir.file("run.ctr"), content);
    const Everything all = readAll(dir.file("run.ctr"));
    REQUIRE(all.damages.size() == 1);
    const std::string offset = std::to_string(all.damages[0].offset);
    checkInPython("pythonmodule.py incomplete", {dir.file("run.ctr"), std::to_string(all.sums.captured),
                                                 "is damaged from byte " + offset, "open an intact copy"});
    checkInPython("pythonmodule.py damages", {dir.file("run.ctr"), offset});
}

/// The first segments are gone, and the recording is closed in order.
CT_CASE(saysThatSegmentsAreMissing)
{
    const TempDir dir;
    RecordingLimits limits;
    limits.ns = 20'000'000'000;
    {
        RandomStream stream(6);
        const auto sink = RecordingWriter::open(dir.file("run.ctr"), limits);
        REQUIRE(static_cast<bool>(sink));
        Accounting sums;
        sums.captured = 40 * 500;
        for (std::uint64_t i = 0; i < 40; ++i) {
            Batch batch = stream.next(500);
            batch.now = 1'000'000'000'000 + i * 1'000'000'000;
            REQUIRE(static_cast<bool>((*sink)->consume(batch)));
        }
        REQUIRE(static_cast<bool>((*sink)->finish(sums)));
    }
    const std::vector<std::string> segments = ctr::segmentsOf(dir.file("run.ctr"));
    REQUIRE(segments.size() > 1);
    const std::uint64_t captured = readAll(segments.back()).sums.captured;
    REQUIRE(captured > 1000 && captured < 20'000);
    checkInPython("pythonmodule.py incomplete",
                  {segments.back(), std::to_string(captured),
                   std::to_string(20'000 - captured) + " events of the run are not in the recording"});
}

CT_CASE(readsRecordingsThatGrow)
{
    const TempDir dir;
    writeSample(dir.file("run.ctr"));
    checkInPython("pythonmodule.py growing", {dir.file("run.ctr")});
}

CT_CASE(reportsFilesThatAreNoRecordings)
{
    const TempDir dir;
    checkInPython("pythonmodule.py errors", {dir.path()});
}

CT_CASE(closesAndSharesRecordings)
{
    const TempDir dir;
    writeSample(dir.file("run.ctr"));
    checkInPython("pythonmodule.py closing", {dir.file("run.ctr")});
    checkInPython("pythonmodule.py threads", {dir.file("run.ctr")});
}

CT_CASE(batchesNeedLittleMemory)
{
    const TempDir dir;
    writeSample(dir.file("run.ctr"), 60, 50'000);
    checkInPython("pythonmodule.py memory", {dir.file("run.ctr")});
}

CT_CASE(namesMissingPackages)
{
    const TempDir dir;
    checkInPython("pythonmodule.py without_numpy", {}, "python3");
    writeSample(dir.file("run.ctr"));
    checkInPython("pythonmodule.py without_pandas", {dir.file("run.ctr")});
    std::filesystem::copy(ct::test::kSourceDir + "/reader/python", dir.file("copy"),
                          std::filesystem::copy_options::recursive);
    const std::string python = pythonWithPandas();
    CHECK(runs("LD_LIBRARY_PATH= PYTHONDONTWRITEBYTECODE=1 " + python + ' ' + ct::test::kSourceDir +
               "/tests/reader/pythonmodule.py without_library " + dir.file("copy")));
}

/// Installed below any prefix, and moved there, the module loads the library of its prefix.
CT_CASE(installedModuleFindsItsLibrary)
{
    const TempDir dir;
    const std::string python = pythonWithPandas();
    REQUIRE(runs("cmake --install " + ct::test::kBinDir + "/.. --component reader --prefix " + dir.file("first") +
                 " > /dev/null"));
    std::filesystem::rename(dir.file("first"), dir.file("moved"));
    writeSample(dir.file("run.ctr"));
    CHECK(runs("LD_LIBRARY_PATH= PYTHONPATH=" + dir.file("moved") + "/lib/python3/dist-packages " + python +
               " -W error " + ct::test::kSourceDir + "/tests/reader/pythonmodule.py installed " + dir.file("moved") +
               ' ' + dir.file("run.ctr")));
    CHECK(std::filesystem::exists(dir.file("moved") + "/share/doc/corotracer-recording/examples/latency.py"));
}

CT_CASE(exampleRuns)
{
    const TempDir dir;
    recordProgram(dir, "ct_causality --workers 20");
    const std::string text = outputOfExample(dir, "run.ctr");
    for (const char *const part : {"events of 21 coroutines, 0 lost", "complete: yes", "ct_causality.cpp:125", "helper",
                                   "0 coroutines are suspended at the end"}) {
        if (text.find(part) == std::string::npos)
            check::fail(__FILE__, __LINE__, std::string(part) + " is not in:\n" + text);
    }
    writeEmpty(dir.file("empty.ctr"));
    CHECK(outputOfExample(dir, "empty.ctr").find("0 events of 0 coroutines") != std::string::npos);
    // One coroutine is suspended at the end, at an unknown site.
    const auto sink = writer(dir.file("one.ctr"));
    Batch batch = extremeBatch();
    batch.births.resize(1);
    batch.transitions.resize(1);
    batch.notes = {};
    batch.notes.waits.push_back({0, 0, WaitKind::Channel, 1, kNoCoroutine, 0});
    batch.transitions[0].ts = 7;
    REQUIRE(static_cast<bool>(sink->consume(batch)));
    Accounting sums;
    sums.captured = 1;
    REQUIRE(static_cast<bool>(sink->finish(sums)));
    const std::string one = outputOfExample(dir, "one.ctr");
    CHECK(one.find("1 coroutines are suspended at the end") != std::string::npos);
    CHECK(one.find("channel") != std::string::npos);
}

CT_CASE(exampleCountsTheTimeOfNestedCoroutinesOnce)
{
    const TempDir dir;
    Batch batch;
    const auto add = [&batch](CoroutineId coroutine, std::uint64_t begin, std::uint64_t end, std::uint64_t n = 0) {
        if (n == 0)
            batch.births.push_back({coroutine, coroutine, 0, 0, Dialect::Lane, coroutine, 0});
        batch.transitions.push_back({begin, 0, n, 1, coroutine, 7, kUnknownSite, PointKind::Await, true});
        batch.transitions.push_back({end, 0, n + 1, 1, coroutine, 7, kUnknownSite, PointKind::Await, false});
    };
    add(0, 1'000'000, 1'500'000);  // resumes 1 and 2; 2 suspends later
    add(1, 1'100'000, 1'300'000);
    add(2, 1'300'000, 1'600'000);
    add(0, 1'900'000, 2'000'000, 2);
    batch.now = 2'000'000;
    const auto sink = writer(dir.file("nested.ctr"));
    REQUIRE(static_cast<bool>(sink->consume(batch)));
    Accounting sums;
    sums.captured = batch.transitions.size();
    REQUIRE(static_cast<bool>(sink->finish(sums)));
    const std::string text = outputOfExample(dir, "nested.ctr");
    CHECK(text.find(" 70.000") != std::string::npos);
}
