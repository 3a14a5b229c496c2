// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Values that get lost between coroutines.
#include "programs.h"

#include <atomic>
#include <memory>

namespace corpus {

namespace {

/// A question with the channel for its answer.
struct Question {
    int client = 0;
    int round = 0;
};

struct Agency {
    const Setting &setting;
    Pool pool{setting.threads};
    Channel<Question> questions{pool, 64};
    std::deque<Channel<int>> answers{};  ///< of each client
};

/// Waits for the client's next answer.
Task<> receiveAnswer(Agency &agency, int client)
{
    Channel<int> &answers = agency.answers[static_cast<std::size_t>(client)];
    while (!answers.tryReceive())
        co_await answers.filled();
}

Task<> inquire(Agency &agency, int client)
{
    for (int round = 0;; ++round) {
        co_await sleepFor(agency.pool, agency.setting.unit * (2 + client % 3));
        Question question{client, round};
        if (agency.questions.trySend(question))
            co_await receiveAnswer(agency, client);
    }
}

Task<> inform(Agency &agency)
{
    for (;;) {
        const std::optional<Question> question = agency.questions.tryReceive();
        if (!question) {
            co_await agency.questions.filled();
            continue;
        }
        co_await sleepFor(agency.pool, agency.setting.unit / 4);
        const bool isWrong = isFault(agency.setting, question->client, question->round);
        int value = question->round;
        const int receiver = isWrong ? question->client - 1 : question->client;
        (void)agency.answers[static_cast<std::size_t>(receiver)].trySend(value);
    }
}

void openAgency(Agency &agency, Task<> (*desk)(Agency &))
{
    for (int client = 0; client < kClients; ++client)
        agency.answers.emplace_back(agency.pool, 4);
    agency.pool.start(desk(agency));
    for (int client = 0; client < kClients; ++client)
        agency.pool.start(inquire(agency, client));
    agency.pool.join();
}

}  // namespace

/// An answer is sent into the channel of another client.
void wrongChannel(const Setting &setting)
{
    Agency agency{setting};
    openAgency(agency, inform);
}

namespace {

/// A receiver of one value, of which the sender may be dropped.
struct Promised {
    std::mutex mutex{};
    bool hasValue = false;  ///< guarded by mutex, as all below
    bool isAbandoned = false;
    Waiter waiter{};
};

struct Bureau {
    const Setting &setting;
    Pool pool{setting.threads};
    Channel<std::shared_ptr<Promised>> orders{pool, 64};
};

/// The handle with which a value is sent. When it is dropped, the receiver is told; the broken one does not tell.
class Sender {
public:
    Sender(Pool &pool, std::shared_ptr<Promised> to, bool tells) : m_pool(pool), m_to(std::move(to)), m_tells(tells) {}
    Sender(const Sender &) = delete;
    ~Sender()
    {
        const std::lock_guard lock(m_to->mutex);
        if (m_to->hasValue)
            return;
        if (m_tells)
            finish(true);
        else
            reportNoWaker(m_to->waiter);
    }
    void send()
    {
        const std::lock_guard lock(m_to->mutex);
        finish(false);
    }

private:
    void finish(bool isAbandoned)
    {
        m_to->hasValue = true;
        m_to->isAbandoned = isAbandoned;
        reportSignal(m_to.get());
        if (m_to->waiter)
            m_pool.wake(std::exchange(m_to->waiter, {}));
    }

    Pool &m_pool;
    std::shared_ptr<Promised> m_to;
    bool m_tells;
};

Task<> produce(Bureau &bureau)
{
    for (int count = 0;;) {
        const std::optional<std::shared_ptr<Promised>> order = bureau.orders.tryReceive();
        if (!order) {
            co_await bureau.orders.filled();
            continue;
        }
        Sender sender(bureau.pool, *order, !bureau.setting.isBroken);
        co_await sleepFor(bureau.pool, bureau.setting.unit / 2);
        if (++count != kFaultRound * kClients)
            sender.send();  // else an error makes it return before
    }
}

Task<> order(Bureau &bureau, int client)
{
    for (;;) {
        const auto value = std::make_shared<Promised>();
        std::shared_ptr<Promised> sent = value;
        if (bureau.orders.trySend(sent)) {
            co_await park(corotracer::waited(corotracer::wait::channel, value.get()), [&value](const Waiter &self) {
                const std::lock_guard lock(value->mutex);
                if (!value->hasValue)
                    value->waiter = self;
                return !value->hasValue;
            });
        }
        co_await sleepFor(bureau.pool, bureau.setting.unit * (3 + client % 3));
    }
}

}  // namespace

/// The only sender is dropped without sending a value, and does not wake the receiver.
void channelWithoutSender(const Setting &setting)
{
    Bureau bureau{setting};
    bureau.pool.start(produce(bureau));
    for (int client = 0; client < kClients; ++client)
        bureau.pool.start(order(bureau, client));
    bureau.pool.join();
}

namespace {

/// A queue between producers and a consumer. The broken one forgets to wake the producers when it was full.
struct Buffer {
    const Setting &setting;
    Pool pool{setting.threads};
    std::mutex mutex{};
    int values = 0;  ///< guarded by mutex, as all below
    int consumed = 0;
    std::vector<Waiter> producers{};
    Waiter consumer{};
    static constexpr int kLength = 4;
};

Task<> fill(Buffer &buffer)
{
    for (;;) {
        bool isAdded = false;
        {
            const std::lock_guard lock(buffer.mutex);
            isAdded = buffer.values < Buffer::kLength;
            buffer.values += isAdded ? 1 : 0;
            if (isAdded) {
                reportSignal(&buffer.consumer);
                if (buffer.consumer)
                    buffer.pool.wake(std::exchange(buffer.consumer, {}));
            }
        }
        if (isAdded)
            continue;
        co_await park(corotracer::waited(corotracer::wait::channel, &buffer.producers), [&buffer](const Waiter &self) {
            const std::lock_guard lock(buffer.mutex);
            if (buffer.values < Buffer::kLength)
                return false;
            buffer.producers.push_back(self);
            return true;
        });
    }
}

Task<> drain(Buffer &buffer)
{
    for (;;) {
        bool hasTaken = false;
        {
            const std::lock_guard lock(buffer.mutex);
            hasTaken = buffer.values != 0;
            buffer.values -= hasTaken ? 1 : 0;
            buffer.consumed += hasTaken ? 1 : 0;
            const bool forgets = buffer.setting.isBroken && buffer.consumed > kFaultRound * kClients;
            if (hasTaken)
                reportSignal(&buffer.producers);
            if (hasTaken && !forgets)
                buffer.pool.wakeAll(std::exchange(buffer.producers, {}));
        }
        if (hasTaken) {
            co_await sleepFor(buffer.pool, buffer.setting.unit);
            continue;
        }
        co_await park(corotracer::waited(corotracer::wait::channel, &buffer.consumer), [&buffer](const Waiter &self) {
            const std::lock_guard lock(buffer.mutex);
            if (buffer.values == 0)
                buffer.consumer = self;
            return buffer.values == 0;
        });
    }
}

}  // namespace

/// Producers that waited for room are not woken, and then the consumer waits for them.
void stallAfterBackpressure(const Setting &setting)
{
    Buffer buffer{setting};
    for (int i = 0; i < 3; ++i)
        buffer.pool.start(fill(buffer));
    buffer.pool.start(drain(buffer));
    buffer.pool.join();
}

namespace {

struct Factory {
    const Setting &setting;
    Pool pool{setting.threads};
    Channel<int> jobs{pool, 16};
    std::atomic<bool> isStopping{false};
};

Task<> workUntilStopped(Factory &factory)
{
    while (!factory.isStopping.load()) {
        const bool hasJob = factory.jobs.tryReceive().has_value();
        if (hasJob)
            co_await sleepFor(factory.pool, factory.setting.unit / 2);
        else if (factory.jobs.isClosed())
            break;
        else
            co_await factory.jobs.filled();
    }
}

Task<> runShift(Factory &factory)
{
    for (int job = 0; job < 8 * kFaultRound; ++job) {
        int value = job;
        if (!factory.jobs.trySend(value))
            co_await factory.jobs.hasRoom();
        co_await sleepFor(factory.pool, factory.setting.unit / 2);
    }
    factory.isStopping.store(true);
    if (!factory.setting.isBroken)
        factory.jobs.close();
}

}  // namespace

/// A shutdown sets a flag. Workers that wait for jobs do not see it.
void shutdownWithoutWake(const Setting &setting)
{
    Factory factory{setting};
    for (int i = 0; i < 3; ++i)
        factory.pool.start(workUntilStopped(factory));
    factory.pool.start(runShift(factory));
    factory.pool.join();
}

}  // namespace corpus
