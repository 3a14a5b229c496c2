// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/filesdiffer.h"

#include "app/commandline/exportoptions.h"
#include "core/base/filekey.h"
#include "core/databases/sqlite/databasefile.h"
#include "core/exporting/exportformat.h"
#include "core/recording/read/segments.h"
#include "core/recording/write/standardstreams.h"
#include "core/session/capturespec.h"

#include <array>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace ct {

namespace {

struct NamedFile {
    std::string name;
    std::string path;     ///< "-": standard output
    bool isRead = false;  ///< read, not written
    bool isText = false;  ///< text, which may share a stream
};

/// A standard stream, which the target's output or this program's messages go to.
struct Stream {
    int fd;
    const char *name;
    const char *what;
    const char *redirection;
};
constexpr std::array<Stream, 2> kStreams{{
    {STDOUT_FILENO, "standard output", "lines of the target", "> FILE"},
    {STDERR_FILENO, "standard error", "messages", "2> FILE"},
}};

/// An existing file, or the directory in which it would be created, with its name.
struct FileEntry {
    FileKey key;
    std::string name;  ///< empty: the file exists

    bool operator==(const FileEntry &) const = default;
};

/// Follows a chain of links to its end, even if no file exists there.
std::filesystem::path behindLinks(const std::string &path)
{
    constexpr int kMostLinks = 40;  // the limit of the kernel
    std::filesystem::path at(path);
    std::error_code failed;
    for (int i = 0; i < kMostLinks; ++i) {
        const std::filesystem::path target = std::filesystem::read_symlink(at, failed);
        if (failed)
            break;
        at = at.parent_path() / target;
    }
    return at;
}

/// Returns nullopt if `path` cannot be a file, or is a terminal or a device, which cannot be replaced.
std::optional<FileEntry> entryOf(const std::string &path)
{
    struct stat status {};
    const std::optional<int> stream = outputStreamNamed(path);
    if ((stream ? fstat(*stream, &status) : stat(path.c_str(), &status)) == 0) {
        if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode))
            return std::nullopt;
        return FileEntry{{status.st_dev, status.st_ino}, {}};
    }
    const std::filesystem::path file = behindLinks(path);
    const std::filesystem::path directory = file.has_parent_path() ? file.parent_path() : ".";
    const std::optional<FileKey> key = FileKey::of(directory.string());
    return key && file.has_filename() ? std::optional(FileEntry{*key, file.filename().string()}) : std::nullopt;
}

bool areSame(const std::optional<FileEntry> &a, const std::optional<FileEntry> &b)
{
    return a && a == b;
}

/// Returns true if `path` is the recording, or one of the numbered segments that it may get.
bool isNameOf(const std::string &recording, const std::string &path)
{
    const std::optional<ctr::SegmentName> segment = ctr::segmentNameOf(behindLinks(path).string());
    return areSame(entryOf(path), entryOf(recording)) ||
           (segment && areSame(entryOf(segment->path), entryOf(recording)));
}

Error sameFile(const NamedFile &a, const NamedFile &b)
{
    return {ErrorCode::InvalidArgument, a.name + " and " + b.name + " are the same file; choose different ones"};
}

/// Adds the files that SQLite creates and removes next to a database. SQLite follows links to find their directory.
void addDatabaseFiles(const std::string &database, bool isInput, std::vector<NamedFile> &files)
{
    for (const char *suffix : kOtherDatabaseFiles)
        files.push_back(
            {"the file " + database + suffix + " of the database", behindLinks(database).string() + suffix, isInput});
}

void addCausesFile(const std::string &output, const ExportFormat *format, std::vector<NamedFile> &files)
{
    if (const std::string path = format ? format->causesPath(output) : std::string(); !path.empty())
        files.push_back({"the file " + path + " of the causes", path});
}

/// Adds the files that belong to an output. `format`: of the output; nullptr = none.
void addSecondFiles(const std::string &output, const ExportFormat *format, std::vector<NamedFile> &files)
{
    if (format && format->extension == "sqlite")
        addDatabaseFiles(output, false, files);
    addCausesFile(output, format, files);
}

/// Adds the file to read. A recording has segments, and all of them are read.
void addInput(const CommandLine &line, std::vector<NamedFile> &files)
{
    if (line.start.kind() == RunKind::Input)
        files.push_back({"--input -", "/dev/stdin", true});
    const std::string input = line.start.inputPath();
    if (input.empty())
        return;
    const std::string option = line.start.kind() == RunKind::File ? "--input " : "--attach ";
    files.push_back({option + input, input, true});
    if (line.start.kind() != RunKind::File)
        return;
    addDatabaseFiles(input, true, files);
    if (line.exports.empty())
        return;
    for (const std::string &segment : ctr::segmentsAround(input)) {
        if (segment != input)
            files.push_back({option + input + ", which has the segment " + segment + ",", segment, true});
    }
}

/// Returns the files in the order in which messages name them.
std::vector<NamedFile> filesOf(const CommandLine &line)
{
    std::vector<NamedFile> files;
    if (!line.outputPath.empty() && !line.keepsOnly()) {  // dumps get free names
        const std::string output = line.limit.any() ? ctr::segmentPath(line.outputPath, 0) : line.outputPath;
        files.push_back({"-o " + line.outputPath, output});
        addSecondFiles(line.outputPath, exportFormatFor(line.outputPath), files);
    }
    for (const CommandLine::Export &requested : line.exports) {
        if (isOfServer(requested))
            continue;
        files.push_back({"--output " + requested.output + " of --export " + requested.kind, requested.output});
        addSecondFiles(requested.output, exportFormatOfKind(requested.kind), files);
    }
    if (!line.summaryPath.empty())
        files.push_back({"--summary " + line.summaryPath, line.summaryPath, false, true});
    if (!line.diagnosis.report.empty())
        files.push_back({"--report-out " + line.diagnosis.reportPath, line.diagnosis.reportPath, false, true});
    if (!line.diagnosis.baselinePath.empty())
        files.push_back({"--baseline " + line.diagnosis.baselinePath, line.diagnosis.baselinePath, true});
    addInput(line, files);
    const CaptureSpec &capture = line.start.capture;
    if (!capture.regionPath.empty())
        files.push_back({"--shm " + capture.regionPath, capture.regionPath});
    if (!capture.socketPath.empty())
        files.push_back({"--sock " + capture.socketPath, capture.socketPath});
    else if (const Result<std::string> socket = socketPathOf(capture, capture.regionPath);
             socket && !capture.regionPath.empty())
        files.push_back({"the socket of --shm " + capture.regionPath, *socket});
    return files;
}

bool writesRegularFile(int fd)
{
    struct stat status {};
    const int flags = ::fcntl(fd, F_GETFL);
    return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY && ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

/// Fails if opening `file` by its name would empty an inherited file. Names that outputStreamNamed() knows mean the
/// descriptor itself, and empty nothing.
Result<void> checkInherited(const NamedFile &file, int fd)
{
    const std::optional<FileKey> key = FileKey::of(fd);
    if (file.isRead || outputStreamNamed(file.path) || !key || !areSame(entryOf(file.path), FileEntry{*key, {}}) ||
        !writesRegularFile(fd))
        return {};
    const std::string number = std::to_string(fd);
    const std::string remedy = file.isText
                                   ? "; append to its content with /dev/fd/" + number + ", or choose another file"
                                   : "; choose another file";
    return Error{ErrorCode::InvalidArgument, file.name + " and the inherited descriptor " + number +
                                                 " are the same file: its content would be lost" + remedy};
}

}  // namespace

Result<void> checkFilesDiffer(const CommandLine &line)
{
    const std::vector<NamedFile> files = filesOf(line);
    const bool isNumbered = line.records() && !line.streams();
    for (std::size_t i = 0; i < files.size(); ++i) {
        for (std::size_t j = i + 1; j < files.size(); ++j) {
            if (areSame(entryOf(files[i].path), entryOf(files[j].path)))
                return sameFile(files[i], files[j]);
        }
        if (isNumbered && i > 0 && isNameOf(line.outputPath, files[i].path))
            return sameFile(files.front(), files[i]);
    }
    for (const Stream &stream : kStreams) {
        for (const NamedFile &file : files) {
            const std::optional<int> named = outputStreamNamed(file.path);
            const bool isAskedFor = named && (*named == stream.fd || file.isText);
            const std::optional<FileKey> key = FileKey::of(stream.fd);
            if (!isAskedFor && !file.isRead && key && areSame(entryOf(file.path), FileEntry{*key, {}}))
                return Error{ErrorCode::InvalidArgument,
                             file.name + " and " + stream.name + " are the same file: " + stream.what +
                                 " would damage it; redirect them (" + stream.redirection + ")"};
        }
    }
    for (const NamedFile &file : files) {
        for (const int fd : line.inherited) {
            if (Result<void> checked = checkInherited(file, fd); !checked)
                return checked;
        }
    }
    return {};
}

}  // namespace ct
