// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/text/jsonlwriter.h"

#include "core/base/utf8.h"
#include "core/recording/text/coroutinesums.h"
#include "core/recording/text/lineoutput.h"
#include "core/recording/text/namesandparents.h"
#include "core/recording/write/filesink.h"

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
    explicit JsonlWriter(std::unique_ptr<LineOutput> output) : m_output(std::move(output)) {}

    Result<void> consume(const Batch &batch) override
    {
        noteSites(batch);
        m_coroutineSums.addBatch(batch);
        m_names.addNotes(batch.notes);
        for (const Transition &transition : batch.transitions) {
            if (Result<void> written = writeLine(transition); !written)
                return written;
        }
        return m_output->flushIfDue(batch.now);
    }

    Result<void> finish(const Accounting &) override { return m_output->close(); }
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
        const bool known = !transition.active && transition.site < m_sites.size();
        return known ? std::string_view(m_sites[transition.site]) : std::string_view();
    }

    Result<void> writeLine(const Transition &transition)
    {
        const std::string_view site = siteOf(transition);
        const bool hasNews = m_names.consumeNews(transition.coroutine);
        const std::string_view name =
            hasNews ? std::string_view(m_names.of(transition.coroutine).name) : std::string_view();
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
        if (hasNews && m_names.of(transition.coroutine).parent != kNoCoroutine)
            at = putField(at, R"(,"parent":)", m_names.of(transition.coroutine).parent);
        if (gap.any())
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
        return at;
    }

    std::unique_ptr<LineOutput> m_output;
    CoroutineSums m_coroutineSums;
    NamesAndParents m_names{&nameText};
    std::vector<std::string> m_sites;  ///< by SiteId
};

}  // namespace

Result<std::shared_ptr<Sink>> makeJsonlWriter(const std::string &path)
{
    Result<std::unique_ptr<LineOutput>> output = LineOutput::open(path);
    if (!output)
        return output.error();
    return std::shared_ptr<Sink>(std::make_shared<JsonlWriter>(std::move(*output)));
}

}  // namespace ct
