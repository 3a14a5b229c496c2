// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Programs of the corpus that use Boost.Asio alone: no line of them knows the probe.
#include "peerprogram.h"

#include <boost/asio.hpp>

#include <array>
#include <atomic>
#include <deque>
#include <thread>
#include <vector>

namespace {

namespace asio = boost::asio;
using asio::awaitable;
using asio::steady_timer;
using asio::use_awaitable;
using asio::ip::tcp;
using corpus::PeerSetting;
using namespace std::chrono_literals;

constexpr int kClients = 6;
constexpr int kVictim = 3;
constexpr int kFaultRound = 8;

struct World {
    explicit World(const PeerSetting &from) : setting(from) {}

    const PeerSetting &setting;
    asio::io_context context;

    [[nodiscard]] bool isFault(int client, int round) const
    {
        return setting.isBroken && client == kVictim && round == kFaultRound;
    }
    void start(awaitable<void> task) { co_spawn(context, std::move(task), asio::detached); }
    void run()
    {
        std::vector<std::thread> threads;
        for (unsigned i = 1; i < setting.threads; ++i)
            threads.emplace_back([this] { context.run(); });
        context.run();
        for (std::thread &thread : threads)
            thread.join();
    }
};

awaitable<void> pause(std::chrono::nanoseconds duration)
{
    steady_timer timer(co_await asio::this_coro::executor, duration);
    co_await timer.async_wait(use_awaitable);
}

/// Notifies a coroutine by the cancellation of a timer that never expires. On a strand, as everything that uses it.
struct Bell {
    explicit Bell(asio::io_context &context) : timer(context, steady_timer::time_point::max()) {}
    steady_timer timer;
    bool hasRung = false;

    void ring()
    {
        hasRung = true;
        timer.cancel();
    }
};

awaitable<void> answerLater(Bell &bell, std::chrono::nanoseconds after)
{
    co_await pause(after);
    bell.ring();
}

awaitable<void> askOften(World &world, Bell &bell, int client)
{
    const auto unit = world.setting.unit;
    const auto executor = co_await asio::this_coro::executor;
    for (int round = 0;; ++round) {
        co_await pause(unit * (2 + client % 3));
        bell.hasRung = false;
        co_spawn(executor, answerLater(bell, unit), asio::detached);
        if (client == kVictim && round == kFaultRound)
            co_await pause(unit * 3);  // the answer comes now
        // The broken client does not look whether it has.
        if (bell.hasRung && !world.isFault(client, round))
            continue;
        boost::system::error_code error;
        co_await bell.timer.async_wait(asio::redirect_error(use_awaitable, error));
    }
}

/// A notification comes before the wait for it.
void notifyBeforeWait(World &world)
{
    std::deque<Bell> bells;
    for (int client = 0; client < kClients; ++client) {
        Bell &bell = bells.emplace_back(world.context);
        co_spawn(asio::make_strand(world.context), askOften(world, bell, client), asio::detached);
    }
    world.run();
}

awaitable<void> serveClient(World &world, tcp::socket socket, int client)
{
    std::array<char, 8> data{};
    for (int round = 0;; ++round) {
        boost::system::error_code error;
        co_await asio::async_read(socket, asio::buffer(data), asio::redirect_error(use_awaitable, error));
        if (error)
            co_return;
        if (world.isFault(client, round))
            continue;  // an error that was logged, and no answer
        co_await asio::async_write(socket, asio::buffer(data), use_awaitable);
    }
}

awaitable<void> askServer(World &world, tcp::socket socket, int client)
{
    std::array<char, 8> data{};
    for (;;) {
        co_await pause(world.setting.unit * (2 + client % 3));
        co_await asio::async_write(socket, asio::buffer(data), use_awaitable);
        co_await asio::async_read(socket, asio::buffer(data), use_awaitable);
    }
}

/// A server does not answer one of the requests.
void lostReply(World &world)
{
    tcp::acceptor acceptor(world.context, {asio::ip::address_v4::loopback(), 0});
    for (int client = 0; client < kClients; ++client) {
        tcp::socket near(world.context);
        near.connect(acceptor.local_endpoint());
        world.start(serveClient(world, acceptor.accept(), client));
        world.start(askServer(world, std::move(near), client));
    }
    world.run();
}

awaitable<void> useOtherExecutor(World &world, asio::io_context &other, int client)
{
    for (int round = 0;; ++round) {
        co_await pause(world.setting.unit * (2 + client % 3));
        co_await asio::post(other, asio::bind_executor(other, use_awaitable));
    }
}

awaitable<void> stopLater(World &world, asio::io_context &other)
{
    co_await pause(world.setting.unit * 30);
    if (world.setting.isBroken)
        other.stop();
}

/// Coroutines are posted to an executor that has been stopped.
void stoppedExecutor(World &world)
{
    asio::io_context other;
    const auto work = asio::make_work_guard(other);
    std::thread thread([&other] { other.run(); });
    for (int client = 0; client < kClients; ++client)
        world.start(useOtherExecutor(world, other, client));
    world.start(stopLater(world, other));
    world.run();
    thread.join();
}

awaitable<void> accept(tcp::acceptor &acceptor)
{
    for (;;)
        (void)co_await acceptor.async_accept(use_awaitable);
}

/// A server without clients.
void idleServer(World &world)
{
    std::deque<tcp::acceptor> acceptors;
    for (int i = 0; i < 3; ++i)
        world.start(accept(acceptors.emplace_back(world.context, tcp::endpoint(asio::ip::address_v4::loopback(), 0))));
    world.run();
}

awaitable<void> repeat(std::chrono::nanoseconds period)
{
    for (;;)
        co_await pause(period);
}

/// Timers with periods of a few ms to an hour.
void periodicWork(World &world)
{
    const std::chrono::nanoseconds unit = world.setting.unit;
    for (const std::chrono::nanoseconds period :
         {unit, unit * 2, unit * 3, unit * 8, std::chrono::nanoseconds(900ms), std::chrono::nanoseconds(1h)})
        world.start(repeat(period));
    world.run();
}

template <void (*run)(World &)>
void inWorld(const PeerSetting &setting)
{
    World world(setting);
    run(world);
}

}  // namespace

int main(int argc, char **argv)
{
    return corpus::runPeerProgram(argc, argv,
                                  {{"asio-notify-before-wait", inWorld<notifyBeforeWait>},
                                   {"asio-lost-reply", inWorld<lostReply>},
                                   {"asio-stopped-executor", inWorld<stoppedExecutor>},
                                   {"asio-idle-server", inWorld<idleServer>},
                                   {"asio-periodic-work", inWorld<periodicWork>}});
}
