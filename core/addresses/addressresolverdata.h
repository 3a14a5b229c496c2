// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The members of AddressResolver that its users and its tasks on the worker's thread share.
#pragma once

#include "core/addresses/addressresolver.h"
#include "core/addresses/linesamples.h"
#include "core/addresses/runningframes.h"
#include "core/symbols/coroutineframe.h"

#include <atomic>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace ct {

struct AddressResolver::Data {
    struct Process {
        SymbolWorker::Modules modules;    ///< nullptr: unknown
        std::vector<Module> seen;         ///< as read from the system, without build ids
        std::uint64_t readAt = 0;         ///< when `seen` was read; ns, CLOCK_MONOTONIC; 0 = never, or from a recording
        SymbolWorker::Answer unreadable;  ///< the answer for all frames, if the memory may not be read; else nullptr
    };
    /// Resolved locations of one coroutine.
    struct Known {
        std::uint64_t frame = 0;
        Answer function;            ///< valid for the whole life of the coroutine
        Answer location;            ///< function and line of the suspension that began at `since`
        Answer unresolved;          ///< why the suspension that began at `since` is not resolved
        std::uint64_t since = 0;    ///< ns, CLOCK_MONOTONIC; 0 = no suspension
        std::uint64_t askedAt = 0;  ///< time of the latest request; ns, CLOCK_MONOTONIC
        std::uint64_t sampled = 0;  ///< start of the latest suspension that was short when its line was requested
    };
    struct Asked {
        CoroutineId coroutine = kNoCoroutine;
        std::uint32_t pid = 0;
        std::uint64_t frame = 0;
    };
    /// A frame that was read, with the state of its coroutine before.
    struct Read {
        CoroutineSnapshot before;
        CoroutineFrame frame;
        std::uint64_t at = 0;  ///< time after the reading; ns, CLOCK_MONOTONIC
    };

    /// About 150 bytes each. At the limit, all are removed, and read again where they are on display.
    static constexpr std::size_t kMostFrames = 2'000'000;

    explicit Data(std::shared_ptr<const Population> thePopulation) : population(std::move(thePopulation)) {}

    // On the worker's thread, without the lock.
    void answer(Symbolizer &symbolizer, const std::vector<Asked> &asks, const std::set<std::uint32_t> &pids);
    void refresh(std::uint32_t pid);
    void read(Symbolizer &symbolizer, const Asked &ask, const std::set<std::uint32_t> &gone);

    // With the lock.
    bool addFrameLocations(std::span<const FrameLocation> rows);
    Answer storedCode(const Query &query) const;
    Answer frame(const Query &query, std::uint32_t pid, bool ask);
    bool isWanted(const Query &query, std::uint32_t pid, const Known *known) const;
    void refuse(const Error &why);
    bool isWaiting() const { return !asked.empty() || !wanted.empty(); }
    void askFor(const Query &query, std::uint32_t pid, Known &known);
    void ask(const Asked &wantedFrame);
    bool takeSample(const std::string &function, std::uint64_t now);
    void sampleLine(const CoroutineSnapshot &coroutine, Known &known, std::uint64_t now);
    Known *knownAt(const Query &query);
    std::vector<FrameLocation> compareReads(std::uint64_t before);
    bool hasLasted(const Read &read) const;
    void compare(const Read &read, std::vector<FrameLocation> &newLocations);
    Known &knownOf(CoroutineId id);
    void retryUnresolved();
    Answer shared(const std::string &module, SourceFrame source, bool whole);
    Answer sharedUnresolved(const DescribedAddress &described);
    std::uint32_t processOf(std::uint32_t pid) const { return pid != 0 ? pid : target; }

    const std::shared_ptr<const Population> population;
    /// Release, after the new data; partner: acquire in AddressResolver::generation().
    std::atomic<std::uint64_t> generation{0};
    std::atomic<bool> busy{false};  ///< a task is running; release at its end, partner: acquire before the next task

    std::mutex mutex;  ///< guards all members below; never locked while a file or a process is read
    std::map<std::uint32_t, Process> processes;
    std::unordered_map<CoroutineId, Known> frames;
    /// Locations of addresses of code that a recording or a database has, by coroutine and address.
    std::map<std::pair<CoroutineId, std::uint64_t>, Answer> codeLocations;
    RunningFrames running;
    std::shared_ptr<const History> history;  ///< see setHistory(); may be nullptr
    LineSamples lineSamples;
    std::uint64_t manySampledAt = 0;  ///< when many more lines could be read; ns, CLOCK_MONOTONIC
    std::vector<Asked> asked;
    std::unordered_set<CoroutineId> isAsked;
    std::set<std::uint32_t> wanted;  ///< pids of the processes whose modules are requested
    std::deque<Read> reads;          ///< waiting to be compared, earliest first
    std::map<std::tuple<std::string, std::string, std::string, std::uint32_t, std::uint32_t>, Answer> answers;
    std::string problem;
    std::string refusal;  ///< why the worker's thread could not start, at the latest failure
    std::uint32_t target = 0;
    std::function<void()> awaken;  ///< see setAwaken()
    bool live = false;
    bool reading = false;  ///< frames may be read; true while live, but ends earlier
};

}  // namespace ct
