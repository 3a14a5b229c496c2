// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The adapter for Boost.Asio: what each kind of operation reports of the coroutine that awaits it. Without Boost, the
// suite is not built (tst_peer_threads.cpp reports that).
#include "tests/probe/lanetest.h"

#include <boost/asio.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/experimental/channel.hpp>

#include <string>
#include <thread>

#include <unistd.h>

template <>
inline constexpr bool
    corotracer::trace_promise<boost::asio::detail::awaitable_frame<char, boost::asio::any_io_executor>> = false;

namespace {

using namespace lanetest;
using probetest::inChild;
namespace asio = boost::asio;
using asio::awaitable;
using asio::use_awaitable;
using namespace std::chrono_literals;

/// What lanes say about coroutines, in the order of birth: waits as letters (t timer, d descriptor, c channel, o other
/// object, ? coroutine), ! wakes. Coroutines are separated by spaces.
std::string waitsAndWakes(const Region &region)
{
    const std::map<unsigned, char> letters{
        {kRecordWaitsOn + std::uint8_t{kWaitTimer}, 't'},     {kRecordWaitsOn + std::uint8_t{kWaitDescriptor}, 'd'},
        {kRecordWaitsOn + std::uint8_t{kWaitChannel}, 'c'},   {kRecordWaitsOn + std::uint8_t{kWaitOther}, 'o'},
        {kRecordWaitsOn + std::uint8_t{kWaitCoroutine}, '?'}, {kRecordWake, '!'}};
    std::vector<std::uint64_t> born;
    std::map<std::uint64_t, std::string> texts;
    for (std::uint32_t lane = 0; lane < region.lanes(); ++lane) {
        for (const Record &record : peek(region, lane)) {
            if (record.kind == kRecordBirth)
                born.push_back(record.identity);
            if (const auto letter = letters.find(record.kind); letter != letters.end())
                texts[record.identity] += letter->second;
        }
    }
    std::string result;
    for (const std::uint64_t identity : born)
        result += (result.empty() ? "" : " ") + texts[identity];
    return result;
}

/// Runs a coroutine to its end, and returns its waits and wakes: those of co_spawn's coroutine, then its own, then
/// those of further ones. The first one is woken by its executor, and awaits the second one.
template <class Body>
std::string reportOf(const Region &region, Body body)
{
    asio::io_context context;
    std::exception_ptr thrown;
    co_spawn(context, std::move(body), [&](std::exception_ptr error) { thrown = error; });
    context.run();
    if (thrown)
        std::rethrow_exception(thrown);
    return waitsAndWakes(region);
}

CT_CASE(timersAndExecutors)
{
    const Region region;
    inChild([&] {
        const std::string report = reportOf(region, []() -> awaitable<void> {
            asio::steady_timer timer(co_await asio::this_coro::executor, 1ms);
            co_await timer.async_wait(use_awaitable);
            co_await timer.async_wait(asio::as_tuple(use_awaitable));
            co_await timer.async_wait(asio::deferred);
            co_await asio::post(use_awaitable);
            co_await asio::post(co_await asio::this_coro::executor, asio::as_tuple(use_awaitable));
            co_await asio::dispatch(asio::bind_executor(co_await asio::this_coro::executor, use_awaitable));
            asio::deadline_timer old(co_await asio::this_coro::executor, boost::posix_time::milliseconds(1));
            co_await old.async_wait(use_awaitable);
        });
        CHECK_EQUAL(report, "!? t!t!t!!!!o!");
    });
}

/// Programs set such a timer so that it expires at once.
CT_CASE(theEarliestTimeHasPassed)
{
    const Region region;
    inChild([&] {
        const std::string report = reportOf(region, []() -> awaitable<void> {
            const auto executor = co_await asio::this_coro::executor;
            asio::system_timer system(executor, asio::system_timer::time_point::min());
            co_await system.async_wait(use_awaitable);
            asio::steady_timer steady(executor, asio::steady_timer::time_point::min());
            co_await steady.async_wait(use_awaitable);
        });
        CHECK_EQUAL(report, "!? t!t!");
        for (const Record &record : peek(region, 0)) {
            const auto now = static_cast<std::int64_t>(corotracer::get_ns());
            CHECK(record.kind != kRecordWaitsOn + std::uint8_t{kWaitTimer} ||
                  static_cast<std::int64_t>(record.arg) <= now);
        }
    });
}

CT_CASE(descriptorsAndObjects)
{
    const Region region;
    inChild([&] {
        int ends[2];
        REQUIRE(::pipe(ends) == 0);
        const std::string report = reportOf(region, [&]() -> awaitable<void> {
            const auto executor = co_await asio::this_coro::executor;
            asio::posix::stream_descriptor in(executor, ends[0]);
            asio::posix::stream_descriptor out(executor, ends[1]);
            char data[8] = {};
            co_await asio::async_write(out, asio::buffer(data), use_awaitable);
            co_await asio::async_read(in, asio::buffer(data), use_awaitable);
            asio::experimental::channel<void(boost::system::error_code, int)> channel(executor, 1);
            co_await channel.async_send({}, 1, use_awaitable);
            CHECK_EQUAL(co_await channel.async_receive(use_awaitable), 1);
            asio::ip::tcp::resolver resolver(executor);
            co_await resolver.async_resolve("127.0.0.1", "80", use_awaitable);
        });
        CHECK_EQUAL(report, "!? d!d!c!c!o!");
        std::vector<std::uint64_t> descriptors;
        for (const Record &record : peek(region, 0)) {
            if (record.kind == kRecordWaitsOn + std::uint8_t{kWaitDescriptor})
                descriptors.push_back(record.arg);
        }
        CHECK(descriptors == std::vector<std::uint64_t>({std::uint64_t(ends[1]), std::uint64_t(ends[0])}));
    });
}

/// A read in two steps: the second step waits again, and only the last one resumes the coroutine.
CT_CASE(longOperationsHaveOneWake)
{
    const Region region;
    inChild([&] {
        int ends[2];
        REQUIRE(::pipe(ends) == 0);
        const std::string report = reportOf(region, [&]() -> awaitable<void> {
            const auto executor = co_await asio::this_coro::executor;
            asio::posix::stream_descriptor in(executor, ends[0]);
            char data[8] = {};
            CHECK_EQUAL(::write(ends[1], data, 4), 4);
            asio::steady_timer timer(executor, 1ms);
            timer.async_wait([&](const boost::system::error_code &) { CHECK_EQUAL(::write(ends[1], data, 4), 4); });
            co_await asio::async_read(in, asio::buffer(data), use_awaitable);
            // The coroutine runs within the last step. This callback is none of its waits.
            timer.async_wait([](const boost::system::error_code &) {});
            co_await asio::post(use_awaitable);
        });
        CHECK_EQUAL(report, "!? dd!!");
    });
}

/// Handlers that are no coroutines say nothing about coroutines, also if a coroutine starts them.
CT_CASE(callbacksAreNotAttributed)
{
    const Region region;
    inChild([&] {
        const std::string report = reportOf(region, []() -> awaitable<void> {
            const auto executor = co_await asio::this_coro::executor;
            asio::steady_timer timer(executor, 1ms);
            timer.async_wait([](const boost::system::error_code &) {});
            asio::post(executor, [] {});
            co_await asio::post(use_awaitable);
            timer.async_wait([](const boost::system::error_code &) {});
        });
        CHECK_EQUAL(report, "!? !");
    });
}

/// An operation of the program's own that uses an executor. What it waits for is not known.
CT_CASE(operationsOfTheProgram)
{
    const Region region;
    inChild([&] {
        const std::string report = reportOf(region, []() -> awaitable<void> {
            const auto executor = co_await asio::this_coro::executor;
            co_await asio::async_initiate<const asio::use_awaitable_t<>, void()>(
                [executor](auto handler) {
                    asio::post(executor, [handler = std::move(handler)]() mutable { std::move(handler)(); });
                },
                use_awaitable);
        });
        CHECK_EQUAL(report, "!? ");
    });
}

awaitable<int> answer()
{
    co_await asio::post(use_awaitable);
    co_return 42;
}

CT_CASE(spawnedCoroutinesAreAwaited)
{
    const Region region;
    inChild([&] {
        const std::string report = reportOf(region, []() -> awaitable<void> {
            const auto executor = co_await asio::this_coro::executor;
            CHECK_EQUAL(co_await answer(), 42);
            CHECK_EQUAL(co_await co_spawn(executor, answer(), use_awaitable), 42);
        });
        // The outer pair; answer(); answer() again, made before co_spawn's coroutine for it. co_spawn gives the result
        // to the executor: that is no operation of its own, so no wake is reported.
        CHECK_EQUAL(report, "!? ?? ! ! !?");
    });
}

CT_CASE(eitherOfTwo)
{
    const Region region;
    inChild([&] {
        using namespace asio::experimental::awaitable_operators;
        const std::string report = reportOf(region, []() -> awaitable<void> {
            const auto executor = co_await asio::this_coro::executor;
            asio::steady_timer first(executor, 1ms);
            asio::steady_timer second(executor, 1h);
            const auto result = co_await (first.async_wait(use_awaitable) || second.async_wait(use_awaitable));
            CHECK_EQUAL(result.index(), 0U);
        });
        // The outer pair; the coroutine of the operator, which waits for a group; one of co_spawn for each operation.
        CHECK_EQUAL(report, "!? ?  !t! !t!");
    });
}

awaitable<char> quiet()
{
    co_await asio::post(use_awaitable);
    co_return 'q';
}

CT_CASE(promiseTypesCanBeSwitched)
{
    const Region region;
    inChild([&] {
        using Promise = asio::detail::awaitable_frame<int, asio::any_io_executor>;
        corotracer::enable<Promise>(false);
        const std::string report = reportOf(region, []() -> awaitable<void> {
            CHECK_EQUAL(co_await quiet(), 'q');  // off when compiling
            CHECK_EQUAL(co_await answer(), 42);  // off at run time
        });
        CHECK_EQUAL(report, "!? ");
        CHECK_EQUAL(count(peek(region, 0), kRecordBirth), 2U);
    });
}

CT_CASE(cancelledAndFailedOperations)
{
    const Region region;
    inChild([&] {
        const std::string report = reportOf(region, []() -> awaitable<void> {
            const auto executor = co_await asio::this_coro::executor;
            asio::steady_timer timer(executor, asio::steady_timer::time_point::max());
            asio::post(executor, [&] { timer.cancel(); });
            bool failed = false;
            try {
                co_await timer.async_wait(use_awaitable);
            } catch (const boost::system::system_error &error) {
                failed = error.code() == asio::error::operation_aborted;
            }
            CHECK(failed);
        });
        // A timer that never expires is an object. Its cancellation signals it.
        CHECK_EQUAL(report, "!? o!");
        CHECK_EQUAL(count(peek(region, 0), kRecordSignalled), 1U);
    });
}

/// A strand on two threads: steps of one coroutine run on both.
CT_CASE(coroutinesInAStrand)
{
    const Region region;
    inChild([&] {
        asio::io_context context;
        const auto strand = asio::make_strand(context);
        int rounds = 0;
        for (int i = 0; i < 4; ++i) {
            co_spawn(
                strand,
                [&]() -> awaitable<void> {
                    asio::steady_timer timer(co_await asio::this_coro::executor);
                    for (int round = 0; round < 50; ++round) {
                        timer.expires_after(10us);
                        co_await timer.async_wait(use_awaitable);
                        ++rounds;
                    }
                },
                asio::detached);
        }
        std::thread other([&] { context.run(); });
        context.run();
        other.join();
        CHECK_EQUAL(rounds, 200);
        const std::string report = waitsAndWakes(region);
        CHECK_EQUAL(std::count(report.begin(), report.end(), 't'), 200);
        CHECK_EQUAL(std::count(report.begin(), report.end(), '!'), 204);
    });
}

/// Coroutines that are destroyed while they wait.
CT_CASE(destroyedCoroutinesDie)
{
    const Region region;
    inChild([&] {
        {
            asio::io_context context;
            co_spawn(
                context,
                []() -> awaitable<void> {
                    asio::steady_timer timer(co_await asio::this_coro::executor, 1h);
                    co_await timer.async_wait(use_awaitable);
                },
                asio::detached);
            context.poll();
        }
        CHECK_EQUAL(waitsAndWakes(region), "!? t");
        CHECK_EQUAL(count(peek(region, 0), kRecordDeath), 2U);
    });
}

}  // namespace
