// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Symbols for those who may not wait: what is known is given back at once, the rest is looked up on a thread of its
// own.
#pragma once

#include "core/result.h"
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

/// Every member from any thread; none waits for a file. Answers are kept by build and place in the file, so that each
/// is looked up once, for all processes and runs of one program.
class SymbolWorker {
public:
    using Answer = std::shared_ptr<const DescribedAddress>;
    using Modules = std::shared_ptr<const ModuleMap>;
    /// Work with files on the worker's thread; see CoroutineFrame. It owns all that it uses: it may outlive the worker.
    using Task = std::function<void(Symbolizer &)>;

    explicit SymbolWorker(SymbolPlaces places = {});
    /// Waits for no file: libdw cannot be interrupted, and a file may be on a disk that hangs. What is queued is
    /// dropped. A batch that is under way goes on, its answers are dropped, and the thread frees all that it uses at
    /// its end, or ends with the process.
    ~SymbolWorker();
    SymbolWorker(const SymbolWorker &) = delete;
    SymbolWorker &operator=(const SymbolWorker &) = delete;

    /// Starts the thread if it does not run yet; the members below do so, too. An error: the system refuses it. Then
    /// addresses stay addresses, and the next call after kRetry tries again.
    Result<void> start();
    /// The latest attempt to start the thread failed. Does not try again.
    bool isRefused() const;
    static constexpr std::chrono::milliseconds kRetry{1000};

    /// nullptr: not known yet, and asked for; ask again when generation() has changed. `modules` not null.
    /// Without a thread the answer says so; it is not kept.
    Answer lookUp(const Modules &modules, std::uint64_t address);
    /// The same, but nothing is asked for.
    Answer known(const Modules &modules, std::uint64_t address);
    /// Runs before what is queued. Without a thread it is dropped: call start() first.
    void run(Task task);
    /// Grows whenever answers have arrived or were forgotten.
    std::uint64_t generation() const { return m_state->generation.load(std::memory_order_acquire); }
    /// Returns when nothing is queued or under way: for tests and batch mode.
    void waitUntilIdle();
    bool isIdle() const;
    /// Other places, say after the user named a folder: all answers are forgotten.
    void setPlaces(SymbolPlaces places);

private:
    /// What an address means, whichever process it is of.
    struct Key {
        std::string path;
        std::string buildId;
        std::uint64_t offset = 0;  ///< in the file
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
        void answer(Symbolizer &symbolizer, const Batch &batch, std::uint64_t places);

        std::mutex mutex;  ///< guards all but `generation`
        std::condition_variable wake;
        std::condition_variable idle;
        std::unordered_map<Key, Answer, KeyHash> answers;  ///< nullptr: asked for
        Batch queue;
        std::vector<Task> tasks;
        SymbolPlaces places;
        std::uint64_t placesVersion = 0;
        bool busy = false;
        bool stop = false;
        std::atomic<std::uint64_t> generation{0};
    };
    const std::shared_ptr<State> m_state;

    // Guarded by the state's mutex.
    std::thread m_thread;
    Answer m_refusal;  ///< answers every address while the system refuses the thread; otherwise nullptr
    std::chrono::steady_clock::time_point m_retryAt;
};

}  // namespace ct
