// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/placeslookup.h"

#include <atomic>
#include <chrono>

namespace ct {

namespace {

constexpr std::chrono::milliseconds kMostWait{10'000};

Places::Spot spotOf(const EventAddress &address)
{
    return {address.coroutine, address.pid, address.addr, address.since, false};
}

class PlacesLookup final : public AddressLookup {
public:
    explicit PlacesLookup(std::shared_ptr<Places> places) : m_places(std::move(places)) {}

    Answer known(const EventAddress &address) override
    {
        Answer answer = m_places->known(spotOf(address));
        if (!answer)
            m_places->askForCode(spotOf(address));
        return answer;
    }
    void resolve(const std::vector<EventAddress> &addresses) override
    {
        // Code only: frames are read when somebody looks at them, few at a time.
        for (const EventAddress &address : addresses)
            m_places->askForCode(spotOf(address));
        m_places->awaitCode(kMostWait, m_givenUp);
    }
    void giveUp() override { m_givenUp.store(true, std::memory_order_relaxed); }
    std::uint64_t lineSince(const EventAddress &address) override { return m_places->lineSince(spotOf(address)); }

private:
    std::shared_ptr<Places> m_places;
    std::atomic<bool> m_givenUp{false};  ///< relaxed: a hint
};

}  // namespace

std::shared_ptr<AddressLookup> lookupIn(std::shared_ptr<Places> places)
{
    return places ? std::make_shared<PlacesLookup>(std::move(places)) : nullptr;
}

}  // namespace ct
