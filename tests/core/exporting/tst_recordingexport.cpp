// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Exports a trace in memory as a recording.
#include "core/recording/library/openrecording.h"
#include "core/recording/write/recordingwriter.h"
#include "tests/core/exporting/exportsupport.h"
#include "tests/support/qtsuite.h"

using namespace exporttest;

namespace {

/// Knows one code address, and a line of coroutine 1.
class Resolver final : public ExportResolver {
public:
    Answer known(const EventAddress &address) override
    {
        SourceFrame frame{"task<int> serve(int)", "server.cpp", 12, 4, false};
        return address.addr == 0x401234
                   ? std::make_shared<const DescribedAddress>(DescribedAddress{{frame}, "/bin/server", {}, {}})
                   : nullptr;
    }
    void resolve(const std::vector<EventAddress> &) override {}
    std::uint64_t lineSince(const EventAddress &address) override { return address.coroutine == 1 ? 6000 : 0; }
};

struct ReadBack {
    Trace trace;
    FileFacts facts;
    Accounting sums;
    bool hasEnded = false;
    std::string error;

    explicit ReadBack(const QString &path)
    {
        Result<std::unique_ptr<StreamFile>> file = openRecording(path.toStdString());
        Batch batch;
        for (bool more = bool(file); more; batch.clear()) {
            const Result<bool> next = (*file)->next(batch);
            if (!next)
                error = next.error().message;
            more = next && *next;
            if (more)
                trace.consume(batch);
            FileFacts news;
            if ((*file)->takeFacts(news)) {
                facts.info = news.info;
                facts.frames.insert(facts.frames.end(), news.frames.begin(), news.frames.end());
            }
        }
        if (!file) {
            error = file.error().message;
            return;
        }
        sums = (*file)->accounting();
        hasEnded = (*file)->hasEnded();
    }
};

}  // namespace

class TestRecordingExport : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void hasTheWholeTrace()
    {
        const QTemporaryDir dir;
        Trace trace;
        Batch batch = sampleBatch();
        batch.notes = sampleNotes();
        trace.consume(batch);
        const Result<ExportReport> report = trace.exportTo(dir.filePath(QStringLiteral("a.ctr")));
        QVERIFY2(report, report ? "" : report.error().message.c_str());
        QCOMPARE(report->rows, std::uint64_t{5});
        QCOMPARE(report->lostEvents, std::uint64_t{3});
        const ReadBack back(dir.filePath(QStringLiteral("a.ctr")));
        QCOMPARE(back.error, std::string());
        QVERIFY(back.hasEnded);
        QCOMPARE(back.sums.captured, report->rows);
        QCOMPARE(back.sums.lost, report->lostEvents);
        QCOMPARE(back.sums.coroutines, report->coroutines);
        for (const char *name : {"x.jsonl", "x.csv"}) {
            QVERIFY(trace.exportTo(dir.filePath(QLatin1String("1") + QLatin1String(name))));
            QVERIFY(back.trace.exportTo(dir.filePath(QLatin1String("2") + QLatin1String(name))));
            QCOMPARE(contentOf(dir.filePath(QLatin1String("2") + QLatin1String(name))),
                     contentOf(dir.filePath(QLatin1String("1") + QLatin1String(name))));
        }
    }

    void hasFactsAndResolvedAddresses()
    {
        const QTemporaryDir dir;
        Trace trace;
        trace.consume(sampleBatch());
        ExportContext context(std::make_shared<Resolver>());
        context.info = [] {
            RecordingInfo info;
            info.program = "tool";
            info.session = "run 7";
            return info;
        };
        const std::string path = dir.filePath(QStringLiteral("a.ctr")).toStdString();
        QVERIFY(exportTrace(trace.population, trace.history, *exportFormatOfKind("ctr"), path, {}, {}, context));
        const ReadBack back(QString::fromStdString(path));
        QCOMPARE(back.facts.info.program, std::string("tool"));
        QCOMPARE(back.facts.info.session, std::string("run 7"));
        QCOMPARE(back.facts.frames.size(), std::size_t{1});  // the suspensions of coroutine 0 have sites
        QCOMPARE(back.facts.frames.front(),
                 (FrameLocation{1, 0x401234, 6000, 0, 12, 4, "server.cpp", "task<int> serve(int)"}));
    }

    void hasEveryAddressOfALargeTrace()
    {
        constexpr CoroutineId kCoroutines = 20'000;  // more than one block of locations
        const QTemporaryDir dir;
        Trace trace;
        Batch batch;
        for (CoroutineId id = 0; id < kCoroutines; ++id) {
            batch.births.push_back(birth(id, id));
            batch.transitions.push_back(transition(id, 0, 10'000 + id, false));
        }
        batch.now = 100'000;
        trace.consume(batch);
        const std::string path = dir.filePath(QStringLiteral("a.ctr")).toStdString();
        QVERIFY(exportTrace(trace.population, trace.history, *exportFormatOfKind("ctr"), path, {}, {},
                            ExportContext(std::make_shared<Resolver>())));
        const ReadBack back(QString::fromStdString(path));
        QCOMPARE(back.error, std::string());
        QCOMPARE(back.facts.frames.size(), std::size_t{kCoroutines});
        QCOMPARE(back.sums.captured, std::uint64_t{kCoroutines});
    }

    void doesNotReplaceARecordingInUse()
    {
        const QTemporaryDir dir;
        const QString path = dir.filePath(QStringLiteral("busy.ctr"));
        auto writer = RecordingWriter::open(path.toStdString());
        QVERIFY(writer);
        QVERIFY((*writer)->consume(sampleBatch()));
        Trace trace;
        trace.consume(sampleBatch());
        const Result<ExportReport> report = trace.exportTo(path);
        QVERIFY(!report);
        QVERIFY2(report.error().message.find("is being written; choose another name") != std::string::npos,
                 report.error().message.c_str());
        QCOMPARE(filesIn(dir), QStringList{QStringLiteral("busy.ctr")});
    }
};

CT_QT_SUITE(TestRecordingExport)
#include "tst_recordingexport.moc"
