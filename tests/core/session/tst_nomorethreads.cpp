// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The system refuses every thread (ulimit -u). Each part of the core reports it or works without, and tries again.
#include "core/addresses/addressresolver.h"
#include "core/base/startthread.h"
#include "core/playback/fileloader.h"
#include "core/playback/inputspool.h"
#include "core/recording/write/queuedsink.h"
#include "core/trace/population.h"
#include "tests/support/check.h"
#include "tests/support/createthread.h"
#include "tests/support/tempdir.h"

#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <thread>
#include <unistd.h>

using namespace ct;
using ct::test::NoMoreThreads;

namespace {

constexpr std::uint64_t kAddress = 0x1010;
constexpr std::uint64_t kFrame = 0x9000;

/// One module, whose file does not exist.
SymbolWorker::Modules someModules()
{
    return std::make_shared<const ModuleMap>(std::vector<Module>{{"/nowhere/program", 0x1000, 0x2000, 0, {}}});
}

bool isRefusal(const std::string &message)
{
    return message.find("cannot start a thread") != std::string::npos && message.find("ulimit -u") != std::string::npos;
}

/// One coroutine of this process, suspended in a frame. The process has one known module.
struct Run {
    Run()
    {
        Batch batch;
        batch.now = 1;
        Birth birth;
        birth.dialect = Dialect::Seqlock;
        birth.pid = static_cast<std::uint32_t>(::getpid());
        batch.births.push_back(birth);
        CHECK(static_cast<bool>(population->consume(batch)));
        RecordingInfo info;
        RecordingInfo::Process process;
        process.pid = birth.pid;
        process.modules = {{"/nowhere/program", 0x1000, 0x2000, 0, {}}};
        info.processes.push_back(process);
        resolver->addInfo(info);
        resolver->setLive(true);
        code = {0, birth.pid, kAddress, 1, true};
        frame = {0, birth.pid, kFrame, 1, true};
    }
    std::shared_ptr<Population> population = std::make_shared<Population>();
    std::shared_ptr<SymbolWorker> worker = std::make_shared<SymbolWorker>();
    std::shared_ptr<AddressResolver> resolver = std::make_shared<AddressResolver>(worker, population);
    AddressResolver::Query code;
    AddressResolver::Query frame;
};

template <class Condition>
bool waitFor(Condition &&condition)
{
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(95);
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end)
            return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

void needRefusals()
{
    if (!ct::test::kCanRefuseThreads)
        CHECK_SKIP("a sanitizer starts the threads itself");
}

}  // namespace

CT_CASE(addressesStayUnresolvedWithoutAThread)
{
    needRefusals();
    const SymbolWorker::Modules modules = someModules();
    SymbolWorker worker;
    SymbolWorker::Answer refusal;
    const std::uint64_t first = worker.generation();
    {
        const NoMoreThreads none;
        refusal = worker.resolve(modules, kAddress);
        REQUIRE(refusal != nullptr);
        CHECK(isRefusal(refusal->remedy));
        CHECK(refusal->frames.empty());
        CHECK(worker.generation() > first);
        CHECK(worker.known(modules, kAddress) == refusal);
        worker.run([](Symbolizer &) { CHECK(!"ran without a thread"); });
        CHECK(worker.isIdle());
        worker.waitUntilIdle();
        // A view requests a thousand addresses each time that it is painted.
        for (std::uint64_t i = 0; i < 1000; ++i)
            CHECK(worker.resolve(modules, kAddress + i) == refusal);
        CHECK(none.refused() < 1000);
    }
    CHECK(worker.isRefused());
    const std::uint64_t refused = worker.generation();
    REQUIRE(waitFor([&] { return worker.resolve(modules, kAddress) != refusal; }));  // after kRetry
    CHECK(!worker.isRefused());
    CHECK(worker.generation() > refused);
    worker.waitUntilIdle();
    const SymbolWorker::Answer answer = worker.resolve(modules, kAddress);
    REQUIRE(answer != nullptr);
    CHECK(answer->reason == Unresolved::NoFile);
}

CT_CASE(aRefusedWorkerEndsAtOnce)
{
    needRefusals();
    const NoMoreThreads none;
    SymbolWorker worker;
    CHECK(!worker.start());
}

CT_CASE(reportsOneProblemAndLeavesNoRequestOpen)
{
    needRefusals();
    for (const bool isFrame : {false, true}) {
        Run run;
        const NoMoreThreads none;
        const AddressResolver::Query query = isFrame ? run.frame : run.code;
        CHECK(run.resolver->isOpen(query));
        static_cast<void>(run.resolver->resolveOrRequest(query));
        run.resolver->poll();
        CHECK(isRefusal(run.resolver->problem()));
        CHECK(!run.resolver->isOpen(query));
        CHECK(run.resolver->isRead());
        run.resolver->setLive(false);
        run.resolver->poll();
        CHECK(run.resolver->isIdle());
    }
}

CT_CASE(theProblemEndsWithTheRefusal)
{
    needRefusals();
    for (const bool isFrame : {false, true}) {
        Run run;
        const AddressResolver::Query query = isFrame ? run.frame : run.code;
        {
            const NoMoreThreads none;
            static_cast<void>(run.resolver->resolveOrRequest(query));
            run.resolver->poll();
            CHECK(isRefusal(run.resolver->problem()));
        }
        REQUIRE(waitFor([&] { return static_cast<bool>(run.worker->start()); }));  // after kRetry
        CHECK(!isRefusal(run.resolver->problem()));
    }
}

CT_CASE(readsAFrameAfterAThreadIsAvailable)
{
    needRefusals();
    Run run;
    {
        const NoMoreThreads none;
        static_cast<void>(run.resolver->resolveOrRequest(run.frame));
        run.resolver->poll();
    }
    REQUIRE(waitFor([&] { return static_cast<bool>(run.worker->start()); }));
    CHECK(run.resolver->isOpen(run.frame));
}

CT_CASE(aSpoolThatCannotStartClosesItsInput)
{
    needRefusals();
    const ct::test::TempDir dir;
    const std::string path = dir.file("spool.ctr");
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    {
        const NoMoreThreads none;
        const auto spool = InputSpool::start(ends[0], path);
        REQUIRE(!spool);
        CHECK(isRefusal(spool.error().message));
    }
    CHECK_EQUAL(::fcntl(ends[0], F_GETFD), -1);
    CHECK(!std::filesystem::exists(path));
    ::close(ends[1]);
}

CT_CASE(aLoaderThatCannotStartIsAnError)
{
    needRefusals();
    const NoMoreThreads none;
    FileLoader loader("/nowhere/run.ctr", {});
    const Result<void> started = startQThread(loader, "to read run.ctr");
    REQUIRE(!started);
    CHECK(isRefusal(started.error().message));
    CHECK(started.error().message.find("run.ctr") != std::string::npos);
}

CT_CASE(aQueueThatCannotStartIsAnError)
{
    needRefusals();
    const NoMoreThreads none;
    const auto queue = QueuedSink::make(std::make_shared<Population>(), QueuedSink::kUsualBudget);
    REQUIRE(!queue);
    CHECK(isRefusal(queue.error().message));
}
