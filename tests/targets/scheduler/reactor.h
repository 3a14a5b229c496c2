// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <coroutine>
#include <cstdint>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

namespace sched {

/// One pending accept, read or write. It lives in the awaiter, in the frame of the waiting coroutine.
class Operation {
public:
    virtual ~Operation() = default;

    /// Tries the system call without blocking. Returns false if it would have blocked. Called by the current owner of
    /// the operation: first its coroutine, then the reactor thread.
    [[nodiscard]] virtual bool perform() noexcept = 0;

    std::coroutine_handle<> waiting;
};

enum class Direction : std::uint8_t { Read, Write };

/// The reactor's handling of a submitted operation.
enum class Registration : std::uint8_t {
    RetryFirst,  ///< tries once more before it parks the operation, so it notices readiness that came earlier
    TrustEdges,  ///< parks the operation unless it has stored an edge: saves a system call
};

/// A thread on epoll, edge-triggered. It owns the table of descriptors and the timers. Other threads post commands;
/// commands for one descriptor are applied in the order of posting.
class Reactor {
public:
    using Clock = std::chrono::steady_clock;
    using Schedule = std::function<void(std::coroutine_handle<>)>;

    Reactor(Schedule schedule, Registration registration);
    ~Reactor();
    Reactor(const Reactor &) = delete;
    Reactor &operator=(const Reactor &) = delete;

    void start();
    void stop();  ///< joins the thread; parked coroutines stay suspended

    /// These functions may be called from any thread. close() closes the descriptor later, once all earlier calls have
    /// had their effect: until then, no other socket gets its number.
    void watch(int fd);
    void close(int fd);
    void submit(int fd, Direction direction, Operation &operation);
    void resumeAt(Clock::time_point when, std::coroutine_handle<> waiting);

private:
    struct Command {
        enum class Kind : std::uint8_t { Watch, Close, Submit, Timer } kind;
        Direction direction = Direction::Read;
        int fd = -1;
        Operation *operation = nullptr;
        Clock::time_point when = {};
        std::coroutine_handle<> waiting = nullptr;
    };
    struct Lane {
        Operation *parked = nullptr;
        bool ready = false;  ///< an edge arrived that no operation has used yet
    };
    struct Descriptor {
        Lane read;
        Lane write;
    };
    struct Timer {
        Clock::time_point when;
        std::coroutine_handle<> waiting;
        bool operator>(const Timer &other) const { return when > other.when; }
    };

    void run();
    void post(const Command &command);
    void wake();
    void apply(const Command &command);
    void applyPosted();
    void dispatch(int fd, std::uint32_t events);
    void edge(Lane &lane);
    void complete(Lane &lane);
    void fireTimers();
    [[nodiscard]] int timeoutMs() const;

    const Schedule m_schedule;
    const Registration m_registration;
    int m_epoll;
    int m_wakeFd;
    std::thread m_thread;

    std::mutex m_mutex;
    std::vector<Command> m_posted;  ///< guarded by m_mutex
    bool m_stopping = false;        ///< guarded by m_mutex

    // Used by the reactor thread only.
    std::vector<Command> m_applying;
    std::vector<Descriptor> m_descriptors;  ///< indexed by fd
    std::priority_queue<Timer, std::vector<Timer>, std::greater<>> m_timers;
};

}  // namespace sched
