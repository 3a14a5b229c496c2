// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Measures what it costs to sample a target: the share of one processor that the sampling thread uses. The target is a
// child with sleeping threads, threads that wake up all the time, and descriptors in an epoll: nine in ten are
// connected TCP sockets, the others are eventfds and armed timers.
//
//     bench_evidence [THREADS [BUSY [DESCRIPTORS [SECONDS]]]]
#include "core/base/monotonic.h"
#include "core/target/evidencesampler.h"
#include "core/target/processlimits.h"

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

struct Setup {
    int threads = 64;
    int busy = 0;
    int descriptors = 1000;
    int seconds = 20;
};

/// A socket that listens on a free port of the loopback device, and its address.
int listenSomewhere(sockaddr_in &address)
{
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
    ::bind(listener, reinterpret_cast<sockaddr *>(&address), length);
    ::getsockname(listener, reinterpret_cast<sockaddr *>(&address), &length);
    ::listen(listener, 128);
    return listener;
}

int armedTimer()
{
    const int timer = ::timerfd_create(CLOCK_MONOTONIC, 0);
    const itimerspec hour{{}, {3600, 0}};
    ::timerfd_settime(timer, 0, &hour, nullptr);
    return timer;
}

void registerAll(int count)
{
    const int epoll = ::epoll_create1(0);
    const auto add = [epoll](int descriptor) {
        epoll_event event{};
        event.events = EPOLLIN;
        ::epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
    };
    sockaddr_in address{};
    const int listener = listenSomewhere(address);
    int made = 0;
    for (; made < count * 9 / 10; made += 2) {
        const int client = ::socket(AF_INET, SOCK_STREAM, 0);
        if (::connect(client, reinterpret_cast<sockaddr *>(&address), sizeof address) != 0)
            std::abort();
        add(client);
        add(::accept(listener, nullptr, nullptr));
    }
    for (; made < count; ++made)
        add(made % 2 == 0 ? ::eventfd(0, 0) : armedTimer());
    epoll_event event;
    while (::epoll_wait(epoll, &event, 1, -1) < 0) {
    }
}

[[noreturn]] void beTarget(const Setup &setup, int ready)
{
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::vector<std::thread> threads;
    for (int i = 0; i < setup.threads; ++i) {
        const bool isBusy = i < setup.busy;
        threads.emplace_back([isBusy] {
            for (;;)
                isBusy ? ::usleep(5000) : ::pause();
        });
    }
    [[maybe_unused]] const ssize_t told = ::write(ready, "x", 1);
    registerAll(setup.descriptors);
    std::abort();
}

double usedSeconds()
{
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval &time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct Rows {
    std::size_t threads = 0;
    std::size_t descriptors = 0;
    std::size_t processes = 0;
};

void takeRows(ct::AddedNotes &notes, Rows &rows)
{
    ct::Batch batch;
    batch.now = ct::monotonicNow();
    notes.take(batch);
    rows.threads += batch.notes.threadSamples.size();
    rows.descriptors += batch.notes.descriptorSamples.size();
    rows.processes += batch.notes.processSamples.size();
}

}  // namespace

int main(int argc, char **argv)
{
    Setup setup;
    const std::array<int *, 4> values{&setup.threads, &setup.busy, &setup.descriptors, &setup.seconds};
    for (int i = 1; i < argc && i <= 4; ++i)
        *values[static_cast<std::size_t>(i - 1)] = std::atoi(argv[i]);
    ct::adjustProcessLimits();
    std::array<int, 2> ready{};
    if (::pipe(ready.data()) != 0)
        return 1;
    const pid_t target = ::fork();
    if (target == 0)
        beTarget(setup, ready[1]);
    char byte = 0;
    [[maybe_unused]] const ssize_t got = ::read(ready[0], &byte, 1);
    ::sleep(1);  // the descriptors
    const auto notes = std::make_shared<ct::AddedNotes>();
    ct::EvidenceSampler sampler(notes);
    if (!sampler.start())
        return 1;
    sampler.setProcesses({target});
    ::sleep(2);  // the first visits, which find everything
    Rows first;
    takeRows(*notes, first);
    const double before = usedSeconds();
    ::sleep(static_cast<unsigned>(setup.seconds));
    const double used = usedSeconds() - before;
    Rows rows;
    takeRows(*notes, rows);
    sampler.stop();
    ::kill(target, SIGKILL);
    ::waitpid(target, nullptr, 0);
    std::printf("%d threads, %d of them busy, %d descriptors, %d s\n", setup.threads, setup.busy, setup.descriptors,
                setup.seconds);
    std::printf("first: rows of threads %zu, of descriptors %zu\n", first.threads, first.descriptors);
    std::printf("per second: rows of threads %.1f, of descriptors %.1f, of the process %.1f\n",
                static_cast<double>(rows.threads) / setup.seconds,
                static_cast<double>(rows.descriptors) / setup.seconds,
                static_cast<double>(rows.processes) / setup.seconds);
    std::printf("processor: %.3f %%\n", used / setup.seconds * 100);
    return 0;
}
