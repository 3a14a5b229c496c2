// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Programs of the corpus that use Boost.Fiber, all on one thread.
#include "corotracer/fiber.h"
#include "peerprogram.h"

#include <boost/fiber/all.hpp>

#include <deque>
#include <vector>

namespace {

namespace fibers = boost::fibers;
using corpus::PeerSetting;
using namespace std::chrono_literals;

constexpr int kClients = 6;
constexpr int kVictim = 3;
constexpr int kFaultRound = 8;

void pause(std::chrono::nanoseconds duration)
{
    boost::this_fiber::sleep_for(duration);
}

/// A flag with a condition variable.
struct Flag {
    fibers::mutex mutex;
    fibers::condition_variable changed;
    bool isSet = false;
};

void setLater(Flag &flag, std::chrono::nanoseconds after)
{
    pause(after);
    const std::unique_lock lock(flag.mutex);
    flag.isSet = true;
    flag.changed.notify_one();
}

void waitForFlags(const PeerSetting &setting, int client)
{
    Flag flag;
    for (int round = 0;; ++round) {
        pause(setting.unit * (2 + client % 3));
        const bool isFault = client == kVictim && round == kFaultRound;
        flag.isSet = false;
        fibers::fiber(setLater, std::ref(flag), setting.unit).detach();
        if (isFault)
            pause(setting.unit * 3);  // the flag is set now
        std::unique_lock lock(flag.mutex);
        // The broken one waits without a look at the flag.
        if (isFault && setting.isBroken)
            flag.changed.wait(lock);
        else
            flag.changed.wait(lock, [&flag] { return flag.isSet; });
    }
}

void joinAll(std::vector<fibers::fiber> &all)
{
    for (fibers::fiber &fiber : all)
        fiber.join();
}

void notifyBeforeWait(const PeerSetting &setting)
{
    std::vector<fibers::fiber> all;
    for (int client = 0; client < kClients; ++client)
        all.emplace_back(waitForFlags, std::ref(setting), client);
    joinAll(all);
}

using Lock = corotracer::traced_mutex<fibers::mutex>;

struct Accounts {
    Lock first;
    Lock second;
};

void transfer(const PeerSetting &setting, Accounts &accounts, int client)
{
    for (int round = 0;; ++round) {
        const bool isReversed = setting.isBroken && round >= kFaultRound && client % 2 == 1;
        Lock &one = isReversed ? accounts.second : accounts.first;
        Lock &other = isReversed ? accounts.first : accounts.second;
        {
            const std::unique_lock outer(one);
            pause(setting.unit);
            const std::unique_lock inner(other);
        }
        pause(setting.unit * 2);
    }
}

void tick(const PeerSetting &setting)
{
    for (;;)
        pause(setting.unit * 5);
}

/// Two locks are taken in both orders.
void lockOrder(const PeerSetting &setting)
{
    Accounts accounts;
    std::vector<fibers::fiber> all;
    for (int client = 0; client < 4; ++client)
        all.emplace_back(transfer, std::ref(setting), std::ref(accounts), client);
    all.emplace_back(tick, std::ref(setting));
    joinAll(all);
}

void row(const PeerSetting &setting, fibers::barrier &barrier, int client)
{
    for (int round = 0;; ++round) {
        pause(setting.unit * (1 + client % 3));
        if (setting.isBroken && client == kVictim && round == kFaultRound)
            return;
        barrier.wait();
    }
}

/// One party of a barrier has left.
void missingParty(const PeerSetting &setting)
{
    fibers::barrier barrier(kClients);
    std::vector<fibers::fiber> all;
    for (int client = 0; client < kClients; ++client)
        all.emplace_back(row, std::ref(setting), std::ref(barrier), client);
    joinAll(all);
}

using Jobs = fibers::buffered_channel<int>;

void work(const PeerSetting &setting, Jobs &jobs)
{
    int job = 0;
    while (jobs.pop(job) == fibers::channel_op_status::success)
        pause(setting.unit / 2);
}

/// Workers of which few have something to do, and jobs that come rarely.
void idlePool(const PeerSetting &setting)
{
    Jobs jobs(16);
    std::vector<fibers::fiber> all;
    for (int i = 0; i < 5; ++i)
        all.emplace_back(work, std::ref(setting), std::ref(jobs));
    for (int job = 0;; ++job) {
        for (int i = 0; i < (job < 12 ? 5 : 1); ++i)
            jobs.push(job);
        pause(job < 12 ? std::chrono::nanoseconds(setting.unit * 2) : std::chrono::nanoseconds(900ms));
    }
}

}  // namespace

int main(int argc, char **argv)
{
    fibers::use_scheduling_algorithm<corotracer::traced<fibers::algo::round_robin>>();
    return corpus::runPeerProgram(argc, argv,
                                  {{"fiber-notify-before-wait", notifyBeforeWait},
                                   {"fiber-lock-order", lockOrder},
                                   {"fiber-missing-party", missingParty},
                                   {"fiber-idle-pool", idlePool}});
}
