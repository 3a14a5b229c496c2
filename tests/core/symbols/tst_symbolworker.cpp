// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/symbols/symbolizer.h"
#include "core/symbols/symbolworker.h"
#include "programrun.h"
#include "tests/support/check.h"
#include "tests/support/paths.h"

#include <atomic>
#include <future>
#include <thread>

using namespace ct;

namespace {

SymbolWorker::Modules sharedMap(const made::ProgramRun &ran)
{
    return std::make_shared<const ModuleMap>(ran.modules);
}

std::string functionOf(const SymbolWorker::Answer &answer)
{
    return answer && !answer->frames.empty() ? answer->frames.back().function : "";
}

}  // namespace

CT_CASE(answersArriveWithANewGeneration)
{
    const made::ProgramRun ran = made::run("gxx_o2");
    REQUIRE(ran.ran);
    const auto modules = sharedMap(ran);
    SymbolWorker worker;
    const std::uint64_t before = worker.generation();
    std::promise<void> gate;
    worker.run([&](Symbolizer &) { gate.get_future().wait(); });
    // The worker is blocked, and resolve() does not wait for it.
    CHECK(!worker.resolve(modules, ran.locations.at("hidden").address));
    CHECK(!worker.resolve(modules, ran.locations.at("hidden").address));
    CHECK_EQUAL(worker.generation(), before);
    gate.set_value();
    worker.waitUntilIdle();
    CHECK(worker.generation() > before);
    CHECK_EQUAL(functionOf(worker.resolve(modules, ran.locations.at("hidden").address)),
                "(anonymous namespace)::hidden(int)");
    const SymbolWorker::Answer nowhere = worker.resolve(modules, 1);
    REQUIRE(nowhere != nullptr);
    CHECK(nowhere->reason == Unresolved::NoModule);
}

CT_CASE(destructionDoesNotWaitForATask)
{
    const auto gate = std::make_shared<std::promise<void>>();
    auto owned = std::make_shared<int>(7);
    const std::weak_ptr<int> watched = owned;
    std::promise<void> begun;
    {
        SymbolWorker worker;
        worker.run([gate, owned = std::move(owned), &begun](Symbolizer &) {
            begun.set_value();
            gate->get_future().wait();
        });
        begun.get_future().wait();
        worker.run([](Symbolizer &) { CHECK(!"ran after the end"); });
    }
    // The worker is destroyed, but the objects that its task uses are not.
    CHECK(!watched.expired());
    gate->set_value();
    while (!watched.expired())
        std::this_thread::yield();
}

CT_CASE(twoRunsOfOneProgramShareTheirAnswers)
{
    const made::ProgramRun first = made::run("gxx_o2");
    const made::ProgramRun second = made::run("gxx_o2");
    SymbolWorker worker;
    worker.resolve(sharedMap(first), first.locations.at("hidden").address);
    worker.waitUntilIdle();
    CHECK_EQUAL(functionOf(worker.resolve(sharedMap(second), second.locations.at("hidden").address)),
                "(anonymous namespace)::hidden(int)");
}

CT_CASE(aNewSearchPathDiscardsAnswers)
{
    const made::ProgramRun ran = made::run("gxx_o2");
    std::vector<Module> away(ran.modules.modules().begin(), ran.modules.modules().end());
    for (Module &module : away)
        module.path.insert(0, "/away");
    const auto modules = std::make_shared<const ModuleMap>(away);
    const std::uint64_t address = ran.locations.at("hidden").address;
    SymbolWorker worker;
    worker.resolve(modules, address);
    worker.waitUntilIdle();
    const SymbolWorker::Answer missing = worker.resolve(modules, address);
    REQUIRE(missing != nullptr);
    CHECK(missing->reason == Unresolved::NoFile);

    const std::uint64_t before = worker.generation();
    DebugSearchPath searchPath;
    searchPath.folders.push_back(ct::test::kSymbolProgramsDir);
    worker.setSearchPath(searchPath);
    CHECK(worker.generation() > before);
    CHECK(!worker.resolve(modules, address));
    worker.waitUntilIdle();
    CHECK_EQUAL(functionOf(worker.resolve(modules, address)), "(anonymous namespace)::hidden(int)");
}

CT_CASE(manyThreadsAskAtOnce)
{
    const made::ProgramRun ran = made::run("gxx_o2");
    const auto modules = sharedMap(ran);
    const Module *own = ran.modules.moduleAt(ran.locations.at("hidden").address);
    REQUIRE(own != nullptr);
    SymbolWorker worker;
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 3; ++t) {
        threads.emplace_back([&, t] {
            for (std::uint64_t address = own->begin + t; address < own->end; address += 5)
                worker.resolve(modules, address);
            if (t == 0)
                worker.setSearchPath({});
            worker.waitUntilIdle();
            worker.resolve(modules, own->begin);
            worker.waitUntilIdle();
            wrong += worker.generation() == 0 ? 1 : 0;
        });
    }
    for (std::thread &thread : threads)
        thread.join();
    CHECK_EQUAL(wrong.load(), 0);
    worker.resolve(modules, ran.locations.at("hidden").address);
    worker.waitUntilIdle();
    CHECK_EQUAL(functionOf(worker.resolve(modules, ran.locations.at("hidden").address)),
                "(anonymous namespace)::hidden(int)");
}
