// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/target/pseudoterminal.h"

#include "core/base/monotonic.h"

#include <QSocketNotifier>

#include <cerrno>
#include <fcntl.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

namespace ct {

namespace {

constexpr int kColumns = 120;
constexpr int kRows = 40;
constexpr int kReadBytes = 64 * 1024;
constexpr const char *kRemedy = "raise the limit of open files (ulimit -n), or mount /dev/pts";
/// Limits drain(), because a grandchild may flood the terminal without end. The kernel buffers far less.
constexpr int kDrainReads = 1024;

int openSlave(int master)
{
#ifdef TIOCGPTPEER
    const int peer = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (peer >= 0)
        return peer;
#endif
    char name[64];
    if (ptsname_r(master, name, sizeof name) != 0)
        return -1;
    return ::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
}

}  // namespace

/// Opens a socket instead, where the system has no pseudo terminals (a bare root without /dev/pts).
Result<std::unique_ptr<PseudoTerminal>> PseudoTerminal::openSocket()
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return errnoError(errno, "cannot open a pseudo terminal or a socket for the target's output", kRemedy);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    return std::unique_ptr<PseudoTerminal>(new PseudoTerminal(ends[0], ends[1]));
}

Result<std::unique_ptr<PseudoTerminal>> PseudoTerminal::open()
{
    // Not openpty(), because its descriptors are not close-on-exec from the start.
    const int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    if (master < 0)
        return openSocket();
    if (grantpt(master) != 0 || unlockpt(master) != 0) {
        const int error = errno;
        ::close(master);
        return errnoError(error, "cannot unlock the pseudo terminal for the target's output", kRemedy);
    }
    const int slave = openSlave(master);
    if (slave < 0) {
        const int error = errno;
        ::close(master);
        return errnoError(error, "cannot open the pseudo terminal for the target's output", kRemedy);
    }
    termios modes{};
    if (tcgetattr(slave, &modes) == 0) {
        modes.c_oflag &= ~static_cast<tcflag_t>(ONLCR);
        tcsetattr(slave, TCSANOW, &modes);
    }
    std::unique_ptr<PseudoTerminal> terminal(new PseudoTerminal(master, slave));
    terminal->setSize(kColumns, kRows);
    return terminal;
}

PseudoTerminal::PseudoTerminal(int master, int slave)
    : m_master(master),
      m_slave(slave),
      m_reader(new QSocketNotifier(master, QSocketNotifier::Read, this)),
      m_writer(new QSocketNotifier(master, QSocketNotifier::Write, this))
{
    m_writer->setEnabled(false);
    connect(m_reader, &QSocketNotifier::activated, this, [this] { readSome(); });
    connect(m_writer, &QSocketNotifier::activated, this, [this] { writePending(); });
}

PseudoTerminal::~PseudoTerminal()
{
    closeSlave();
    closeMaster();
}

void PseudoTerminal::closeSlave()
{
    if (m_slave >= 0)
        ::close(std::exchange(m_slave, -1));
}

void PseudoTerminal::closeMaster()
{
    if (m_master < 0)
        return;
    m_reader->setEnabled(false);
    m_writer->setEnabled(false);
    ::close(std::exchange(m_master, -1));
}

void PseudoTerminal::setSize(int columns, int rows)
{
    winsize size{};
    size.ws_col = static_cast<unsigned short>(columns);
    size.ws_row = static_cast<unsigned short>(rows);
    if (m_master >= 0)
        ioctl(m_master, TIOCSWINSZ, &size);
}

void PseudoTerminal::write(const QByteArray &bytes)
{
    if (m_master < 0)
        return;
    m_pending += bytes;
    writePending();
}

void PseudoTerminal::writePending()
{
    while (m_master >= 0 && !m_pending.isEmpty()) {
        const ssize_t written = ::write(m_master, m_pending.constData(), static_cast<std::size_t>(m_pending.size()));
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            break;
        m_pending.remove(0, written);
    }
    m_writer->setEnabled(m_master >= 0 && !m_pending.isEmpty());
}

/// Returns false when nothing more can be read now.
bool PseudoTerminal::readSome()
{
    if (m_master < 0)
        return false;
    QByteArray bytes(kReadBytes, Qt::Uninitialized);
    const ssize_t got = ::read(m_master, bytes.data(), kReadBytes);
    if (got > 0) {
        bytes.truncate(got);
        Q_EMIT outputReady(bytes, static_cast<qint64>(monotonicNow()));
        return true;
    }
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return errno == EINTR;
    closeMaster();  // EIO, or the end of the socket: no process has the other side open any more
    return false;
}

void PseudoTerminal::drain()
{
    for (int round = 0; round < kDrainReads && readSome(); ++round) {
    }
}

}  // namespace ct
