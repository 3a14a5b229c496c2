// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The programs of the corpus. A program that can be broken has a healthy twin: the same code without the defect.
// tests/corpus/labels.ini states what the diagnosis must say about each. Programs run until they are killed, unless
// they end by themselves.
#pragma once

#include "../support/sync.h"

namespace corpus {

/// When the defect happens: after so many rounds, to this one of the coroutines.
inline constexpr int kFaultRound = 8;
inline constexpr int kClients = 6;
inline constexpr int kVictim = 3;

/// True for the one round of one coroutine in which a broken program does wrong.
[[nodiscard]] inline bool isFault(const Setting &setting, int client, int round)
{
    return setting.isBroken && client == kVictim && round == kFaultRound;
}

using Run = void (*)(const Setting &);

struct Program {
    const char *name;
    Run run;
    bool hasTwin;  ///< it can be broken
};

// signals.cpp
void notifyBeforeWait(const Setting &setting);
void missedWaiter(const Setting &setting);
void overwrittenWaiter(const Setting &setting);
void staleGeneration(const Setting &setting);
void missedSubscription(const Setting &setting);

// locks.cpp
void lockOrder(const Setting &setting);
void philosophers(const Setting &setting);
void lockTwice(const Setting &setting);
void awaitCycle(const Setting &setting);
void nestedPermits(const Setting &setting);
void holderEnded(const Setting &setting);

// channels.cpp
void wrongChannel(const Setting &setting);
void channelWithoutSender(const Setting &setting);
void stallAfterBackpressure(const Setting &setting);
void shutdownWithoutWake(const Setting &setting);

// turns.cpp
void lostCount(const Setting &setting);
void mailboxRace(const Setting &setting);
void wrongPredicate(const Setting &setting);
void missingParty(const Setting &setting);

// timers.cpp
void cancelledTimer(const Setting &setting);
void timeoutRace(const Setting &setting);
void futureWithoutValue(const Setting &setting);
void errorPath(const Setting &setting);
void destroyedChild(const Setting &setting);

// destroyed.cpp
void destroyedWaiter(const Setting &setting);
void timerAfterDestroy(const Setting &setting);

// descriptors.cpp
void closedDescriptor(const Setting &setting);
void cancelledRead(const Setting &setting);
void oneShotNotArmed(const Setting &setting);
void missedEdge(const Setting &setting);
void mergedEvents(const Setting &setting);

// scheduling.cpp
void lostInQueue(const Setting &setting);
void overflowingQueue(const Setting &setting);
void forgottenWorkers(const Setting &setting);
void newestFirst(const Setting &setting);
void hog(const Setting &setting);
void spinningWait(const Setting &setting);
void blockingCall(const Setting &setting);
void neverStarted(const Setting &setting);
void leakPerRequest(const Setting &setting);
void doubleResume(const Setting &setting);

// idle.cpp
void idleServer(const Setting &setting);
void idlePool(const Setting &setting);
void periodicWork(const Setting &setting);
void longPolls(const Setting &setting);
void heavyTail(const Setting &setting);
void rareLongWaits(const Setting &setting);
void leaderAndFollowers(const Setting &setting);
void growingBackoff(const Setting &setting);
void idleConnections(const Setting &setting);
void lateSubscribers(const Setting &setting);
void generators(const Setting &setting);

// busy.cpp
void backpressure(const Setting &setting);
void batches(const Setting &setting);
void slowDisk(const Setting &setting);
void bursts(const Setting &setting);
void gracefulShutdown(const Setting &setting);
void pipeline(const Setting &setting);
void longComputation(const Setting &setting);
void rampUp(const Setting &setting);

}  // namespace corpus
