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
#include <vector>

namespace ct {

namespace {

constexpr std::size_t kTransitionsPerBatch = 4096;
/// Limit for the lines of one call. Lines that wait to be ordered give no transitions, but progress and cancelling need
/// the call to return.
constexpr std::size_t kLinesPerBatch = 16384;

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
    explicit Data(std::unique_ptr<LineSource> lineSource) : source(std::move(lineSource)), numbering(stream) {}

    /// A coroutine whose lines have event numbers.
    struct Numbered {
        CoroutineId id = kNoCoroutine;
        std::uint64_t nextN = 0;
    };

    void readLines();
    Error problem(const LineSource::Line &line, const std::string &what) const;
    std::string putLine(const JsonlLine &line);
    std::string putNumbered(const JsonlLine &line, Transition &transition);
    void putNotes(const JsonlLine &line, CoroutineId id);
    void putGap(const JsonlLine &line, const Numbered &coroutine, bool first);
    std::string putNote(std::string_view text);
    bool isDead(CoroutineId id) const { return id < dead.size() && dead[id]; }
    SiteId siteOf(const std::string &file, const std::string &function, std::uint32_t line, std::uint32_t column);

    // For note lines.
    Batch &batch() override { return stream.batch(); }
    CoroutineId coroutineOf(std::uint64_t fileId) override;
    SiteId siteOf(const Site &site) override { return siteOf(site.file, site.function, site.line, site.column); }
    void addBirth(const Birth &birth) override;
    void addDeath(const Death &death) override;

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
    std::uint64_t latestTs = 0;
    std::optional<Error> error;  ///< next() returns it after everything before it
    bool atEnd = false;          ///< the end of the file, or the error, was reached
};

Error JsonlReader::Data::problem(const LineSource::Line &line, const std::string &what) const
{
    const std::string where = source->path() + ":" + std::to_string(source->number()) + ": ";
    if (!line.ended)
        return {ErrorCode::BadFormat,
                where + "the last line is cut off (" + what +
                    "): the recording was interrupted or is still being written; everything before it was read"};
    return {ErrorCode::BadFormat, where + "this is not a line of a JSONL recording (" + what +
                                      "); everything before it was read; correct or remove the line"};
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
    Numbered &coroutine = byCoroutine[birth.coroutine];
    if (coroutine.id != kNoCoroutine)
        return;
    coroutine.id = stream.birth(birth.probeId, birth.birthTs, birth.pid, birth.dialect);
    coroutine.nextN = birth.dialect == Dialect::Monotonic ? 1 : 0;
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

void JsonlReader::Data::putGap(const JsonlLine &line, const Numbered &coroutine, bool first)
{
    const std::uint64_t gap = line.n - coroutine.nextN;
    const bool declared =
        line.has(JsonlLine::LostBefore) || line.has(JsonlLine::MissedBefore) || line.has(JsonlLine::DroppedBefore);
    std::uint64_t missed = std::min(line.missedBefore, gap);
    const std::uint64_t dropped = std::min(line.droppedBefore, gap - missed);
    std::uint64_t lost = gap - missed - dropped;
    if (first && !declared)
        std::swap(missed, lost);
    stream.loss(coroutine.id, coroutine.nextN, missed, true);
    stream.loss(coroutine.id, line.n - lost, lost, false);
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

std::string JsonlReader::Data::putNumbered(const JsonlLine &line, Transition &transition)
{
    const bool hasId = line.has(JsonlLine::Coroutine);
    Numbered &coroutine = hasId ? byCoroutine[line.coroutine] : byProbeId[line.probeId];
    bool first = coroutine.id == kNoCoroutine;
    if (!first && line.n < coroutine.nextN) {
        if (hasId)
            return "event " + std::to_string(line.n) + " of coroutine " + std::to_string(line.coroutine) +
                   " follows event " + std::to_string(coroutine.nextN - 1) +
                   ", as if several recordings had been joined";
        first = true;
    }
    if (!first && isDead(coroutine.id))
        return "event " + std::to_string(line.n) + " of coroutine " + std::to_string(line.coroutine) +
               " follows its death";
    if (first) {
        const Dialect dialect = dialectOf(line);
        coroutine.id = stream.birth(line.probeId, line.birthTs, line.pid, dialect);
        coroutine.nextN = dialect == Dialect::Monotonic ? 1 : 0;
    }
    if (line.n > coroutine.nextN)
        putGap(line, coroutine, first);
    coroutine.nextN = line.n + 1;
    transition.n = line.n;
    transition.coroutine = coroutine.id;
    stream.transition(transition);
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
    if (line.has(JsonlLine::File) || line.has(JsonlLine::Function))
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
        if (isBlank(line.text))
            continue;
        std::string what = parseJsonlLine(line.text, parsed);
        if (what.empty())
            what = parsed.isNote ? putNote(line.text) : putLine(parsed);
        if (!what.empty()) {
            error = problem(line, what);
            atEnd = true;
            return;
        }
        if (parsed.isNote && noteReader.isProcessEnd())
            return;
    }
}

JsonlReader::JsonlReader(std::unique_ptr<Data> data) : m_data(std::move(data)) {}

JsonlReader::~JsonlReader() = default;

Result<std::unique_ptr<JsonlReader>> JsonlReader::open(const std::string &path)
{
    Result<std::unique_ptr<LineSource>> source = LineSource::open(path);
    if (!source)
        return source.error();
    return std::unique_ptr<JsonlReader>(new JsonlReader(std::make_unique<Data>(std::move(*source))));
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
    if (m_data->error)
        return *m_data->error;
    return false;
}

double JsonlReader::progress() const
{
    return m_data->source->progress();
}

Accounting JsonlReader::accounting() const
{
    return Accounting(m_data->stream.sums());
}

}  // namespace ct
