// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What an export asks about addresses of suspensions whose site the target did not say.
#pragma once

#include "core/symbols/describedaddress.h"
#include "core/trace/stream.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ct {

struct EventAddress {
    CoroutineId coroutine = kNoCoroutine;
    std::uint32_t pid = 0;  ///< 0 = not known
    std::uint64_t addr = 0;
    std::uint64_t since = 0;  ///< ns, CLOCK_MONOTONIC, of the suspension; 0 = which one does not matter
};

/// Thread: of the export.
class AddressLookup {
public:
    using Answer = std::shared_ptr<const DescribedAddress>;
    virtual ~AddressLookup() = default;

    /// nullptr: not known. Does not wait.
    virtual Answer known(const EventAddress &address) = 0;
    /// Has all of them looked up, and waits for it, for some seconds at most.
    virtual void resolve(const std::vector<EventAddress> &addresses) = 0;
    /// Any thread: resolve() returns soon, now and later.
    virtual void giveUp() {}
    /// When the suspension began that file and line of a known frame are of, ns; 0 = of none, or it is no frame.
    virtual std::uint64_t lineSince(const EventAddress &address) = 0;
};

}  // namespace ct
