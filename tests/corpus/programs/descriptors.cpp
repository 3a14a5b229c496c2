// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Sockets and event descriptors whose readiness does not reach the coroutine that waits.
#include "programs.h"

#include <algorithm>
#include <array>

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace corpus {

namespace {

/// Two connected sockets.
struct Line {
    std::array<int, 2> ends{-1, -1};

    Line() { (void)::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()); }
    Line(const Line &) = delete;
    [[nodiscard]] int near() const { return ends[0]; }
    [[nodiscard]] int far() const { return ends[1]; }
};

struct Network {
    const Setting &setting;
    Pool pool{setting.threads};
    std::array<Line, kClients> lines{};

    [[nodiscard]] const Line &line(int client) const { return lines.at(static_cast<std::size_t>(client)); }
};

void sendBytes(int fd, std::size_t count)
{
    constexpr std::array<char, 8> kBytes{};
    (void)::send(fd, kBytes.data(), std::min(count, kBytes.size()), MSG_NOSIGNAL);
}

/// Returns the number of bytes that were received, at most `most`; 0 if there are none.
std::size_t receiveBytes(int fd, std::size_t most)
{
    std::array<char, 8> bytes{};
    const ssize_t count = ::recv(fd, bytes.data(), std::min(most, bytes.size()), 0);
    return count > 0 ? static_cast<std::size_t>(count) : 0;
}

/// The far end of each line sends something now and then.
Task<> talk(Network &network, int client, std::size_t bytes)
{
    for (;;) {
        co_await sleepFor(network.pool, network.setting.unit * (3 + client % 3));
        sendBytes(network.line(client).far(), bytes);
    }
}

Task<> listen(Network &network, int client)
{
    for (;;) {
        co_await readable(network.pool, network.line(client).near());
        if (receiveBytes(network.line(client).near(), 8) == 0)
            co_return;
    }
}

/// Ends one connection, while its reader waits.
Task<> hangUp(Network &network)
{
    co_await sleepFor(network.pool, network.setting.unit * 4 * kFaultRound);
    if (network.setting.isBroken)
        ::close(network.line(kVictim).near());
    else
        ::shutdown(network.line(kVictim).near(), SHUT_RDWR);
}

}  // namespace

/// A descriptor is closed while a coroutine waits for it. The kernel removes it from the epoll without a word.
void closedDescriptor(const Setting &setting)
{
    Network network{setting};
    for (int client = 0; client < kClients; ++client) {
        network.pool.start(listen(network, client));
        network.pool.start(talk(network, client, 8));
    }
    network.pool.start(hangUp(network));
    network.pool.join();
}

namespace {

/// Cancels the reading half of a connection. The reader should be woken.
Task<> cancelReading(Network &network)
{
    co_await sleepFor(network.pool, network.setting.unit * 4 * kFaultRound);
    Waiter reader{};
    while (!reader) {
        reader = network.pool.reactor().remove(network.line(kVictim).near());
        if (!reader)
            co_await yield(network.pool);
    }
    if (!network.setting.isBroken) {
        ::shutdown(network.line(kVictim).near(), SHUT_RD);
        network.pool.wake(reader);
    }
}

}  // namespace

/// The reader's registration is removed, and the reader is not woken.
void cancelledRead(const Setting &setting)
{
    Network network{setting};
    for (int client = 0; client < kClients; ++client) {
        network.pool.start(listen(network, client));
        network.pool.start(talk(network, client, 8));
    }
    network.pool.start(cancelReading(network));
    network.pool.join();
}

namespace {

/// Waits for a descriptor that was registered before, for one event.
auto readableAgain(Network &network, int fd, bool isArmed)
{
    return park(corotracer::waited(corotracer::wait::descriptor, fd), [&network, fd, isArmed](const Waiter &self) {
        if (isArmed)
            network.pool.reactor().wakeWhenReadable(fd, self);
        else
            network.pool.reactor().waitForEdge(fd, self);
        return true;
    });
}

Task<> listenArmed(Network &network, int client)
{
    const int fd = network.line(client).near();
    for (int round = 0;; ++round) {
        co_await readableAgain(network, fd, !isFault(network.setting, client, round));
        (void)receiveBytes(fd, 8);
    }
}

}  // namespace

/// A registration for one event is not renewed.
void oneShotNotArmed(const Setting &setting)
{
    Network network{setting};
    for (int client = 0; client < kClients; ++client) {
        network.pool.start(listenArmed(network, client));
        network.pool.start(talk(network, client, 8));
    }
    network.pool.join();
}

namespace {

/// Waits for the next edge of an edge-triggered descriptor. With `asks`, the kernel reports what is there already.
auto nextEdge(Network &network, int fd, bool asks)
{
    return park(corotracer::waited(corotracer::wait::descriptor, fd), [&network, fd, asks](const Waiter &self) {
        if (asks)
            network.pool.reactor().wakeWhenReadable(fd, self, EPOLLET);
        else
            network.pool.reactor().waitForEdge(fd, self);
        return true;
    });
}

/// A request has eight bytes. Its answer lets the far end send the next one.
Task<> answerRequests(Network &network, int client)
{
    const int fd = network.line(client).near();
    for (int round = 0;; ++round) {
        const bool isWrong = isFault(network.setting, client, round);
        std::size_t received = 0;
        while (received < 8) {
            co_await nextEdge(network, fd, !isWrong || received == 0);
            received += receiveBytes(fd, isWrong ? 4 : 8);
        }
        sendBytes(fd, 8);
    }
}

Task<> ask(Network &network, int client)
{
    const int fd = network.line(client).far();
    for (;;) {
        co_await sleepFor(network.pool, network.setting.unit * (2 + client % 3));
        sendBytes(fd, 8);
        std::size_t received = 0;
        while (received < 8) {
            co_await readable(network.pool, fd);
            received += receiveBytes(fd, 8);
        }
    }
}

}  // namespace

/// A reader of an edge-triggered descriptor leaves bytes in its queue, and waits for the next edge.
void missedEdge(const Setting &setting)
{
    Network network{setting};
    for (int client = 0; client < kClients; ++client) {
        network.pool.start(answerRequests(network, client));
        network.pool.start(ask(network, client));
    }
    network.pool.join();
}

namespace {

/// A device announces completed requests through an eventfd. A coroutine hands them to those who wait.
struct Completions {
    const Setting &setting;
    Pool pool{setting.threads};
    int event = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    std::mutex mutex{};
    std::vector<Waiter> submitted{};  ///< guarded by mutex, as completed
    std::vector<Waiter> completed{};
};

Task<> runDevice(Completions &completions)
{
    for (;;) {
        co_await sleepFor(completions.pool, completions.setting.unit * 4);
        const std::lock_guard lock(completions.mutex);
        const std::uint64_t count = completions.submitted.size();
        completions.completed.insert(completions.completed.end(), completions.submitted.begin(),
                                     completions.submitted.end());
        completions.submitted.clear();
        if (count != 0)
            (void)!::write(completions.event, &count, sizeof(count));
    }
}

Task<> dispatch(Completions &completions)
{
    for (int batches = 0;;) {
        co_await readable(completions.pool, completions.event);
        std::uint64_t count = 0;
        if (::read(completions.event, &count, sizeof(count)) != sizeof(count))
            continue;
        const std::lock_guard lock(completions.mutex);
        std::vector<Waiter> completed = std::exchange(completions.completed, {});
        batches += completed.size() > 1 ? 1 : 0;
        // The broken one takes a count of several for one less, once.
        const bool isMerged = completions.setting.isBroken && completed.size() > 1 && batches == kFaultRound;
        if (isMerged)
            completed.pop_back();
        completions.pool.wakeAll(completed);
    }
}

Task<> submit(Completions &completions, int client)
{
    for (;;) {
        co_await sleepFor(completions.pool, completions.setting.unit * (1 + client % 2));
        co_await park(corotracer::waited(corotracer::wait::other, &client), [&completions](const Waiter &self) {
            const std::lock_guard lock(completions.mutex);
            completions.submitted.push_back(self);
            return true;
        });
    }
}

}  // namespace

/// Several events are merged in one count, and one of them wakes nobody.
void mergedEvents(const Setting &setting)
{
    Completions completions{setting};
    completions.pool.start(dispatch(completions));
    completions.pool.start(runDevice(completions));
    for (int client = 0; client < kClients; ++client)
        completions.pool.start(submit(completions, client));
    completions.pool.join();
}

}  // namespace corpus
