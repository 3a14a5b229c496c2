// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// An echo server over TCP and its clients, with Boost.Asio alone: no line of it knows the probe. Two clocks tick, and a
// timer is set to one hour: it has not expired when the program ends. With --lose, a coroutine begins to wait for a
// notification that came before: it waits for ever. The program then runs until SIGTERM.
//
// tst_peer_asio.cpp computes the number of coroutines and events from this source.
#include "support/arguments.h"

#include <boost/asio.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace asio = boost::asio;
using asio::awaitable;
using asio::use_awaitable;
using asio::ip::tcp;
using namespace std::chrono_literals;

constexpr std::size_t kMessage = 64;

/// Notifies coroutines by the cancellation of a timer that never expires, as Asio programs do.
struct Notification {
    explicit Notification(asio::io_context &context) : timer(context, asio::steady_timer::time_point::max()) {}
    asio::steady_timer timer;
    void notify() { timer.cancel(); }
    awaitable<void> wait()
    {
        boost::system::error_code error;
        co_await timer.async_wait(asio::redirect_error(use_awaitable, error));
    }
};

struct World {
    asio::io_context context;
    std::uint64_t connections = 0;
    std::uint64_t rounds = 0;
    std::atomic<std::uint64_t> left{0};  ///< coroutines that are not done
    asio::signal_set stop{context, SIGTERM, SIGINT};
    asio::system_timer hour{context};
    Notification closed{context};

    void done()
    {
        // Acquire and release: the last one sees what all others have done.
        if (left.fetch_sub(1, std::memory_order_acq_rel) == 1)
            context.stop();
    }
};

awaitable<void> echo(World &world, tcp::socket socket)
{
    std::array<char, kMessage> data;
    for (;;) {
        boost::system::error_code error;
        const std::size_t size =
            co_await socket.async_read_some(asio::buffer(data), asio::redirect_error(use_awaitable, error));
        if (error)
            break;
        co_await asio::async_write(socket, asio::buffer(data, size), use_awaitable);
    }
    world.done();
}

awaitable<void> listen(World &world, tcp::acceptor acceptor)
{
    for (std::uint64_t i = 0; i < world.connections; ++i) {
        tcp::socket socket = co_await acceptor.async_accept(use_awaitable);
        co_spawn(world.context, echo(world, std::move(socket)), asio::detached);
    }
    world.done();
}

awaitable<void> visit(World &world, tcp::endpoint server)
{
    tcp::socket socket(world.context);
    co_await socket.async_connect(server, use_awaitable);
    std::array<char, kMessage> data{};
    for (std::uint64_t i = 0; i < world.rounds; ++i) {
        co_await asio::async_write(socket, asio::buffer(data), use_awaitable);
        co_await asio::async_read(socket, asio::buffer(data), use_awaitable);
    }
    socket.close();
    world.done();
}

/// A nested coroutine with a result.
template <class Timer>
awaitable<int> tick(Timer &timer)
{
    timer.expires_after(1ms);
    co_await timer.async_wait(use_awaitable);
    co_return 1;
}

template <class Timer>
awaitable<void> ticks(World &world)
{
    Timer timer(world.context);
    int count = 0;
    while (count < 3)
        count += co_await tick(timer);
    co_await asio::post(use_awaitable);
    world.done();
}

awaitable<void> waitAnHour(World &world)
{
    world.hour.expires_after(1h);
    co_await world.hour.async_wait(use_awaitable);
}

/// Works for a moment before it waits. If the notification comes in that moment, it is lost.
awaitable<void> close(World &world)
{
    co_await asio::post(use_awaitable);
    co_await world.closed.wait();
    world.done();
}

template <class Coroutine>
void start(World &world, Coroutine &&coroutine)
{
    co_spawn(world.context, std::forward<Coroutine>(coroutine), asio::detached);
}

}  // namespace

int main(int argc, char **argv)
{
    targets::Arguments arguments("an echo server over TCP and its clients, with Boost.Asio");
    arguments.number("--connections", 100, 1, 10'000, "clients")
        .number("--rounds", 3, 1, 1'000'000, "messages of each client")
        .number("--threads", 1, 1, 64, "threads that run coroutines")
        .flag("--lose", "lose a notification, and run until SIGTERM");
    arguments.parse(argc, argv);

    World world;
    world.connections = arguments.value("--connections");
    world.rounds = arguments.value("--rounds");
    const bool loses = arguments.isSet("--lose");
    world.left = 2 * world.connections + 3 + (loses ? 1 : 0);

    tcp::acceptor acceptor(world.context, tcp::endpoint(asio::ip::address_v4::loopback(), 0), true);
    acceptor.listen(static_cast<int>(world.connections));
    const tcp::endpoint server = acceptor.local_endpoint();
    world.stop.async_wait([&](const boost::system::error_code &, int) { world.context.stop(); });

    start(world, listen(world, std::move(acceptor)));
    start(world, ticks<asio::steady_timer>(world));
    start(world, ticks<asio::system_timer>(world));
    start(world, waitAnHour(world));
    if (loses) {
        start(world, close(world));
        world.closed.notify();
    }
    for (std::uint64_t i = 0; i < world.connections; ++i)
        start(world, visit(world, server));

    std::vector<std::thread> threads;
    for (std::uint64_t i = 1; i < arguments.value("--threads"); ++i)
        threads.emplace_back([&] { world.context.run(); });
    world.context.run();
    for (std::thread &thread : threads)
        thread.join();
    std::printf("%llu coroutines left\n", static_cast<unsigned long long>(world.left.load()));
    return 0;
}
