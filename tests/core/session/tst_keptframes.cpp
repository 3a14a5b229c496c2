// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Version-1 coroutines that have finished, and whose frames are kept.
#include "core/addresses/addressresolver.h"
#include "core/playback/fileloader.h"
#include "core/recording/write/recordingwriter.h"
#include "core/session/resolverdriver.h"
#include "core/session/session.h"
#include "core/symbols/symbolizer.h"
#include "core/trace/population.h"
#include "tests/support/qtsuite.h"
#include "tests/support/runner.h"

#include <QSignalSpy>

using namespace ct;

namespace {

constexpr CoroutineId kCoroutines = 20;

CoroutineId countOf(const Population &population, CoroutineState state)
{
    CoroutineId count = 0;
    for (CoroutineId id = 0; id < population.size(); ++id)
        count += population.at(id).state == state;
    return count;
}

}  // namespace

class KeptFramesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aFinishedCoroutineDoesNotRunForEver()
    {
        QTemporaryDir directory;
        const QString path = directory.filePath(QStringLiteral("run.ctr"));
        const auto live = std::make_shared<Population>();
        const auto resolver = std::make_shared<AddressResolver>(std::make_shared<SymbolWorker>(), live);
        Session session;
        ResolverDriver driver(session, resolver);
        session.addSink(live);
        const auto writer = RecordingWriter::open(path.toStdString());
        QVERIFY(bool(writer));
        session.addSink(*writer);
        QSignalSpy ended(&session, &Session::ended);
        CaptureSpec capture;
        capture.regionPath = directory.filePath(QStringLiteral("region.shm")).toStdString();
        LaunchSpec target;
        target.argv = {runner::binary("ct_oldsdk").toStdString(),
                       "--coroutines",
                       std::to_string(kCoroutines),
                       "--transitions",
                       "400",
                       "--pace",
                       "1000",
                       "--linger",
                       "600000"};
        QVERIFY(bool(session.start({target, capture})));
        QTRY_COMPARE_WITH_TIMEOUT(countOf(*live, CoroutineState::Finished), kCoroutines, ct::test::kPatienceMs);
        QCOMPARE(live->alive(), std::uint64_t{kCoroutines});  // the frames are kept
        session.terminateTarget();
        QTRY_VERIFY_WITH_TIMEOUT(!ended.isEmpty(), ct::test::kPatienceMs);

        const auto again = std::make_shared<Population>();
        FileLoader loader(path.toStdString(), {again});
        loader.start();
        loader.wait();
        QCOMPARE(loader.errorMessage(), QString());
        std::uint64_t ran = 0;
        for (CoroutineId id = 0; id < kCoroutines; ++id) {
            QCOMPARE(again->at(id).runNs, live->at(id).runNs);
            ran += again->at(id).runNs;
        }
        // The time from the last resumption to the reading of the frame is no run time.
        QVERIFY2(ran < 1'000'000'000, qPrintable(QString::number(ran)));
    }
};

CT_QT_SUITE(KeptFramesTest)
#include "tst_keptframes.moc"
