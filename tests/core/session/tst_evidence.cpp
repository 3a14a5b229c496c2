// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The threads and descriptors of real targets, live and from their recordings.
#include "core/analysis/watchedtime.h"
#include "core/playback/fileloader.h"
#include "core/recording/library/openrecording.h"
#include "core/recording/write/recordingwriter.h"
#include "core/session/session.h"
#include "core/trace/population.h"
#include "tests/core/session/recordings.h"
#include "tests/support/qtsuite.h"
#include "tests/support/runner.h"

#include <QSignalSpy>

#include <algorithm>
#include <csignal>

using namespace ct;

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

/// All samples of a recording.
Notes samplesIn(const QString &path)
{
    Notes all;
    const auto source = openRecording(path.toStdString());
    if (!source)
        return all;
    const auto append = [](auto &to, const auto &from) { to.insert(to.end(), from.begin(), from.end()); };
    Batch batch;
    for (bool isMore = true; isMore;) {
        const Result<bool> more = (*source)->next(batch);
        isMore = more && *more;
        append(all.threadSamples, batch.notes.threadSamples);
        append(all.descriptorSamples, batch.notes.descriptorSamples);
        append(all.processSamples, batch.notes.processSamples);
    }
    return all;
}

std::vector<ThreadSample> rowsOf(const Notes &notes, qint64 tid)
{
    std::vector<ThreadSample> rows;
    std::copy_if(notes.threadSamples.begin(), notes.threadSamples.end(), std::back_inserter(rows),
                 [tid](const ThreadSample &row) { return row.tid == tid; });
    return rows;
}

/// Stops the target (SIGSTOP) at an instant when coroutine 0 is suspended.
void stopWhileSuspended(Session &session, const Population &live)
{
    for (;;) {
        ::kill(session.target()->pid(), SIGSTOP);
        const std::uint64_t stoppedAt = live.now();
        QTRY_VERIFY(live.now() > stoppedAt + kSecond / 2);  // all events have been read
        if (live.suspendedSince(0) != Population::kNotSuspended)
            return;
        const std::uint64_t captured = live.captured();
        ::kill(session.target()->pid(), SIGCONT);
        QTRY_VERIFY(live.captured() > captured);
    }
}

/// Everything about the samples of a process that a judge reads.
auto evidenceOf(const Population &population, std::uint32_t pid)
{
    const auto threads = population.samples().threadSamples(pid, 0);
    const auto fields = [](const ThreadSample &row) {
        return std::tuple(row.tid, row.ts, row.state, row.call, row.isTimed, row.object, row.cpuNs, row.runDelayNs);
    };
    std::vector<decltype(fields(ThreadSample{}))> rows;
    std::transform(threads.begin(), threads.end(), std::back_inserter(rows), fields);
    return std::tuple(rows, population.sampledUntil(pid), population.samples().descriptors(pid).size(),
                      population.samples().stoppedTimes());
}

}  // namespace

class EvidenceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aBatchRunRecordsWhatThreadsDo()
    {
        runner::Batch batch({}, runner::target("ct_threads", {QStringLiteral("--seconds"), QStringLiteral("3")}));
        recordings::recordTo(batch, "run.ctr");
        QCOMPARE(batch.run(), 0);
        const QJsonObject tids = QJsonDocument::fromJson(batch.out().split('\n').first()).object();
        const Notes notes = samplesIn(batch.path("run.ctr"));

        const std::vector<ThreadSample> waits = rowsOf(notes, runner::integer(tids, "condition"));
        QVERIFY(std::any_of(waits.begin(), waits.end(), [](const ThreadSample &row) {
            return row.state == ThreadState::Sleeping && row.call == ThreadCall::Futex && !row.isTimed;
        }));
        const std::vector<ThreadSample> polls = rowsOf(notes, runner::integer(tids, "epoll"));
        const auto polled = std::find_if(polls.begin(), polls.end(), [](const ThreadSample &row) {
            return row.state == ThreadState::Sleeping && row.call == ThreadCall::Epoll && !row.isTimed;
        });
        QVERIFY(polled != polls.end());
        const auto &descriptors = notes.descriptorSamples;
        QVERIFY(std::any_of(descriptors.begin(), descriptors.end(), [&](const DescriptorSample &row) {
            return row.kind == DescriptorKind::Timer && row.epoll == polled->object &&
                   row.deadline > polled->ts + 3000 * kSecond;
        }));
        const std::vector<ThreadSample> burns = rowsOf(notes, runner::integer(tids, "burns"));
        QVERIFY(burns.size() >= 3);
        QVERIFY(burns[burns.size() - 2].cpuNs > burns.front().cpuNs);
        QVERIFY(burns[burns.size() - 2].state == ThreadState::Running);

        QVERIFY(notes.processSamples.size() >= 2);
        for (const ProcessSample &row : notes.processSamples) {
            QCOMPARE(row.pid, notes.threadSamples.front().pid);
            QCOMPARE(row.stoppedSince, 0U);
        }
        const ProcessSample &first = notes.processSamples.front();
        QVERIFY(first.areThreadsKnown && first.areCallsKnown && first.areDescriptorsKnown);
    }

    void aStoppedTargetIsNotAccused()
    {
        QTemporaryDir directory;
        const QString path = directory.filePath(QStringLiteral("run.ctr"));
        const auto live = std::make_shared<Population>();
        Session session;
        session.addSink(live);
        const auto writer = RecordingWriter::open(path.toStdString());
        QVERIFY(bool(writer));
        session.addSink(*writer);
        QSignalSpy ended(&session, &Session::ended);
        CaptureSpec capture;
        capture.regionPath = directory.filePath(QStringLiteral("region.shm")).toStdString();
        LaunchSpec target;
        target.argv = {runner::binary("ct_threads").toStdString()};
        target.output = OutputMode::Pty;
        QVERIFY(bool(session.start({target, capture})));
        QTRY_VERIFY(live->captured() > 100);
        const auto pid = static_cast<std::uint32_t>(session.target()->pid());
        QTRY_VERIFY(live->sampledUntil(pid) != 0);

        stopWhileSuspended(session, *live);
        const std::uint64_t stoppedAt = live->now();
        QTRY_VERIFY(live->now() > stoppedAt + 3 * kSecond);
        const std::uint64_t since = live->suspendedSince(0);
        QVERIFY(since != Population::kNotSuspended && live->now() - since > 2 * kSecond);  // a case for the rule
        QVERIFY(WatchedTime(*live, live->now()).since(pid, since) < 2 * kSecond);
        const std::vector<StoppedTime> stops = live->samples().stoppedTimes();
        QVERIFY(!stops.empty());
        QCOMPARE(stops.back().pid, pid);
        QCOMPARE(stops.back().to, StoppedTime::kLasting);
        QVERIFY(stops.back().from <= since + kSecond);

        session.stop();
        QTRY_VERIFY(!ended.isEmpty());
        ::kill(session.target()->pid(), SIGKILL);
        const auto again = std::make_shared<Population>();
        FileLoader loader(path.toStdString(), {again});
        loader.start();
        loader.wait();
        QCOMPARE(loader.errorMessage(), QString());
        QCOMPARE(again->now(), live->now());
        QVERIFY(again->now() - again->suspendedSince(0) > 2 * kSecond);
        QVERIFY(WatchedTime(*again, again->now()).since(pid, again->suspendedSince(0)) < 2 * kSecond);
        QVERIFY(evidenceOf(*again, pid) == evidenceOf(*live, pid));
    }

    void aTargetThatWasStoppedIsWatchedAgain()
    {
        QTemporaryDir directory;
        const auto live = std::make_shared<Population>();
        Session session;
        session.addSink(live);
        QSignalSpy ended(&session, &Session::ended);
        CaptureSpec capture;
        capture.regionPath = directory.filePath(QStringLiteral("region.shm")).toStdString();
        LaunchSpec target;
        target.argv = {runner::binary("ct_threads").toStdString()};
        target.output = OutputMode::Pty;
        QVERIFY(bool(session.start({target, capture})));
        const auto stops = [&] { return live->samples().stoppedTimes(); };
        QTRY_VERIFY(live->captured() > 100 && !live->samples().pids().empty());
        ::kill(session.target()->pid(), SIGSTOP);
        QTRY_VERIFY(!stops().empty());
        ::kill(session.target()->pid(), SIGCONT);
        QTRY_VERIFY(stops().front().to != StoppedTime::kLasting);
        QVERIFY(stops().front().to > stops().front().from);
        session.terminateTarget();
        QTRY_VERIFY(!ended.isEmpty());
        QCOMPARE(stops().size(), 1U);
    }
};

CT_QT_SUITE(EvidenceTest)
#include "tst_evidence.moc"
