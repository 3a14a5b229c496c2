// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/reporting/reportedrun.h"

#include "core/reporting/report.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace ct {

namespace {

/// For each id, whether it is in a finding.
std::vector<bool> foundIn(const Verdict &verdict, std::size_t size)
{
    std::vector<bool> found(size);
    for (const Finding &finding : verdict.findings)
        for (const CoroutineId id : finding.coroutines)
            if (id < size)
                found[id] = true;
    return found;
}

/// Selects ids of `size` coroutines, in the order in which they are offered.
class Selection {
public:
    Selection(std::size_t size, std::size_t most) : m_isSelected(size), m_most(most) {}
    void add(CoroutineId id)
    {
        if (m_count == m_most || m_isSelected[id])
            return;
        m_isSelected[id] = true;
        ++m_count;
    }
    bool isFull() const { return m_count == m_most; }
    bool has(CoroutineId id) const { return m_isSelected[id]; }
    std::size_t count() const { return m_count; }
    std::size_t size() const { return m_isSelected.size(); }  ///< of all coroutines

private:
    std::vector<bool> m_isSelected;
    const std::size_t m_most;
    std::size_t m_count = 0;
};

Selection selected(const Population &population, const Verdict &verdict, std::size_t most)
{
    const std::uint32_t size = population.size();
    Selection selection(size, most);
    const std::vector<bool> found = foundIn(verdict, size);
    for (CoroutineId id = 0; id < size && !selection.isFull(); ++id)
        if (found[id] && population.isKept(id))
            selection.add(id);
    for (CoroutineId id = 0; id < size && !selection.isFull(); ++id)
        if (population.isKept(id) && population.at(id).deathTs == 0)
            selection.add(id);
    for (CoroutineId id = size; id-- > 0 && !selection.isFull();)
        if (population.isKept(id))
            selection.add(id);
    return selection;
}

/// Texts, each once.
class TextTable {
public:
    TextTable() { index({}); }
    std::uint32_t index(const std::string &text)
    {
        const auto [known, isNew] = m_indexes.try_emplace(text, static_cast<std::uint32_t>(m_texts.size()));
        if (isNew)
            m_texts.push_back(text);
        return known->second;
    }
    std::vector<std::string> take() { return std::move(m_texts); }

private:
    std::vector<std::string> m_texts;
    std::unordered_map<std::string, std::uint32_t> m_indexes;
};

/// How many of the latest steps each coroutine may have, so that their sum stays below `inAll`: the greatest equal
/// limit.
std::size_t equalLimit(std::vector<std::uint64_t> counts, std::size_t inAll, std::size_t most)
{
    std::sort(counts.begin(), counts.end());
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const std::uint64_t share = (inAll - below) / (counts.size() - i);
        if (counts[i] > share)
            return std::min<std::uint64_t>(share, most);
        below += std::min<std::uint64_t>(counts[i], most);
    }
    return most;
}

class RunMaker {
public:
    RunMaker(const CoroutineList &list, const Verdict &verdict, const Population &population, const History &history,
             const AddressResolver *resolver)
        : m_list(list), m_verdict(verdict), m_population(population), m_history(history), m_resolver(resolver)
    {
    }
    ReportedRun make(const StepLimits &limits);

private:
    void addCoroutine(const ListedCoroutine &listed, std::size_t mostSteps);
    void addSteps(const CoroutineSnapshot &snapshot, std::size_t most, ReportedCoroutine &reported);
    std::uint32_t functionOf(const CoroutineSnapshot &snapshot);
    std::uint32_t whereOf(SiteId site, const AddressResolver::Query &query);
    std::uint32_t threadOf(std::uint32_t pid, std::uint32_t tid);
    void begin(std::uint64_t ts);

    const CoroutineList &m_list;
    const Verdict &m_verdict;
    const Population &m_population;
    const History &m_history;
    const AddressResolver *const m_resolver;
    const bool m_hasProcesses = m_population.processes().size() > 1;  ///< several
    ReportedRun m_run;
    TextTable m_texts;
    std::map<SiteId, std::uint32_t> m_sites;  ///< texts of known sites
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> m_threads;
    std::vector<HistoryEvent> m_latest;  ///< a ring, see addSteps()
};

void RunMaker::begin(std::uint64_t ts)
{
    if (ts != 0 && (m_run.startedAt == 0 || ts < m_run.startedAt))
        m_run.startedAt = ts;
}

std::uint32_t RunMaker::threadOf(std::uint32_t pid, std::uint32_t tid)
{
    const auto [known, isNew] = m_threads.try_emplace({pid, tid}, static_cast<std::uint32_t>(m_run.threads.size()));
    if (isNew) {
        const std::string name = printableText(m_population.threadName(pid, tid));
        const std::string number = (m_hasProcesses ? std::to_string(pid) + "/" : "") + std::to_string(tid);
        m_run.threads.push_back(tid == 0 ? "" : name.empty() ? number : name + " (" + number + ")");
    }
    return known->second;
}

/// The text of a site, or of an address where no site is known.
std::uint32_t RunMaker::whereOf(SiteId site, const AddressResolver::Query &query)
{
    const Site *const known = m_population.site(site);
    if (known) {
        const auto [text, isNew] = m_sites.try_emplace(site, 0);
        if (isNew)
            text->second = m_texts.index(locationText(NamedLocation{known->function, known->file, known->line, 0}));
        return text->second;
    }
    if (query.addr == 0)
        return 0;
    const AddressResolver::Answer answer = m_resolver ? m_resolver->known(query) : nullptr;
    const SourceFrame frame = answer && !answer->frames.empty() ? answer->frames.front() : SourceFrame();
    return m_texts.index(locationText(NamedLocation{frame.function, frame.file, frame.line, query.addr}));
}

/// The function of its body, as far as it is known.
std::uint32_t RunMaker::functionOf(const CoroutineSnapshot &snapshot)
{
    const SiteId site = snapshot.bodySite != kUnknownSite ? snapshot.bodySite : snapshot.site;
    if (const Site *const body = m_population.site(site))
        return m_texts.index(printableText(body->function));
    const AddressResolver::Answer answer =
        m_resolver && snapshot.addr != 0 ? m_resolver->known(AddressResolver::queryOf(snapshot)) : nullptr;
    return answer && !answer->frames.empty() ? m_texts.index(printableText(answer->frames.front().function)) : 0;
}

void RunMaker::addCoroutine(const ListedCoroutine &listed, std::size_t mostSteps)
{
    const CoroutineSnapshot &snapshot = listed.snapshot;
    ReportedCoroutine reported;
    reported.id = snapshot.id;
    reported.state = snapshot.state;
    reported.function = functionOf(snapshot);
    reported.where = whereOf(snapshot.site, AddressResolver::queryOf(snapshot));
    reported.name = m_texts.index(printableText(listed.name));
    reported.thread = threadOf(snapshot.pid, snapshot.tid);
    reported.since = snapshot.stateSince();
    reported.birthTs = snapshot.birthTs;
    reported.events = snapshot.events;
    begin(snapshot.birthTs);
    addSteps(snapshot, mostSteps, reported);
    m_run.stepsCut += reported.stepsCut;
    m_run.coroutines.push_back(reported);
}

void RunMaker::addSteps(const CoroutineSnapshot &snapshot, std::size_t most, ReportedCoroutine &reported)
{
    reported.firstStep = m_run.steps.size();
    m_latest.clear();
    std::size_t oldest = 0;
    m_history.forEach(snapshot.id, [&](const HistoryEvent &event) {
        if (event.ts > m_verdict.judgedAt)
            return false;
        if (m_latest.size() < most)
            m_latest.push_back(event);
        else if (most != 0)
            m_latest[oldest++ % most] = event;
        return true;
    });
    std::uint64_t events = 0;
    for (std::size_t i = 0; i < m_latest.size(); ++i) {
        const HistoryEvent &event = m_latest[(oldest + i) % m_latest.size()];
        ReportedStep step{event.ts, event.count, threadOf(snapshot.pid, event.tid), 0, event.type, false};
        const bool isEvent = event.type == HistoryEvent::Type::Suspend || event.type == HistoryEvent::Type::Resume;
        if (event.type == HistoryEvent::Type::Suspend) {
            step.where = whereOf(event.site, {snapshot.id, snapshot.pid, event.addr, event.ts, false});
            step.isFinal = event.kind == PointKind::Final;
        }
        if (!isEvent)
            step.thread = m_run.steps.size() > reported.firstStep ? m_run.steps.back().thread : reported.thread;
        events += isEvent ? 1 : 0;
        begin(event.ts);
        m_run.steps.push_back(step);
    }
    reported.steps = m_run.steps.size() - reported.firstStep;
    reported.stepsCut = snapshot.events - std::min(snapshot.events, events);
}

ReportedRun RunMaker::make(const StepLimits &limits)
{
    const std::vector<bool> found = foundIn(m_verdict, m_population.size());
    std::array<std::vector<std::uint64_t>, 2> counts;  // of other coroutines, of those in findings
    for (const ListedCoroutine &listed : m_list.coroutines)
        counts[found[listed.snapshot.id] ? 1 : 0].push_back(listed.snapshot.events);
    std::array<std::size_t, 2> most{};
    most[1] = equalLimit(counts[1], limits.inAll, limits.ofCoroutine);
    std::size_t used = 0;
    for (const std::uint64_t count : counts[1])
        used += std::min<std::uint64_t>(count, most[1]);
    most[0] = equalLimit(counts[0], limits.inAll - used, limits.ofCoroutine);
    m_run.coroutines.reserve(m_list.coroutines.size());
    for (const ListedCoroutine &listed : m_list.coroutines)
        addCoroutine(listed, most[found[listed.snapshot.id] ? 1 : 0]);
    m_run.notListed = m_list.notListed;
    m_run.alive = m_list.alive;
    m_run.texts = m_texts.take();
    return std::move(m_run);
}

}  // namespace

std::vector<std::string> stateNames()
{
    return {"created", "runnable", "running", "suspended", "finished", "destroyed", "unknown"};
}

CoroutineList listCoroutines(const Population &population, const Verdict &verdict, std::size_t most)
{
    const Selection selection = selected(population, verdict, most);
    CoroutineList list;
    list.alive = population.alive();
    list.coroutines.reserve(selection.count());
    for (CoroutineId id = 0; id < selection.size(); ++id) {
        if (!selection.has(id))
            continue;
        ListedCoroutine listed;
        listed.snapshot = population.at(id);
        if (!listed.snapshot.kept)
            continue;
        if (population.hasName(id))
            listed.name = population.notes(id).name;
        list.coroutines.push_back(std::move(listed));
    }
    list.notListed = selection.size() - list.coroutines.size();
    return list;
}

void addOpenLocations(const CoroutineList &list, std::vector<AddressResolver::Query> &open)
{
    for (const ListedCoroutine &listed : list.coroutines) {
        if (open.size() >= kMostQueries)
            return;
        if (listed.snapshot.site == kUnknownSite && listed.snapshot.addr != 0)
            open.push_back(AddressResolver::queryOf(listed.snapshot));
    }
}

ReportedRun makeReportedRun(const CoroutineList &list, const Verdict &verdict, const Population &population,
                            const History &history, const AddressResolver *resolver, const StepLimits &limits)
{
    return RunMaker(list, verdict, population, history, resolver).make(limits);
}

}  // namespace ct
