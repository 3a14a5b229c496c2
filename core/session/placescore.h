// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The inside of Places: what its users and its tasks on the worker's thread share.
#pragma once

#include "core/session/places.h"
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

struct Places::Core {
    struct Process {
        SymbolWorker::Modules modules;    ///< nullptr: not known yet
        std::vector<Module> seen;         ///< as the system told them, without build ids
        std::uint64_t lookedAt = 0;       ///< ns, CLOCK_MONOTONIC; 0 = never, or from a recording
        SymbolWorker::Answer unreadable;  ///< its memory may not be read: for all of its frames
    };
    /// What is known of a coroutine.
    struct Known {
        std::uint64_t frame = 0;
        Answer function;            ///< for its whole life
        Answer place;               ///< function and line, of the suspension `since`
        Answer gap;                 ///< why nothing is known, of the suspension `since`
        std::uint64_t since = 0;    ///< 0 = of none
        std::uint64_t askedAt = 0;  ///< ns, CLOCK_MONOTONIC
    };
    struct Asked {
        CoroutineId coroutine = kNoCoroutine;
        std::uint32_t pid = 0;
        std::uint64_t frame = 0;
    };
    /// A frame that was read, and how its coroutine was before.
    struct Read {
        CoroutineSnapshot before;
        CoroutineFrame frame;
        std::uint64_t at = 0;  ///< ns, CLOCK_MONOTONIC, after the reading
    };

    /// Some 150 bytes each. Beyond, what was read is forgotten, and read again where it is shown.
    static constexpr std::size_t kMostFrames = 2'000'000;

    explicit Core(std::shared_ptr<const Population> thePopulation) : population(std::move(thePopulation)) {}

    // On the worker's thread, without the lock.
    void answer(Symbolizer &symbolizer, const std::vector<Asked> &asks, const std::set<std::uint32_t> &pids);
    void refresh(std::uint32_t pid);
    void read(Symbolizer &symbolizer, const Asked &ask, const std::set<std::uint32_t> &gone);

    // With the lock.
    bool add(std::span<const FramePlace> rows);
    Answer frame(const Spot &spot, std::uint32_t pid, bool ask);
    bool isWanted(const Spot &spot, std::uint32_t pid, const Known *known) const;
    void refuse(const Error &why);
    void askFor(const Spot &spot, std::uint32_t pid, Known &known);
    Known *knownAt(const Spot &spot);
    std::vector<FramePlace> takeReads(std::uint64_t before);
    void take(const Read &read, std::vector<FramePlace> &learned);
    Known &knownOf(CoroutineId id);
    void forgetGaps();
    Answer shared(const std::string &module, SourceFrame source, bool whole);
    Answer sharedGap(const DescribedAddress &gap);
    std::uint32_t processOf(std::uint32_t pid) const { return pid != 0 ? pid : target; }

    const std::shared_ptr<const Population> population;
    std::atomic<std::uint64_t> generation{0};  ///< release, after what is new; acquire in Places::generation()
    std::atomic<bool> busy{false};             ///< a task is under way; release at its end, acquire before the next

    std::mutex mutex;  ///< guards all that follows; never held while a file or a process is read
    std::map<std::uint32_t, Process> processes;
    std::unordered_map<CoroutineId, Known> frames;
    std::vector<Asked> asked;
    std::unordered_set<CoroutineId> isAsked;
    std::set<std::uint32_t> wanted;  ///< pids of processes whose modules are
    std::deque<Read> reads;          ///< to be compared, earliest first
    std::map<std::tuple<std::string, std::string, std::string, std::uint32_t, std::uint32_t>, Answer> answers;
    std::string problem;
    std::string refusal;  ///< why there was no thread at the latest attempt that failed
    std::uint32_t target = 0;
    bool live = false;
    bool reading = false;  ///< frames; while it is live, but not to the very end
};

}  // namespace ct
