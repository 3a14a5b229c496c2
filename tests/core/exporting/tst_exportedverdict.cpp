// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// An export from memory has the verdict and the observations of the run.
#include "core/addresses/exportresolveradapter.h"
#include "core/analysis/instantjudge.h"
#include "core/databases/openstream.h"
#include "tests/core/exporting/exportsupport.h"
#include "tests/support/paths.h"
#include "tests/support/qtsuite.h"

#include <QDirIterator>

using namespace exporttest;

namespace {

/// Reads a file as the window and a report do.
struct ReadRun {
    std::shared_ptr<Population> population = std::make_shared<Population>();
    std::shared_ptr<History> history = std::make_shared<History>(Trace::kUsualBudget);
    std::shared_ptr<JudgeData> data = std::make_shared<JudgeData>(population);
    InstantJudge judge{population, data, history};
    std::shared_ptr<AddressResolver> resolver =
        std::make_shared<AddressResolver>(std::make_shared<SymbolWorker>(), population);
    std::shared_ptr<StreamIndex> streamIndex = std::make_shared<StreamIndex>();
    RecordingInfo info;
    Accounting sums;
    std::map<std::string, std::size_t> samples;

    /// `instant`: when the run is judged; 0 = at its end.
    explicit ReadRun(const std::string &path, std::uint64_t instant = 0)
    {
        judge.judgeAt(instant);
        Result<std::unique_ptr<StreamFile>> file = openStream(path, streamIndex);
        Batch batch;
        for (bool more = bool(file); more; batch.clear()) {
            const Result<bool> next = (*file)->next(batch);
            more = next && *next;
            if (!more)
                break;
            (void)judge.consume(batch);
            (void)population->consume(batch);
            (void)history->consume(batch);
            (void)data->consume(batch);
            samples["threads"] += batch.notes.threadSamples.size();
            samples["descriptors"] += batch.notes.descriptorSamples.size();
            samples["processes"] += batch.notes.processSamples.size();
            takeFacts(**file);
        }
        if (!file)
            return;
        takeFacts(**file);
        sums = (*file)->accounting();
        streamIndex->close();
    }

    void takeFacts(StreamFile &file)
    {
        FileFacts facts;
        if (!file.takeFacts(facts))
            return;
        info = facts.info;
        resolver->addFrames(facts.frames);
        data->addFrames(facts.frames);
    }

    Verdict verdict() const
    {
        const auto decided = judge.outcome();
        return decided ? decided->verdict : ct::judge({*population, *data, *history}, population->now());
    }
    /// One line for each finding, sorted.
    QStringList findings() const
    {
        QStringList lines;
        for (const Finding &finding : verdict().findings) {
            const Site *const site = population->site(finding.site);
            QString line = QStringLiteral("%1 %2 %3:")
                               .arg(static_cast<int>(finding.rule))
                               .arg(static_cast<int>(finding.severity))
                               .arg(QString::fromStdString(site ? site->function : std::string()));
            for (const CoroutineId id : finding.coroutines)
                line += QStringLiteral(" %1").arg(id);
            line += QLatin1Char(' ') + QString::fromStdString(finding.message);
            for (const std::string &evidence : finding.evidence)
                line += QStringLiteral("; ") + QString::fromStdString(evidence);
            lines << line;
        }
        lines.sort();
        return lines;
    }
    Result<ExportReport> exportTo(const std::string &path, std::shared_ptr<const StreamIndex> recording) const
    {
        ExportContext context(exportResolverOf(resolver));
        context.info = [this] { return info; };
        return exportTrace(*population, *history, *exportFormatFor(path), path, {}, sums, context,
                           std::move(recording));
    }
};

/// Writes the recording as it is read, batch by batch. `run`: the same one, for its facts.
Result<void> convert(const std::string &from, const std::string &to, const ReadRun &run)
{
    ExportContext context(exportResolverOf(run.resolver));
    context.info = [&run] { return run.info; };
    const Result<std::shared_ptr<Sink>> sink = exportFormatFor(to)->makeSink(to, context);
    Result<std::unique_ptr<StreamFile>> file = openStream(from);
    if (!sink || !file)
        return sink ? file.error() : sink.error();
    Batch batch;
    for (; *(*file)->next(batch); batch.clear()) {
        if (Result<void> consumed = (*sink)->consume(batch); !consumed)
            return consumed;
    }
    return (*sink)->finish(run.sums);
}

std::size_t total(const std::map<std::string, std::size_t> &samples)
{
    std::size_t sum = 0;
    for (const auto &[kind, count] : samples)
        sum += count;
    return sum;
}

}  // namespace

class TestExportedVerdict : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// The judgement of a database can differ from that of its recording (docs/interchange.md), so the expected one is
    /// that of a conversion.
    void isTheVerdictOfTheRecording_data() { addRecordings(); }
    void isTheVerdictOfTheRecording()
    {
        QFETCH(const QString, file);
        const QTemporaryDir dir;
        const std::uint64_t instant = ReadRun(file.toStdString()).info.decided;
        const ReadRun run(file.toStdString(), instant);
        QVERIFY(run.population->size() != 0);
        for (const char *name : {"a.ctr", "a.sqlite"}) {
            const std::string path = dir.filePath(QLatin1String(name)).toStdString();
            const std::string converted =
                dir.filePath(QStringLiteral("converted-") + QLatin1String(name)).toStdString();
            QVERIFY(convert(file.toStdString(), converted, run));
            const Result<ExportReport> report = run.exportTo(path, run.streamIndex);
            QVERIFY2(report, report ? "" : report.error().message.c_str());
            QCOMPARE(report->missingSamples, std::uint64_t{0});
            const ReadRun back(path, instant);
            QCOMPARE(back.population->now(), run.population->now());
            QCOMPARE(back.samples, run.samples);
            QCOMPARE(back.findings(), ReadRun(converted, instant).findings());
            if (qstrcmp(name, "a.ctr") == 0)
                QCOMPARE(back.findings(), run.findings());
        }
    }

    void memoryHasTheLatestSamples_data() { addRecordings(); }
    void memoryHasTheLatestSamples()
    {
        QFETCH(const QString, file);
        const QTemporaryDir dir;
        const std::string path = dir.filePath(QStringLiteral("a.sqlite")).toStdString();
        const ReadRun run(file.toStdString());
        const Result<ExportReport> report = run.exportTo(path, nullptr);
        QVERIFY(report);
        const ReadRun back(path);
        QCOMPARE(back.population->now(), run.population->now());
        QCOMPARE(report->missingSamples, std::uint64_t{total(run.samples) - total(back.samples)});
        const SampleLog &expected = run.population->samples();
        const SampleLog &samples = back.population->samples();
        QVERIFY(samples.stoppedTimes() == expected.stoppedTimes());
        QVERIFY(samples.machineSuspends() == expected.machineSuspends());
        for (const std::uint32_t pid : expected.pids()) {
            QCOMPARE(samples.threadSamples(pid, 0).size(), expected.threadSamples(pid, 0).size());
            QCOMPARE(readySince(samples, pid), readySince(expected, pid));
        }
    }

private:
    static void addRecordings()
    {
        QTest::addColumn<QString>("file");
        QDirIterator files(QString::fromStdString(test::kSourceDir) + QStringLiteral("/tests/corpus/recordings/causes"),
                           {QStringLiteral("*.ctr")});
        while (files.hasNext()) {
            const QString file = files.next();
            QTest::newRow(qPrintable(file.section(QLatin1Char('/'), -1))) << file;
        }
    }
    static std::vector<std::uint64_t> readySince(const SampleLog &samples, std::uint32_t pid)
    {
        std::vector<std::uint64_t> times;
        for (const WatchedDescriptor &descriptor : samples.descriptors(pid))
            times.push_back(descriptor.readySince);
        return times;
    }
};

CT_QT_SUITE(TestExportedVerdict)
#include "tst_exportedverdict.moc"
