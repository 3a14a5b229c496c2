// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/conversion.h"

#include "app/batch/batch.h"
#include "app/batch/consolesignals.h"
#include "app/batch/summary.h"
#include "app/commandline/exportoptions.h"

#include <algorithm>
#include <cstdlib>
#include <future>

namespace ct {

namespace {

constexpr std::chrono::milliseconds kShowEvery{500};
constexpr std::chrono::milliseconds kSignalEvery{50};

}  // namespace

Conversion::Conversion(const CommandLine &line, std::shared_ptr<AddressResolver> resolver, Console &console,
                       ReportOf reportOf)
    : m_line(line), m_resolver(std::move(resolver)), m_reportOf(std::move(reportOf)), m_console(console)
{
    for (const CommandLine::Export &requested : line.exports)
        m_outputs.push_back(std::make_unique<ConvertedOutput>(line, requested));
}

bool Conversion::open()
{
    for (const std::unique_ptr<ConvertedOutput> &output : m_outputs)
        output->open(m_resolver, m_reportOf);
    reportFailures();
    return !hasFailed();
}

/// Prints the errors of the outputs that have failed since the last call.
void Conversion::reportFailures()
{
    for (const std::unique_ptr<ConvertedOutput> &output : m_outputs) {
        if (output->hasNewFailure())
            m_console.print(QString::fromStdString(output->failure()));
    }
}

bool Conversion::writesRecording() const
{
    return std::any_of(m_outputs.begin(), m_outputs.end(), [](const auto &output) { return output->isRecording(); });
}

OutputHandler Conversion::outputHandler()
{
    return [this](const ctr::OutputPiece &piece) {
        for (const std::unique_ptr<ConvertedOutput> &output : m_outputs)
            output->addOutput(piece);
    };
}

void Conversion::setSums(const std::function<Accounting()> &sums)
{
    for (const std::unique_ptr<ConvertedOutput> &output : m_outputs)
        output->setSums(sums);
}

void Conversion::addFacts(const FileFacts &facts)
{
    m_notSelected = facts.notSelected;
    for (const std::unique_ptr<ConvertedOutput> &output : m_outputs)
        output->addFacts(facts);
}

void Conversion::consume(const Batch &batch)
{
    m_events += batch.transitions.size();
    for (const std::unique_ptr<ConvertedOutput> &output : m_outputs)
        output->consume(batch);
    reportFailures();
}

bool Conversion::hasFailed() const
{
    return std::all_of(m_outputs.begin(), m_outputs.end(),
                       [](const auto &output) { return !output->failure().empty(); });
}

void Conversion::showProgress(double read)
{
    const Clock::time_point now = Clock::now();
    if (!m_console.isShown() || now < m_shown + kShowEvery)
        return;
    m_shown = now;
    const double seconds = std::chrono::duration<double>(now - m_begun).count();
    m_console.showStatus(QStringLiteral("%1 % read, %2 events, %3/s")
                             .arg(static_cast<int>(read * 100))
                             .arg(m_events)
                             .arg(static_cast<double>(m_events) / std::max(seconds, 1e-3), 0, 'f', 0));
}

/// Removes what was written, without waiting for databases that build an index or for disks that do not answer.
void Conversion::endAtOnce()
{
    QStringList stored;
    for (const std::unique_ptr<ConvertedOutput> &output : m_outputs) {
        output->removeFiles();
        if (output->isOnServer())
            stored << QString::fromStdString(output->name());
    }
    const bool usesServer = std::any_of(m_line.exports.begin(), m_line.exports.end(), isOfServer);
    if (!stored.isEmpty())
        m_console.print(QStringLiteral("interrupted: the session is complete in %1; no file was written")
                            .arg(stored.join(QStringLiteral(", "))));
    else if (usesServer)
        m_console.print(QStringLiteral("interrupted: no file was written; see in the view `sessions` of the database "
                                       "whether the session was stored"));
    else
        m_console.print(QStringLiteral("interrupted: nothing was written"));
    std::_Exit(kExitSignalBase + notedEndSignal());
}

/// Completes the outputs in parallel: each may take long, such as a database that creates its indexes.
void Conversion::completeAll(const Accounting &accounting, std::uint64_t dropped, bool isPart)
{
    std::vector<std::future<void>> waiting;
    for (const std::unique_ptr<ConvertedOutput> &output : m_outputs) {
        const auto complete = [&accounting, dropped, isPart, to = output.get()] {
            to->complete(accounting, dropped, isPart);
        };
        try {
            waiting.push_back(std::async(std::launch::async, complete));
        } catch (const std::system_error &) {
            complete();  // the system has no more threads
        }
    }
    for (const std::future<void> &one : waiting) {
        while (one.wait_for(kSignalEvery) != std::future_status::ready) {
            if (notedEndSignal() != 0)
                endAtOnce();
            if (Clock::now() >= m_shown + kShowEvery) {
                m_shown = Clock::now();
                m_console.showStatus(QStringLiteral("completing the outputs"));
            }
        }
    }
}

bool Conversion::finish(const Accounting &accounting, std::uint64_t dropped, bool isPart)
{
    completeAll(accounting, dropped, isPart);
    if (notedEndSignal() != 0)
        endAtOnce();
    std::vector<ConvertedOutput *> committed;
    for (const std::unique_ptr<ConvertedOutput> &output : m_outputs) {
        output->commit(committed);
        committed.push_back(output.get());
    }
    reportFailures();
    return !hasFailed() && reportContent(accounting, dropped);
}

/// Returns false if anything is missing in an output.
bool Conversion::reportContent(const Accounting &accounting, std::uint64_t dropped)
{
    const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - m_begun).count();
    std::string read = describe(accounting, static_cast<std::uint64_t>(ns));
    const std::uint64_t notSelected = std::min(m_notSelected, dropped);
    if (notSelected != 0)
        read += ", not selected " + std::to_string(notSelected) +
                " (the input is the export of a selection, and lacks these events before it)";
    dropped -= notSelected;
    if (dropped != 0)
        read += ", dropped " + std::to_string(dropped) +
                " (the input lacks these events: a limit has removed them, or it is damaged)";
    m_console.print(QStringLiteral("read ") + QString::fromStdString(read));
    bool isWhole = true;
    for (const std::unique_ptr<ConvertedOutput> &output : m_outputs) {
        isWhole = isWhole && output->failure().empty() && output->written() >= accounting.captured;
        if (!output->failure().empty())
            continue;
        m_console.print(QString::fromStdString(output->content()));
        if (output->written() < accounting.captured)
            m_console.print(QStringLiteral("%1 of the events are not in %2")
                                .arg(accounting.captured - output->written())
                                .arg(QString::fromStdString(output->name())));
    }
    return isWhole;
}

}  // namespace ct
