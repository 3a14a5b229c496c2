// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Whether a coroutine waits for an answer that cannot come any more. A subscriber may wait for long without a defect. A
// coroutine that always gets an answer to what it has started or sent before does not.
#pragma once

#include "core/analysis/facts.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace ct::rules {

/// Returns the coroutine, then the one that awaits it, and so on outwards.
std::vector<CoroutineId> awaitersOf(const Facts &facts, CoroutineId coroutine);

/// The descendants of each coroutine: those that it created, those that they created, and so on. Made in one pass over
/// all coroutines.
class Descendants {
public:
    explicit Descendants(const Facts &facts);

    struct Of {
        std::vector<CoroutineId> alive;
        std::uint64_t lastEnd = 0;  ///< ns: when the latest of them ended; 0 = none has, as far as known
    };
    const Of &of(CoroutineId coroutine) const;

private:
    std::unordered_map<CoroutineId, Of> m_descendants;
};

/// Each wake of such a wait came from a coroutine that the waiting one had created, and all of these have ended: a
/// sentence, else empty. `descendants` are made at the first use.
std::string answerersEnded(const Facts &facts, const Waiting &waiting, std::optional<Descendants> &descendants);

/// The coroutine has signalled an object since its previous wait of this sort. The coroutine that ended all such waits
/// so far waits for that object, and has waited for the next signal since then, so it is done with the request: a
/// sentence, else empty.
std::string requestTaken(const Facts &facts, const Waiting &waiting);

/// The coroutine waits for a descriptor, its wait before was for the same one, and the one before that for something
/// else: so it has sent something there by itself, and waits for the answer. One that answers what it has received
/// waits for the descriptor each time.
bool hasSentRequest(const Facts &facts, const Waiting &waiting);

}  // namespace ct::rules
