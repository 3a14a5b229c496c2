// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A program without a line of the probe, but for the call of InitTracer that docs/probe/qcoro.md asks for.
#include <QCoreApplication>
#include <QCoroNetworkReply>
#include <QCoroTask>
#include <QCoroTimer>

using namespace std::chrono_literals;

static QCoro::Task<> quit()
{
    co_await QCoro::sleepFor(1ms);
    QCoreApplication::quit();
}

int main(int argc, char **argv)
{
    corotracer::InitTracer();
    QCoreApplication program(argc, argv);
    QTimer::singleShot(0, [] { quit(); });
    return QCoreApplication::exec();
}
