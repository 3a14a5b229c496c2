// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/judgerecording.h"

#include "app/batch/batch.h"
#include "app/batch/console.h"
#include "app/batch/diagnosis.h"
#include "app/batch/filesdiffer.h"
#include "core/recording/library/openrecording.h"

#include <chrono>
#include <thread>

namespace ct {

namespace {

constexpr std::chrono::seconds kResolve{10};  ///< most time for resolving addresses
constexpr std::chrono::milliseconds kResolveStep{2};

class JudgedRecording {
public:
    explicit JudgedRecording(const CommandLine &line) : m_line(line)
    {
        DebugSearchPath searchPath;
        searchPath.folders = line.debugFolders;
        m_resolver = std::make_unique<AddressResolver>(std::make_shared<SymbolWorker>(searchPath), m_population);
    }
    int run();

private:
    Result<void> read();
    Result<void> consume(const Batch &batch);
    void resolve();
    int fail(const Error &error, int code);

    const CommandLine &m_line;
    const std::string m_path = m_line.start.inputPath();
    const std::shared_ptr<Population> m_population = std::make_shared<Population>();
    std::unique_ptr<AddressResolver> m_resolver;
    Diagnosis m_diagnosis{m_line.diagnosis, m_population, m_path.substr(m_path.rfind('/') + 1)};
    Console m_console;
    bool m_isIncomplete = false;
};

Result<void> JudgedRecording::consume(const Batch &batch)
{
    if (Result<void> consumed = m_population->consume(batch); !consumed)
        return consumed;
    for (const std::shared_ptr<Sink> &sink : m_diagnosis.sinks())
        if (Result<void> consumed = sink->consume(batch); !consumed)
            return consumed;
    return {};
}

/// The instant of the judgement is stored in the recording when it happens, so it is known once the stream has reached
/// it. What comes later is the end of the target, which resumes or destroys what was stuck.
Result<void> JudgedRecording::read()
{
    Result<std::unique_ptr<StreamFile>> file = openRecording(m_path);
    if (!file)
        return file.error();
    Batch batch;
    std::optional<RecordingInfo::Judged> judged;
    for (;;) {
        const Result<bool> more = (*file)->next(batch);
        FileFacts facts;
        if ((*file)->takeFacts(facts)) {
            m_resolver->addInfo(facts.info);
            m_resolver->addFrames(facts.frames);
            judged = facts.info.judged;
        }
        if (!more) {
            m_console.print(QString::fromStdString(more.error().message));
            m_isIncomplete = true;  // what was readable is judged
        }
        if (!more || !*more)
            break;
        if (judged && batch.now > judged->ts)
            m_diagnosis.judge(judged->ts);
        if (Result<void> consumed = consume(batch); !consumed)
            return consumed;
    }
    m_diagnosis.judge(judged ? judged->ts : m_population->now());
    return {};
}

void JudgedRecording::resolve()
{
    const auto end = std::chrono::steady_clock::now() + kResolve;
    for (const AddressResolver::Query &query : m_diagnosis.openLocations())
        static_cast<void>(m_resolver->resolveOrRequest(query));
    for (m_resolver->poll(); !m_resolver->isIdle() && std::chrono::steady_clock::now() < end; m_resolver->poll())
        std::this_thread::sleep_for(kResolveStep);
}

int JudgedRecording::fail(const Error &error, int code)
{
    m_console.print(QString::fromStdString(error.message));
    m_diagnosis.discard();
    return code;
}

int JudgedRecording::run()
{
    if (const Result<void> checked = checkFilesDiffer(m_line); !checked)
        return fail(checked.error(), kExitOutput);
    if (const Result<void> opened = m_diagnosis.open(); !opened)
        return fail(opened.error(), kExitOutput);
    if (const Result<void> read = this->read(); !read)
        return fail(read.error(), kExitCapture);
    resolve();
    if (const Result<void> written = m_diagnosis.write(m_resolver.get()); !written)
        return fail(written.error(), kExitOutput);
    if (m_isIncomplete)
        return kExitCapture;
    if (m_diagnosis.failure().empty())
        return kExitSuccess;
    m_console.print(QString::fromStdString(m_diagnosis.failure()));
    return kExitFindings;
}

}  // namespace

int judgeRecording(const CommandLine &line)
{
    return JudgedRecording(line).run();
}

}  // namespace ct
