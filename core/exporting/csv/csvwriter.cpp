// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporting/csv/csvwriter.h"

#include "core/exporting/csv/csvcauses.h"
#include "core/exporting/csv/csvtext.h"
#include "core/exporting/knownlocations.h"
#include "core/recording/text/coroutinesums.h"
#include "core/recording/text/lineoutput.h"
#include "core/recording/text/namesandparents.h"
#include "core/recording/write/fileclaim.h"
#include "core/recording/write/filesink.h"
#include "core/stream/pointkind.h"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace ct {

namespace {

constexpr std::string_view kHeader =
    "probe_id,tid,addr,seq,is_active,ts,n,coroutine,pid,kind,file,line,function,name,parent\n";
/// Room for all numbers and commas of a row, but not for its texts.
constexpr std::size_t kRowWithoutTexts = 320;
/// Ids are dense. A larger id is invalid and gets no text.
constexpr SiteId kMaxSites = 1U << 24;

template <Formulas F>
std::string nameText(const std::string &name)
{
    std::string text;
    appendCsvField(text, name, F);
    return text;
}

class CsvWriter final : public FileSink {
public:
    CsvWriter(std::unique_ptr<LineOutput> output, const std::string &causesPath,
              std::shared_ptr<ExportResolver> exportResolver, Formulas formulas)
        : m_output(std::move(output)),
          m_formulas(formulas),
          m_names(formulas == Formulas::Raw ? &nameText<Formulas::Raw> : &nameText<Formulas::Escaped>),
          m_causes(causesPath, m_sites)
    {
        if (!exportResolver)
            return;
        m_locations.emplace(std::move(exportResolver), [formulas](const SourceFrame &frame) {
            return csvSiteText({kUnknownSite, frame.line, frame.column, frame.file, frame.function}, formulas);
        });
    }

    /// Not before the first batch with content: until then, the file keeps what it had.
    Result<void> ensureHeader()
    {
        if (std::exchange(m_hasHeader, true))
            return {};
        Result<char *> line = m_output->beginLine(kHeader.size());
        if (!line)
            return line.error();
        m_output->endLine(put(*line, kHeader), LineOutput::Counts::No);
        return {};
    }

    Result<void> consume(const Batch &batch) override
    {
        Result<void> written = write(batch);
        if (!written) {  // so that both counts of rows are exact
            (void)m_output->flush();
            m_causes.flush();
        }
        return written;
    }

    Result<void> finish(const Accounting &) override
    {
        const Result<void> causes = m_causes.finish();
        const Result<void> header = m_output->hasFailed() ? Result<void>() : ensureHeader();
        const Result<void> events = m_output->close();
        return !header ? header : events ? causes : events;
    }
    std::uint64_t written() const override { return m_output->linesWritten(); }
    std::uint64_t causesWritten() const override { return m_causes.written(); }

private:
    Result<void> write(const Batch &batch)
    {
        if (Result<void> header = batch.empty() ? Result<void>() : ensureHeader(); !header)
            return header;
        for (const Site &site : batch.sites) {
            if (site.id == kUnknownSite || site.id > kMaxSites)
                continue;
            if (site.id >= m_sites.size())
                m_sites.resize(static_cast<std::size_t>(site.id) + 1);
            m_sites[site.id] = csvSiteText(site, m_formulas);
        }
        m_coroutineSums.addBatch(batch);
        m_names.addNotes(batch.notes);
        for (const Transition &transition : batch.transitions) {
            if (Result<void> written = writeRow(transition); !written)
                return written;
        }
        const Result<void> written = m_causes.consume(batch);
        return written ? m_output->flushIfDue(batch.now) : written;
    }

    std::string_view siteOf(const Transition &transition) const
    {
        const bool known = transition.site < m_sites.size() && !m_sites[transition.site].empty();
        return known ? std::string_view(m_sites[transition.site]) : kNoCsvSite;
    }

    /// The location of the transition's address, as far as it is resolved by now.
    std::string_view locationOf(const Transition &transition)
    {
        const std::string_view text = m_locations->textOf(transition, m_coroutineSums.entry(transition.coroutine).pid);
        return text.empty() ? kNoCsvSite : text;
    }

    Result<void> writeRow(const Transition &transition)
    {
        const bool named = transition.site != kUnknownSite || transition.active || transition.addr == 0 || !m_locations;
        const std::string_view site = named ? siteOf(transition) : locationOf(transition);
        const NamesAndParents::View notes = m_names.of(transition.coroutine);
        Result<char *> line = m_output->beginLine(kRowWithoutTexts + site.size() + notes.name.size());
        if (!line)
            return line.error();
        const CoroutineSums::Entry &coroutine = m_coroutineSums.entry(transition.coroutine);
        const auto putComma = [](char *at) { return put(at, ","); };
        char *at = putComma(putDecimal(*line, coroutine.probeId));
        at = putComma(putDecimal(at, transition.tid));
        at = putComma(putHex(at, transition.addr));
        at = putComma(putDecimal(at, transition.seq));
        at = put(at, transition.active ? "true," : "false,");
        at = putComma(putDecimal(at, transition.ts));
        at = putComma(putDecimal(at, transition.n));
        at = putComma(putDecimal(at, transition.coroutine));
        if (coroutine.pid != 0)
            at = putDecimal(at, coroutine.pid);
        at = put(putComma(at), pointKindName(transition.kind));
        at = putComma(put(at, site));
        at = putComma(put(at, notes.name));
        if (notes.parent != kNoCoroutine)
            at = putDecimal(at, notes.parent);
        m_output->endLine(put(at, "\n"));
        return {};
    }

    std::unique_ptr<LineOutput> m_output;
    std::optional<KnownLocations> m_locations;  ///< nullopt: addresses are not resolved
    const Formulas m_formulas;
    CoroutineSums m_coroutineSums;
    NamesAndParents m_names;
    std::vector<std::string> m_sites;  ///< by SiteId
    CsvCauses m_causes;
    bool m_hasHeader = false;
};

Result<std::shared_ptr<Sink>> makeWriter(const std::string &path, const std::string &causesPath,
                                         std::shared_ptr<ExportResolver> exportResolver, Formulas formulas)
{
    if (!causesPath.empty() && ctr::claimsOn(causesPath).written)
        return ctr::writtenElsewhere(causesPath);
    if (Result<void> checked = checkNoOtherFile(causesPath); !checked)
        return checked.error();
    Result<std::unique_ptr<LineOutput>> output = LineOutput::open(path);
    if (!output)
        return output.error();
    return std::shared_ptr<Sink>(
        std::make_shared<CsvWriter>(std::move(*output), causesPath, std::move(exportResolver), formulas));
}

}  // namespace

std::string_view csvHeader()
{
    return kHeader;
}

Result<std::shared_ptr<Sink>> makeCsvWriter(const std::string &path, const std::string &causesPath,
                                            std::shared_ptr<ExportResolver> exportResolver)
{
    return makeWriter(path, causesPath, std::move(exportResolver), Formulas::Raw);
}

Result<std::shared_ptr<Sink>> makeSpreadsheetCsvWriter(const std::string &path, const std::string &causesPath,
                                                       std::shared_ptr<ExportResolver> exportResolver)
{
    return makeWriter(path, causesPath, std::move(exportResolver), Formulas::Escaped);
}

}  // namespace ct
