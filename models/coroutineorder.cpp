// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/coroutineorder.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <numeric>
#include <optional>
#include <tuple>

namespace ct {

namespace {

constexpr std::size_t kCheckInterval = 8192;  ///< coroutines between two checks of `cancelled`
constexpr std::size_t kRunLength = 1 << 15;   ///< items sorted in one step; the runs are then merged

constexpr std::uint64_t kUnranked = ~std::uint64_t{0};

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

/// Ranks sites by file, line and column. Indexed by site id; 0 for unknown sites.
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

/// Ranks coroutines by their displayed name. Indexed by id; kUnranked for coroutines without a name.
PagedVector<std::uint64_t> nameRanks(const Population &population, const AddressResolver *resolver, std::uint32_t count,
                                     const std::atomic<bool> &cancelled)
{
    std::unordered_map<std::string, std::uint32_t> numbers;
    PagedVector<std::uint64_t> ranks(kUnranked);
    ranks.resize(count);
    for (CoroutineId id = 0; id < count; ++id) {
        if (id % kCheckInterval == 0 && isCancelled(cancelled))
            return {};
        if (!population.isKept(id))
            continue;
        std::string name;
        if (population.hasName(id)) {
            name = population.notes(id).name;
        } else {
            const CoroutineSnapshot snapshot = population.at(id);
            if (const Site *site =
                    population.site(snapshot.bodySite != kUnknownSite ? snapshot.bodySite : snapshot.site))
                name = site->function;
            else if (const auto answer = resolver ? resolver->known(AddressResolver::queryOf(snapshot)) : nullptr;
                     answer && !answer->frames.empty())
                name = answer->frames.back().function;
        }
        if (!name.empty())
            ranks.make(id) =
                numbers.try_emplace(std::move(name), static_cast<std::uint32_t>(numbers.size())).first->second;
    }
    std::vector<const std::pair<const std::string, std::uint32_t> *> sorted;
    for (const auto &entry : numbers)
        sorted.push_back(&entry);
    std::sort(sorted.begin(), sorted.end(), [](const auto *a, const auto *b) { return a->first < b->first; });
    std::vector<std::uint64_t> rankOf(sorted.size());
    for (std::size_t i = 0; i < sorted.size(); ++i)
        rankOf[sorted[i]->second] = i;
    for (CoroutineId id = 0; id < count; ++id)
        if (ranks[id] != kUnranked)
            ranks.make(id) = rankOf[ranks[id]];
    return ranks;
}

/// Ranks coroutines without a site by the location of their address. Indexed by id, from 0; kUnranked for the others.
template <class SnapshotOf>
PagedVector<std::uint64_t> locationRanks(const AddressResolver *resolver, std::uint32_t count, SnapshotOf &&snapshotOf,
                                         const std::atomic<bool> &cancelled)
{
    if (!resolver)
        return {};
    std::unordered_map<AddressResolver::Answer, std::uint64_t> numbers;
    PagedVector<std::uint64_t> ranks(kUnranked);
    ranks.resize(count);
    for (CoroutineId id = 0; id < count; ++id) {
        if (id % kCheckInterval == 0 && isCancelled(cancelled))
            return {};
        const CoroutineSnapshot &snapshot = snapshotOf(id);
        if (snapshot.site != kUnknownSite || snapshot.addr == 0)
            continue;
        const AddressResolver::Answer answer = resolver->known(AddressResolver::queryOf(snapshot));
        if (answer && !answer->frames.empty())
            ranks.make(id) = numbers.try_emplace(answer, numbers.size()).first->second;
    }
    std::vector<std::pair<const SourceFrame *, std::uint64_t>> sorted;
    for (const auto &[answer, number] : numbers)
        sorted.emplace_back(&answer->frames.front(), number);
    std::sort(sorted.begin(), sorted.end(), [](const auto &a, const auto &b) {
        return std::tie(a.first->file, a.first->line, a.first->function, a.second) <
               std::tie(b.first->file, b.first->line, b.first->function, b.second);
    });
    std::vector<std::uint64_t> rankOf(sorted.size());
    for (std::size_t i = 0; i < sorted.size(); ++i)
        rankOf[sorted[i].second] = i;
    for (CoroutineId id = 0; id < count; ++id)
        if (ranks[id] != kUnranked)
            ranks.make(id) = rankOf[ranks[id]];
    return ranks;
}

std::uint64_t waitKey(const std::optional<WaitsOn> &wait)
{
    if (!wait)
        return ~std::uint64_t{0};
    const std::uint64_t object = wait->kind == WaitKind::Coroutine ? wait->target : wait->object >> 4;
    return static_cast<std::uint64_t>(wait->kind) << 60 | object;
}

/// Computes the sort keys of one OrderSpec.
class KeyMaker {
public:
    KeyMaker(const Population &population, const AddressResolver *resolver, const OrderSpec &spec, std::uint64_t now,
             std::uint32_t count, const FrozenRows *frozen, const std::atomic<bool> &cancelled)
        : m_population(population),
          m_frozen(frozen),
          m_key(spec.key),
          m_now(now),
          m_lives(frozen ? frozen->lives : ProcessLives(population))
    {
        if (m_key == OrderKey::Where) {
            m_ranks = siteRanks(population);
            const auto snapshotOf = [&](CoroutineId id) { return frozen ? frozen->snapshots[id] : population.at(id); };
            m_locationRanks = locationRanks(resolver, count, snapshotOf, cancelled);
        } else if (m_key == OrderKey::Name) {
            m_nameRanks = nameRanks(population, resolver, count, cancelled);
        }
    }
    std::uint64_t operator()(const CoroutineSnapshot &snapshot) const
    {
        switch (m_key) {
        case OrderKey::Id: return snapshot.id;
        case OrderKey::Name: return snapshot.id < m_nameRanks.size() ? m_nameRanks[snapshot.id] : kUnranked;
        case OrderKey::State: return static_cast<std::uint64_t>(snapshot.state);
        case OrderKey::Since: return snapshot.stateSince() + (m_now - nowOf(snapshot));
        case OrderKey::Where: return where(snapshot);
        case OrderKey::WaitsOn: return waitKey(waitOf(snapshot.id));
        case OrderKey::Thread: return snapshot.tid;
        case OrderKey::Process: return snapshot.pid;
        case OrderKey::Parent: return m_population.parentOf(snapshot.id);
        case OrderKey::Events: return snapshot.events;
        case OrderKey::Lost: return snapshot.lost;
        case OrderKey::RunTime: return runningSoFar(snapshot, nowOf(snapshot));
        case OrderKey::SuspendedTime: return suspendedSoFar(snapshot, nowOf(snapshot));
        case OrderKey::Birth: return snapshot.birthTs;
        }
        return 0;
    }
    std::uint64_t nowOf(const CoroutineSnapshot &snapshot) const { return m_lives.nowOf(snapshot, m_now); }

private:
    std::uint64_t where(const CoroutineSnapshot &snapshot) const
    {
        constexpr std::uint64_t kKnownLocations = 1ULL << 62;
        constexpr std::uint64_t kAfterSites = 1ULL << 63;
        const std::uint64_t rank = snapshot.site < m_ranks.size() ? m_ranks[snapshot.site] : 0;
        if (rank != 0)
            return rank;
        const std::uint64_t location = snapshot.id < m_locationRanks.size() ? m_locationRanks[snapshot.id] : kUnranked;
        return location != kUnranked ? kKnownLocations | location : kAfterSites | snapshot.addr >> 1;
    }
    std::optional<WaitsOn> waitOf(CoroutineId id) const
    {
        if (!m_frozen)
            return m_population.notes(id).waitsOn;
        const auto found = m_frozen->waits.find(id);
        return found == m_frozen->waits.end() ? std::nullopt : std::optional(found->second);
    }

    const Population &m_population;
    const FrozenRows *m_frozen;
    OrderKey m_key;
    std::uint64_t m_now;
    ProcessLives m_lives;
    PagedVector<std::uint64_t> m_nameRanks;
    std::vector<std::uint64_t> m_ranks;
    PagedVector<std::uint64_t> m_locationRanks;  ///< ranks of coroutines without a site
};

/// Sorts in runs and then merges them, so that a cancelled sort ends soon. Returns false if cancelled.
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

/// Chooses the coroutine that has the row of its group, and sums up the others.
class Grouping {
public:
    Grouping(const Population &population, const OrderSpec &spec)
    {
        if (spec.groupGenerators)
            m_functions.emplace(population);
    }
    /// Counts the coroutine. Returns true if another one has the row of its group.
    bool takes(const CoroutineSnapshot &snapshot, std::uint64_t now)
    {
        const std::uint64_t group = m_functions ? m_functions->groupOf(snapshot) : 0;
        if (group == 0)
            return false;
        const auto [first, isFirst] = m_firsts.try_emplace(group, snapshot.id);
        if (!isFirst)
            groups[first->second].add(snapshot, now);
        return !isFirst;
    }

    GeneratorGroups groups;

private:
    std::optional<GeneratorFunctions> m_functions;
    std::unordered_map<std::uint64_t, CoroutineId> m_firsts;  ///< by group
};

/// Filters, groups and sorts the ids below `count`. `snapshotOf(id)` returns the snapshot of a coroutine.
template <class SnapshotOf>
CoroutineOrder orderOf(std::uint32_t count, SnapshotOf &&snapshotOf, const OrderFilter &filter, Grouping grouping,
                       const KeyMaker &keyOf, const OrderSpec &spec, const std::atomic<bool> &cancelled)
{
    std::vector<Keyed> items;
    for (CoroutineId id = 0; id < count; ++id) {
        if (id % kCheckInterval == 0 && isCancelled(cancelled))
            return {};
        const CoroutineSnapshot &snapshot = snapshotOf(id);
        if (filter.accepts(snapshot) && !grouping.takes(snapshot, keyOf.nowOf(snapshot)))
            items.push_back({keyOf(snapshot), id});
    }
    if (!grouping.groups.empty()) {
        for (Keyed &item : items)
            if (const auto group = grouping.groups.find(item.id); group != grouping.groups.end())
                item.key = keyOf(group->second.sumWith(snapshotOf(item.id)));
    }
    const auto ascending = [](const Keyed &a, const Keyed &b) { return a.key != b.key ? a.key < b.key : a.id < b.id; };
    const auto descending = [](const Keyed &a, const Keyed &b) { return a.key != b.key ? a.key > b.key : a.id < b.id; };
    if (!(spec.descending ? sortInRuns(items, descending, cancelled) : sortInRuns(items, ascending, cancelled)))
        return {};
    std::vector<CoroutineId> ids(items.size());
    std::transform(items.begin(), items.end(), ids.begin(), [](const Keyed &item) { return item.id; });
    return {std::move(ids), std::move(grouping.groups)};
}

}  // namespace

std::uint64_t runningSoFar(const CoroutineSnapshot &snapshot, std::uint64_t now)
{
    const bool lasts = snapshot.state == CoroutineState::Running && now > snapshot.since;
    return snapshot.runNs + (lasts ? now - snapshot.since : 0);
}

std::uint64_t suspendedSoFar(const CoroutineSnapshot &snapshot, std::uint64_t now)
{
    const bool lasts = isSuspended(snapshot.state) && now > snapshot.since;
    return snapshot.suspendedNs + (lasts ? now - snapshot.since : 0);
}

FrozenRows freezeRows(const Population &population, std::uint32_t count, std::uint64_t now)
{
    FrozenRows rows;
    rows.now = now;
    rows.lives = ProcessLives(population);
    rows.snapshots.resize(count);
    for (CoroutineId id = 0; id < count; ++id) {
        const CoroutineSnapshot snapshot = population.at(id);
        if (!snapshot.kept)
            continue;
        rows.snapshots.make(id) = snapshot;
        if (!isSuspended(snapshot.state))
            continue;
        if (const std::optional<WaitsOn> wait = population.notes(id).waitsOn)
            rows.waits.emplace(id, *wait);
    }
    return rows;
}

OrderFilter::OrderFilter(const Population &population, const OrderSpec &spec, const AddressResolver *resolver)
    : m_states(spec.states), m_hasText(!spec.text.empty()), m_population(population), m_resolver(resolver)
{
    if (!m_hasText)
        return;
    m_isNumber = parseNumber(spec.text, m_number);
    m_wanted = lower(spec.text);
    const auto matches = [this](const std::string &text) { return lower(text).find(m_wanted) != std::string::npos; };
    const std::uint32_t sites = population.siteCount();
    m_sites.resize(sites + 1);
    m_functions.resize(sites + 1);
    for (SiteId id = 1; id <= sites; ++id) {
        if (const Site *site = population.site(id)) {
            m_functions[id] = matches(site->function);
            m_sites[id] = m_functions[id] || matches(site->file + ':' + std::to_string(site->line));
        }
    }
}

bool OrderFilter::accepts(const CoroutineSnapshot &snapshot) const
{
    if (!snapshot.kept || !(m_states & stateBit(snapshot.state)))
        return false;
    if (!m_hasText)
        return true;
    if (m_isNumber && (snapshot.id == m_number || snapshot.probeId == m_number))
        return true;
    if (snapshot.site < m_sites.size() && m_sites[snapshot.site])
        return true;
    if (m_resolver && snapshot.site == kUnknownSite && snapshot.addr != 0 && addressMatches(snapshot))
        return true;
    if (m_population.hasName(snapshot.id))
        return lower(m_population.notes(snapshot.id).name).find(m_wanted) != std::string::npos;
    return snapshot.bodySite < m_functions.size() && m_functions[snapshot.bodySite];
}

bool OrderFilter::addressMatches(const CoroutineSnapshot &snapshot) const
{
    const AddressResolver::Answer answer = m_resolver->known(AddressResolver::queryOf(snapshot));
    if (!answer || answer->frames.empty())
        return false;
    const auto [known, isNew] = m_answers.try_emplace(answer, false);
    if (isNew) {
        known->second = std::any_of(answer->frames.begin(), answer->frames.end(), [this](const SourceFrame &frame) {
            const std::string location = frame.line != 0 ? frame.file + ':' + std::to_string(frame.line) : frame.file;
            return lower(frame.function).find(m_wanted) != std::string::npos ||
                   lower(location).find(m_wanted) != std::string::npos;
        });
    }
    return known->second;
}

CoroutineOrder computeOrder(const Population &population, std::uint32_t count, const OrderSpec &spec,
                            const std::atomic<bool> &cancelled, const AddressResolver *resolver)
{
    count = std::min(count, population.size());
    return orderOf(
        count, [&](CoroutineId id) { return population.at(id); }, OrderFilter(population, spec, resolver),
        Grouping(population, spec), KeyMaker(population, resolver, spec, population.now(), count, nullptr, cancelled),
        spec, cancelled);
}

CoroutineOrder computeOrder(const Population &population, const FrozenRows &frozen, const OrderSpec &spec,
                            const std::atomic<bool> &cancelled, const AddressResolver *resolver)
{
    const std::uint32_t count = frozen.snapshots.size();
    return orderOf(
        count, [&](CoroutineId id) -> const CoroutineSnapshot & { return frozen.snapshots[id]; },
        OrderFilter(population, spec, resolver), Grouping(population, spec),
        KeyMaker(population, resolver, spec, frozen.now, count, &frozen, cancelled), spec, cancelled);
}

}  // namespace ct
