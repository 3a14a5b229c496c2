// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporting/csv/csvcauses.h"

#include "core/base/fileending.h"
#include "core/base/filekey.h"
#include "core/exporting/csv/csvtext.h"
#include "core/recording/text/packing.h"
#include "core/recording/write/fileclaim.h"
#include "core/recording/write/standardstreams.h"
#include "core/stream/causenames.h"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace ct {

namespace {

constexpr std::string_view kHeader =
    "kind,ts,coroutine,n,by,object,waits_for,target,mode,position,wakers,pid,tid,file,line,function\n";
/// Every file of causes begins with this, even one of a later version.
constexpr std::string_view kMark = "kind,ts,coroutine,n,";
/// So many bytes of a file, compressed or not, contain kMark.
constexpr std::size_t kEnoughForMark = 1U << 18;
/// Room for all numbers, words and commas of a row.
constexpr std::size_t kRowWithoutTexts = 320;

/// Returns the beginning of an existing file.
enum class Begin { Ours, Other, Empty };

Begin beginOf(int fd)
{
    struct stat info = {};
    if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size == 0)
        return Begin::Empty;
    std::vector<char> packed(kEnoughForMark);
    const ssize_t got = ::pread(fd, packed.data(), packed.size(), 0);
    std::string_view begin(packed.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
    std::array<char, kMark.size()> unpacked{};
    if (const std::unique_ptr<Unpacker> unpacker = Unpacker::make(packingOf(begin))) {
        const Result<std::size_t> size = unpacker->unpack(begin, unpacked.data(), unpacked.size());
        begin = {unpacked.data(), size ? *size : 0};
    }
    return begin.starts_with(kMark) ? Begin::Ours : Begin::Other;
}

char *putId(char *at, CoroutineId id)
{
    return id == kNoCoroutine ? at : putDecimal(at, id);
}

char *putKnown(char *at, std::uint64_t value)
{
    return value == 0 ? at : putDecimal(at, value);
}

}  // namespace

/// A cause of any kind. Columns that do not apply are unknown.
struct CsvCauses::Row {
    std::string_view kind;
    std::uint64_t ts = 0;
    CoroutineId coroutine = kNoCoroutine;
    std::optional<std::uint64_t> n;
    CoroutineId by = kNoCoroutine;
    std::uint64_t object = 0;
    const WaitsOn *waits = nullptr;
    std::optional<std::uint64_t> wakers;
    std::uint32_t pid = 0;
    std::uint32_t tid = 0;
    SiteId site = kUnknownSite;

    explicit Row(const WaitsOn &of) : kind("wait"), coroutine(of.coroutine), n(of.n), object(of.object), waits(&of) {}
    explicit Row(const Wake &of)
        : kind("wake"), ts(of.ts), coroutine(of.coroutine), n(of.n), by(of.by), pid(of.pid), tid(of.tid)
    {
    }
    explicit Row(const Use &of)
        : kind(useKindName(of.kind)),
          ts(of.ts),
          n(of.by == kNoCoroutine ? std::nullopt : std::optional(of.n)),
          by(of.by),
          object(of.object),
          pid(of.pid),
          tid(of.tid),
          site(of.site)
    {
    }
    explicit Row(const WakersLeft &of)
        : kind("wakers_left"), ts(of.ts), coroutine(of.coroutine), n(of.n), wakers(of.count)
    {
    }
    explicit Row(const Finish &of) : kind("finish"), ts(of.ts), coroutine(of.coroutine), site(of.site) {}
};

std::string causesPathFor(const std::string &csvPath)
{
    std::error_code unknown;  // no such file
    const bool isDevice = std::filesystem::is_character_file(csvPath, unknown);
    return outputStreamNamed(csvPath) || isDevice ? std::string() : addBeforeEnding(csvPath, ".causes");
}

Result<void> checkNoOtherFile(const std::string &causesPath)
{
    const int fd = ::open(causesPath.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    // A file that cannot be read may have any content.
    const bool isOther = fd >= 0 ? beginOf(fd) == Begin::Other : errno == EACCES || errno == EPERM;
    if (fd >= 0)
        ::close(fd);
    return isOther ? Result<void>(Error{ErrorCode::AlreadyExists, causesPath + " is not a file of causes, so it is not "
                                                                               "replaced; move it, or choose another "
                                                                               "name"})
                   : Result<void>();
}

void removeOlderCauses(const std::string &causesPath)
{
    const int fd = ::open(causesPath.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    if (beginOf(fd) == Begin::Ours && !ctr::claimsOn(causesPath).written)
        unlinkIfSame(causesPath, FileKey::of(fd));
    ::close(fd);
}

Result<void> CsvCauses::open()
{
    if (Result<void> checked = checkNoOtherFile(m_path); !checked)
        return checked;
    Result<std::unique_ptr<LineOutput>> output = LineOutput::open(m_path);
    if (!output)
        return output.error();
    m_output = std::move(*output);
    Result<char *> line = m_output->beginLine(kHeader.size());
    if (!line)
        return line.error();
    m_output->endLine(put(*line, kHeader), LineOutput::Counts::No);
    return {};
}

Result<void> CsvCauses::write(const Row &row)
{
    const bool hasSite = row.site < m_siteTexts.size() && !m_siteTexts[row.site].empty();
    const std::string_view site = hasSite ? std::string_view(m_siteTexts[row.site]) : kNoCsvSite;
    Result<char *> line = m_output->beginLine(kRowWithoutTexts + site.size());
    if (!line)
        return line.error();
    const auto putComma = [](char *at) { return put(at, ","); };
    char *at = putComma(put(*line, row.kind));
    at = putComma(putKnown(at, row.ts));
    at = putComma(putId(at, row.coroutine));
    if (row.n)
        at = putDecimal(at, *row.n);
    at = putComma(putId(putComma(at), row.by));
    if (row.waits != nullptr && isNumberOfObject(row.waits->kind))
        at = putDecimal(at, row.object);
    else if (row.object != 0)
        at = putHex(at, row.object);
    at = putComma(at);
    if (row.waits != nullptr) {
        at = putComma(put(at, waitKindName(row.waits->kind)));
        at = putComma(putId(at, row.waits->target));
        at = putComma(put(at, waitModeName(*row.waits)));
        at = putComma(putDecimal(at, row.waits->indexOfPart()));
    } else {
        at = put(at, ",,,,");
    }
    if (row.wakers)
        at = putDecimal(at, *row.wakers);
    at = putComma(putKnown(putComma(at), row.pid));
    at = putKnown(at, row.tid);
    m_output->endLine(put(put(at, site), "\n"));
    return {};
}

template <class Cause>
Result<void> CsvCauses::writeAll(const std::vector<Cause> &causes)
{
    for (const Cause &cause : causes) {
        if (Result<void> written = write(Row(cause)); !written)
            return written;
    }
    return {};
}

Result<void> CsvCauses::consume(const Batch &batch)
{
    const Notes &notes = batch.notes;
    if (m_path.empty() || (notes.causes() == 0 && !m_output))
        return {};
    Result<void> written = m_output ? Result<void>() : open();
    const auto add = [&](const auto &causes) {
        if (written)
            written = writeAll(causes);
    };
    add(notes.waits);
    add(notes.wakes);
    add(notes.uses);
    add(notes.wakersLeft);
    add(notes.finishes);
    return written ? m_output->flushIfDue(batch.now) : written;
}

Result<void> CsvCauses::finish()
{
    if (m_output)
        return m_output->close();
    if (!m_path.empty())
        removeOlderCauses(m_path);
    return {};
}

std::string_view csvCausesHeader()
{
    return kHeader;
}

}  // namespace ct
