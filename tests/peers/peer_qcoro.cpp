// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A Qt program with timers, requests over the network and awaited signals, with QCoro. It knows the probe only by
// InitTracer: the compiler includes corotracer/qcoro.h. With --lose, a coroutine begins to wait for a signal that was
// emitted before: it waits for ever. Another one waits for a timer of an hour. The program then runs until SIGTERM.
//
// tst_peer_qcoro.cpp computes the number of coroutines and events from this source.
#include "support/arguments.h"
#include "support/stop.h"

#include <QCoreApplication>
#include <QNetworkAccessManager>
#include <QNetworkReply>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTimer>

#include <QCoroNetworkReply>
#include <QCoroSignal>
#include <QCoroTask>
#include <QCoroTimer>

#include <chrono>
#include <cstdio>

using namespace std::chrono_literals;

namespace {

/// Answers every request with "hello".
class Server : public QTcpServer {
public:
    Server()
    {
        connect(this, &QTcpServer::newConnection, this, [this] {
            while (QTcpSocket *const socket = nextPendingConnection())
                connect(socket, &QTcpSocket::readyRead, socket, [socket] { answer(*socket); });
        });
    }

private:
    static void answer(QTcpSocket &socket)
    {
        QByteArray request = socket.property("request").toByteArray() + socket.readAll();
        while (request.contains("\r\n\r\n")) {
            request.remove(0, request.indexOf("\r\n\r\n") + 4);
            socket.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
        }
        socket.setProperty("request", request);
    }
};

class Bell : public QObject {
    Q_OBJECT

public:
    void ring() { Q_EMIT rang(1); }

Q_SIGNALS:
    void rang(int times);
};

struct World {
    int left = 0;  ///< coroutines that are not done
    bool failed = false;
    Bell bell;

    void done()
    {
        if (--left == 0)
            QCoreApplication::exit(failed ? 1 : 0);
    }
};

QCoro::Task<> fetch(World &world, QNetworkAccessManager &network, QUrl url)
{
    QNetworkReply *const reply = network.get(QNetworkRequest(url));
    co_await reply;
    world.failed |= reply->readAll() != "hello";
    reply->deleteLater();
    world.done();
}

QCoro::Task<> ticks(World &world)
{
    for (int i = 0; i < 3; ++i)
        co_await QCoro::sleepFor(2ms);
    QTimer timer;
    timer.start(2ms);
    co_await timer;
    co_await qCoro(timer).waitForTimeout();  // a coroutine of QCoro's library
    world.done();
}

QCoro::Task<int> listen(Bell &bell)
{
    co_return co_await qCoro(&bell, &Bell::rang);
}

QCoro::Task<> hear(World &world)
{
    world.failed |= co_await listen(world.bell) != 1;
    world.done();
}

QCoro::Task<> waitAnHour()
{
    QTimer timer;
    timer.start(1h);
    co_await timer;
}

/// Awaits the bell's signal only after it has slept. A signal that the bell emits during the sleep wakes no coroutine.
QCoro::Task<> hearLate(World &world)
{
    co_await QCoro::sleepFor(20ms);
    co_await listen(world.bell);
}

}  // namespace

int main(int argc, char **argv)
{
    targets::Arguments arguments("timers, requests over the network and awaited signals, with QCoro");
    arguments.number("--requests", 20, 1, 10'000, "requests over the network")
        .flag("--lose", "lose a signal, and run until SIGTERM");
    arguments.parse(argc, argv);
    targets::handleStopSignals();
    corotracer::InitTracer();
    QCoreApplication application(argc, argv);

    World world;
    Server server;
    if (!server.listen(QHostAddress::LocalHost))
        return 1;
    QNetworkAccessManager network;
    const QUrl url(QStringLiteral("http://127.0.0.1:%1/").arg(server.serverPort()));
    const bool loses = arguments.isSet("--lose");
    const int requests = static_cast<int>(arguments.value("--requests"));
    world.left = requests + 2 + (loses ? 1 : 0);
    for (int i = 0; i < requests; ++i)
        fetch(world, network, url);
    ticks(world);
    hear(world);
    QTimer poll;
    if (loses) {
        hearLate(world);
        waitAnHour();
        QObject::connect(&poll, &QTimer::timeout, &application, [] {
            if (targets::stopRequested())
                QCoreApplication::exit(0);
        });
        poll.start(10ms);
    }
    QTimer::singleShot(0, &world.bell, &Bell::ring);
    return QCoreApplication::exec();
}

#include "peer_qcoro.moc"
