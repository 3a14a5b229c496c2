// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/text/jsonlreader.h"

#include "core/recording/text/eventnumbering.h"
#include "core/recording/text/jsonlline.h"
#include "core/recording/text/jsonlnotereader.h"
#include "core/recording/text/linesource.h"
#include "core/recording/text/streamassembler.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ct {

namespace {

constexpr std::size_t kTransitionsPerBatch = 4096;
/// Limit for the lines of one call. Lines that wait to be ordered give no transitions, but the call must return for
/// progress and cancelling.
constexpr std::size_t kLinesPerBatch = 16384;

constexpr const char *kTooLong = "it is longer than 1 MiB";

bool isBlank(std::string_view text)
{
    return text.find_first_not_of(" \t\r") == std::string_view::npos;
}

Dialect dialectOf(const JsonlLine &line)
{
    return line.n == line.seq && line.seq / 2 != line.n / 8 + 1 ? Dialect::Monotonic : Dialect::Seqlock;
}

}  // namespace

struct JsonlReader::Data final : JsonlNoteReader::Target {
    Data(std::unique_ptr<LineSource> lineSource, ReadOptions readOptions)
        : source(std::move(lineSource)), numbering(stream), options(readOptions)
    {
    }

    /// A coroutine whose lines have event numbers.
    struct Numbered {
        CoroutineId id = kNoCoroutine;
        std::uint64_t nextN = 0;
        SiteId site = kUnknownSite;  ///< of its latest event, if that was a suspension
        bool hasEvents = false;
        bool hasFunction = false;  ///< `frames` had its function
    };
    /// Bad lines that were left out.
    struct Skipped {
        std::uint64_t lines = 0;
        std::uint64_t first = 0;  ///< its number, from 1
        std::string what;         ///< what is wrong with it
    };

    void readLines();
    std::string readLine(std::string_view text);
    void skipOrEnd(const LineSource::Line &line, const std::string &what);
    Error problem(const LineSource::Line &line, const std::string &what) const;
    std::optional<Error> errorAtEnd() const;
    std::string putLine(const JsonlLine &line);
    std::string putNumbered(const JsonlLine &line, Transition &transition);
    static bool beginsAgain(const JsonlLine &line, const Numbered &coroutine);
    void putNotes(const JsonlLine &line, CoroutineId id);
    void putLocation(const JsonlLine &line, Numbered &coroutine);
    void putGapBefore(const JsonlLine &line, const Numbered &coroutine, bool first);
    void putGap(const Numbered &coroutine, std::uint64_t n, std::uint64_t missed, std::uint64_t lost);
    std::string putNote(std::string_view text);
    bool isDead(CoroutineId id) const { return id < dead.size() && dead[id]; }
    SiteId siteOf(const std::string &file, const std::string &function, std::uint32_t line, std::uint32_t column);

    // For note lines.
    Batch &batch() override { return stream.batch(); }
    CoroutineId coroutineOf(std::uint64_t fileId) override;
    SiteId siteOf(const Site &site) override { return siteOf(site.file, site.function, site.line, site.column); }
    void addBirth(const Birth &birth) override;
    void addDeath(const Death &death) override;
    void addGap(const CoroutineSums::EndGap &gap) override;

    std::unique_ptr<LineSource> source;
    JsonlLine parsed;
    StreamAssembler stream;
    EventNumbering numbering;
    JsonlNoteReader noteReader{*this};
    std::unordered_map<std::uint64_t, Numbered> byCoroutine;
    std::vector<bool> dead;  ///< by CoroutineId
    std::unordered_map<std::uint64_t, Numbered> byProbeId;
    std::unordered_map<std::string, SiteId> sites;
    std::string siteKey;
    std::vector<FrameLocation> frames;  ///< takeFacts() has not returned them yet
    std::uint64_t latestTs = 0;
    std::uint64_t notSelected = 0;       ///< events before the time range of a selection
    std::uint64_t notSelectedTaken = 0;  ///< as of the latest takeFacts()
    const ReadOptions options;
    Skipped skipped;
    std::optional<Error> error;  ///< next() returns it after the batches before it
    bool atEnd = false;          ///< the end of the file, or the error, was reached
};

Error JsonlReader::Data::problem(const LineSource::Line &line, const std::string &what) const
{
    const std::string where = source->path() + ":" + std::to_string(source->number()) + ": ";
    if (!line.ended)
        return {ErrorCode::BadFormat,
                where + "the last line is cut off (" + what +
                    "): the recording was interrupted or is still being written; everything before it was read"};
    // If the first line is bad, the others will hardly be better.
    const bool canSkip = !options.lenientOption.empty() && source->number() > 1;
    return {ErrorCode::BadFormat, where + "this is not a line of a JSONL recording (" + what +
                                      "); everything before it was read; correct or remove the line" +
                                      (canSkip ? ", or skip bad lines with " + options.lenientOption : "")};
}

/// Returns the error that next() returns at the end of the file, if any.
std::optional<Error> JsonlReader::Data::errorAtEnd() const
{
    if (skipped.lines == 0)
        return error;
    const bool isOne = skipped.lines == 1;
    const std::string text =
        source->path() + ":" + std::to_string(skipped.first) + ": " +
        (isOne ? "this line was skipped, because it"
               : "this line and " + std::to_string(skipped.lines - 1) +
                     (skipped.lines == 2 ? " later one" : " later ones") + " were skipped; the first") +
        " is not a line of a JSONL recording (" + skipped.what + "); ";
    return Error{ErrorCode::BadFormat, text + (error ? error->message : "all other lines were read")};
}

SiteId JsonlReader::Data::siteOf(const std::string &file, const std::string &function, std::uint32_t line,
                                 std::uint32_t column)
{
    siteKey.assign(file).append(1, '\0').append(function).append(1, '\0');
    siteKey.append(std::to_string(line)).append(1, ':').append(std::to_string(column));
    const auto [found, isNew] = sites.try_emplace(siteKey, static_cast<SiteId>(sites.size() + 1));
    if (isNew)
        stream.batch().sites.push_back({found->second, line, column, file, function});
    return found->second;
}

CoroutineId JsonlReader::Data::coroutineOf(std::uint64_t fileId)
{
    const auto found = byCoroutine.find(fileId);
    return found == byCoroutine.end() ? kNoCoroutine : found->second.id;
}

void JsonlReader::Data::addBirth(const Birth &birth)
{
    // A second birth belongs to another run.
    Numbered &coroutine = byCoroutine[birth.coroutine];
    coroutine.id = stream.birth(birth.probeId, birth.birthTs, birth.pid, birth.dialect);
    coroutine.nextN = birth.dialect == Dialect::Monotonic ? 1 : 0;
    coroutine.hasEvents = false;
    coroutine.hasFunction = false;
}

void JsonlReader::Data::addDeath(const Death &death)
{
    if (isDead(death.coroutine))
        return;
    if (death.coroutine >= dead.size())
        dead.resize(std::size_t{death.coroutine} * 2 + 1);
    dead[death.coroutine] = true;
    stream.batch().deaths.push_back(death);
}

std::string JsonlReader::Data::putNote(std::string_view text)
{
    std::string problem = noteReader.read(text);
    latestTs = std::max(latestTs, noteReader.ts());
    return problem;
}

void JsonlReader::Data::addGap(const CoroutineSums::EndGap &gap)
{
    const auto found = byCoroutine.find(gap.coroutine);
    if (found == byCoroutine.end() || gap.n <= found->second.nextN)
        return;
    Numbered &coroutine = found->second;
    const std::uint64_t count = gap.n - coroutine.nextN;
    const std::uint64_t missed = std::min(gap.missed, count);
    putGap(coroutine, gap.n, missed, std::min(gap.lost, count - missed));
    coroutine.nextN = gap.n;
    coroutine.site = kUnknownSite;
}

/// Adds the losses of the events before the number `n`. The others are missing without a reason.
void JsonlReader::Data::putGap(const Numbered &coroutine, std::uint64_t n, std::uint64_t missed, std::uint64_t lost)
{
    stream.loss(coroutine.id, coroutine.nextN, missed, true);
    stream.loss(coroutine.id, n - lost, lost, false);
}

void JsonlReader::Data::putGapBefore(const JsonlLine &line, const Numbered &coroutine, bool first)
{
    const std::uint64_t gap = line.n - coroutine.nextN;
    constexpr std::uint32_t kDeclared =
        JsonlLine::LostBefore | JsonlLine::MissedBefore | JsonlLine::DroppedBefore | JsonlLine::NotSelectedBefore;
    const bool declared = (line.present & kDeclared) != 0;
    std::uint64_t missed = std::min(line.missedBefore, gap);
    const std::uint64_t dropped = std::min(line.droppedBefore, gap - missed);
    std::uint64_t lost = gap - missed - dropped;
    if (first && !declared)
        std::swap(missed, lost);
    if (line.has(JsonlLine::NotSelectedBefore))
        notSelected += dropped;
    putGap(coroutine, line.n, missed, lost);
}

/// Adds a location that the writer resolved from the address. A function without a line holds for all suspensions.
void JsonlReader::Data::putLocation(const JsonlLine &line, Numbered &coroutine)
{
    const bool hasLine = line.line != 0;
    if (!hasLine && coroutine.hasFunction)
        return;
    coroutine.hasFunction = true;
    frames.push_back(
        {coroutine.id, line.addr, hasLine ? line.ts : 0, 0, line.line, line.column, line.file, line.function});
}

/// Adds name and parent of a line with `n`. Lines of the existing collector have neither.
void JsonlReader::Data::putNotes(const JsonlLine &line, CoroutineId id)
{
    Notes &notes = stream.batch().notes;
    if (line.has(JsonlLine::Name))
        notes.names.push_back({id, line.name});
    // A parent that had no line before this one stays unknown.
    const auto parent = line.has(JsonlLine::Parent) ? byCoroutine.find(line.parent) : byCoroutine.end();
    if (parent != byCoroutine.end())
        notes.parents.push_back({id, parent->second.id});
}

/// True if the line is the first one of another run's coroutine with the same number. First lines have a time of birth
/// or a process, and all earlier numbers are lost, missed or left out.
bool JsonlReader::Data::beginsAgain(const JsonlLine &line, const Numbered &coroutine)
{
    if (!coroutine.hasEvents)
        return false;
    const std::uint64_t before = line.lostBefore + line.missedBefore + line.droppedBefore;
    return line.has(JsonlLine::BirthTs) || line.has(JsonlLine::Pid) ||
           (line.n < coroutine.nextN && line.n <= before + (dialectOf(line) == Dialect::Monotonic ? 1 : 0));
}

std::string JsonlReader::Data::putNumbered(const JsonlLine &line, Transition &transition)
{
    const bool hasId = line.has(JsonlLine::Coroutine);
    Numbered &coroutine = hasId ? byCoroutine[line.coroutine] : byProbeId[line.probeId];
    bool first = coroutine.id == kNoCoroutine || beginsAgain(line, coroutine);
    if (!first && line.n < coroutine.nextN) {
        if (hasId)
            return "event " + std::to_string(line.n) + " of coroutine " + std::to_string(line.coroutine) +
                   " follows event " + std::to_string(coroutine.nextN - 1);
        first = true;
    }
    if (!first && isDead(coroutine.id))
        return "event " + std::to_string(line.n) + " of coroutine " + std::to_string(line.coroutine) +
               " follows its death";
    if (first) {
        const Dialect dialect = dialectOf(line);
        coroutine.id = stream.birth(line.probeId, line.birthTs, line.pid, dialect);
        coroutine.hasFunction = false;
        coroutine.site = kUnknownSite;
        coroutine.nextN = dialect == Dialect::Monotonic ? 1 : 0;
    }
    // A line does not repeat the site of the suspension that its resumption ends.
    if (transition.active && transition.site == kUnknownSite && line.n == coroutine.nextN)
        transition.site = coroutine.site;
    if (line.n > coroutine.nextN)
        putGapBefore(line, coroutine, first);
    coroutine.site = transition.active ? kUnknownSite : transition.site;
    coroutine.nextN = line.n + 1;
    coroutine.hasEvents = true;
    transition.n = line.n;
    transition.coroutine = coroutine.id;
    stream.transition(transition);
    if (line.isResolved)
        putLocation(line, coroutine);
    if (line.has(JsonlLine::Name) || line.has(JsonlLine::Parent))
        putNotes(line, coroutine.id);
    return {};
}

/// Adds a line to the stream. Returns an empty text, or why the line cannot be part of the stream.
std::string JsonlReader::Data::putLine(const JsonlLine &line)
{
    Transition transition;
    transition.ts = line.ts;
    transition.addr = line.addr;
    transition.seq = line.seq;
    transition.tid = line.tid;
    if ((line.has(JsonlLine::File) || line.has(JsonlLine::Function)) && !line.isResolved)
        transition.site = siteOf(line.file, line.function, line.line, line.column);
    transition.kind = line.kind;
    transition.active = line.isActive;
    latestTs = std::max(latestTs, line.ts);
    if (line.has(JsonlLine::N))
        return putNumbered(line, transition);
    const std::uint64_t key = line.has(JsonlLine::Coroutine) ? line.coroutine : line.probeId;
    numbering.addEvent({key, line.probeId, line.birthTs, line.pid}, transition);
    return {};
}

void JsonlReader::Data::readLines()
{
    const Batch &batch = stream.batch();
    for (std::size_t lines = 0; lines < kLinesPerBatch && batch.transitions.size() < kTransitionsPerBatch; ++lines) {
        LineSource::Line line;
        const Result<bool> more = source->next(line);
        if (!more)
            error = more.error();
        atEnd = !more || !*more;
        if (atEnd)
            return;
        if (source->number() == 1 && line.text.starts_with("\xEF\xBB\xBF"))
            line.text.remove_prefix(3);
        if (isBlank(line.text) && !line.isTooLong)
            continue;
        if (const std::string what = line.isTooLong ? kTooLong : readLine(line.text); !what.empty())
            skipOrEnd(line, what);
        else if (parsed.isNote && noteReader.isProcessEnd())
            return;
        if (atEnd)
            return;
    }
}

/// Adds a line to the batch. Returns an empty text, or what is wrong with it.
std::string JsonlReader::Data::readLine(std::string_view text)
{
    std::string what = parseJsonlLine(text, parsed);
    if (what.empty())
        what = parsed.isNote ? putNote(text) : putLine(parsed);
    return what;
}

void JsonlReader::Data::skipOrEnd(const LineSource::Line &line, const std::string &what)
{
    if (options.lenient && line.ended) {
        if (skipped.lines++ == 0)
            skipped = {1, source->number(), what};
        return;
    }
    error = problem(line, what);
    atEnd = true;
}

JsonlReader::JsonlReader(std::unique_ptr<Data> data) : m_data(std::move(data)) {}

JsonlReader::~JsonlReader() = default;

Result<std::unique_ptr<JsonlReader>> JsonlReader::open(const std::string &path, ReadOptions options)
{
    Result<std::unique_ptr<LineSource>> source = LineSource::open(path);
    if (!source)
        return source.error();
    return std::unique_ptr<JsonlReader>(new JsonlReader(std::make_unique<Data>(std::move(*source), options)));
}

Result<bool> JsonlReader::next(Batch &batch)
{
    batch.clear();
    m_data->stream.setBatch(batch);
    if (!m_data->atEnd)
        m_data->readLines();
    for (const Drop &drop : batch.notes.drops)
        m_data->stream.drop(drop.records);
    bool more = !m_data->atEnd;
    if (m_data->atEnd && batch.transitions.size() < kTransitionsPerBatch)
        more = m_data->numbering.drain(kTransitionsPerBatch - batch.transitions.size());
    batch.now = m_data->latestTs;
    if (more || !batch.empty())
        return true;
    if (std::optional<Error> error = m_data->errorAtEnd())
        return *std::move(error);
    return false;
}

double JsonlReader::progress() const
{
    return m_data->source->progress();
}

bool JsonlReader::takeFacts(FileFacts &facts)
{
    facts.frames = std::exchange(m_data->frames, {});
    facts.notSelected = m_data->notSelected;
    const bool isNew = std::exchange(m_data->notSelectedTaken, m_data->notSelected) != m_data->notSelected;
    return isNew || !facts.frames.empty();
}

bool JsonlReader::isDamaged() const
{
    return m_data->skipped.lines != 0;
}

Accounting JsonlReader::accounting() const
{
    return Accounting(m_data->stream.sums());
}

}  // namespace ct
