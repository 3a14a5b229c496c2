// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/text/jsonlwriter.h"

#include "core/base/utf8.h"
#include "core/recording/text/coroutinesums.h"
#include "core/recording/text/jsonlnotewriter.h"
#include "core/recording/text/lineoutput.h"
#include "core/recording/text/namesandparents.h"
#include "core/recording/text/oldlines.h"
#include "core/recording/write/filesink.h"

#include <algorithm>
#include <array>

namespace ct {

namespace {

/// Enough for all fixed texts and numbers of a line, in bytes. The texts of sites and names come on top.
constexpr std::size_t kLineWithoutTexts = 640;
/// Ids are dense, so a larger one is an error in the stream. Its text is not written.
constexpr SiteId kMaxSites = 1U << 24;

constexpr std::array<std::string_view, 4> kKinds = {"", R"(,"kind":"initial")", R"(,"kind":"final")",
                                                    R"(,"kind":"yield")"};

/// Returns `,"file":"...","line":N,"function":"..."`, and the column if it is known. Called once per site.
std::string siteText(const Site &site)
{
    std::string text = R"(,"file":)";
    appendJsonString(text, site.file);
    text += R"(,"line":)" + std::to_string(site.line) + R"(,"function":)";
    appendJsonString(text, site.function);
    if (site.column != 0)
        text += R"(,"column":)" + std::to_string(site.column);
    return text;
}

/// Returns `,"name":"..."`. Called once per name.
std::string nameText(const std::string &name)
{
    std::string text = R"(,"name":)";
    appendJsonString(text, name);
    return text;
}

char *putField(char *at, std::string_view name, std::uint64_t value)
{
    return putDecimal(put(at, name), value);
}

class JsonlWriter final : public FileSink {
public:
    JsonlWriter(std::unique_ptr<LineOutput> output, JsonlLocations locations,
                std::shared_ptr<const Unselected> unselected)
        : m_output(std::move(output)),
          m_locations(std::move(locations)),
          m_unselected(unselected),
          m_coroutineSums(std::move(unselected))
    {
    }

    Result<void> consume(const Batch &batch) override
    {
        noteSites(batch);
        m_coroutineSums.addBatch(batch);
        m_names.addNotes(batch.notes);
        if (Result<void> written = writeAll(batch.notes.processes, batch.notes.threadNames); !written)
            return written;
        for (const Transition &transition : batch.transitions) {
            if (Result<void> written = writeLine(transition); !written)
                return written;
        }
        if (Result<void> written = writeNotes(batch); !written)
            return written;
        return m_output->flushIfDue(batch.now);
    }

    Result<void> finish(const Accounting &) override
    {
        const Result<void> written = m_output->hasFailed() ? Result<void>() : writeRest();
        const Result<void> closed = m_output->close();
        return written ? closed : written;
    }
    std::uint64_t written() const override { return m_output->linesWritten(); }

private:
    void noteSites(const Batch &batch)
    {
        for (const Site &site : batch.sites) {
            if (site.id == kUnknownSite || site.id > kMaxSites)
                continue;
            if (site.id >= m_sites.size())
                m_sites.resize(static_cast<std::size_t>(site.id) + 1);
            m_sites[site.id] = siteText(site);
        }
    }

    std::string_view siteOf(const Transition &transition) const
    {
        if (transition.active)
            return {};
        if (transition.site == kUnknownSite && transition.addr != 0 && m_locations)
            return m_locations(transition, m_coroutineSums.entry(transition.coroutine).pid);
        return transition.site < m_sites.size() ? std::string_view(m_sites[transition.site]) : std::string_view();
    }

    Result<void> writeNotes(const Batch &batch)
    {
        const Notes &notes = batch.notes;
        for (const CoroutineName &name : notes.names) {
            if (Result<void> written = writeNews(name.coroutine); !written)
                return written;
        }
        for (const Parent &parent : notes.parents) {
            if (Result<void> written = writeNews(parent.coroutine); !written)
                return written;
        }
        if (Result<void> written = writeAll(notes.waits, notes.wakes, notes.uses, notes.wakersLeft, notes.finishes,
                                            notes.drops, notes.switches);
            !written)
            return written;
        for (const Death &death : batch.deaths) {
            if (Result<void> written = writeDeath(death); !written)
                return written;
        }
        return writeAll(notes.processEnds);
    }

    /// Writes a name and a parent that came after the latest event of the coroutine. If it has no line yet, they wait
    /// for the first one.
    Result<void> writeNews(CoroutineId id)
    {
        return hasLine(id) && m_names.consumeNews(id) ? writeNameAndParent(id) : Result<void>();
    }

    Result<void> writeNameAndParent(CoroutineId id)
    {
        const NamesAndParents::View news = m_names.of(id);
        Result<void> written = news.name.empty() ? Result<void>() : m_notes.writeName(id, news.name);
        if (!written || news.parent == kNoCoroutine)
            return written;
        written = introduce(news.parent);
        return written ? m_notes.write(Parent{id, news.parent}) : written;
    }

    /// The existing SDK does not report when a coroutine died, and its files have only lines of events.
    Result<void> writeDeath(const Death &death)
    {
        if (m_coroutineSums.entry(death.coroutine).pid == 0)
            return {};
        if (Result<void> written = introduce(death.coroutine); !written)
            return written;
        if (Result<void> written = writeNews(death.coroutine); !written)
            return written;
        if (Result<void> written = writeEndGap(death.coroutine); !written)
            return written;
        return m_notes.write(death);
    }

    /// Writes the losses after the coroutine's latest line.
    Result<void> writeEndGap(CoroutineId id)
    {
        const std::optional<CoroutineSums::EndGap> gap = m_coroutineSums.takeEndGap(id);
        return gap ? m_notes.write(*gap) : Result<void>();
    }

    /// At the end: coroutines without a line, names and parents that waited for one, and losses without a later line.
    /// Files of the existing SDK have only lines of events; its coroutines have an identity, but no process.
    Result<void> writeRest()
    {
        const std::vector<CoroutineSums::Entry> &entries = m_coroutineSums.entries();
        for (CoroutineId id = 0; id < entries.size(); ++id) {
            const bool hasNotes = entries[id].pid != 0 || entries[id].isMadeUp;
            Result<void> written = hasNotes ? introduce(id) : Result<void>();
            if (written)
                written = writeNews(id);
            if (written && hasNotes)
                written = writeEndGap(id);
            if (!written)
                return written;
        }
        return m_unselected ? m_notes.write(*m_unselected) : Result<void>();
    }

    template <class... Rows>
    Result<void> writeAll(const std::vector<Rows> &...rows)
    {
        Result<void> written;
        const auto writeRows = [&](const auto &sort) {
            return std::all_of(sort.begin(), sort.end(), [&](const auto &row) {
                written = introduceAll(row);
                if (written)
                    written = m_notes.write(row);
                return bool(written);
            });
        };
        (void)(writeRows(rows) && ...);
        return written;
    }

    /// Writes the births of coroutines that a note names, if they have no line yet.
    template <class Row>
    Result<void> introduceAll(const Row &row)
    {
        Result<void> written;
        const auto add = [&](CoroutineId id) {
            if (written)
                written = introduce(id);
        };
        if constexpr (requires { row.coroutine; })
            add(row.coroutine);
        if constexpr (requires { row.by; })
            add(row.by);
        if constexpr (requires { row.target; })
            add(row.target);
        return written;
    }

    bool hasLine(CoroutineId id) const
    {
        return m_coroutineSums.entry(id).events != 0 || (id < m_introduced.size() && m_introduced[id]);
    }

    /// Writes the coroutine's birth, unless it has a line.
    Result<void> introduce(CoroutineId id)
    {
        if (id >= m_coroutineSums.entries().size() || hasLine(id))
            return {};
        if (id >= m_introduced.size())
            m_introduced.resize(m_coroutineSums.entries().size());
        m_introduced[id] = true;
        const CoroutineSums::Entry &entry = m_coroutineSums.entry(id);
        Birth birth;
        birth.coroutine = id;
        birth.pid = entry.pid;
        birth.dialect = entry.nextN == 1 ? Dialect::Monotonic : Dialect::Seqlock;
        birth.probeId = entry.probeId;
        birth.birthTs = entry.birthTs;
        return m_notes.write(birth);
    }

    Result<void> writeLine(const Transition &transition)
    {
        const std::string_view site = siteOf(transition);
        const bool hasNews = m_names.consumeNews(transition.coroutine);
        const NamesAndParents::View news = hasNews ? m_names.of(transition.coroutine) : NamesAndParents::View();
        if (hasNews) {
            if (Result<void> written = introduce(news.parent); !written)
                return written;
        }
        const std::string_view name = news.name;
        Result<char *> line = m_output->beginLine(kLineWithoutTexts + site.size() + name.size());
        if (!line)
            return line.error();
        const CoroutineSums::Gap gap = m_coroutineSums.advance(transition);
        const CoroutineSums::Entry &coroutine = m_coroutineSums.entry(transition.coroutine);

        char *at = putField(*line, R"({"probe_id":)", coroutine.probeId);
        at = putField(at, R"(,"tid":)", transition.tid);
        at = putHex(put(at, R"(,"addr":")"), transition.addr);
        at = putField(at, R"(","seq":)", transition.seq);
        at = put(at, transition.active ? R"(,"is_active":true,"ts":)" : R"(,"is_active":false,"ts":)");
        at = putDecimal(at, transition.ts);
        at = putField(at, R"(,"n":)", transition.n);
        at = putField(at, R"(,"coroutine":)", transition.coroutine);
        at = put(at, site);
        at = put(at, kKinds[static_cast<std::size_t>(transition.kind) & 3]);
        if (coroutine.events == 1)
            at = putFirstLine(at, coroutine);
        at = put(at, name);
        if (news.parent != kNoCoroutine)
            at = putField(at, R"(,"parent":)", news.parent);
        if (gap.any() || gap.notSelected != 0)
            at = putGap(at, gap);
        m_output->endLine(put(at, "}\n"));
        return {};
    }

    static char *putFirstLine(char *at, const CoroutineSums::Entry &coroutine)
    {
        if (coroutine.birthTs != 0)
            at = putField(at, R"(,"birth_ts":)", coroutine.birthTs);
        if (coroutine.pid != 0)
            at = putField(at, R"(,"pid":)", coroutine.pid);
        return at;
    }

    static char *putGap(char *at, const CoroutineSums::Gap &gap)
    {
        if (gap.lost != 0)
            at = putField(at, R"(,"lost_before":)", gap.lost);
        if (gap.missed != 0)
            at = putField(at, R"(,"missed_before":)", gap.missed);
        if (gap.unexplained != 0)
            at = putField(at, R"(,"dropped_before":)", gap.unexplained);
        if (gap.notSelected != 0)
            at = putField(at, R"(,"not_selected_before":)", gap.notSelected);
        return at;
    }

    std::unique_ptr<LineOutput> m_output;
    JsonlLocations m_locations;
    std::shared_ptr<const Unselected> m_unselected;  ///< nullptr: the stream has everything
    CoroutineSums m_coroutineSums;
    NamesAndParents m_names{&nameText};
    std::vector<std::string> m_sites;  ///< by SiteId
    JsonlNoteWriter m_notes{*m_output, m_sites};
    std::vector<bool> m_introduced;  ///< by coroutine: its birth is in the file
};

}  // namespace

std::string jsonlLocationText(const Site &site)
{
    std::string text;
    const auto key = [&text](std::string_view name) -> std::string & {
        return text.append(R"(,")").append(name).append(R"(":)");
    };
    if (!site.file.empty())
        appendJsonString(key("file"), site.file);
    if (site.line != 0)
        key("line") += std::to_string(site.line);
    if (!site.function.empty())
        appendJsonString(key("function"), site.function);
    if (site.column != 0)
        key("column") += std::to_string(site.column);
    if (!text.empty())
        key("resolved") += "true";
    return text;
}

Result<std::shared_ptr<Sink>> makeJsonlWriter(const std::string &path, JsonlLocations locations,
                                              std::shared_ptr<const Unselected> unselected, OldContent old)
{
    Result<std::unique_ptr<LineOutput>> output = LineOutput::open(path, AppendFile::Unit::Line, old);
    if (!output)
        return output.error();
    if (old == OldContent::Keep) {
        const Result<OldLines> lines = checkOldLines(path);
        if (!lines)
            return lines.error();
        if (*lines == OldLines::LastIsOpen)
            (*output)->endOldLineFirst();
    }
    return std::shared_ptr<Sink>(
        std::make_shared<JsonlWriter>(std::move(*output), std::move(locations), std::move(unselected)));
}

}  // namespace ct
