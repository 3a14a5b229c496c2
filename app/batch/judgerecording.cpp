// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/judgerecording.h"

#include "app/batch/batch.h"
#include "app/batch/console.h"
#include "app/batch/consolesignals.h"
#include "app/batch/diagnosis.h"
#include "app/batch/filesdiffer.h"
#include "core/recording/library/openrecording.h"

#include <memory>

namespace ct {

namespace {

class JudgedRecording {
public:
    /// `instant`: that of the judgement, if it is known; else 0.
    JudgedRecording(const CommandLine &line, std::uint64_t instant) : m_line(line), m_instant(instant)
    {
        if (instant != 0)
            m_diagnosis.judgeAt(instant);
        const std::vector<std::shared_ptr<Sink>> behind = m_diagnosis.sinks();
        m_sinks.insert(m_sinks.end(), behind.begin(), behind.end());
        DebugSearchPath searchPath;
        searchPath.folders = line.debugFolders;
        m_resolver = std::make_unique<AddressResolver>(std::make_shared<SymbolWorker>(searchPath), m_population);
        m_resolver->addListener(m_diagnosis.frameListener());
    }
    /// Opens what judge() needs besides the recording. Returns an exit status.
    int open();
    /// In place of open(): continues with what `former` has opened.
    void continueFrom(JudgedRecording &former) { m_diagnosis.continueFrom(former.m_diagnosis); }
    /// Returns an exit status.
    int judge();
    /// After judge(): the instant, if the reading had passed it before it was known; then judge() wrote nothing. Else
    /// 0.
    std::uint64_t tooLate() const { return m_tooLate; }

private:
    Result<void> read(StreamFile &file);
    void setInstant(std::uint64_t decided);
    Result<void> consume(const Batch &batch);
    int fail(const Error &error, int code);

    const CommandLine &m_line;
    const std::string m_path = m_line.start.inputPath();
    const std::shared_ptr<Population> m_population = std::make_shared<Population>();
    std::unique_ptr<AddressResolver> m_resolver;
    Diagnosis m_diagnosis{m_line.diagnosis, m_population, m_path.substr(m_path.rfind('/') + 1)};
    std::vector<std::shared_ptr<Sink>> m_sinks = {m_diagnosis.judge(), m_population};
    Console m_console;
    bool m_isIncomplete = false;
    std::uint64_t m_instant;
    std::uint64_t m_tooLate = 0;
};

Result<void> JudgedRecording::consume(const Batch &batch)
{
    for (const std::shared_ptr<Sink> &sink : m_sinks)
        if (Result<void> consumed = sink->consume(batch); !consumed)
            return consumed;
    return {};
}

/// `decided`: what the latest facts of the recording say; 0 = nothing.
void JudgedRecording::setInstant(std::uint64_t decided)
{
    if (decided == 0)
        return;
    m_diagnosis.judgeAt(decided);
    if (m_instant == 0 && m_population->now() > decided)
        m_tooLate = decided;
    m_instant = decided;
}

/// A recording has the instant of the judgement in front of what is later. If not, because it is of a program that
/// wrote it elsewhere, m_tooLate has it, and a second reading knows it from the start.
Result<void> JudgedRecording::read(StreamFile &file)
{
    Batch batch;
    for (;;) {
        const Result<bool> more = file.next(batch);
        FileFacts facts;
        if (file.takeFacts(facts)) {
            m_resolver->addInfo(facts.info);
            m_resolver->addFrames(facts.frames);
            setInstant(facts.info.decided);
        }
        if (!more) {
            m_console.print(QString::fromStdString(more.error().message));
            m_isIncomplete = true;  // what was readable is judged
        }
        if (m_tooLate != 0 || !more || !*more || notedEndSignal() != 0)
            break;
        if (Result<void> consumed = consume(batch); !consumed)
            return consumed;
    }
    if (m_tooLate == 0 && notedEndSignal() == 0)
        m_diagnosis.finishJudging();
    return {};
}

int JudgedRecording::fail(const Error &error, int code)
{
    m_console.print(QString::fromStdString(error.message));
    m_diagnosis.discard();
    return code;
}

int JudgedRecording::open()
{
    if (const Result<void> checked = checkFilesDiffer(m_line); !checked)
        return fail(checked.error(), kExitOutput);
    if (const Result<void> known = m_diagnosis.readBaseline(); !known)
        return fail(known.error(), kExitCapture);
    if (const Result<void> opened = m_diagnosis.open(); !opened)
        return fail(opened.error(), kExitOutput);
    return kExitSuccess;
}

int JudgedRecording::judge()
{
    const Result<std::unique_ptr<StreamFile>> file = openRecording(m_path);
    if (!file)
        return fail(file.error(), kExitCapture);
    if (const Result<void> dropped = m_diagnosis.dropOlder(); !dropped)
        return fail(dropped.error(), kExitOutput);
    if (const Result<void> read = this->read(**file); !read)
        return fail(read.error(), kExitCapture);
    if (m_tooLate != 0)
        return kExitSuccess;
    const auto isEnded = [] { return notedEndSignal() != 0; };
    if (!isEnded())
        m_diagnosis.resolveLocations(*m_resolver);
    if (isEnded())
        return fail(Error{ErrorCode::Cancelled, "interrupted: there is no report"}, 128 + notedEndSignal());
    if (const Result<void> written = m_diagnosis.write(m_resolver.get(), isEnded); !written)
        return fail(written.error(), kExitOutput);
    if (!m_diagnosis.failure().empty())
        m_console.print(QString::fromStdString(m_diagnosis.failure()));
    if (m_isIncomplete)
        return kExitCapture;
    return m_diagnosis.failure().empty() ? kExitSuccess : kExitFindings;
}

}  // namespace

int judgeRecording(const CommandLine &line)
{
    refuseUserSignals(UserSignalsOf::Recording);
    noteEndSignals();
    auto recording = std::make_unique<JudgedRecording>(line, 0);
    if (const int status = recording->open(); status != kExitSuccess)
        return status;
    const int status = recording->judge();
    if (recording->tooLate() == 0)
        return status;
    auto again = std::make_unique<JudgedRecording>(line, recording->tooLate());
    again->continueFrom(*recording);
    recording.reset();
    return again->judge();
}

}  // namespace ct
