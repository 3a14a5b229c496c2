// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/databases/sessionwriter.h"

#include "core/base/utf8.h"
#include "core/databases/addressrows.h"
#include "core/databases/findingrows.h"
#include "core/databases/noterows.h"
#include "core/databases/sessionname.h"
#include "core/databases/storedsums.h"
#include "core/stream/flagreason.h"
#include "core/stream/pointkind.h"

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ct {

namespace {

constexpr std::uint64_t kCommitEveryNs = 500'000'000;
/// What a full disk loses at most, besides the rows that do not fit.
constexpr std::uint64_t kCommitEveryRows = 20'000;

/// One of the last parts of a session, with its name for errors.
struct Part {
    const char *name;
    std::function<Result<void>()> write;
};

/// For example "addresses and indexes".
std::string namesFrom(std::span<const Part> parts)
{
    std::string names;
    for (std::size_t i = 0; i < parts.size(); ++i)
        names.append(i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ").append(parts[i].name);
    return names;
}

}  // namespace

SessionWriter::SessionWriter(std::unique_ptr<RowStore> store, ExportContext context)
    : m_context(std::move(context)),
      m_store(std::move(store)),
      m_growsVisibly(m_store->growsVisibly()),
      m_coroutineSums(m_context.unselected),
      m_addresses(m_context.resolver)
{
}

SessionWriter::~SessionWriter()
{
    if (m_store && m_begun && m_growsVisibly && !m_hasFailed)
        (void)commit();
    (void)close();
}

Result<void> SessionWriter::close()
{
    const std::unique_ptr<RowStore> store = std::move(m_store);
    return store ? store->close() : Result<void>();
}

Result<void> SessionWriter::consume(const Batch &batch)
{
    Result<void> written = write(batch);
    if (written)
        return written;
    if (m_growsVisibly && m_begun)
        takeBack();
    else
        (void)close();
    return written;
}

void SessionWriter::finishFailed(const Accounting &accounting)
{
    if (!m_store)
        return;
    (void)complete(accounting);
    (void)close();
}

Result<void> SessionWriter::finish(const Accounting &accounting)
{
    if (!m_store)
        return {};  // the error was reported
    Result<void> written = complete(accounting);
    const Result<void> closed = close();
    return written ? closed : written;
}

std::string SessionWriter::remark() const
{
    const std::string ofAddresses = m_addresses.remark();
    return ofAddresses + (ofAddresses.empty() || m_storeRemark.empty() ? "" : "; ") + m_storeRemark;
}

Result<void> SessionWriter::ensureBegun()
{
    if (m_begun)
        return {};
    Result<void> begun = m_store->begin();
    m_begun = bool(begun);
    return begun;
}

Result<void> SessionWriter::write(const Batch &batch)
{
    if (batch.empty() && !m_begun)
        return {};
    if (Result<void> begun = ensureBegun(); !begun)
        return begun;
    if (Result<void> added = addRows(batch); !added)
        return added;
    if (m_committedAt == 0)
        m_committedAt = batch.now;
    m_rowsSinceCommit += batch.transitions.size() + batch.notes.causes();
    const bool isDue = batch.now >= m_committedAt + kCommitEveryNs || m_rowsSinceCommit >= kCommitEveryRows;
    if (!isDue || !m_growsVisibly)
        return {};
    m_committedAt = batch.now;
    m_rowsSinceCommit = 0;
    return commit();
}

Result<void> SessionWriter::commit()
{
    Result<void> done = m_changing.writeChanged(*m_store, m_coroutineSums);
    if (done)
        done = m_store->commit();
    if (!done)
        return done;
    m_committed = m_consumed;
    m_committedSpan = m_span;
    m_changing.noteCommitted();
    m_uncommittedGaps.clear();
    m_uncommittedEvents.clear();
    return done;
}

/// After an error: the store has lost the rows since the latest commit.
void SessionWriter::takeBack()
{
    m_hasFailed = true;
    m_consumed = m_committed;
    m_span = m_committedSpan;
    m_changing.takeBackBirths();
    for (const auto &[coroutine, gap] : std::exchange(m_uncommittedGaps, {}))
        m_coroutineSums.takeBackGap(coroutine, gap);
    for (const CoroutineId coroutine : std::exchange(m_uncommittedEvents, {}))
        m_coroutineSums.takeBackEvent(coroutine);
}

void SessionWriter::noteGap(CoroutineId coroutine, const CoroutineSums::Gap &gap)
{
    if (m_growsVisibly)
        m_uncommittedGaps.emplace_back(coroutine, gap);
}

Result<void> SessionWriter::addRows(const Batch &batch)
{
    m_now = std::max(m_now, batch.now);
    m_coroutineSums.addBatch(batch);
    for (const Loss &loss : batch.losses)
        noteGap(loss.coroutine, loss.beforeAttach ? CoroutineSums::Gap{0, loss.count} : CoroutineSums::Gap{loss.count});
    m_changing.addBatch(batch, m_consumed);
    if (Result<void> added = addGaps(batch); !added)
        return added;
    if (Result<void> added = addEvents(batch); !added)
        return added;
    if (Result<void> added = addFlags(batch); !added)
        return added;
    return addNoteRows(*m_store, batch.notes, m_consumed);
}

Result<void> SessionWriter::addFlags(const Batch &batch)
{
    for (const Flag &flag : batch.flags) {
        Result<void> added = m_store->add(
            Table::Flags, Row().number(flag.coroutine).text(flagReasonName(flag.reason)).number(m_consumed));
        if (!added)
            return added;
    }
    return {};
}

Result<void> SessionWriter::addGaps(const Batch &batch)
{
    for (const Loss &loss : batch.losses) {
        Result<void> added = m_store->add(Table::Gaps, Row()
                                                           .number(loss.coroutine)
                                                           .number(loss.firstN)
                                                           .number(loss.count)
                                                           .text(loss.beforeAttach ? "missed" : "lost")
                                                           .number(m_consumed));
        if (!added)
            return added;
    }
    return {};
}

/// Adds a gap for numbers before the transition that are missing without a Loss.
Result<void> SessionWriter::addUnexplained(const Transition &transition, std::uint64_t count)
{
    return m_store->add(Table::Gaps, Row()
                                         .number(transition.coroutine)
                                         .number(transition.n - count)
                                         .number(count)
                                         .text("dropped")
                                         .number(m_consumed));
}

Result<void> SessionWriter::addEvents(const Batch &batch)
{
    for (const Transition &transition : batch.transitions) {
        const CoroutineSums::Gap gap = m_coroutineSums.advance(transition);
        m_notSelectedBefore += gap.notSelected;
        if (gap.unexplained != 0) {
            noteGap(transition.coroutine, {0, 0, gap.unexplained});
            if (Result<void> added = addUnexplained(transition, gap.unexplained); !added)
                return added;
        }
        const CoroutineSums::Entry &coroutine = m_coroutineSums.entry(transition.coroutine);
        m_addresses.note(transition, coroutine.pid);
        m_span.firstTs = m_consumed == 0 ? transition.ts : std::min(m_span.firstTs, transition.ts);
        m_span.lastTs = std::max(m_span.lastTs, transition.ts);
        if (m_growsVisibly)
            m_uncommittedEvents.push_back(transition.coroutine);
        Result<void> added = m_store->add(Table::Events, Row()
                                                             .number(++m_consumed)
                                                             .number(coroutine.probeId)
                                                             .number(transition.tid)
                                                             .address(transition.addr)
                                                             .number(transition.seq)
                                                             .number(transition.active ? 1 : 0)
                                                             .number(transition.ts)
                                                             .number(transition.n)
                                                             .number(transition.coroutine)
                                                             .known(coroutine.pid)
                                                             .known(transition.site)
                                                             .text(pointKindName(transition.kind)));
        if (!added)
            return added;
    }
    return {};
}

Result<void> SessionWriter::complete(const Accounting &accounting)
{
    if (Result<void> begun = ensureBegun(); !begun)
        return begun;
    if (m_context.info)
        m_info = m_context.info();
    m_isPart = m_context.isPart && m_context.isPart();
    const Result<void> committed = m_growsVisibly && !m_hasFailed ? commit() : Result<void>();
    if (!committed)
        takeBack();
    Accounting sums = accounting;
    // What the file that is read lacks is not a part of its captured events; in a database it is.
    sums.captured = std::max(sums.captured, m_consumed + sums.eventsNotWritten);
    if (m_hasFailed)
        sums.eventsNotWritten = sums.captured - std::min(sums.captured, m_committed);
    sums.coroutines = std::max(sums.coroutines, m_changing.births() + sums.coroutinesNotWritten);
    sums.coroutinesNotWritten = sums.coroutines - m_changing.births();
    // The sums come first: even on a full disk, they fit into a page that the file already has.
    if (Result<void> summed = m_store->writePart({}, [&] { return writeSums(sums); }); !summed)
        return committed ? summed : committed;
    const std::array<Part, 5> parts{
        {{"counts of the coroutines", [this] { return m_changing.writeLast(*m_store, m_coroutineSums); }},
         {"facts of the run", [this] { return writeSession(); }},
         {"addresses", [this] { return writeAddresses(); }},
         {"findings", [this] { return writeFindings(); }},
         {"indexes", [this] { return m_store->publish(key()); }}}};
    const std::size_t wanted = m_hasFailed ? parts.size() - 1 : parts.size();  // without events it is not complete
    for (std::size_t i = 0; i < wanted; ++i) {
        const std::string content =
            "all events and sums are in it, " + namesFrom(std::span(parts).subspan(i)) + " are missing";
        if (Result<void> written = m_store->writePart(content, parts[i].write); !written)
            return committed ? written : committed;
    }
    if (!m_hasFailed)
        m_committed = m_consumed;
    m_storeRemark = m_store->remark();
    return committed;
}

/// The name or the key of the session of the run `name`. Empty stays empty.
std::string SessionWriter::nameFor(const std::string &name) const
{
    const std::string read = m_isPart && !name.empty() ? nameOfPart(name) : name;
    return m_context.unselected && !read.empty() ? nameOfSelection(read) : read;
}

/// The key of the session; empty: a new session.
std::string SessionWriter::key() const
{
    return nameFor(distinctUtf8(m_info.session.empty() ? m_context.source : m_info.session));
}

Result<void> SessionWriter::writeAddresses()
{
    return m_addresses.resolve([this](const EventAddress &address, const DescribedAddress &described) {
        return addAddressRows(*m_store, address, described);
    });
}

Result<void> SessionWriter::writeFindings()
{
    const std::shared_ptr<const Report> report = m_context.report ? m_context.report() : nullptr;
    if (Result<void> added =
            m_store->add(Table::TraceInfo, Row().text(kJudgedName).number(report ? report->judgedAt : 0));
        !added)
        return added;
    return report ? addFindingRows(*m_store, *report, m_changing) : Result<void>();
}

Result<void> SessionWriter::writeSums(const Accounting &accounting)
{
    std::uint64_t unexplained = 0;
    for (const CoroutineSums::Entry &entry : m_coroutineSums.entries())
        unexplained += entry.unexplained;
    std::vector<std::pair<std::string_view, std::uint64_t>> rows{
        {kFormatName, kFormat}, {kDroppedName, unexplained}, {kObservedName, m_now}};
    for (const StoredSum &sum : storedSums())
        rows.emplace_back(sum.name, sum.get(accounting));
    if (m_isPart)
        rows.emplace_back(kPartName, 1);
    for (const auto &[name, value] : rows) {
        if (Result<void> added = m_store->add(Table::TraceInfo, Row().text(name).number(value)); !added)
            return added;
    }
    return writeSelection();
}

/// The rows that only the session of a selection has.
Result<void> SessionWriter::writeSelection()
{
    if (!m_context.unselected)
        return {};
    const Unselected &left = *m_context.unselected;
    std::vector<std::pair<std::string_view, std::uint64_t>> facts{{"events_not_selected", left.events},
                                                                  {kNotSelectedBeforeName, m_notSelectedBefore},
                                                                  {kCoroutinesNotSelectedName, left.coroutines},
                                                                  {"causes_not_selected", left.causes}};
    if (left.from != Unselected().from)
        facts.emplace_back("selected_from", left.from);
    if (left.to != Unselected().to)
        facts.emplace_back("selected_to", left.to);
    for (const auto &[name, value] : facts) {
        if (Result<void> added = m_store->add(Table::TraceInfo, Row().text(name).number(value)); !added)
            return added;
    }
    return {};
}

Result<void> SessionWriter::writeSession()
{
    std::string command;
    for (const std::string &word : m_info.command)
        command += (command.empty() ? "" : " ") + word;
    command = validUtf8(command);
    const std::string name = nameFor(validUtf8(m_info.session));
    const std::string program = validUtf8(m_info.program + (m_info.version.empty() ? "" : " " + m_info.version));
    const std::string machine = m_info.machine ? validUtf8(m_info.machine->name) : std::string();
    const std::string json = toJson(m_info);
    const RecordingInfo::Clocks clocks = m_info.clocks.empty() ? RecordingInfo::Clocks() : m_info.clocks.back();
    // The recording is untrusted, and the column is signed.
    const std::uint64_t offset = clocks.realtime - clocks.monotonic;
    const bool hasOffset = clocks.realtime > clocks.monotonic && offset <= INT64_MAX;
    return m_store->add(Table::Sessions, Row()
                                             .textIfAny(name)
                                             .textIfAny(program)
                                             .textIfAny(command)
                                             .textIfAny(machine)
                                             .known(m_info.target.value_or(0))
                                             .numberIf(m_consumed != 0, m_span.firstTs)
                                             .numberIf(m_consumed != 0, m_span.lastTs)
                                             .numberIf(hasOffset, offset)
                                             .known(m_info.decided)
                                             .text(json));
}

}  // namespace ct
