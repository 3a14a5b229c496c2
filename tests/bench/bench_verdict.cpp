// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Runs a program as the window does, without views, until a rule accuses it. Prints as JSON the first finding of this
// rule that is a warning or an error, and when it was reported. tests/bench/verdictdelay.py collects the figures.
//
//   bench_verdict RULE SECONDS PROGRAM [ARG...]
#include "core/base/monotonic.h"
#include "core/reporting/judgement.h"
#include "core/session/run.h"
#include "core/session/runjudge.h"

#include <QCoreApplication>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTimer>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>

namespace {

constexpr int kSampleMs = 33;  ///< as in the window

QJsonObject objectOf(const ct::Judgement &judgement, const ct::ReportedFinding &reported)
{
    const auto text = [](std::uint64_t ns) { return QString::number(ns); };  // a number in JSON has 53 bits
    return {{QStringLiteral("since_ns"), text(reported.finding.since)},
            {QStringLiteral("judged_at_ns"), text(judgement.judgedAt)},
            {QStringLiteral("reported_at_ns"), text(ct::monotonicNow())},
            {QStringLiteral("message"), QString::fromStdString(reported.finding.message)}};
}

std::optional<QJsonObject> accusationBy(std::string_view rule, const ct::Judgement &judgement)
{
    for (const ct::ReportedFinding &reported : judgement.findings)
        if (nameOf(reported.finding.rule) == rule && reported.finding.severity != ct::Severity::Info)
            return objectOf(judgement, reported);
    return std::nullopt;
}

}  // namespace

int main(int argc, char **argv)
{
    QCoreApplication app(argc, argv);
    if (argc < 4) {
        std::fprintf(stderr, "usage: bench_verdict RULE SECONDS PROGRAM [ARG...]\n");
        return 2;
    }
    ct::LaunchSpec target;
    target.argv.assign(argv + 3, argv + argc);
    ct::StartRequest request;
    request.what = target;
    ct::RunSettings settings;
    settings.symbols = std::make_shared<ct::SymbolWorker>();
    const auto started = ct::Run::start(request, settings);
    if (!started) {
        std::fprintf(stderr, "%s\n", started.error().message.c_str());
        return 1;
    }
    ct::Run &run = **started;
    std::optional<QJsonObject> found;
    QObject::connect(run.judge(), &ct::RunJudge::judged, &app, [&] {
        found = accusationBy(argv[1], *run.judge()->latest());
        if (found)
            QCoreApplication::quit();
    });
    QTimer timer;
    QObject::connect(&timer, &QTimer::timeout, &app, [&run] { run.sampleJudge(); });
    timer.start(kSampleMs);
    QTimer::singleShot(static_cast<int>(std::atof(argv[2]) * 1000), &app, &QCoreApplication::quit);
    QCoreApplication::exec();
    if (const pid_t group = run.launchedPid(); group > 0)
        ::kill(-group, SIGKILL);
    std::puts(QJsonDocument(found.value_or(QJsonObject())).toJson(QJsonDocument::Compact).constData());
    return 0;
}
