// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Runs one program of the corpus.
#include "programs.h"
#include "support/arguments.h"

#include <array>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using namespace corpus;

constexpr std::array kPrograms{
    Program{"notify-before-wait", notifyBeforeWait, true},
    Program{"missed-waiter", missedWaiter, true},
    Program{"overwritten-waiter", overwrittenWaiter, true},
    Program{"stale-generation", staleGeneration, true},
    Program{"missed-subscription", missedSubscription, true},
    Program{"lock-order", lockOrder, true},
    Program{"philosophers", philosophers, true},
    Program{"lock-twice", lockTwice, true},
    Program{"await-cycle", awaitCycle, true},
    Program{"nested-permits", nestedPermits, true},
    Program{"holder-ended", holderEnded, true},
    Program{"channel-without-sender", channelWithoutSender, true},
    Program{"wrong-channel", wrongChannel, true},
    Program{"stall-after-backpressure", stallAfterBackpressure, true},
    Program{"lost-count", lostCount, true},
    Program{"mailbox-race", mailboxRace, true},
    Program{"wrong-predicate", wrongPredicate, true},
    Program{"missing-party", missingParty, true},
    Program{"shutdown-without-wake", shutdownWithoutWake, true},
    Program{"cancelled-timer", cancelledTimer, true},
    Program{"timeout-race", timeoutRace, true},
    Program{"future-without-value", futureWithoutValue, true},
    Program{"error-path", errorPath, true},
    Program{"destroyed-child", destroyedChild, true},
    Program{"destroyed-waiter", destroyedWaiter, true},
    Program{"timer-after-destroy", timerAfterDestroy, true},
    Program{"closed-descriptor", closedDescriptor, true},
    Program{"cancelled-read", cancelledRead, true},
    Program{"one-shot-not-armed", oneShotNotArmed, true},
    Program{"missed-edge", missedEdge, true},
    Program{"merged-events", mergedEvents, true},
    Program{"lost-in-queue", lostInQueue, true},
    Program{"overflowing-queue", overflowingQueue, true},
    Program{"forgotten-workers", forgottenWorkers, true},
    Program{"newest-first", newestFirst, true},
    Program{"hog", hog, true},
    Program{"spinning-wait", spinningWait, true},
    Program{"blocking-call", blockingCall, true},
    Program{"never-started", neverStarted, true},
    Program{"leak-per-request", leakPerRequest, true},
    Program{"double-resume", doubleResume, true},
    Program{"idle-server", idleServer, false},
    Program{"idle-pool", idlePool, false},
    Program{"periodic-work", periodicWork, false},
    Program{"long-polls", longPolls, false},
    Program{"backpressure", backpressure, false},
    Program{"batches", batches, false},
    Program{"slow-disk", slowDisk, false},
    Program{"bursts", bursts, false},
    Program{"heavy-tail", heavyTail, false},
    Program{"rare-long-waits", rareLongWaits, false},
    Program{"graceful-shutdown", gracefulShutdown, false},
    Program{"leader-and-followers", leaderAndFollowers, false},
    Program{"growing-backoff", growingBackoff, false},
    Program{"idle-connections", idleConnections, false},
    Program{"pipeline", pipeline, false},
    Program{"late-subscribers", lateSubscribers, false},
    Program{"generators", generators, false},
    Program{"long-computation", longComputation, false},
    Program{"ramp-up", rampUp, false},
};

Variant variantOf(const std::string &word)
{
    if (word == "plain")
        return Variant::Plain;
    return word == "version1" ? Variant::Version1 : Variant::Causes;
}

}  // namespace

int main(int argc, char **argv)
{
    std::vector<std::string> names{};
    for (const Program &program : kPrograms)
        names.emplace_back(program.name);
    targets::Arguments arguments("a program of the corpus; it runs until it is killed");
    arguments.choice("--program", names, "which")
        .flag("--broken", "with its defect")
        .choice("--variant", {"causes", "plain", "version1"}, "what it reports")
        .number("--threads", 2, 1, 64, "of the pool")
        .number("--unit", 20, 1, 1000, "ms; programs pace themselves by multiples of it");
    arguments.parse(argc, argv);

    const Setting setting{arguments.isSet("--broken"), static_cast<unsigned>(arguments.value("--threads")),
                          std::chrono::milliseconds(arguments.value("--unit"))};
    for (const Program &program : kPrograms) {
        if (arguments.word("--program") != program.name)
            continue;
        if (setting.isBroken && !program.hasTwin) {
            std::fprintf(stderr, "%s cannot be broken\n", program.name);
            return 2;
        }
        startTracing(variantOf(arguments.word("--variant")));
        program.run(setting);
    }
    return 0;
}
