// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/recordedrun.h"

#include "app/batch/batch.h"
#include "app/batch/console.h"
#include "app/batch/consolesignals.h"
#include "app/batch/conversion.h"
#include "app/batch/diagnosis.h"
#include "app/batch/filesdiffer.h"
#include "app/batch/inputcopy.h"
#include "core/databases/openstream.h"
#include "core/exporting/exportformat.h"
#include "core/recording/read/readahead.h"
#include "core/recording/read/recordingreader.h"

#include <algorithm>
#include <memory>
#include <optional>

namespace ct {

namespace {

bool storesFindings(const CommandLine &line)
{
    return std::any_of(line.exports.begin(), line.exports.end(), [](const CommandLine::Export &requested) {
        return exportFormatOfKind(requested.kind)->isDatabase();
    });
}

class RecordedRun {
public:
    /// `input`: nullptr = the input is a file. `instant`: of the judgement; 0 = unknown.
    RecordedRun(const CommandLine &line, const InputCopy *input, std::uint64_t instant);
    /// Opens what run() needs besides the recording. Returns an exit status.
    int open();
    /// Replaces open() for a second reading: judges with what `former` has opened, and converts nothing.
    void continueFrom(RecordedRun &former) { m_diagnosis->continueFrom(*former.m_diagnosis); }
    /// Returns an exit status.
    int run();
    /// After run(): the instant, if it became known only after the stream had passed it, so nothing was judged. Else 0.
    std::uint64_t passedInstant() const { return m_passedInstant; }

private:
    void read(std::unique_ptr<StreamFile> opened);
    void reportLacking();
    void reportIncomplete();
    void handleFacts(const FileFacts &facts);
    void setInstant(std::uint64_t decided);
    void consume(const Batch &batch);
    int report();
    std::shared_ptr<const Report> presentReport() const;
    bool isReported() const { return m_line.diagnosis.any(); }  ///< false: judged only for databases, if at all
    int convert(const Accounting &accounting);
    int fail(const Error &error, int code);
    void print(const std::string &message);

    const CommandLine &m_line;
    const InputCopy *const m_input;
    const std::string m_path = m_input ? m_input->path() : m_line.start.inputPath();
    const std::string m_name = m_input ? m_input->name() : m_path;  ///< for messages
    const std::shared_ptr<Population> m_population = std::make_shared<Population>();
    std::shared_ptr<AddressResolver> m_resolver;
    std::unique_ptr<StreamFile> m_file;
    std::optional<Diagnosis> m_diagnosis;
    std::optional<Conversion> m_conversion;
    std::vector<std::shared_ptr<Sink>> m_sinks;
    Console m_console;
    Accounting m_accounting;
    bool m_isOfPart = false;      ///< the input was made from a part of a recording
    bool m_isIncomplete = false;  ///< the reading has failed, or the input has only a part of the run
    std::uint64_t m_instant;
    std::uint64_t m_passedInstant = 0;
};

RecordedRun::RecordedRun(const CommandLine &line, const InputCopy *input, std::uint64_t instant)
    : m_line(line), m_input(input), m_instant(instant)
{
    DebugSearchPath searchPath;
    searchPath.folders = line.debugFolders;
    m_resolver = std::make_shared<AddressResolver>(std::make_shared<SymbolWorker>(searchPath), m_population);
    if (line.diagnosis.any() || storesFindings(line)) {
        m_diagnosis.emplace(line.diagnosis, m_population, m_name.substr(m_name.rfind('/') + 1));
        if (instant != 0)
            m_diagnosis->judgeAt(instant);
        m_sinks.push_back(m_diagnosis->judge());
        m_resolver->addListener(m_diagnosis->frameListener());
    }
    m_sinks.push_back(m_population);
    if (m_diagnosis) {
        const std::vector<std::shared_ptr<Sink>> behind = m_diagnosis->sinks();
        m_sinks.insert(m_sinks.end(), behind.begin(), behind.end());
    }
}

void RecordedRun::print(const std::string &message)
{
    m_console.print(QString::fromStdString(m_input ? m_input->named(message) : message));
}

void RecordedRun::consume(const Batch &batch)
{
    for (const std::shared_ptr<Sink> &sink : m_sinks)
        static_cast<void>(sink->consume(batch));  // memory: never fails
    if (m_conversion)
        m_conversion->consume(batch);
}

/// `decided`: from the latest facts of the recording; 0 = unknown.
void RecordedRun::setInstant(std::uint64_t decided)
{
    if (decided == 0)
        return;
    m_diagnosis->judgeAt(decided);
    if (m_instant == 0 && m_population->now() > decided)
        m_passedInstant = decided;
    m_instant = decided;
}

void RecordedRun::handleFacts(const FileFacts &facts)
{
    m_resolver->addInfo(facts.info);
    m_resolver->addFrames(facts.frames);
    m_isOfPart = facts.info.part.has_value();
    if (m_diagnosis)
        setInstant(facts.info.decided);
    if (m_conversion)
        m_conversion->addFacts(facts);
}

/// A recording has the instant of the judgement before all later batches. If it does not, because another program wrote
/// it, m_passedInstant has the instant, and a second reading knows it from the start.
void RecordedRun::read(std::unique_ptr<StreamFile> opened)
{
    // A .ctr output gets the target's printed output as it is read, so nothing may be read ahead.
    m_file = m_conversion && m_conversion->writesRecording() ? std::move(opened)
                                                             : std::make_unique<ReadAhead>(std::move(opened));
    if (m_conversion)
        m_conversion->setSums([this] { return m_file->accounting(); });
    Batch batch;
    for (bool more = true; more;) {
        batch.clear();
        const Result<bool> next = m_file->next(batch);
        FileFacts facts;
        if (m_file->takeFacts(facts))
            handleFacts(facts);
        more = next && *next;
        if (!next && notedEndSignal() == 0) {
            print(next.error().message);
            m_isIncomplete = true;  // what was readable is judged and converted
        }
        if (notedEndSignal() != 0 || (m_passedInstant != 0 && !m_conversion))
            break;
        if (more)
            consume(batch);
        if (m_conversion && m_conversion->hasFailed() && !isReported())
            break;
        if (m_conversion)
            m_conversion->showProgress(m_file->progress());
    }
    m_accounting = m_file->accounting();
    if (notedEndSignal() == 0)
        reportLacking();
    if (m_conversion && notedEndSignal() == 0)
        reportIncomplete();
    if (m_diagnosis && m_passedInstant == 0 && notedEndSignal() == 0)
        m_diagnosis->finishJudging();
}

/// Reports events that were captured, but are not in the input. An error of the reading has reported them already.
void RecordedRun::reportLacking()
{
    const std::uint64_t missing = m_accounting.eventsNotWritten;
    if (!m_isIncomplete && missing != 0)
        print(m_name + " lacks " + std::to_string(missing) + " of the " +
              std::to_string(m_accounting.captured + missing) +
              " events of the run: they could not be written, for example because the disk was full");
}

/// Reports a recording that ends between two blocks, which is no damage, and an input that was made from a part.
void RecordedRun::reportIncomplete()
{
    if (m_isIncomplete || m_conversion->hasFailed() || (m_file->hasEnded() && !m_isOfPart))
        return;
    m_isIncomplete = true;
    if (isDatabase(m_path))
        print(m_name + " has only a part of its run: the export was interrupted, or was one of a part; what it has is "
                       "converted");
    else if (m_isOfPart)
        print(m_name + " was made from a part of a recording, and lacks the rest; what it has is converted");
    else if (!m_input && RecordingReader::isWritten(m_path))
        print(m_name + " is still being written: what it has now is converted; convert it again when it is complete");
    else
        print(m_name + " has no end: its writer was killed, or the file was cut off; what it has is converted");
}

int RecordedRun::fail(const Error &error, int code)
{
    print(error.message);
    if (m_diagnosis)
        m_diagnosis->discard();
    return code;
}

int RecordedRun::open()
{
    if (const Result<void> checked = checkFilesDiffer(m_line); !checked)
        return fail(checked.error(), kExitOutput);
    if (m_diagnosis) {
        if (const Result<void> known = m_diagnosis->readBaseline(); !known)
            return fail(known.error(), kExitCapture);
        if (const Result<void> opened = m_diagnosis->open(); !opened)
            return fail(opened.error(), kExitOutput);
    }
    if (!m_line.exports.empty())
        m_conversion.emplace(m_line, m_resolver, m_console, [this] { return presentReport(); });
    return kExitSuccess;
}

/// Returns an exit status.
int RecordedRun::report()
{
    const auto isEnded = [] { return notedEndSignal() != 0; };
    if (!isEnded())
        m_diagnosis->resolveLocations(*m_resolver);
    if (isEnded())
        return fail(Error{ErrorCode::Cancelled, "interrupted: there is no report"}, 128 + notedEndSignal());
    if (const Result<void> written = m_diagnosis->write(m_resolver.get(), isEnded); !written)
        return fail(written.error(), kExitOutput);
    if (!m_diagnosis->failure().empty())
        print(m_diagnosis->failure());
    if (m_isIncomplete)
        return kExitCapture;
    return m_diagnosis->failure().empty() ? kExitSuccess : kExitFindings;
}

/// For databases. nullptr if the instant became known too late, so that only a second reading could judge.
std::shared_ptr<const Report> RecordedRun::presentReport() const
{
    return m_diagnosis && m_passedInstant == 0 ? m_diagnosis->presentReport(m_resolver.get()) : nullptr;
}

/// Returns an exit status.
int RecordedRun::convert(const Accounting &accounting)
{
    if (notedEndSignal() != 0)
        return fail(Error{ErrorCode::Cancelled, "interrupted: nothing was written"}, 128 + notedEndSignal());
    if (m_isIncomplete && accounting.captured == 0) {
        print(m_name + " has no event that can be read; nothing was written");
        return kExitCapture;
    }
    std::uint64_t dropped = 0;
    for (CoroutineId id = 0; id < m_population->size(); ++id)
        dropped += m_population->at(id).unexplained;
    if (!m_conversion->finish(accounting, dropped, m_isIncomplete))
        return kExitOutput;
    return m_isIncomplete ? kExitCapture : kExitSuccess;
}

int RecordedRun::run()
{
    // Open the outputs first: opening the recording reads the target's first printed output.
    if (m_conversion && !m_conversion->open() && !isReported())
        return notedEndSignal() != 0 ? kExitSignalBase + notedEndSignal() : int{kExitOutput};
    Result<std::unique_ptr<StreamFile>> file =
        openStream(m_path, nullptr, nullptr, m_conversion ? m_conversion->outputHandler() : OutputHandler(),
                   ReadOptions{m_line.lenient, [] { return notedEndSignal() != 0; }, "--lenient"});
    if (!file)
        return fail(file.error(), kExitCapture);
    if (m_diagnosis) {
        if (const Result<void> dropped = m_diagnosis->dropOlder(); !dropped)
            return fail(dropped.error(), kExitOutput);
    }
    read(std::move(*file));
    const int converted = m_conversion ? convert(m_accounting) : kExitSuccess;
    if (notedEndSignal() != 0 && converted >= kExitSignalBase)
        return converted;
    if (m_passedInstant != 0 || !isReported())
        return converted;
    const int judged = report();
    return converted == kExitOutput ? kExitOutput : judged;
}

void takeSignals()
{
    refuseUserSignals(UserSignalsOf::Recording);
    noteEndSignals();
}

int runFile(const CommandLine &line, const InputCopy *input)
{
    auto run = std::make_unique<RecordedRun>(line, input, 0);
    if (const int status = run->open(); status != kExitSuccess)
        return status;
    const int status = run->run();
    if (run->passedInstant() == 0 || !line.diagnosis.any())
        return status;
    auto again = std::make_unique<RecordedRun>(line, input, run->passedInstant());
    again->continueFrom(*run);
    run.reset();
    const int judged = again->run();
    return status == kExitOutput ? kExitOutput : judged;
}

}  // namespace

int runCopied(const CommandLine &line, const InputCopy &input)
{
    takeSignals();
    return runFile(line, &input);
}

int runRecorded(const CommandLine &line)
{
    takeSignals();
    if (line.start.kind() != RunKind::Input)
        return runFile(line, nullptr);
    Console console;
    const Result<std::unique_ptr<InputCopy>> input = InputCopy::make(line, console);
    if (!input) {
        console.print(QString::fromStdString(input.error().message));
        return notedEndSignal() != 0 ? kExitSignalBase + notedEndSignal() : int{kExitCapture};
    }
    return runFile(line, input->get());
}

}  // namespace ct
