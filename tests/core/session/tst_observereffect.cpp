// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The observer effect: its parts, its limit, and both in batch runs.
#include "core/harvest/eventcost.h"
#include "core/playback/fileloader.h"
#include "core/session/overheadlimiter.h"
#include "core/stream/accounting.h"
#include "core/target/cputime.h"
#include "tests/core/session/recordings.h"
#include "tests/support/qtsuite.h"
#include "tests/support/runner.h"

#include <QJsonObject>

#include <atomic>
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

using namespace ct;
using runner::integer;

namespace {

constexpr std::uint64_t kMs = 1'000'000;
constexpr std::uint64_t kStep = OverheadLimiter::kIntervalNs;

/// A target that uses `cores` processors and would write events that cost `share` of that time.
struct SimulatedTarget {
    double cores = 1;
    double share = 0.1;
    double eventNs = 10;
    std::uint64_t now = 5'000 * kMs;
    std::uint64_t cpuNs = 0;
    std::uint64_t events = 0;
    std::uint64_t switches = 0;

    void run(OverheadLimiter &limiter, std::uint64_t ns)
    {
        for (const std::uint64_t end = now + ns; now < end; now += kStep) {
            const bool wasOn = limiter.isOn();
            const double used = cores * static_cast<double>(kStep);
            cpuNs += static_cast<std::uint64_t>(used);
            if (wasOn)
                events += static_cast<std::uint64_t>(used * share / eventNs);
            switches += limiter.update(now, cpuNs, events) != wasOn;
        }
    }
    double effect() const { return static_cast<double>(events) * eventNs / static_cast<double>(cpuNs); }
};

/// A process that uses the processor until it is killed.
class Spinner {
public:
    Spinner() : m_pid(::fork())
    {
        if (m_pid == 0) {
            for (std::atomic<unsigned> i = 0;;)
                i.fetch_add(1, std::memory_order_relaxed);
        }
    }
    ~Spinner()
    {
        ::kill(m_pid, SIGKILL);
        ::waitpid(m_pid, nullptr, 0);
    }
    pid_t pid() const { return m_pid; }

private:
    pid_t m_pid;
};

double decimal(const QJsonObject &summary, const char *name)
{
    return summary.value(QLatin1String(name)).toDouble();
}

}  // namespace

class ObserverEffectTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theEffectIsTheShareOfTheProcessorTime()
    {
        Accounting sums;
        QCOMPARE(sums.observerEffect(), 0.0);
        sums.captured = 900;
        sums.lost = 100;
        sums.missedBeforeAttach = 5000;
        sums.eventNs = 10;
        sums.targetCpuNs = 1'000'000;
        QCOMPARE(sums.observerEffect(), 0.01);
    }

    void anEventCostsSomeNanoseconds()
    {
        const double ns = measureEventNs();
        QVERIFY2(ns > 0.5 && ns < 10'000, qPrintable(QString::number(ns)));
    }

    void timesOfEndedProcessesCount()
    {
        CpuTime time;
        QCOMPARE(time.sample(), 0U);
        {
            const Spinner spinner;
            time.add(spinner.pid(), true);
            QTRY_VERIFY_WITH_TIMEOUT(time.sample() > 20 * kMs, runner::kPatienceMs);
            const std::uint64_t before = time.sample();
            time.add(spinner.pid(), false);  // known already
            QVERIFY(time.sample() >= before);
            CpuTime later;
            later.add(spinner.pid(), false);
            QVERIFY(later.sample() < time.sample());
            QCOMPARE(time.running(), 1U);
        }
        const std::uint64_t ended = time.sample();
        QVERIFY(ended > 20 * kMs);
        QCOMPARE(time.running(), 0U);
        QCOMPARE(time.sample(), ended);
    }

    void aSmallEffectIsNotLimited()
    {
        OverheadLimiter limiter(0.02, 10);
        SimulatedTarget target{.cores = 2, .share = 0.019};
        target.run(limiter, 60'000 * kMs);
        QCOMPARE(target.switches, 0U);
        QCOMPARE(limiter.offNs(), 0U);
    }

    void aLargeEffectIsLimited_data()
    {
        QTest::addColumn<double>("share");
        QTest::addColumn<double>("limit");
        for (const double share : {0.03, 0.1, 0.5, 0.9})
            for (const double limit : {0.001, 0.02, 0.2})
                if (share > limit)
                    QTest::addRow("%g to %g", share, limit) << share << limit;
    }
    void aLargeEffectIsLimited()
    {
        QFETCH(double, share);
        QFETCH(double, limit);
        OverheadLimiter limiter(limit, 10);
        SimulatedTarget target{.cores = 2, .share = share};
        target.run(limiter, 300'000 * kMs);
        // Events of one interval, and the credit of the start.
        const double slack = (2 * share * static_cast<double>(kStep) + limit * 1e9) / static_cast<double>(target.cpuNs);
        QVERIFY2(target.effect() <= limit + slack, qPrintable(QString::number(target.effect())));
        QVERIFY2(target.effect() > limit * 0.8, qPrintable(QString::number(target.effect())));
        QVERIFY(target.switches > 5);
        const double off = static_cast<double>(limiter.offNs()) / 300e9;
        QVERIFY2(std::abs(off - (1 - limit / share)) < 0.1, qPrintable(QString::number(off)));
    }

    /// A target whose coroutines are all suspended uses no time. It must be traced when it continues.
    void anIdleTargetIsTraced()
    {
        OverheadLimiter limiter(0.001, 10);
        SimulatedTarget target{.cores = 1, .share = 0.9};
        target.run(limiter, 5'000 * kMs);
        while (limiter.isOn())
            target.run(limiter, kStep);
        target.cores = 0;
        target.run(limiter, 2 * kStep);
        QVERIFY(limiter.isOn());
        target.run(limiter, 10'000 * kMs);
        QVERIFY(limiter.isOn());
    }

    void aBatchRunStatesTheEffect()
    {
        runner::Batch batch({}, runner::target("ct_storm", runner::words("--seconds 1 --threads 1 --rate 1000000")));
        QCOMPARE(batch.run(), 0);
        const QJsonObject summary = batch.summary();
        runner::compareAccounts(summary, batch.truth());
        QVERIFY(integer(summary, "target_cpu_ns") > 0);
        QVERIFY(decimal(summary, "event_ns") > 0);
        const double events = static_cast<double>(integer(summary, "events") + integer(summary, "lost_events"));
        const double effect =
            events * decimal(summary, "event_ns") / static_cast<double>(integer(summary, "target_cpu_ns"));
        QVERIFY(std::abs(decimal(summary, "observer_effect") / effect - 1) < 0.01);
        QCOMPARE(integer(summary, "limited_ns"), 0);
        QVERIFY2(batch.err().contains("observer effect"), batch.err().constData());
    }

    /// Programs with an existing SDK do not know that they should be silent.
    void aLimitThatTheTargetIgnoresIsGivenUp()
    {
        runner::Batch batch(
            runner::words("--max-overhead 0.1%"),
            runner::target("ct_oldsdk", runner::words("--transitions 30000000 --coroutines 10 --threads 1")));
        QCOMPARE(batch.run(), 0);
        const QJsonObject summary = batch.summary();
        QVERIFY2(batch.err().contains("the target's probe cannot be switched off"), batch.err().constData());
        QCOMPARE(integer(summary, "limited_ns"), 0);
    }

    void aBatchRunIsLimited()
    {
        runner::Batch batch(runner::words("--max-overhead 1%"),
                            runner::target("ct_storm", runner::words("--seconds 4 --threads 1 --coroutines 100")));
        recordings::recordTo(batch, "run.ctr");
        QCOMPARE(batch.run(), 0);
        const QJsonObject summary = batch.summary();
        runner::compareAccounts(summary, batch.truth());
        QVERIFY2(integer(summary, "limited_ns") > 500'000'000, batch.err().constData());
        QVERIFY2(batch.err().contains("no more than 1 % of its processor time"), batch.err().constData());
        // Its recording states the same effect.
        FileLoader loader(batch.path("run.ctr").toStdString(), {});
        loader.start();
        QVERIFY(loader.wait(runner::kPatienceMs));
        const Accounting opened = loader.accounting();
        QCOMPARE(static_cast<qint64>(opened.limitedNs), integer(summary, "limited_ns"));
        QCOMPARE(static_cast<qint64>(opened.targetCpuNs), integer(summary, "target_cpu_ns"));
        QVERIFY(std::abs(opened.eventNs / decimal(summary, "event_ns") - 1) < 0.001);
        QVERIFY(std::abs(opened.observerEffect() / decimal(summary, "observer_effect") - 1) < 0.001);
    }
};

CT_QT_SUITE(ObserverEffectTest)
#include "tst_observereffect.moc"
