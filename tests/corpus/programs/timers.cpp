// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Time that passes, results that do not come, and errors on the way.
#include "programs.h"

#include <array>
#include <memory>
#include <stdexcept>

namespace corpus {

namespace {

struct Wheel {
    const Setting &setting;
    Pool pool{setting.threads};
    std::mutex mutex{};
    std::array<Reactor::Timer, kClients> timers{};  ///< guarded by mutex
};

Task<> nap(Wheel &wheel, int client)
{
    for (;;) {
        const auto end = Reactor::Clock::now() + wheel.setting.unit * (3 + client % 3);
        co_await park(corotracer::waited(end), [&wheel, client, end](const Waiter &self) {
            const std::lock_guard lock(wheel.mutex);
            wheel.timers.at(static_cast<std::size_t>(client)) = wheel.pool.reactor().wakeAt(end, self);
            return true;
        });
    }
}

/// Cancels one nap. The sleeper should wake at once.
Task<> cancelOne(Wheel &wheel)
{
    co_await sleepFor(wheel.pool, wheel.setting.unit * 4 * kFaultRound);
    Waiter cancelled{};
    while (!cancelled) {
        {
            const std::lock_guard lock(wheel.mutex);
            cancelled = wheel.pool.reactor().cancel(wheel.timers.at(kVictim));
        }
        if (!cancelled)
            co_await sleepFor(wheel.pool, wheel.setting.unit / 2);
    }
    if (!wheel.setting.isBroken)
        wheel.pool.wake(cancelled);
}

}  // namespace

/// A timer is cancelled, and the coroutine that sleeps is not woken.
void cancelledTimer(const Setting &setting)
{
    Wheel wheel{setting};
    for (int client = 0; client < kClients; ++client)
        wheel.pool.start(nap(wheel, client));
    wheel.pool.start(cancelOne(wheel));
    wheel.pool.join();
}

namespace {

/// An answer or a timeout, whichever comes first, wakes the client.
struct Call {
    std::mutex mutex{};
    bool isDone = false;  ///< guarded by mutex, as waiter
    Waiter waiter{};
};

struct Exchange {
    const Setting &setting;
    Pool pool{setting.threads};
};

void end(Exchange &exchange, Call &call, bool marksOnly)
{
    Waiter waiter{};
    {
        const std::lock_guard lock(call.mutex);
        if (call.isDone)
            return;
        call.isDone = true;
        if (marksOnly)
            return;
        waiter = std::exchange(call.waiter, {});
    }
    if (waiter)
        exchange.pool.wake(waiter);
}

Task<> timeOut(Exchange &exchange, std::shared_ptr<Call> call, Reactor::Clock::time_point when)
{
    co_await sleepUntil(exchange.pool, when);
    end(exchange, *call, false);
}

/// The answer comes too late in some rounds. The broken one marks the call as done before it finds out.
Task<> callBack(Exchange &exchange, std::shared_ptr<Call> call, bool isLate, bool isWrong)
{
    co_await sleepFor(exchange.pool, exchange.setting.unit * (isLate ? 4 : 1));
    reportSignal(call.get());
    end(exchange, *call, isWrong);
}

Task<> callWithTimeout(Exchange &exchange, int client)
{
    for (int round = 0;; ++round) {
        const auto call = std::make_shared<Call>();
        const auto when = Reactor::Clock::now() + exchange.setting.unit * 3;
        exchange.pool.start(timeOut(exchange, call, when));
        exchange.pool.start(callBack(exchange, call, round % 4 == 3, isFault(exchange.setting, client, round)));
        std::optional<corotracer::waited> several;
        co_await park(several, [&call, when](const Waiter &self) {
            if (reportsCauses())
                self.promise->waits_on(corotracer::wait::other, call.get(), when);
            const std::lock_guard lock(call->mutex);
            if (!call->isDone)
                call->waiter = self;
            return !call->isDone;
        });
        co_await sleepFor(exchange.pool, exchange.setting.unit * 2);
    }
}

}  // namespace

/// An answer marks the call as done, so its timeout does nothing, and then wakes nobody.
void timeoutRace(const Setting &setting)
{
    Exchange exchange{setting};
    for (int client = 0; client < kClients; ++client)
        exchange.pool.start(callWithTimeout(exchange, client));
    exchange.pool.join();
}

namespace {

/// A result that another task computes. When its last owner drops it, the one who waits is told of the failure.
class Future {
public:
    Future(Pool &pool, bool tells) : m_pool(pool), m_tells(tells) {}
    Future(const Future &) = delete;

    void set() { finish(); }
    /// The computing side is done, with or without a result.
    void drop()
    {
        if (m_tells) {
            finish();
            return;
        }
        const std::lock_guard lock(m_mutex);
        if (!m_isSet)
            reportNoWaker(m_waiter);
    }
    [[nodiscard]] auto get()
    {
        return park(corotracer::waited(corotracer::wait::other, this), [this](const Waiter &self) {
            const std::lock_guard lock(m_mutex);
            if (!m_isSet)
                m_waiter = self;
            return !m_isSet;
        });
    }

private:
    void finish()
    {
        const std::lock_guard lock(m_mutex);
        if (std::exchange(m_isSet, true))
            return;
        reportSignal(this);
        if (m_waiter)
            m_pool.wake(std::exchange(m_waiter, {}));
    }

    Pool &m_pool;
    const bool m_tells;
    std::mutex m_mutex;
    bool m_isSet = false;  ///< guarded by m_mutex, as m_waiter
    Waiter m_waiter;
};

Task<> compute(Exchange &exchange, std::shared_ptr<Future> future, bool forgets)
{
    co_await sleepFor(exchange.pool, exchange.setting.unit);
    if (!forgets)
        future->set();  // else an early return
    future->drop();
}

Task<> useFutures(Exchange &exchange, int client)
{
    for (int round = 0;; ++round) {
        const auto future = std::make_shared<Future>(exchange.pool, !exchange.setting.isBroken);
        exchange.pool.start(compute(exchange, future, client == kVictim && round == kFaultRound));
        co_await future->get();
        co_await sleepFor(exchange.pool, exchange.setting.unit * (2 + client % 2));
    }
}

}  // namespace

/// A task returns early and never sets its result.
void futureWithoutValue(const Setting &setting)
{
    Exchange exchange{setting};
    for (int client = 0; client < kClients; ++client)
        exchange.pool.start(useFutures(exchange, client));
    exchange.pool.join();
}

namespace {

/// One request, of which the handler resumes the client.
struct Request {
    std::mutex mutex{};
    bool isDone = false;  ///< guarded by mutex, as client
    Waiter client{};
};

void complete(Exchange &exchange, Request &request)
{
    const std::lock_guard lock(request.mutex);
    request.isDone = true;
    reportSignal(&request);
    if (request.client)
        exchange.pool.wake(std::exchange(request.client, {}));
}

Task<> open(Exchange &exchange, bool fails)
{
    co_await sleepFor(exchange.pool, exchange.setting.unit);
    if (fails)
        throw std::runtime_error("cannot open the file");
}

Task<> handle(Exchange &exchange, std::shared_ptr<Request> request, bool fails)
{
    try {
        co_await open(exchange, fails);
    } catch (const std::runtime_error &) {
        if (exchange.setting.isBroken)
            co_return;  // logged, and nobody is told
    }
    complete(exchange, *request);
}

Task<> sendRequests(Exchange &exchange, int client)
{
    for (int round = 0;; ++round) {
        const auto request = std::make_shared<Request>();
        exchange.pool.start(handle(exchange, request, client == kVictim && round == kFaultRound));
        co_await park(corotracer::waited(corotracer::wait::other, request.get()), [&request](const Waiter &self) {
            const std::lock_guard lock(request->mutex);
            if (!request->isDone)
                request->client = self;
            return !request->isDone;
        });
        co_await sleepFor(exchange.pool, exchange.setting.unit * (2 + client % 2));
    }
}

}  // namespace

/// A handler returns on an error without resuming its client.
void errorPath(const Setting &setting)
{
    Exchange exchange{setting};
    for (int client = 0; client < kClients; ++client)
        exchange.pool.start(sendRequests(exchange, client));
    exchange.pool.join();
}

namespace {

/// A child task whose parent waits for its end.
struct Child {
    std::mutex mutex{};
    bool hasEnded = false;  ///< guarded by mutex, as all below
    Waiter parent{};
    Reactor::Timer timer;
};

Task<> childWork(Exchange &exchange, std::shared_ptr<Child> child)
{
    const auto end = Reactor::Clock::now() + exchange.setting.unit * 2;
    co_await park(corotracer::waited(end), [&](const Waiter &self) {
        const std::lock_guard lock(child->mutex);
        child->timer = exchange.pool.reactor().wakeAt(end, self);
        return true;
    });
    const std::lock_guard lock(child->mutex);
    child->hasEnded = true;
    if (child->parent)
        exchange.pool.wake(std::exchange(child->parent, {}));
}

/// Destroys a child that sleeps. The parent should be told.
Task<> cancelChild(Exchange &exchange, std::shared_ptr<Child> child, Waiter frame)
{
    co_await sleepFor(exchange.pool, exchange.setting.unit);
    Waiter sleeping{};
    {
        const std::lock_guard lock(child->mutex);
        sleeping = exchange.pool.reactor().cancel(child->timer);
    }
    if (!sleeping)
        co_return;  // too late
    frame.handle.destroy();
    const std::lock_guard lock(child->mutex);
    child->hasEnded = true;
    if (child->parent && !exchange.setting.isBroken)
        exchange.pool.wake(std::exchange(child->parent, {}));
}

/// co_await endOf(child, frame): until the child has ended.
auto endOf(Child &child, Waiter frame)
{
    std::optional<corotracer::waited> nothing;
    return park(nothing, [&child, frame](const Waiter &self) {
        const std::lock_guard lock(child.mutex);
        if (child.hasEnded)
            return false;
        if (reportsCauses())
            self.promise->waits_on(*frame.promise);
        child.parent = self;
        return true;
    });
}

Task<> superviseChildren(Exchange &exchange, int client)
{
    for (int round = 0;; ++round) {
        const auto child = std::make_shared<Child>();
        const Waiter frame = childWork(exchange, child).release();
        const bool isCancelled = client == kVictim && round == kFaultRound;
        exchange.pool.startKept(frame);
        if (isCancelled)
            exchange.pool.start(cancelChild(exchange, child, frame));
        co_await endOf(*child, frame);
        co_await sleepFor(exchange.pool, exchange.setting.unit * (2 + client % 2));
        if (!isCancelled)
            frame.handle.destroy();  // it reached its final suspension while this one slept
    }
}

}  // namespace

/// A child is destroyed while its parent awaits it.
void destroyedChild(const Setting &setting)
{
    Exchange exchange{setting};
    for (int client = 0; client < kClients; ++client)
        exchange.pool.start(superviseChildren(exchange, client));
    exchange.pool.join();
}

}  // namespace corpus
