// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Symbols for threads that may not wait. Known answers are returned at once; others are resolved on a separate thread.
#pragma once

#include "core/base/result.h"
#include "core/symbols/debugfile.h"
#include "core/symbols/describedaddress.h"
#include "core/symbols/modulemap.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ct {

class Symbolizer;

/// All members may be called from any thread, and none waits for a file, except for waitUntilIdle(). Answers are kept
/// by build and offset in the file. So each is resolved once for all processes and runs of a program.
class SymbolWorker {
public:
    using Answer = std::shared_ptr<const DescribedAddress>;
    using Modules = std::shared_ptr<const ModuleMap>;
    /// Work with files on the worker's thread; see CoroutineFrame. It must own everything that it uses, because it may
    /// outlive the worker.
    using Task = std::function<void(Symbolizer &)>;

    explicit SymbolWorker(DebugSearchPath searchPath = {});
    /// Waits for no file, because libdw cannot be interrupted, and a disk may hang. Discards the queue. A batch in
    /// progress continues on the detached thread, and its answers are discarded. That thread frees everything at its
    /// end, or ends with the process.
    ~SymbolWorker();
    SymbolWorker(const SymbolWorker &) = delete;
    SymbolWorker &operator=(const SymbolWorker &) = delete;

    /// Starts the thread if it does not run; resolve() and run() do so as well. Returns an error if the system refuses
    /// the thread. Then addresses stay unresolved, and the next call after kRetry tries again.
    Result<void> start();
    /// Returns true if the latest attempt to start the thread failed. Does not try again.
    bool isRefused() const;
    static constexpr std::chrono::milliseconds kRetry{1000};

    /// Returns null if the answer is not known yet, and queues the address: call again when generation() has changed.
    /// Without a thread, returns an answer that says so, and keeps none. `modules` must not be null.
    Answer resolve(const Modules &modules, std::uint64_t address);
    /// Like resolve(), but queues nothing.
    Answer known(const Modules &modules, std::uint64_t address);
    /// Runs a task before the queued addresses. Discards it if there is no thread: call start() first.
    void run(Task task);
    /// Grows when answers have arrived, when setSearchPath() has discarded them, and when refusal by the system begins
    /// or ends. Acquire; partner: the worker's release increments.
    std::uint64_t generation() const { return m_state->generation.load(std::memory_order_acquire); }
    /// Returns when nothing is queued or in progress. For tests and batch mode.
    void waitUntilIdle();
    bool isIdle() const;
    /// Sets another debug search path, for example after the user named a folder. Discards all answers.
    void setSearchPath(DebugSearchPath searchPath);

private:
    /// Identifies an address in a file, for all processes that map the file.
    struct Key {
        std::string path;
        std::string buildId;
        std::uint64_t offset = 0;  ///< offset of the address in the file, bytes
        bool operator==(const Key &) const = default;
    };
    struct KeyHash {
        std::size_t operator()(const Key &key) const;
    };
    using Batch = std::vector<std::pair<Modules, std::uint64_t>>;

    bool ensureThread();

    static Key keyOf(const Module &module, std::uint64_t address);

    /// Shared with the thread, which may outlive the worker.
    struct State {
        void work();
        bool isStopped();
        void answer(Symbolizer &symbolizer, const Batch &batch, std::uint64_t askedVersion);

        std::mutex mutex;  ///< guards all members except for `generation`
        std::condition_variable wake;
        std::condition_variable idle;
        std::unordered_map<Key, Answer, KeyHash> answers;  ///< null = queued
        Batch queue;
        std::vector<Task> tasks;
        DebugSearchPath searchPath;
        std::uint64_t searchPathVersion = 0;
        bool busy = false;
        bool stop = false;
        std::atomic<std::uint64_t> generation{0};
    };
    const std::shared_ptr<State> m_state;

    // Guarded by the state's mutex.
    std::thread m_thread;
    Answer m_refusal;  ///< the answer for every address while the system refuses the thread; otherwise null
    std::chrono::steady_clock::time_point m_retryAt;
};

}  // namespace ct
