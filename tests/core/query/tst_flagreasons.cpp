// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Why coroutines are flagged: exports of a trace in memory and queries say the same as a conversion of its recording.
#include "core/recording/library/openrecording.h"
#include "core/recording/write/recordingwriter.h"
#include "core/stream/flagreason.h"
#include "tests/core/exporting/exportsupport.h"
#include "tests/core/query/querysupport.h"
#include "tests/support/qtsuite.h"

#include <functional>

using namespace exporttest;
using querytest::SharedTrace;

namespace {

const char *const kFlags = "SELECT coroutine, reason FROM flags ORDER BY coroutine";
const char *const kFlagged = "SELECT coroutine FROM coroutines WHERE flagged ORDER BY coroutine";

/// One coroutine for each reason, and one without a flag.
Batch flaggedBatch()
{
    Batch batch;
    for (CoroutineId id = 0; id <= kFlagReasonNames.size(); ++id) {
        batch.births.push_back(birth(id, 10 + id));
        batch.transitions.push_back(transition(id, 0, 5000 + id, false));
        if (id < kFlagReasonNames.size())
            batch.flags.push_back({id, static_cast<Flag::Reason>(id)});
    }
    batch.now = 6000;
    return batch;
}

/// Passes the stream of a recording on. Returns its sums, or an error.
Result<Accounting> read(const QString &path, const std::function<bool(const Batch &)> &consume)
{
    const Result<std::unique_ptr<StreamFile>> file = openRecording(path.toStdString());
    if (!file)
        return file.error();
    Batch batch;
    while (true) {
        batch.clear();
        const Result<bool> more = (*file)->next(batch);
        if (!more)
            return more.error();
        if (!*more)
            return (*file)->accounting();
        if (!consume(batch))
            return Error{ErrorCode::InputOutput, "the batch was refused"};
    }
}

QStringList flagsOf(const QString &recording)
{
    QStringList flags;
    const Result<Accounting> sums = read(recording, [&flags](const Batch &batch) {
        for (const Flag &flag : batch.flags)
            flags << QStringLiteral("%1|").arg(flag.coroutine) + QLatin1String(flagReasonName(flag.reason).data());
        return true;
    });
    flags.sort();
    return sums ? flags : QStringList(QString::fromStdString(sums.error().message));
}

}  // namespace

class TestFlagReasons : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void areThoseOfTheRecording()
    {
        const QTemporaryDir dir;
        const QString recording = dir.filePath(QStringLiteral("run.ctr"));
        {
            const auto writer = RecordingWriter::open(recording.toStdString());
            QVERIFY(writer && (*writer)->consume(flaggedBatch()) && (*writer)->finish({}));
        }
        QStringList expected;
        for (std::size_t i = 0; i < kFlagReasonNames.size(); ++i)
            expected << QStringLiteral("%1|").arg(i) + QLatin1String(kFlagReasonNames[i].data());
        QCOMPARE(flagsOf(recording), expected);

        // A conversion.
        const QString converted = dir.filePath(QStringLiteral("converted.sqlite"));
        {
            const Result<std::shared_ptr<Sink>> sink = format("sqlite").makeSink(converted.toStdString(), {});
            QVERIFY(sink);
            const Result<Accounting> sums =
                read(recording, [&sink](const Batch &batch) { return bool((*sink)->consume(batch)); });
            QVERIFY(sums && (*sink)->finish(*sums));
        }
        QCOMPARE(Database(converted).rows(kFlags), expected);

        // The trace of a window.
        const SharedTrace shared;
        QVERIFY(read(recording, [&shared](const Batch &batch) { return shared.consume(batch); }));
        for (const char *name : {"exported.sqlite", "exported.ctr"}) {
            const std::string path = dir.filePath(QLatin1String(name)).toStdString();
            const auto report = exportTrace(*shared.population, *shared.history, *exportFormatFor(path), path, {});
            QVERIFY2(report, report ? "" : report.error().message.c_str());
        }
        const QStringList flagged = Database(converted).rows(kFlagged);
        {
            const Database exported(dir.filePath(QStringLiteral("exported.sqlite")));
            QCOMPARE(exported.rows(kFlags), expected);
            QCOMPARE(exported.rows(kFlagged), flagged);
        }
        QCOMPARE(flagsOf(dir.filePath(QStringLiteral("exported.ctr"))), expected);
        QCOMPARE(querytest::rows(shared.trace(), QLatin1String(kFlags)), expected);
        QCOMPARE(querytest::rows(shared.trace(), QLatin1String(kFlagged)), flagged);
    }
};

CT_QT_SUITE(TestFlagReasons)
#include "tst_flagreasons.moc"
