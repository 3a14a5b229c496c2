// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Coroutines whose events a Writer publishes instead of the probe. A Writer is constructed from (const RawRegion *, the
// frame's promise address). It has write(addr, isActive), written() and hasStation(). Its destructor marks its station
// dead. Its kSizeIn defines how the program computes the size of its mapping.
#pragma once

#include "arguments.h"
#include "rawregion.h"
#include "report.h"
#include "simplescheduler.h"
#include "stop.h"

#include <coroutine>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

namespace targets {

template <class Writer>
struct WriterJob {
    struct promise_type {
        promise_type(const RawRegion *region, std::uint64_t) : writer(region, reinterpret_cast<std::uint64_t>(this)) {}
        WriterJob get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() noexcept {}
        void unhandled_exception() noexcept { std::terminate(); }

        struct TracedTurn {
            Writer &writer;
            [[nodiscard]] bool await_ready() const noexcept { return false; }
            void await_suspend(std::coroutine_handle<> self) const
            {
                writer.write(reinterpret_cast<std::uint64_t>(self.address()), false);
            }
            void await_resume() const { writer.write(0, true); }
        };
        TracedTurn await_transform(Turn) { return {writer}; }

        Writer writer;
    };

    std::coroutine_handle<promise_type> handle;
};

/// Suspends and resumes `rounds` times.
template <class Writer>
WriterJob<Writer> suspendRepeatedly(const RawRegion *, std::uint64_t rounds)
{
    for (std::uint64_t i = 0; i < rounds; ++i)
        co_await Turn{};
}

/// The main program for a Writer, with --coroutines, --threads, --transitions, --pace and --no-socket. Returns the exit
/// status.
template <class Writer>
int runWriterProgram(const char *purpose, int argc, char **argv)
{
    Arguments arguments(purpose);
    arguments.number("--coroutines", 100, 1, 10'000'000, "coroutines alive at once")
        .number("--threads", 2, 1, 256, "threads that resume them")
        .number("--transitions", 100'000, 0, UINT64_MAX / 4, "suspends plus resumes in total, rounded down to pairs")
        .number("--pace", 0, 0, 1'000'000'000, "transitions per second at most, 0 = as fast as possible")
        .number("--linger", 0, 0, 3'600'000, "ms to keep the frames after the last coroutine has finished")
        .flag("--no-socket", "never connect to CTP_SOCK_PATH: the engine gets no wake-ups");
    arguments.parse(argc, argv);
    handleStopSignals();

    const auto region = RawRegion::fromEnvironment(!arguments.isSet("--no-socket"), Writer::kSizeIn);
    const std::uint64_t count = arguments.value("--coroutines");
    const std::uint64_t pairs = arguments.value("--transitions") / 2;
    std::vector<WriterJob<Writer>> jobs;
    std::vector<std::coroutine_handle<>> handles;
    for (std::uint64_t i = 0; i < count; ++i) {
        jobs.push_back(
            suspendRepeatedly<Writer>(region ? &*region : nullptr, pairs / count + (i < pairs % count ? 1 : 0)));
        handles.push_back(jobs.back().handle);
    }
    SimpleScheduler queue(handles, static_cast<unsigned>(arguments.value("--threads")));
    queue.pace(arguments.value("--pace") == 0 ? 0 : arguments.value("--pace") / 2 + 1);
    queue.run();
    (void)sleepUnlessStopped(std::chrono::milliseconds(arguments.value("--linger")));

    Truth truth;
    for (const WriterJob<Writer> &job : jobs) {
        const Writer &writer = job.handle.promise().writer;
        truth.emitted += writer.written();
        ++(writer.hasStation() ? truth.traced : truth.untraced);
        truth.unfinished += job.handle.done() ? 0 : 1;
        job.handle.destroy();
    }
    std::printf("%llu coroutines, %llu transitions\n", static_cast<unsigned long long>(count),
                static_cast<unsigned long long>(2 * pairs));
    return writeReport(truth) ? 0 : 1;
}

}  // namespace targets
