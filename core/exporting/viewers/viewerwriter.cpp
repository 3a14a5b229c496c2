// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporting/viewers/viewerwriter.h"

#include "core/exporting/viewers/chromeencoder.h"
#include "core/exporting/viewers/coroutineslices.h"
#include "core/exporting/viewers/introduced.h"
#include "core/exporting/viewers/perfettoencoder.h"
#include "core/exporting/viewers/processslices.h"
#include "core/exporting/viewers/unitoutput.h"

#include <algorithm>
#include <limits>

namespace ct::viewers {

namespace {

class ViewerWriter final : public FileSink {
public:
    ViewerWriter(std::unique_ptr<LineOutput> output, std::unique_ptr<TrackEncoder> encoder,
                 const ExportContext &context, const TrackLimits &limits)
        : m_limits(limits),
          m_encoder(std::move(encoder)),
          m_output(std::move(output)),
          m_resolver(context.resolver),
          m_unselected(context.unselected)
    {
    }

    Result<void> consume(const Batch &batch) override
    {
        m_end = std::max(m_end, batch.now);  // also of an empty batch: how long the run was observed
        if (batch.empty())
            return m_output.flushIfDue(batch.now);
        Content &content = begun(batch);
        noteTimes(batch);
        for (const Site &site : batch.sites)
            content.introduced.addSite(site);
        content.processes.addNames(batch.notes);
        content.coroutines.addBatch(batch);
        for (const Transition &transition : batch.transitions)
            content.coroutines.consume(transition);
        content.coroutines.endBatch();
        content.processes.consume(batch.notes);
        for (const Finish &finish : batch.notes.finishes)
            content.coroutines.consume(finish);
        for (const Death &death : batch.deaths)
            content.coroutines.consume(death);
        for (const Flag &flag : batch.flags)
            content.coroutines.consume(flag);
        return m_output.flushIfDue(batch.now);
    }

    Result<void> finish(const Accounting &sums) override
    {
        Content &content = begun({});
        content.coroutines.end(m_end);
        content.processes.end(m_end);
        m_leftOut = content.coroutines.leftOut();
        writeSums(sums);
        m_output.put(m_encoder->footer());
        return m_output.close();
    }

    std::uint64_t written() const override { return m_output.written(); }

    std::string remark() const override
    {
        std::string text;
        if (m_leftOut.events != 0)
            text = std::to_string(m_leftOut.coroutines) +
                   " coroutines have no track of their own: a file has at most " + std::to_string(m_limits.all) +
                   " such tracks, and " + std::to_string(m_limits.ofFunction) + " for each function; " +
                   std::to_string(m_leftOut.events) + " events are only on the tracks of threads";
        if (m_leftOut.waits != 0)
            text += (text.empty() ? "" : "; ") + std::to_string(m_leftOut.waits) +
                    " waits have no slice, because they came after the end of their suspension";
        return text;
    }

private:
    /// What introduces texts and tracks, so that the header comes first.
    struct Content {
        Content(TrackEncoder &encoder, UnitOutput &output, const TrackLimits &limits,
                std::shared_ptr<ExportResolver> resolver, std::shared_ptr<const Unselected> unselected)
            : introduced(encoder, output),
              tracks(encoder, output, limits),
              coroutines(encoder, output, introduced, tracks, limits, std::move(resolver), std::move(unselected)),
              processes(encoder, output, introduced, tracks)
        {
        }
        Introduced introduced;
        Tracks tracks;
        CoroutineSlices coroutines;
        ProcessSlices processes;
    };

    Content &begun(const Batch &batch)
    {
        if (!m_content) {
            const std::uint64_t ts = batch.transitions.empty() ? batch.now : batch.transitions.front().ts;
            m_output.put(m_encoder->header(ts));
            m_content.emplace(*m_encoder, m_output, m_limits, m_resolver, m_unselected);
            (void)m_content->tracks.about();
        }
        return *m_content;
    }

    void noteTimes(const Batch &batch)
    {
        const auto note = [this](std::uint64_t ts) {
            m_first = std::min(m_first, ts);
            m_end = std::max(m_end, ts);
        };
        for (const Transition &transition : batch.transitions)
            note(transition.ts);
        for (const Death &death : batch.deaths)
            note(death.ts);
        for (const Wake &wake : batch.notes.wakes)
            note(wake.ts);
        for (const Finish &finish : batch.notes.finishes)
            note(finish.ts);
    }

    void writeSums(const Accounting &sums)
    {
        Slice slice{m_content->tracks.about(), m_end};
        slice.text = "sums of the run";
        Args &args = slice.args;
        args.id(ArgName::Captured, sums.captured);
        args.id(ArgName::Lost, sums.lost);
        args.id(ArgName::Missed, sums.missedBeforeAttach);
        args.id(ArgName::Coroutines, sums.coroutines);
        args.id(ArgName::Untraced, sums.untraced);
        args.id(ArgName::Records, sums.recordsDropped);
        args.id(ArgName::WithoutTrack, m_leftOut.coroutines);
        args.id(ArgName::EventsWithoutTrack, m_leftOut.events);
        args.id(ArgName::WaitsNotShown, m_leftOut.waits);
        if (m_unselected)
            args.id(ArgName::NotSelected, m_unselected->events);
        args.number(ArgName::MostTracks, m_limits.all);
        args.number(ArgName::MostTracksOfFunction, m_limits.ofFunction);
        m_output.end(m_encoder->instant(m_output.begin(m_encoder->room()), slice));
        if (m_leftOut.events != 0)
            writeLeftOut();
    }

    /// A slice as long as the trace, so that it is visible at every zoom.
    void writeLeftOut()
    {
        const std::string text = std::to_string(m_leftOut.coroutines) + " coroutines have no track (" +
                                 std::to_string(m_leftOut.events) + " events)";
        Slice slice{m_content->tracks.about(), std::min(m_first, m_end)};
        slice.text = text;
        char *at = m_output.begin(2 * m_encoder->room());
        at = m_encoder->begin(at, slice);
        m_output.end(m_encoder->end(at, slice, m_end, {}));
    }

    const TrackLimits m_limits;
    std::unique_ptr<TrackEncoder> m_encoder;
    UnitOutput m_output;
    std::shared_ptr<ExportResolver> m_resolver;
    std::shared_ptr<const Unselected> m_unselected;  ///< nullptr: the stream has everything
    std::optional<Content> m_content;
    CoroutineSlices::LeftOut m_leftOut;
    std::uint64_t m_first = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t m_end = 0;  ///< the latest time of the stream
};

}  // namespace

Result<std::shared_ptr<FileSink>> makeViewerWriter(const std::string &path, std::unique_ptr<TrackEncoder> encoder,
                                                   const ExportContext &context, const TrackLimits &limits)
{
    Result<std::unique_ptr<LineOutput>> output = LineOutput::open(path, AppendFile::Unit::Write);
    if (!output)
        return output.error();
    return std::shared_ptr<FileSink>(
        std::make_shared<ViewerWriter>(std::move(*output), std::move(encoder), context, limits));
}

}  // namespace ct::viewers

namespace ct {

Result<std::shared_ptr<Sink>> makePerfettoWriter(const std::string &path, const ExportContext &context)
{
    Result<std::shared_ptr<FileSink>> writer = viewers::makeViewerWriter(path, viewers::makePerfettoEncoder(), context);
    if (!writer)
        return writer.error();
    return std::shared_ptr<Sink>(*writer);
}

Result<std::shared_ptr<Sink>> makeChromeWriter(const std::string &path, const ExportContext &context)
{
    Result<std::shared_ptr<FileSink>> writer = viewers::makeViewerWriter(path, viewers::makeChromeEncoder(), context);
    if (!writer)
        return writer.error();
    return std::shared_ptr<Sink>(*writer);
}

}  // namespace ct
