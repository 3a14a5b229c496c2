// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Coroutines of a library whose promises are not ours: the wrapped promise, and the tracing of single coroutines.
#include "corotracer/foreign.h"
#include "corotracer/selftraced.h"
#include "tests/probe/lanetest.h"
#include "tests/probe/theirlibrary.h"

#include <memory>
#include <string>
#include <thread>

namespace their {

template <class T>
const corotracer::PromiseMixin *awaited_promise(const task<T> &callee) noexcept
{
    return corotracer::promise_of(callee.native_handle());
}

}  // namespace their

template <>
inline constexpr bool corotracer::trace_promise<their::generator<char>::promise_type> = false;

COROTRACER_TRACE_TASK_TEMPLATE(their::task);
COROTRACER_TRACE_TASK_TEMPLATE(their::eager);
COROTRACER_TRACE_TASK_TEMPLATE(their::generator);
COROTRACER_TRACE_TASK(their::counted);

namespace {

using namespace lanetest;
using probetest::inChild;

constexpr auto kWaitsOnCoroutine = kRecordWaitsOn + std::uint8_t{kWaitCoroutine};
constexpr auto kWaitsOnDescriptor = kRecordWaitsOn + std::uint8_t{kWaitDescriptor};

/// The records of the main thread about coroutines: the identity as a letter, in the order of birth, and what happened.
/// "a+" birth, "a-" death, "a<0" suspension at a point of kind 0, "a>0" its resumption, "b^a" a is the parent of b,
/// "a?b" a waits on b, "a!" a was woken.
std::string story(const Region &region)
{
    std::map<std::uint64_t, char> names;
    std::string result;
    for (std::uint32_t lane = 0; lane < region.lanes(); ++lane) {
        for (const Record &record : peek(region, lane)) {
            if (record.kind == kRecordBirth)
                names.emplace(record.identity, static_cast<char>('a' + names.size()));
            result += result.empty() ? "" : " ";
            result += names[record.identity];
            const std::uint8_t high = record.kind & 0xF0;
            const char point = static_cast<char>('0' + (record.kind & 0xF));
            if (record.kind == kRecordBirth)
                result += '+';
            else if (record.kind == kRecordDeath)
                result += '-';
            else if (high == kRecordSuspend)
                result += {'<', point};
            else if (high == kRecordResume)
                result += {'>', point};
            else if (record.kind == kRecordParent)
                result += {'^', names[record.arg]};
            else if (record.kind == kWaitsOnCoroutine)
                result += {'?', names[record.arg]};
            else if (record.kind == kRecordWake)
                result += '!';
            else
                result += '#';
        }
    }
    return result;
}

/// The line of the site of each suspension, 0 = none.
std::vector<std::uint32_t> linesOfSuspensions(const Region &region)
{
    std::vector<std::uint32_t> lines;
    for (const Record &record : peek(region, 0)) {
        if ((record.kind & 0xF0) != kRecordSuspend)
            continue;
        const ExtensionHeader &extension = region.extension();
        const auto *sites = reinterpret_cast<const SiteRecord *>(region.bytes() + extension.site_table_offset);
        lines.push_back(record.site == 0 ? 0 : sites[record.site - 1].line);
    }
    return lines;
}

their::task<int> child(their::gate &gate)
{
    co_await gate;
    co_return 7;
}

their::task<void> parent(their::gate &gate, int &result)
{
    result = co_await child(gate);
}

CT_CASE(aLibrarysTasksAreTraced)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        their::onReady = [](std::coroutine_handle<> handle) { corotracer::scheduled(handle); };
        their::gate gate;
        int result = 0;
        {
            const their::task<void> all = parent(gate, result);
            their::schedule(all.native_handle());
            their::run();
            CHECK_EQUAL(story(region), "a+ a<1 a! a>1 b+ b^a b<1 a?b a<0 b>1 b<0");
            gate.let();
            their::run();
            CHECK_EQUAL(result, 7);
        }
        CHECK_EQUAL(story(region), "a+ a<1 a! a>1 b+ b^a b<1 a?b a<0 b>1 b<0 b! b>0 b<2 a>0 b- a<2 a-");
    });
}

CT_CASE(sitesAreTheLinesOfTheProgram)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        their::gate gate;
        const auto where = [](their::gate &at, int &line) -> their::task<void> {
            line = __LINE__ + 1;
            co_await at;
        };
        int line = 0;
        const their::task<void> one = where(gate, line);
        one.native_handle().resume();
        const std::vector<std::uint32_t> lines = linesOfSuspensions(region);
        REQUIRE(lines.size() == 2);
        CHECK_EQUAL(lines[1], static_cast<std::uint32_t>(line));
    });
}

CT_CASE(theLibrarysHandleFindsItsPromise)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        their::gate gate;
        const their::task<int> one = child(gate);
        CHECK(corotracer::promise_of(one.native_handle()) != nullptr);
        CHECK_EQUAL(one.native_handle().promise().result(), 0);
        one.native_handle().resume();
        gate.open = true;
        one.native_handle().resume();
        CHECK_EQUAL(one.native_handle().promise().result(), 7);
    });
}

/// A coroutine of the same library without the wrapper: it returns another class that the macro does not name.
struct Plain {
    struct promise_type : their::task_promise_base {
        Plain get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        void return_void() {}
    };
    std::coroutine_handle<promise_type> handle;
};
Plain plain(their::gate &gate)
{
    co_await gate;
}

CT_CASE(anUntracedCoroutineHasNoPromise)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        their::gate gate;
        const Plain one = plain(gate);
        CHECK(corotracer::promise_of(one.handle) == nullptr);
        CHECK(corotracer::promise_of(nullptr) == nullptr);
        corotracer::scheduled(one.handle);
        one.handle.destroy();
        CHECK_EQUAL(story(region), "");
    });
}

their::eager<int> leaf(their::gate &gate)
{
    co_await their::task_promise_base::gate_awaiter{gate};
    co_return {};
}
their::eager<int> root(their::gate &gate)
{
    leaf(gate);
    co_await their::task_promise_base::gate_awaiter{gate};
    co_return 3;
}

CT_CASE(aFinalPromiseIsTheFirstMember)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        their::gate gate;
        gate.open = true;
        root(gate);
        CHECK_EQUAL(their::eager<int>::last, 3);
        // A coroutine that starts at once says so: therefore a is the parent of b.
        CHECK_EQUAL(story(region), "a+ a>1 b+ b^a b>1 b- a-");
    });
}

their::counted count(int &)
{
    co_await std::suspend_always{};
}

CT_CASE(promisesAreMadeFromArguments)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        int start = 5;
        const their::counted one = count(start);
        CHECK_EQUAL(start, 106);
        one.handle.resume();
        one.handle.resume();
        CHECK(one.handle.done());
        one.handle.destroy();
        CHECK_EQUAL(story(region), "a+ a<1 a>1 a<0 a>0 a<2 a-");
    });
}

template <class T>
their::generator<T> numbers()
{
    co_yield 1;
    co_yield 2;
}
template <class T>
int sum()
{
    int result = 0;
    const their::generator<T> all = numbers<T>();
    for (all.handle.resume(); !all.handle.done(); all.handle.resume())
        result += static_cast<int>(all.handle.promise().value);
    return result;
}

CT_CASE(generatorsAreSwitchedByTheirType)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        using Promise = their::generator<int>::promise_type;
        CHECK_EQUAL(sum<char>(), 3);  // off when compiling
        corotracer::enable<Promise>(false);
        CHECK_EQUAL(sum<int>(), 3);
        CHECK_EQUAL(story(region), "");
        CHECK_EQUAL(region.extension().births_while_off.load(), 0U);
        CHECK_EQUAL(sum<long>(), 3);  // another type
        const std::string one = "a+ a<1 a>1 a<3 a>3 a<3 a>3 a<2 a-";
        CHECK_EQUAL(story(region), one);
        corotracer::enable<Promise>(true);
        CHECK_EQUAL(sum<int>(), 3);
        CHECK_EQUAL(count(peek(region, 0), kRecordBirth), 2U);
    });
}

/// A program's own promise that can be switched.
struct Own {
    struct promise_type : corotracer::switchable<promise_type> {
        Own get_return_object() { return {}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { std::abort(); }
    };
};
Own own()
{
    co_await std::suspend_never{};
}

CT_CASE(ownPromisesCanBeSwitched)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        corotracer::enable<Own::promise_type>(false);
        own();
        CHECK_EQUAL(story(region), "");
        corotracer::enable<Own::promise_type>(true);
        own();
        CHECK_EQUAL(story(region), "a+ a-");
    });
}

/// As a library's task that lets every awaitable pass.
struct Open {
    struct promise_type {
        Open get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { std::abort(); }
    };
    std::coroutine_handle<promise_type> handle;
};
struct Pinned : std::suspend_always {
    Pinned() = default;
    Pinned(const Pinned &) = delete;
};
Open withObject(bool &isTraced)
{
    corotracer::coroutine self("mine");
    isTraced = self.is_traced();
    const corotracer::coroutine inner;
    co_await self(std::suspend_always{});
    co_await self(Pinned{});
    co_await self(std::suspend_never{});
}

CT_CASE(anObjectStandsForItsCoroutine)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        bool isTraced = false;
        const Open one = withObject(isTraced);
        CHECK(isTraced);
        one.handle.resume();
        one.handle.resume();
        // The coroutine may stop without the object. Therefore it is not reported as the parent of b.
        CHECK_EQUAL(story(region), "a+ a>1 a# b+ b>1 a<0 a>0 a<0 a>0 b- a-");
        one.handle.destroy();
    });
}

Open withoutObject()
{
    co_await corotracer::traced(std::suspend_never{});
    co_await corotracer::traced(std::suspend_always{});
    std::suspend_always again;
    co_await corotracer::traced(again);
}

CT_CASE(oneWaitIsTraced)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        const Open one = withoutObject();
        CHECK_EQUAL(story(region), "a+ a<0");
        one.handle.resume();
        one.handle.resume();
        CHECK_EQUAL(story(region), "a+ a<0 a>0 a- b+ b<0 b>0 b-");
        const std::vector<std::uint32_t> lines = linesOfSuspensions(region);
        REQUIRE(lines.size() == 2);
        CHECK_EQUAL(lines[1] - lines[0], 2U);
        one.handle.destroy();
    });
}

/// A task that awaits on one thread and continues on another one.
CT_CASE(aCoroutineMovesToAnotherThread)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        their::onReady = nullptr;
        their::gate gate;
        int result = 0;
        const their::task<void> all = parent(gate, result);
        all.native_handle().resume();
        std::thread([&] {
            gate.let();
            their::run();
        }).join();
        CHECK_EQUAL(result, 7);
        std::vector<Record> other = peek(region, 1);
        CHECK_EQUAL(pattern(other), "RSRDS");
        REQUIRE(other.size() == 5);
        // The child resumes its parent by symmetric transfer: its run ends before the parent's begins.
        CHECK(other[0].identity == other[1].identity && other[2].identity == other[4].identity);
        CHECK(other[0].identity != other[2].identity);
    });
}

their::counted waitsOn(int &descriptor)
{
    co_await corotracer::awaiting({corotracer::wait::descriptor, descriptor}, std::suspend_always{});
}

CT_CASE(awaitingReportsInWrappedCoroutines)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        int start = 0;
        const their::counted one = waitsOn(start);
        one.handle.resume();
        bool found = false;
        for (const Record &record : peek(region, 0)) {
            if (record.kind != kWaitsOnDescriptor)
                continue;
            found = true;
            CHECK_EQUAL(record.arg, 101U);
            CHECK_EQUAL(record.n, 2U);  // the suspension after the initial one and its resumption
        }
        CHECK(found);
        one.handle.destroy();
    });
}

}  // namespace
