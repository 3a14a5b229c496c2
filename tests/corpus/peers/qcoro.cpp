// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Programs of the corpus that use QCoro, in one event loop.
#include "peerprogram.h"

#include <QCoreApplication>
#include <QTimer>

#include <QCoroSignal>
#include <QCoroTask>
#include <QCoroTimer>

#include <deque>
#include <memory>

#include <unistd.h>

namespace {

using corpus::PeerSetting;
using namespace std::chrono_literals;

constexpr int kClients = 6;
constexpr int kVictim = 3;
constexpr int kFaultRound = 8;

[[nodiscard]] bool isFault(int client, int round)
{
    return client == kVictim && round == kFaultRound;
}

class Bell : public QObject {
    Q_OBJECT

public:
    void ring()
    {
        hasRung = true;
        Q_EMIT rang(1);
    }
    bool hasRung = false;

Q_SIGNALS:
    void rang(int times);
};

QCoro::Task<> askOften(const PeerSetting &setting, Bell &bell, int client)
{
    for (int round = 0;; ++round) {
        co_await QCoro::sleepFor(setting.unit * (2 + client % 3));
        bell.hasRung = false;
        QTimer::singleShot(setting.unit, &bell, &Bell::ring);
        if (isFault(client, round))
            co_await QCoro::sleepFor(setting.unit * 3);  // the bell rings now
        // The broken client does not look whether it has.
        if (!bell.hasRung || (setting.isBroken && isFault(client, round)))
            co_await qCoro(&bell, &Bell::rang);
    }
}

/// A signal is emitted before a coroutine waits for it.
void missedSignal(const PeerSetting &setting)
{
    std::deque<Bell> bells(kClients);
    for (int client = 0; client < kClients; ++client)
        askOften(setting, bells[static_cast<std::size_t>(client)], client);
    QCoreApplication::exec();
}

QCoro::Task<> nap(const PeerSetting &setting, QTimer &timer, int client)
{
    for (;;) {
        timer.start(setting.unit * (3 + client % 3));
        co_await timer;
    }
}

/// A timer is stopped while a coroutine waits for it; the healthy program starts it again.
void stoppedTimer(const PeerSetting &setting)
{
    std::deque<QTimer> timers(kClients);
    for (int client = 0; client < kClients; ++client)
        nap(setting, timers[static_cast<std::size_t>(client)], client);
    QTimer::singleShot(setting.unit * 40, &timers[kVictim], [&] {
        timers[kVictim].stop();
        if (!setting.isBroken)
            timers[kVictim].start();
    });
    QCoreApplication::exec();
}

QCoro::Task<> cycle(const PeerSetting &setting, int client)
{
    for (;;)
        co_await QCoro::sleepFor(setting.unit * (2 + client % 2));
}

QCoro::Task<> callTheSystem(const PeerSetting &setting)
{
    co_await QCoro::sleepFor(setting.unit * 20);
    int pipe[2] = {-1, -1};
    if (::pipe(pipe) != 0 || !setting.isBroken)
        co_return;
    char byte = 0;
    (void)!::read(pipe[0], &byte, 1);  // blocks: nothing is ever written
}

/// A coroutine blocks the event loop.
void blockingCall(const PeerSetting &setting)
{
    for (int client = 0; client < kClients; ++client)
        cycle(setting, client);
    callTheSystem(setting);
    QCoreApplication::exec();
}

QCoro::Task<> repeat(std::chrono::milliseconds period)
{
    for (;;)
        co_await QCoro::sleepFor(period);
}

/// Timers with periods of a few ms to an hour.
void periodicWork(const PeerSetting &setting)
{
    for (const std::chrono::milliseconds period :
         {setting.unit, setting.unit * 3, setting.unit * 8, 900ms, std::chrono::milliseconds(1h)})
        repeat(period);
    QCoreApplication::exec();
}

}  // namespace

int main(int argc, char **argv)
{
    corotracer::InitTracer();
    int none = 1;
    QCoreApplication application(none, argv);
    return corpus::runPeerProgram(argc, argv,
                                  {{"qcoro-missed-signal", missedSignal},
                                   {"qcoro-stopped-timer", stoppedTimer},
                                   {"qcoro-blocking-call", blockingCall},
                                   {"qcoro-periodic-work", periodicWork}});
}

#include "qcoro.moc"
