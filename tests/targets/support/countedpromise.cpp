// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "countedpromise.h"

#include <array>
#include <mutex>

namespace targets {

namespace {

/// One of several lists. Several lists reduce contention between threads at births and deaths.
struct alignas(64) Ledger {
    std::mutex mutex;
    CountedPromise *alive = nullptr;
    Truth ended;
};

using Ledgers = std::array<Ledger, 64>;

Ledgers &ledgers()
{
    static auto &all = *new Ledgers;  // never destroyed: coroutines may outlive static objects
    return all;
}

Ledger &ledgerOf(const CountedPromise &promise)
{
    return ledgers()[(reinterpret_cast<std::uintptr_t>(&promise) >> 6) % std::tuple_size_v<Ledgers>];
}

}  // namespace

CountedPromise::CountedPromise() : m_firstEvent(event_count)
{
    Ledger &ledger = ledgerOf(*this);
    const std::lock_guard lock(ledger.mutex);
    m_next = ledger.alive;
    if (m_next != nullptr)
        m_next->m_previous = this;
    ledger.alive = this;
}

void CountedPromise::enterInto(Truth &truth) const
{
    if (!is_traced()) {
        ++truth.untraced;
        return;
    }
    ++truth.traced;
    truth.emitted += event_count - m_firstEvent;
}

CountedPromise::~CountedPromise()
{
    Ledger &ledger = ledgerOf(*this);
    const std::lock_guard lock(ledger.mutex);
    (m_previous != nullptr ? m_previous->m_next : ledger.alive) = m_next;
    if (m_next != nullptr)
        m_next->m_previous = m_previous;
    enterInto(ledger.ended);
}

Truth collectTruth()
{
    Truth truth;
    for (Ledger &ledger : ledgers()) {
        const std::lock_guard lock(ledger.mutex);
        truth.emitted += ledger.ended.emitted;
        truth.traced += ledger.ended.traced;
        truth.untraced += ledger.ended.untraced;
        for (const CountedPromise *promise = ledger.alive; promise != nullptr; promise = promise->m_next) {
            promise->enterInto(truth);
            ++truth.unfinished;
        }
    }
    return truth;
}

}  // namespace targets
