// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/coroutineorder.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <numeric>
#include <tuple>

namespace ct {

namespace {

constexpr std::size_t kLookAfter = 8192;     ///< coroutines between two looks at `cancelled`
constexpr std::size_t kRunLength = 1 << 15;  ///< sorted at once; then merged

struct Keyed {
    std::uint64_t key;
    CoroutineId id;
};

bool isCancelled(const std::atomic<bool> &cancelled)
{
    return cancelled.load(std::memory_order_relaxed);
}

std::string lower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(c < 0x80 ? std::tolower(c) : c); });
    return text;
}

bool parseNumber(const std::string &text, std::uint64_t &number)
{
    const bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *begin = text.data() + (hex ? 2 : 0);
    const char *end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(begin, end, number, hex ? 16 : 10);
    return error == std::errc() && stop == end;
}

/// Sites by file, line, column: rank by id.
std::vector<std::uint64_t> siteRanks(const Population &population)
{
    std::vector<SiteId> ids(population.siteCount());
    std::iota(ids.begin(), ids.end(), 1U);
    std::erase_if(ids, [&](SiteId id) { return population.site(id) == nullptr; });
    std::sort(ids.begin(), ids.end(), [&](SiteId a, SiteId b) {
        const Site &first = *population.site(a);
        const Site &second = *population.site(b);
        return std::tie(first.file, first.line, first.column, a) < std::tie(second.file, second.line, second.column, b);
    });
    std::vector<std::uint64_t> ranks(population.siteCount() + 1);
    for (std::size_t i = 0; i < ids.size() && ids[i] < ranks.size(); ++i)
        ranks[ids[i]] = i + 1;
    return ranks;
}

/// Makes the numbers that one wish sorts by.
class KeyMaker {
public:
    KeyMaker(const Population &population, const OrderSpec &spec, std::uint64_t now) : m_key(spec.key), m_now(now)
    {
        if (m_key == OrderKey::Where)
            m_ranks = siteRanks(population);
    }
    std::uint64_t operator()(const CoroutineSnapshot &snapshot) const
    {
        switch (m_key) {
        case OrderKey::Id: return snapshot.id;
        case OrderKey::State: return static_cast<std::uint64_t>(snapshot.state);
        case OrderKey::Since: return snapshot.since;
        case OrderKey::Where: return where(snapshot);
        case OrderKey::Thread: return snapshot.tid;
        case OrderKey::Events: return snapshot.events;
        case OrderKey::Lost: return snapshot.lost;
        case OrderKey::RunTime: return runningSoFar(snapshot, m_now);
        case OrderKey::SuspendedTime: return suspendedSoFar(snapshot, m_now);
        case OrderKey::Birth: return snapshot.birthTs;
        }
        return 0;
    }

private:
    std::uint64_t where(const CoroutineSnapshot &snapshot) const
    {
        constexpr std::uint64_t kAfterSites = 1ULL << 63;
        const std::uint64_t rank = snapshot.site < m_ranks.size() ? m_ranks[snapshot.site] : 0;
        return rank != 0 ? rank : kAfterSites | snapshot.addr >> 1;
    }

    OrderKey m_key;
    std::uint64_t m_now;
    std::vector<std::uint64_t> m_ranks;
};

/// Sorts in runs that are then merged, so that a cancelled sort ends soon. False: cancelled.
template <class Less>
bool sortInRuns(std::vector<Keyed> &items, Less less, const std::atomic<bool> &cancelled)
{
    const auto at = [&](std::size_t index) {
        return items.begin() + static_cast<std::ptrdiff_t>(std::min(index, items.size()));
    };
    for (std::size_t begin = 0; begin < items.size(); begin += kRunLength) {
        if (isCancelled(cancelled))
            return false;
        std::sort(at(begin), at(begin + kRunLength), less);
    }
    for (std::size_t length = kRunLength; length < items.size(); length *= 2) {
        for (std::size_t begin = 0; begin + length < items.size(); begin += 2 * length) {
            if (isCancelled(cancelled))
                return false;
            std::inplace_merge(at(begin), at(begin + length), at(begin + 2 * length), less);
        }
    }
    return true;
}

/// `snapshotOf(id)` for every id below `count`.
template <class SnapshotOf>
std::vector<CoroutineId> orderOf(std::uint32_t count, SnapshotOf &&snapshotOf, const OrderFilter &filter,
                                 const KeyMaker &keyOf, const OrderSpec &spec, const std::atomic<bool> &cancelled)
{
    std::vector<Keyed> items;
    items.reserve(spec.filters() ? count / 4 : count);
    for (CoroutineId id = 0; id < count; ++id) {
        if (id % kLookAfter == 0 && isCancelled(cancelled))
            return {};
        const CoroutineSnapshot &snapshot = snapshotOf(id);
        if (filter.accepts(snapshot))
            items.push_back({keyOf(snapshot), id});
    }
    const auto ascending = [](const Keyed &a, const Keyed &b) { return a.key != b.key ? a.key < b.key : a.id < b.id; };
    const auto descending = [](const Keyed &a, const Keyed &b) { return a.key != b.key ? a.key > b.key : a.id < b.id; };
    if (!(spec.descending ? sortInRuns(items, descending, cancelled) : sortInRuns(items, ascending, cancelled)))
        return {};
    std::vector<CoroutineId> order(items.size());
    std::transform(items.begin(), items.end(), order.begin(), [](const Keyed &item) { return item.id; });
    return order;
}

}  // namespace

std::uint64_t runningSoFar(const CoroutineSnapshot &snapshot, std::uint64_t now)
{
    const bool lasts = snapshot.state == CoroutineState::Running && now > snapshot.since;
    return snapshot.runNs + (lasts ? now - snapshot.since : 0);
}

std::uint64_t suspendedSoFar(const CoroutineSnapshot &snapshot, std::uint64_t now)
{
    const bool lasts = snapshot.state == CoroutineState::Suspended && now > snapshot.since;
    return snapshot.suspendedNs + (lasts ? now - snapshot.since : 0);
}

OrderFilter::OrderFilter(const Population &population, const OrderSpec &spec)
    : m_states(spec.states), m_hasText(!spec.text.empty())
{
    if (!m_hasText)
        return;
    m_isNumber = parseNumber(spec.text, m_number);
    const std::string wanted = lower(spec.text);
    const std::uint32_t sites = population.siteCount();
    m_sites.resize(sites + 1);
    for (SiteId id = 1; id <= sites; ++id)
        if (const Site *site = population.site(id))
            m_sites[id] = lower(site->function).find(wanted) != std::string::npos ||
                          lower(site->file + ':' + std::to_string(site->line)).find(wanted) != std::string::npos;
}

bool OrderFilter::accepts(const CoroutineSnapshot &snapshot) const
{
    if (!(m_states & stateBit(snapshot.state)))
        return false;
    if (!m_hasText)
        return true;
    if (m_isNumber && (snapshot.id == m_number || snapshot.probeId == m_number))
        return true;
    return snapshot.site < m_sites.size() && m_sites[snapshot.site];
}

std::vector<CoroutineId> computeOrder(const Population &population, std::uint32_t count, const OrderSpec &spec,
                                      const std::atomic<bool> &cancelled)
{
    return orderOf(
        std::min(count, population.size()), [&](CoroutineId id) { return population.at(id); },
        OrderFilter(population, spec), KeyMaker(population, spec, population.now()), spec, cancelled);
}

std::vector<CoroutineId> computeOrder(const Population &population, std::span<const CoroutineSnapshot> snapshots,
                                      std::uint64_t now, const OrderSpec &spec, const std::atomic<bool> &cancelled)
{
    return orderOf(
        static_cast<std::uint32_t>(snapshots.size()),
        [&](CoroutineId id) -> const CoroutineSnapshot & { return snapshots[id]; }, OrderFilter(population, spec),
        KeyMaker(population, spec, now), spec, cancelled);
}

}  // namespace ct
