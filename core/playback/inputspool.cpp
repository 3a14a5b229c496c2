// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/playback/inputspool.h"

#include "core/base/fileremedy.h"
#include "core/base/startthread.h"
#include "core/recording/format/ctrformat.h"
#include "core/recording/write/standardstreams.h"
#include "core/target/printabletext.h"

#include <QString>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <vector>

namespace ct {

namespace {

constexpr std::size_t kChunk = 1U << 18;
/// Bytes and time for the first line of input that is no recording: enough for a message, and not long to wait for.
constexpr std::size_t kMostLine = 400;
constexpr int kLineMs = 500;
constexpr qsizetype kMostQuoted = 120;

constexpr long kEndOfInput = 0;
constexpr long kNoInput = -1;  ///< stopped, or failed

}  // namespace

std::string quotedLine(const std::string &bytes)
{
    const std::string line = bytes.substr(0, bytes.find_first_of("\r\n"));
    QString text = QString::fromUtf8(line.data(), static_cast<qsizetype>(line.size()));
    if (text.size() > kMostQuoted)
        text = text.left(kMostQuoted) + QChar(0x2026);
    return QStringLiteral("\"%1\"").arg(printable(text)).toStdString();
}

Result<int> InputSpool::detachStandardInput()
{
    Result<int> input = openStandardInput();
    if (!input)
        return input;
    // Otherwise the writer would get no broken pipe before this process ends.
    const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing >= 0) {
        ::dup2(nothing, STDIN_FILENO);
        ::close(nothing);
    }
    return input;
}

InputSpool::InputSpool(int input, int wake, std::unique_ptr<AppendFile> file, std::string path)
    : m_path(std::move(path)), m_input(input), m_wake(wake), m_file(std::move(file))
{
}

Result<std::unique_ptr<InputSpool>> InputSpool::start(int input, const std::string &path)
{
    Result<std::unique_ptr<AppendFile>> file = AppendFile::open(path, AppendFile::Unit::Write, FileAccess::OwnerOnly);
    const Result<void> claimed = file ? (*file)->claim() : Result<void>(file.error());
    const int wake = claimed ? eventfd(0, EFD_CLOEXEC) : -1;
    if (wake < 0) {
        const Error error =
            claimed ? errnoError(errno, "cannot wait for standard input", kMoreDescriptors) : claimed.error();
        ::close(input);
        return error;
    }
    std::unique_ptr<InputSpool> spool(new InputSpool(input, wake, std::move(*file), path));
    if (!startThread(spool->m_thread, [begun = spool.get()] { begun->run(); })) {
        ::close(input);
        return noThread("to read standard input");
    }
    return spool;
}

InputSpool::~InputSpool()
{
    stop();
    if (m_thread.joinable())
        m_thread.join();
    ::close(m_wake);
}

void InputSpool::stop()
{
    m_stopped.store(true, std::memory_order_relaxed);
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(m_wake, &one, sizeof(one));
}

InputSpool::End InputSpool::endOfInput() const
{
    const std::lock_guard lock(m_mutex);
    return m_end;
}

std::string InputSpool::message() const
{
    const std::lock_guard lock(m_mutex);
    return m_message;
}

void InputSpool::run()
{
    std::string message;
    const End end = spool(message);
    ::close(m_input);
    {
        const std::lock_guard lock(m_mutex);
        m_end = end;
        m_message = std::move(message);
    }
    // Closes the file, and removes it if it is empty.
    m_file.reset();
}

/// Returns false if stopped, or if no input came within `timeoutMs` (-1: no limit).
bool InputSpool::awaitInput(int timeoutMs)
{
    for (;;) {
        std::array<pollfd, 2> fds{pollfd{m_wake, POLLIN, 0}, pollfd{m_input, POLLIN, 0}};
        const int ready = poll(fds.data(), fds.size(), timeoutMs);
        if (m_stopped.load(std::memory_order_relaxed) || ready == 0)
            return false;
        if (ready > 0 && fds[1].revents != 0)
            return true;
    }
}

/// Returns the number of bytes, kEndOfInput, or kNoInput. The message stays empty if the reading was stopped.
long InputSpool::readSome(char *to, std::size_t bytes, std::string &message)
{
    while (awaitInput(-1)) {
        const ssize_t got = ::read(m_input, to, bytes);
        if (got >= 0)
            return got;
        if (errno != EINTR && errno != EAGAIN) {
            message =
                errnoError(errno, "Standard input cannot be read any more", "start the sender and this program again")
                    .message;
            return kNoInput;
        }
    }
    return kNoInput;
}

InputSpool::End InputSpool::spool(std::string &message)
{
    std::vector<char> buffer(kChunk);
    std::string head;  // start of the input, until the magic number is complete
    for (bool begun = false;;) {
        const long got = readSome(buffer.data(), buffer.size(), message);
        if (got == kNoInput)
            return message.empty() ? End::Stopped : End::Failed;
        if (got == kEndOfInput)
            return begun ? End::Closed : refuse(head, message);
        const char *bytes = buffer.data();
        auto size = static_cast<std::size_t>(got);
        if (!begun) {
            head.append(bytes, size);
            const std::size_t known = std::min(head.size(), ctr::kFileMagic.size());
            if (std::memcmp(head.data(), ctr::kFileMagic.data(), known) != 0)
                return refuse(head, message);
            begun = known == ctr::kFileMagic.size();
            bytes = head.data();
            size = head.size();
        }
        if (!begun)
            continue;
        if (const Result<void> written = m_file->append(bytes, size); !written) {
            message = written.error().message;
            return End::Failed;
        }
    }
}

/// Refuses input that is no recording. Waits for the rest of its first line, which may say what is wrong.
InputSpool::End InputSpool::refuse(std::string begun, std::string &message)
{
    std::array<char, kMostLine> more{};
    while (!begun.empty() && begun.size() < kMostLine && begun.find('\n') == std::string::npos && awaitInput(kLineMs)) {
        const ssize_t got = ::read(m_input, more.data(), more.size());
        if (got <= 0)
            break;
        begun.append(more.data(), static_cast<std::size_t>(got));
    }
    const std::string remedy = "Send a recording with: corotracer-gui --batch -o - -- TARGET";
    if (begun.empty())
        message = "Standard input ended before any data arrived: the sender did not start, or failed. See its own "
                  "message. " +
                  remedy;
    else
        message = "Standard input is not a recording of coroutines. It begins with " + quotedLine(begun) +
                  ". If this is a message of the sender or of its shell's start-up files, remove its cause. " + remedy;
    return End::NoRecording;
}

}  // namespace ct
