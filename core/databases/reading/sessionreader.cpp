// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/databases/reading/sessionreader.h"

#include "core/databases/reading/streamrows.h"
#include "core/databases/sessionname.h"
#include "core/databases/storedsums.h"
#include "core/recording/read/renumbering.h"
#include "core/recording/read/streamguard.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ct {

namespace {

constexpr std::size_t kEventsAtOnce = 8192;
constexpr std::size_t kRowsAtOnce = 65'536;
constexpr std::size_t kAddressesAtOnce = 8192;

template <class Row>
std::uint64_t latestOf(const std::vector<Row> &rows)
{
    std::uint64_t latest = 0;
    for (const Row &row : rows)
        latest = std::max(latest, row.ts);
    return latest;
}

/// The latest time in a batch.
std::uint64_t latestTs(const Batch &batch)
{
    std::uint64_t latest = 0;
    for (const Transition &event : batch.transitions)
        latest = std::max(latest, event.ts);
    return std::max({latest, latestOf(batch.deaths), latestOf(batch.notes.wakes), latestOf(batch.notes.uses),
                     latestOf(batch.notes.finishes), latestOf(batch.notes.processSamples)});
}

}  // namespace

struct SessionReader::Data {
    explicit Data(std::unique_ptr<RowSource> theSource) : source(std::move(theSource)) {}

    Result<void> open();
    Result<void> readInfo();
    Result<void> readSession();
    Result<void> readSelected();
    Result<void> readSitesAndThreads();
    Result<void> readAddresses();
    Result<bool> takeRows(std::span<PositionedRows> from);
    Result<void> takeEvents();
    Result<bool> readNext();
    Result<bool> nextEvent();
    std::optional<Error> changeAtEnd() const;
    std::optional<Error> shortfall() const;
    /// Whether the writer has counted the run. Otherwise it was killed before.
    bool hasSums() const { return info.find("events") != info.end(); }
    bool isSelection() const { return info.find(kCoroutinesNotSelectedName) != info.end(); }
    /// The export of the session was not interrupted.
    bool isComplete() const { return stored(kCompleteName) != 0; }
    /// A value of trace_info; 0 if it has none.
    std::uint64_t stored(std::string_view name) const
    {
        const auto row = info.find(name);
        return row == info.end() ? 0 : row->second;
    }

    const std::unique_ptr<RowSource> source;
    std::map<std::string, std::uint64_t, std::less<>> info;  ///< rows of trace_info
    RecordingInfo facts;
    std::optional<Error> wrongFacts;       ///< another program has removed or changed them
    bool hasNewFacts = true;               ///< takeFacts() has not returned them yet
    std::vector<FrameLocation> frames;     ///< takeFacts() has not returned them yet
    std::unique_ptr<RowCursor> addresses;  ///< nullptr: all were read
    std::unique_ptr<RowCursor> events;
    std::optional<Transition> event;  ///< the next one
    std::uint64_t eventId = 0;        ///< its id
    std::vector<PositionedRows> tables;
    std::uint64_t position = 0;  ///< id of the latest event that was emitted
    StreamParts parts;
    ctr::Renumbering renumbering;  ///< of a selection
    ctr::StreamGuard guard;
    std::uint64_t now = 0;
    bool isBegun = false;
    bool isAtEnd = false;
    bool isDamaged = false;
    std::optional<Error> error;  ///< next() returns it after the batches before it
};

Result<void> SessionReader::Data::readInfo()
{
    const Result<void> read = readRows(*source, Table::TraceInfo, "name", [this](RowReader &row) {
        std::string name;
        std::uint64_t value = 0;
        row.text(name).number(value);
        info[name] = value;
    });
    if (!read)
        return read;
    const auto format = info.find(kFormatName);
    if (format != info.end() && format->second == kFormat)
        return {};
    return Error{ErrorCode::Unsupported, source->name() + " has tables of version " +
                                             (format == info.end() ? "?" : std::to_string(format->second)) +
                                             ", and this program reads version " + std::to_string(kFormat) +
                                             "; export the run again with this program"};
}

Result<void> SessionReader::Data::readSession()
{
    wrongFacts = Error{ErrorCode::BadFormat, source->name() + " has no valid facts of the run in its table sessions: "
                                                              "another program has changed it; export the run again"};
    return readRows(*source, Table::Sessions, "info", [this](RowReader &row) {
        std::string json;
        row.skip(9).text(json);
        if (std::optional<RecordingInfo> known = recordingInfoOf(json)) {
            facts = std::move(*known);
            wrongFacts.reset();
        }
        // Stored again, it must not replace the session of the whole run.
        if (isSelection() && !facts.session.empty())
            facts.session = nameOfSelection(facts.session);
    });
}

/// The coroutines of a selection keep the numbers that they have in the run. Those of a stream begin with 0.
Result<void> SessionReader::Data::readSelected()
{
    std::vector<CoroutineId> selected;
    const Result<void> read = readRows(*source, Table::Coroutines, "coroutine", [&selected](RowReader &row) {
        CoroutineId coroutine = 0;
        row.number(coroutine);
        selected.push_back(coroutine);
    });
    if (!selected.empty()) {
        const CoroutineId born = selected.back() + 1;
        renumbering.setStart(std::move(selected), born);
    }
    return read;
}

Result<void> SessionReader::Data::open()
{
    if (Result<void> known = readInfo(); !known)
        return known;
    if (Result<void> known = readSession(); !known)
        return known;
    if (Result<void> known = isSelection() ? readSelected() : Result<void>(); !known)
        return known;
    for (const auto &[cursor, table, column] :
         {std::tuple(&addresses, Table::Addresses, "coroutine"), std::tuple(&events, Table::Events, "id")}) {
        Result<std::unique_ptr<RowCursor>> opened = source->read(table, column);
        if (!opened)
            return opened.error();
        *cursor = std::move(*opened);
    }
    for (const StreamTable &table : streamTables()) {
        Result<PositionedRows> opened = PositionedRows::open(*source, table);
        if (!opened)
            return opened.error();
        tables.push_back(std::move(*opened));
    }
    const Result<bool> first = nextEvent();
    return first ? Result<void>() : first.error();
}

Result<void> SessionReader::Data::readSitesAndThreads()
{
    Result<void> read = readRows(*source, Table::Sites, "site_id", [this](RowReader &row) {
        Site site;
        row.number(site.id).text(site.file).known(site.line).known(site.column).text(site.function);
        parts.batch.sites.push_back(std::move(site));
    });
    if (!read)
        return read;
    return readRows(*source, Table::Threads, "pid", [this](RowReader &row) {
        ThreadName thread;
        row.number(thread.pid).number(thread.tid).text(thread.name);
        parts.batch.notes.threadNames.push_back(std::move(thread));
    });
}

/// Reads the next addresses, whose functions and lines are known even where the program is not installed.
Result<void> SessionReader::Data::readAddresses()
{
    std::span<const StoredCell> cells;
    for (std::size_t i = 0; i < kAddressesAtOnce; ++i) {
        const Result<bool> more = addresses->next(cells);
        if (!more)
            return more.error();
        if (!*more) {
            addresses.reset();
            return {};
        }
        std::vector<FrameLocation> read(1);
        FrameLocation &location = read.front();
        std::uint64_t depth = 0;
        RowReader row(schemaOf(Table::Addresses), cells);
        row.number(location.coroutine).number(location.frame).number(depth).text(location.function);
        row.text(location.file).known(location.line).known(location.column).skip().known(location.since);
        if (!row.wrongColumn().empty())
            return wrongRow(*source, Table::Addresses, row.wrongColumn());
        location.coroutine = renumbering.of(location.coroutine);
        if (depth != 0 || location.function.empty() || location.coroutine == kNoCoroutine)
            continue;
        if (!guard.admit(read)) {
            addresses.reset();  // more texts than any export writes
            return {};
        }
        frames.push_back(std::move(location));
    }
    return {};
}

/// Moves to the next event. Returns false at the end.
Result<bool> SessionReader::Data::nextEvent()
{
    event.reset();
    std::span<const StoredCell> cells;
    Result<bool> more = events->next(cells);
    if (!more || !*more)
        return more;
    RowReader row(schemaOf(Table::Events), cells);
    Transition read;
    row.number(eventId);
    readEvent(row, read);
    if (!row.wrongColumn().empty())
        return wrongRow(*source, Table::Events, row.wrongColumn());
    event = read;
    return true;
}

/// Takes the rows of the present position. Returns true if there were any.
Result<bool> SessionReader::Data::takeRows(std::span<PositionedRows> from)
{
    std::size_t rows = 0;
    for (PositionedRows &table : from) {
        for (; table.position() <= position && rows < kRowsAtOnce; ++rows) {
            if (Result<void> taken = table.take(parts); !taken)
                return taken.error();
        }
    }
    return rows != 0;
}

/// Takes events up to the next position that has rows, and the causes of that position.
Result<void> SessionReader::Data::takeEvents()
{
    std::uint64_t until = PositionedRows::kEnd;
    for (const PositionedRows &table : tables)
        until = std::min(until, table.position());
    while (event && eventId <= until && parts.batch.transitions.size() < kEventsAtOnce) {
        if (event->coroutine >= parts.born)
            return unknownCoroutine(*source, Table::Events, "id", eventId, event->coroutine);
        parts.batch.transitions.push_back(*event);
        position = eventId;
        if (const Result<bool> more = nextEvent(); !more)
            return more.error();
    }
    // Rows after the last event, or between two events whose ids are not consecutive.
    if (parts.batch.transitions.empty() && until != PositionedRows::kEnd)
        position = until;
    if (parts.batch.transitions.empty())
        return {};
    const Result<bool> causes = takeRows(std::span(tables).subspan(kFirstCauses, kCauses));
    return causes ? Result<void>() : causes.error();
}

/// Fills parts.batch. Returns false at the end.
Result<bool> SessionReader::Data::readNext()
{
    if (addresses) {
        const Result<void> read = readAddresses();
        return read ? Result<bool>(true) : read.error();
    }
    if (!std::exchange(isBegun, true)) {
        if (Result<void> read = readSitesAndThreads(); !read)
            return read.error();
    }
    Result<bool> hasRows = takeRows(tables);
    if (!hasRows || *hasRows || !parts.batch.empty())
        return hasRows ? Result<bool>(true) : hasRows;
    if (Result<void> read = takeEvents(); !read)
        return read.error();
    const auto hasMore = [](const PositionedRows &table) { return table.position() != PositionedRows::kEnd; };
    return !parts.batch.empty() || event || std::any_of(tables.begin(), tables.end(), hasMore);
}

/// The error if the rows contradict the sums.
std::optional<Error> SessionReader::Data::changeAtEnd() const
{
    const RunSums &read = guard.sums();
    const std::uint64_t rows = stored("events") - std::min(stored("events"), stored("events_not_written"));
    const bool hasAll =
        parts.events == read.captured && (rows == read.captured || rows == read.captured + stored("events_not_kept"));
    if (!hasSums())
        return std::nullopt;
    const auto changed = [this](const std::string &what, std::uint64_t has, std::uint64_t expected) {
        return Error{ErrorCode::BadFormat, source->name() + " has " + std::to_string(has) + " " + what +
                                               ", and should have " + std::to_string(expected) +
                                               ": another program has changed it; export the run again"};
    };
    if (!hasAll)
        return changed("events", read.captured, rows != read.captured ? rows : parts.events);
    const std::uint64_t coroutines =
        stored("coroutines") - std::min(stored("coroutines"), stored("coroutines_not_written"));
    if (coroutines != read.coroutines)
        return changed("coroutines", read.coroutines, coroutines);
    if (parts.lost != read.lost)
        return changed("lost events in its gaps", read.lost, parts.lost);
    if (parts.missed != read.missedBeforeAttach)
        return changed("missed events in its gaps", read.missedBeforeAttach, parts.missed);
    return std::nullopt;
}

/// The error if the writer counted the run, and could not write all of it.
std::optional<Error> SessionReader::Data::shortfall() const
{
    if (isComplete() || !hasSums())
        return std::nullopt;
    const std::uint64_t missing = stored("events_not_written");
    if (missing != 0)
        return Error{ErrorCode::InputOutput,
                     source->name() + " lacks " + std::to_string(missing) + " of the " +
                         std::to_string(stored("events")) +
                         " events of the run: they could not be written, for example because the disk was full; the "
                         "other events were read. Capture the run again for all events"};
    return Error{ErrorCode::InputOutput,
                 source->name() + " has all events of the run, but was not completed: the disk was full, or its writer "
                                  "was killed; the facts of the run, addresses or findings may be missing"};
}

SessionReader::SessionReader(std::unique_ptr<Data> data) : m_data(std::move(data)) {}

SessionReader::~SessionReader() = default;

Result<std::unique_ptr<SessionReader>> SessionReader::open(std::unique_ptr<RowSource> source)
{
    auto data = std::make_unique<Data>(std::move(source));
    if (Result<void> opened = data->open(); !opened)
        return opened.error();
    return std::unique_ptr<SessionReader>(new SessionReader(std::move(data)));
}

Result<bool> SessionReader::next(Batch &batch)
{
    Data &data = *m_data;
    batch.clear();
    if (data.isAtEnd)
        return data.error ? Result<bool>(*data.error) : Result<bool>(false);
    data.parts.batch.clear();
    const Result<bool> more = data.readNext();
    if (!more)
        data.error = more.error();
    data.renumbering.apply(data.parts.batch);
    const bool isAdmitted = data.guard.admit(data.parts.batch);
    if (!isAdmitted)
        data.error =
            Error{ErrorCode::BadFormat, data.source->name() + ": rows near event " + std::to_string(data.position) +
                                            " name coroutines or sites that do not exist; everything before "
                                            "them was read"};
    data.isAtEnd = !more || !*more || !isAdmitted;
    data.isDamaged = data.error.has_value();
    if (data.isAtEnd && !data.error) {
        data.error = data.isComplete() && data.wrongFacts ? data.wrongFacts : data.changeAtEnd();
        data.isDamaged = data.error.has_value();
        if (!data.error)
            data.error = data.shortfall();
        const auto observed = data.info.find(kObservedName);
        data.now = std::max(data.now, observed != data.info.end() ? observed->second : 0);
    }
    if (isAdmitted)
        std::swap(batch, data.parts.batch);
    data.now = std::max(data.now, latestTs(batch));
    batch.now = data.now;
    return true;
}

double SessionReader::progress() const
{
    const auto events = m_data->info.find("events");
    if (m_data->isAtEnd)
        return 1;
    if (events == m_data->info.end() || events->second == 0)
        return 0;
    return std::min(1.0, static_cast<double>(m_data->guard.sums().captured) / static_cast<double>(events->second));
}

Accounting SessionReader::accounting() const
{
    Accounting sums(m_data->guard.sums());
    // The stored sums hold only if they agree with what was read.
    if (!m_data->isAtEnd || !m_data->hasSums() || m_data->isDamaged)
        return sums;
    for (const StoredSum &sum : storedSums()) {
        if (const auto stored = m_data->info.find(sum.name); stored != m_data->info.end())
            sum.set(sums, stored->second);
    }
    // Readers do not count as captured what a file lacks.
    sums.captured -= std::min(sums.captured, sums.eventsNotWritten);
    sums.coroutines -= std::min(sums.coroutines, sums.coroutinesNotWritten);
    return sums;
}

bool SessionReader::takeFacts(FileFacts &facts)
{
    if (!std::exchange(m_data->hasNewFacts, false) && m_data->frames.empty())
        return false;
    facts.info = m_data->facts;
    facts.frames = std::exchange(m_data->frames, {});
    facts.notSelected = m_data->stored(kNotSelectedBeforeName);
    return true;
}

bool SessionReader::hasEnded() const
{
    return m_data->isAtEnd && m_data->isComplete() && !m_data->isDamaged && m_data->stored(kPartName) == 0;
}

bool SessionReader::isDamaged() const
{
    return m_data->isDamaged;
}

}  // namespace ct
