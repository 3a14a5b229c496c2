// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/addresses/exportresolveradapter.h"

#include <atomic>
#include <chrono>

namespace ct {

namespace {

constexpr std::chrono::milliseconds kMostWait{10'000};

AddressResolver::Query queryOf(const EventAddress &address)
{
    return {address.coroutine, address.pid, address.addr, address.since, false};
}

class ExportResolverAdapter final : public ExportResolver {
public:
    ExportResolverAdapter(std::shared_ptr<AddressResolver> resolver, bool waits)
        : m_resolver(std::move(resolver)), m_waits(waits)
    {
    }

    Answer known(const EventAddress &address) override
    {
        Answer answer = m_resolver->known(queryOf(address));
        if (answer || !m_resolver->requestCode(queryOf(address)) || !m_waits)
            return answer;
        m_resolver->awaitCode(kMostWait, m_givenUp);
        return m_resolver->known(queryOf(address));
    }
    void resolve(const std::vector<EventAddress> &addresses) override
    {
        // Only code: frames are read only while they are on display, a few at a time.
        for (const EventAddress &address : addresses)
            static_cast<void>(m_resolver->requestCode(queryOf(address)));
        m_resolver->awaitCode(kMostWait, m_givenUp);
    }
    void giveUp() override { m_givenUp.store(true, std::memory_order_relaxed); }
    std::uint64_t lineSince(const EventAddress &address) override { return m_resolver->lineSince(queryOf(address)); }

private:
    const std::shared_ptr<AddressResolver> m_resolver;
    const bool m_waits;
    std::atomic<bool> m_givenUp{false};  ///< relaxed: a hint
};

}  // namespace

std::shared_ptr<ExportResolver> exportResolverOf(std::shared_ptr<AddressResolver> resolver)
{
    return resolver ? std::make_shared<ExportResolverAdapter>(std::move(resolver), false) : nullptr;
}

std::shared_ptr<ExportResolver> waitingExportResolverOf(std::shared_ptr<AddressResolver> resolver)
{
    return resolver ? std::make_shared<ExportResolverAdapter>(std::move(resolver), true) : nullptr;
}

}  // namespace ct
