// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dumper.h"

#include "core/analysis/stuck.h"
#include "core/exporting/exporting.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <unistd.h>

namespace ct {

namespace {

constexpr std::uint64_t kDefaultBytes = 2ULL << 30;
constexpr int kLookMs = 250;
constexpr int kLookCostFactor = 50;  ///< looking for findings may take 2 % of the time

std::uint64_t keepNsOf(const CommandLine &line)
{
    return line.keepSec ? std::max<std::uint64_t>(1, static_cast<std::uint64_t>(*line.keepSec * 1e9)) : 0;
}

}  // namespace

struct Dumper::Outcome {
    std::string path;
    QString reason;
    std::optional<Result<ExportReport>> report;
};

std::string numberedPath(const std::string &path, std::uint32_t number)
{
    const std::filesystem::path whole(path);
    std::filesystem::path name = whole.stem();
    name.concat(".").concat(std::to_string(number)).concat(whole.extension().native());
    return (whole.parent_path() / name).string();
}

Dumper::Dumper(const CommandLine &line, std::shared_ptr<const Population> population, QObject *parent)
    : QObject(parent),
      m_line(line),
      m_population(std::move(population)),
      m_history(std::make_shared<History>(line.keepBytes.value_or(kDefaultBytes), keepNsOf(line)))
{
    m_look.setSingleShot(true);
    connect(&m_look, &QTimer::timeout, this, &Dumper::lookForFindings);
}

Dumper::~Dumper()
{
    if (m_writer)
        m_writer->wait();
}

Result<void> Dumper::checkPlace() const
{
    const std::filesystem::path folder = std::filesystem::absolute(m_line.outputPath).parent_path();
    if (access(folder.c_str(), W_OK | X_OK) != 0)
        return errnoError(errno, "cannot write dumps into " + folder.string());
    return {};
}

void Dumper::watchFindings()
{
    if (m_line.dumpOnFinding)
        m_look.start(kLookMs);
}

void Dumper::lookForFindings()
{
    QElapsedTimer cost;
    cost.start();
    if (hasNewFinding(m_population->now()))
        dump(tr("a coroutine is stuck"));
    m_look.start(static_cast<int>(std::max<qint64>(kLookMs, cost.elapsed() * kLookCostFactor)));
}

/// One that recovered and got stuck again is known.
bool Dumper::hasNewFinding(std::uint64_t now)
{
    bool found = false;
    for (const StuckGroup &group : findStuck(*m_population, now)) {
        for (const StuckCoroutine &stuck : group.coroutines)
            found = m_known.insert(stuck.coroutine).second || found;
    }
    return found;
}

void Dumper::dump(const QString &reason)
{
    if (m_writer)
        m_next = reason;
    else
        begin(reason);
}

void Dumper::begin(const QString &reason)
{
    m_outcome = std::make_shared<Outcome>();
    m_outcome->path = numberedPath(m_line.outputPath, ++m_number);
    m_outcome->reason = reason;
    const auto write = [outcome = m_outcome, population = m_population, history = m_history] {
        outcome->report = exportTrace(*population, *history, *exportFormatFor(outcome->path), outcome->path, {});
    };
    m_writer.reset(QThread::create(write));
    connect(m_writer.get(), &QThread::finished, this, &Dumper::end);
    m_writer->start();
}

void Dumper::end()
{
    if (!m_writer)
        return;  // finish() was faster than the signal
    m_writer->wait();
    m_writer.reset();
    const Outcome outcome = *std::exchange(m_outcome, nullptr);
    if (const Result<ExportReport> &report = *outcome.report) {
        m_files.push_back(outcome.path);
        Q_EMIT said(tr("%1: wrote %2 (%3 events)")
                        .arg(outcome.reason, QString::fromStdString(outcome.path), QString::number(report->rows)));
    } else {
        Q_EMIT failed(QString::fromStdString(report.error().message));
    }
    if (!m_next.isNull())
        begin(std::exchange(m_next, QString()));
}

void Dumper::finish(bool died, std::uint64_t now)
{
    m_look.stop();
    const bool finding = m_line.dumpOnFinding && hasNewFinding(now);
    if (finding)
        dump(tr("a coroutine is stuck"));
    else if (died && m_line.dumpOnDeath)
        dump(tr("the target has ended"));
    while (m_writer)
        end();
}

}  // namespace ct
