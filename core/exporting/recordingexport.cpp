// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporting/recordingexport.h"

#include "core/addresses/exportedaddresses.h"
#include "core/recording/write/recordingwriter.h"

#include <utility>
#include <vector>

namespace ct {

namespace {

constexpr std::size_t kFramesAtOnce = 8192;

class RecordingExport final : public FileSink {
public:
    RecordingExport(std::shared_ptr<RecordingWriter> writer, const ExportContext &context)
        : m_writer(std::move(writer)), m_info(context.info), m_isPart(context.isPart), m_addresses(context.resolver)
    {
    }

    Result<void> consume(const Batch &batch) override;
    Result<void> finish(const Accounting &accounting) override;
    std::uint64_t written() const override { return m_writer->written(); }
    std::string remark() const override { return m_addresses.remark(); }

private:
    Result<void> addFrames();

    const std::shared_ptr<RecordingWriter> m_writer;
    const std::function<RecordingInfo()> m_info;
    const std::function<bool()> m_isPart;
    ExportedAddresses m_addresses;
    std::vector<std::uint32_t> m_pids;  ///< by coroutine
};

Result<void> RecordingExport::consume(const Batch &batch)
{
    for (const Birth &birth : batch.births) {
        if (birth.coroutine >= m_pids.size())
            m_pids.resize(static_cast<std::size_t>(birth.coroutine) + 1);
        m_pids[birth.coroutine] = birth.pid;
    }
    for (const Transition &transition : batch.transitions)
        m_addresses.note(transition, transition.coroutine < m_pids.size() ? m_pids[transition.coroutine] : 0);
    return m_writer->consume(batch);
}

/// A recording keeps one function per address: the innermost.
Result<void> RecordingExport::addFrames()
{
    std::vector<FrameLocation> frames;
    const auto flush = [&] {
        m_writer->addFrames(std::exchange(frames, {}));
        return m_writer->consume({});
    };
    Result<void> added =
        m_addresses.resolve([&](const EventAddress &address, const DescribedAddress &described) -> Result<void> {
            if (described.frames.empty() || described.frames.front().function.empty())
                return {};
            const SourceFrame &frame = described.frames.front();
            frames.push_back({address.coroutine, address.addr, address.since, 0, frame.line, frame.column, frame.file,
                              frame.function});
            return frames.size() < kFramesAtOnce ? Result<void>() : flush();
        });
    return added ? flush() : added;
}

Result<void> RecordingExport::finish(const Accounting &accounting)
{
    RecordingInfo info = m_info ? m_info() : RecordingInfo();
    if (m_isPart && m_isPart() && !info.part)
        info.part.emplace();
    m_writer->addInfo(info);
    if (Result<void> added = addFrames(); !added)
        return added;
    return m_writer->finish(accounting);
}

}  // namespace

Result<std::shared_ptr<Sink>> makeRecordingExport(const std::string &path, const ExportContext &context)
{
    Result<std::shared_ptr<RecordingWriter>> writer = RecordingWriter::open(path);
    if (!writer)
        return writer.error();
    return std::shared_ptr<Sink>(std::make_shared<RecordingExport>(std::move(*writer), context));
}

}  // namespace ct
