// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Captures a program into the trace in memory (Population and History), without a window. Prints as JSON the captured
// events, their cost, and their lateness. tests/bench/capture.py collects the figures.
//
//   bench_capture [OPTIONS] -- PROGRAM [ARG...]
//     --no-lanes          full stations only
//     --no-trace          no sink for the stream, except for the meter
//     --stations N        coroutines alive at once
//     --lane-mib N        size of a lane, MiB [64]
//     --budget-mib N      budget of the history, MiB [4096]
//     --prepared          prepare the memory of the history before the program starts
//     --idle S            once the program is silent, measure S seconds of it, then terminate it
//     --latency           measure how late the first event after 5 ms of silence reaches the trace
#include "core/session/session.h"
#include "core/trace/history.h"
#include "core/trace/population.h"

#include <QCoreApplication>
#include <QTimer>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <optional>
#include <pthread.h>
#include <string>
#include <vector>

namespace {

using namespace ct;

constexpr std::uint64_t kSilenceNs = 5'000'000;
constexpr int kQuietChecks = 10;                       ///< checks without a new event, 100 ms apart
constexpr std::chrono::milliseconds kHeartbeat{2000};  ///< as in batch mode

std::uint64_t read(clockid_t clock)
{
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

struct Options {
    CaptureSpec capture;
    bool trace = true;
    bool latency = false;
    bool prepared = false;
    int idleSec = 0;
    std::uint64_t budget = 4ULL << 30;
    LaunchSpec target;
};

std::optional<Options> parse(int argc, char **argv)
{
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const auto value = [&] { return i + 1 < argc ? std::strtoull(argv[++i], nullptr, 10) : 0; };
        if (word == "--") {
            options.target.argv.assign(argv + i + 1, argv + argc);
            break;
        }
        if (word == "--no-lanes")
            options.capture.lanes = false;
        else if (word == "--no-trace")
            options.trace = false;
        else if (word == "--prepared")
            options.prepared = true;
        else if (word == "--latency")
            options.latency = true;
        else if (word == "--stations")
            options.capture.stations = static_cast<std::uint32_t>(value());
        else if (word == "--lane-mib")
            options.capture.laneBytes = value() << 20;
        else if (word == "--budget-mib")
            options.budget = value() << 20;
        else if (word == "--idle")
            options.idleSec = static_cast<int>(value());
        else
            return std::nullopt;
    }
    return options.target.argv.empty() ? std::nullopt : std::optional(options);
}

/// Measures lateness behind the sinks of the trace: readers can already see the events. Called on the harvest thread.
class Meter final : public Sink {
public:
    explicit Meter(bool latency) : m_latency(latency) {}

    Result<void> consume(const Batch &batch) override
    {
        if (m_clock.load(std::memory_order_relaxed) == 0) {
            clockid_t clock{};
            pthread_getcpuclockid(pthread_self(), &clock);
            m_clock.store(clock, std::memory_order_relaxed);
        }
        ++m_batches;
        if (m_latency)
            measure(batch);
        return {};
    }

    /// CPU time of the harvest thread in ns; 0 before its first batch. Call it only while the thread lives.
    std::uint64_t harvestNs() const
    {
        const clockid_t clock = m_clock.load(std::memory_order_relaxed);
        return clock == 0 ? 0 : read(clock);
    }
    Result<void> finish(const Accounting &) override
    {
        m_totalNs = harvestNs();
        return {};
    }

    // Valid after the end of the run.
    std::uint64_t totalNs() const { return m_totalNs; }
    std::uint64_t batches() const { return m_batches; }
    std::vector<std::uint64_t> latenesses;  ///< lateness per sample, ns

private:
    void measure(const Batch &batch)
    {
        if (batch.transitions.empty())
            return;
        const std::uint64_t now = read(CLOCK_MONOTONIC);
        const auto byTime = [](const Transition &a, const Transition &b) { return a.ts < b.ts; };
        const auto [first, last] = std::minmax_element(batch.transitions.begin(), batch.transitions.end(), byTime);
        if (m_lastTs != 0 && first->ts > m_lastTs + kSilenceNs && now >= first->ts)
            latenesses.push_back(now - first->ts);
        m_lastTs = std::max(m_lastTs, last->ts);
    }

    const bool m_latency;
    std::atomic<clockid_t> m_clock{0};  // relaxed: only a number
    std::uint64_t m_totalNs = 0;
    std::uint64_t m_batches = 0;
    std::uint64_t m_lastTs = 0;
};

class Measurement final : public QObject {
public:
    explicit Measurement(const Options &options) : m_options(options)
    {
        if (options.trace) {
            m_session.addSink(m_population);
            if (m_options.prepared)
                m_history->prepareMemory();
            m_session.addSink(m_history);
        }
        m_session.addSink(m_meter);
        connect(&m_session, &Session::ended, QCoreApplication::instance(), &QCoreApplication::quit,
                Qt::QueuedConnection);
        connect(&m_checkTimer, &QTimer::timeout, this, [this] { checkForSilence(); });
    }

    int run()
    {
        if (const auto started = m_session.start({m_options.target, m_options.capture, {}, {}, kHeartbeat}); !started) {
            std::fprintf(stderr, "%s\n", started.error().message.c_str());
            return 1;
        }
        if (m_options.idleSec > 0)
            m_checkTimer.start(100);
        const std::uint64_t begin = read(CLOCK_MONOTONIC);
        QCoreApplication::exec();
        m_wallNs = read(CLOCK_MONOTONIC) - begin;
        print();
        const auto &status = m_session.target()->exitStatus();
        return status && status->signal == 0 ? status->code : 1;
    }

private:
    struct Cost {
        std::uint64_t wall = 0;
        std::uint64_t process = 0;
        std::uint64_t harvest = 0;
    };
    Cost cost() const { return {read(CLOCK_MONOTONIC), read(CLOCK_PROCESS_CPUTIME_ID), m_meter->harvestNs()}; }

    void checkForSilence()
    {
        const Accounting sums = m_session.accounting();
        m_quietChecks =
            sums.captured + sums.lost != 0 && sums.captured + sums.lost == m_lastSum ? m_quietChecks + 1 : 0;
        m_lastSum = sums.captured + sums.lost;
        if (m_quietChecks < kQuietChecks)
            return;
        m_checkTimer.stop();
        m_idleBegin = cost();
        QTimer::singleShot(m_options.idleSec * 1000, Qt::PreciseTimer, this, [this] {
            m_idleEnd = cost();
            m_session.terminateTarget();
        });
    }

    static void number(const char *name, std::uint64_t value)
    {
        std::printf("\"%s\": %llu, ", name, static_cast<unsigned long long>(value));
    }

    void print()
    {
        const Accounting sums = m_session.accounting();
        std::printf("{");
        number("captured", sums.captured);
        number("lost", sums.lost);
        number("missed", sums.missedBeforeAttach);
        number("coroutines", sums.coroutines);
        number("untraced", sums.untraced);
        number("records_dropped", sums.recordsDropped);
        number("threads_without_lane", sums.threadsWithoutLane);
        number("region_bytes", sums.regionBytes);
        number("wall_ns", m_wallNs);
        number("harvest_ns", m_meter->totalNs());
        number("batches", m_meter->batches());
        number("history_events", m_history->eventCount());
        number("history_bytes", m_history->bytesUsed());
        number("idle_wall_ns", m_idleEnd.wall - m_idleBegin.wall);
        number("idle_process_ns", m_idleEnd.process - m_idleBegin.process);
        number("idle_harvest_ns", m_idleEnd.harvest - m_idleBegin.harvest);
        std::vector<std::uint64_t> &late = m_meter->latenesses;
        std::sort(late.begin(), late.end());
        const auto at = [&late](std::size_t percent) {
            return late.empty() ? 0 : late[(late.size() - 1) * percent / 100];
        };
        number("latency_p50_ns", at(50));
        number("latency_p99_ns", at(99));
        number("latency_max_ns", at(100));
        std::printf("\"latency_samples\": %zu}\n", late.size());
    }

    const Options &m_options;
    std::shared_ptr<Population> m_population = std::make_shared<Population>();
    std::shared_ptr<History> m_history = std::make_shared<History>(m_options.budget);
    std::shared_ptr<Meter> m_meter = std::make_shared<Meter>(m_options.latency);
    Session m_session;
    QTimer m_checkTimer;
    Cost m_idleBegin;
    Cost m_idleEnd;
    std::uint64_t m_lastSum = 0;
    std::uint64_t m_wallNs = 0;
    int m_quietChecks = 0;
};

}  // namespace

int main(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    const std::optional<Options> options = parse(argc, argv);
    if (!options) {
        std::fprintf(stderr, "usage: bench_capture [OPTIONS] -- PROGRAM [ARG...]; options: see the source\n");
        return 2;
    }
    return Measurement(*options).run();
}
