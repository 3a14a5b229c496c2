// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/inputcopy.h"

#include "app/batch/consolesignals.h"
#include "app/commandline/exportoptions.h"
#include "core/base/fileremedy.h"
#include "core/databases/openstream.h"
#include "core/recording/write/standardstreams.h"
#include "core/target/regionlist.h"

#include <QString>

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace ct {

namespace {

constexpr const char *kStandardInput = "standard input";
constexpr std::size_t kChunk = 1U << 18;
constexpr int kSignalMs = 200;  ///< between checks for a signal
constexpr std::uint64_t kShowEvery = 64U << 20;
constexpr const char *kSend = "send a recording or JSONL through a pipe: corotracer-gui --batch -o - -- TARGET | "
                              "corotracer-gui --batch --input - --export sqlite --output run.sqlite";

/// The folder of the first output, which needs room anyway, or else the one for temporary files.
std::string folderOf(const CommandLine &line)
{
    for (const CommandLine::Export &requested : line.exports) {
        if (isOfServer(requested))
            continue;
        const std::filesystem::path folder = std::filesystem::path(requested.output).parent_path();
        return folder.empty() ? "." : folder.string();
    }
    std::error_code failed;
    const std::filesystem::path folder = std::filesystem::temp_directory_path(failed);
    return failed ? "/tmp" : folder.string();
}

Result<int> createNameless(const std::string &folder, const std::string &input)
{
    std::string path = folder + "/.corotracer-input-XXXXXX";
    const int fd = mkostemp(path.data(), O_CLOEXEC);
    if (fd < 0)
        return writeError(errno, input + " cannot be copied to " + folder);
    ::unlink(path.c_str());
    return fd;
}

/// Returns the number of bytes; 0 at the end of the input.
Result<std::size_t> readSome(int input, std::vector<char> &buffer)
{
    for (;;) {
        pollfd waits{input, POLLIN, 0};
        const int ready = poll(&waits, 1, kSignalMs);
        if (notedEndSignal() != 0)
            return Error{ErrorCode::Cancelled, "interrupted: nothing was written"};
        if (ready <= 0)
            continue;
        const ssize_t got = ::read(input, buffer.data(), buffer.size());
        if (got >= 0)
            return static_cast<std::size_t>(got);
        if (errno != EINTR && errno != EAGAIN)
            return readError(errno, "standard input cannot be read");
    }
}

Result<void> writeAll(int to, const char *bytes, std::size_t size, const std::string &folder)
{
    while (size > 0) {
        const ssize_t put = ::write(to, bytes, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return writeError(errno, "standard input cannot be copied to " + folder);
        bytes += put;
        size -= static_cast<std::size_t>(put);
    }
    return {};
}

/// Returns the number of bytes.
Result<std::uint64_t> copy(int input, int to, const std::string &folder, Console &console)
{
    std::vector<char> buffer(kChunk);
    std::uint64_t bytes = 0;
    std::uint64_t shown = 0;
    for (;;) {
        const Result<std::size_t> got = readSome(input, buffer);
        if (!got)
            return got.error();
        if (*got == 0)
            return bytes;
        if (Result<void> written = writeAll(to, buffer.data(), *got, folder); !written)
            return written.error();
        bytes += *got;
        if (bytes >= shown + kShowEvery) {
            shown = bytes;
            console.showStatus(QStringLiteral("%1 MiB received").arg(bytes >> 20));
        }
    }
}

Error onlyFromFile(const std::string &what)
{
    return {ErrorCode::Unsupported,
            "standard input is " + what + ", which can only be read from a file; name the file with --input FILE"};
}

bool isRegularFile(int fd)
{
    struct stat info = {};
    return ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
}

}  // namespace

InputCopy::InputCopy(int fd, std::string name)
    : m_fd(fd), m_name(std::move(name)), m_path("/proc/self/fd/" + std::to_string(fd))
{
}

InputCopy::~InputCopy()
{
    ::close(m_fd);
}

Result<std::unique_ptr<InputCopy>> InputCopy::makeEmpty(const CommandLine &line, const std::string &input)
{
    const Result<int> file = createNameless(folderOf(line), input);
    if (!file)
        return file.error();
    return std::unique_ptr<InputCopy>(new InputCopy(*file, input));
}

Result<std::unique_ptr<InputCopy>> InputCopy::make(const CommandLine &line, Console &console)
{
    const Result<int> input = openStandardInput();
    if (!input)
        return input.error();
    std::unique_ptr<InputCopy> source(new InputCopy(*input, kStandardInput));
    if (isRegularFile(*input))
        return isRegion(source->path()) ? onlyFromFile("a region")
                                        : Result<std::unique_ptr<InputCopy>>(std::move(source));
    if (::isatty(*input) == 1)
        return Error{ErrorCode::InvalidArgument, std::string("--input -: standard input is a terminal; ") + kSend};
    Result<std::unique_ptr<InputCopy>> made = makeEmpty(line, kStandardInput);
    if (!made)
        return made.error();
    std::unique_ptr<InputCopy> copied = std::move(*made);
    const Result<std::uint64_t> bytes = copy(*input, copied->m_fd, folderOf(line), console);
    if (!bytes)
        return bytes.error();
    if (*bytes == 0)
        return Error{ErrorCode::BadFormat,
                     std::string("standard input ended before any data arrived: the sender did not start, or failed; "
                                 "see its own message, and ") +
                         kSend};
    if (isDatabase(copied->path()))
        return onlyFromFile("a SQLite database");
    if (isRegion(copied->path()))
        return onlyFromFile("a region");
    return copied;
}

std::string InputCopy::named(std::string message) const
{
    for (std::size_t at = message.find(m_path); at != std::string::npos; at = message.find(m_path, at))
        message.replace(at, m_path.size(), m_name);
    return message;
}

}  // namespace ct
