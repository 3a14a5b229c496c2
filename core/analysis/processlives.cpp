// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/processlives.h"

namespace ct {

ProcessLives::ProcessLives(const Population &population)
{
    for (const ProcessSnapshot &process : population.processes()) {
        std::vector<Life> &lives = m_lives[process.pid];
        if (!lives.empty() && process.firstTs != 0)
            lives.back().to = std::min(lives.back().to, process.firstTs);
        lives.push_back({process.firstTs, process.endTs != 0 ? process.endTs : kLasting});
    }
    const auto hasEnd = [](const Life &life) { return life.to != kLasting; };
    for (const auto &[pid, lives] : m_lives)
        m_ended += static_cast<std::size_t>(std::count_if(lives.begin(), lives.end(), hasEnd));
}

std::uint64_t ProcessLives::endOf(std::uint32_t pid, std::uint64_t ts) const
{
    const auto found = m_lives.find(pid);
    if (found == m_lives.end())
        return kLasting;
    const std::vector<Life> &lives = found->second;
    const auto later = std::find_if(lives.rbegin(), lives.rend(), [ts](const Life &life) { return life.from <= ts; });
    const Life &life = later != lives.rend() ? *later : lives.front();
    // The event at `ts` proves that the process lived at least until then.
    return std::max(life.to, ts);
}

std::uint64_t ProcessLives::endOf(const CoroutineSnapshot &coroutine) const
{
    return endOf(coroutine.pid, std::max(coroutine.since, coroutine.birthTs));
}

}  // namespace ct
