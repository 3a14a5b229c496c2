// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/library/openrecording.h"

#include "core/recording/format/ctrformat.h"
#include "core/recording/read/recordingreader.h"
#include "core/recording/read/regularfile.h"
#include "core/recording/text/jsonlreader.h"
#include "core/recording/text/packing.h"

#include <array>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace ct {

namespace {

/// Returns an error for a compressed file with another format than JSONL. Only text is decompressed while it is read.
Result<void> checkPackedFormat(const std::string &path)
{
    const Result<int> file = openRegularFile(path);
    if (!file)
        return file.error();
    std::vector<char> bytes(1U << 18);  // more than the first block of a zstd frame
    const ssize_t got = ::pread(*file, bytes.data(), bytes.size(), 0);
    ::close(*file);
    std::string_view packed(bytes.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
    const Packing packing = packingOf(packed);
    const std::unique_ptr<Unpacker> unpacker = Unpacker::make(packing);
    std::array<char, 16> begin{};
    const Result<std::size_t> size =
        unpacker ? unpacker->unpack(packed, begin.data(), begin.size()) : Result<std::size_t>(0);
    const std::string_view text(begin.data(), size ? *size : 0);
    const bool isRecording = text.starts_with(std::string_view(ctr::kFileMagic.data(), ctr::kFileMagic.size()));
    if (!isRecording && !text.starts_with("SQLite format 3"))
        return {};
    return Error{ErrorCode::Unsupported, path + " is a compressed " + (isRecording ? "recording (.ctr)" : "database") +
                                             "; decompress it first, with " +
                                             (packing == Packing::Gzip ? "gzip -d" : "zstd -d")};
}

}  // namespace

Result<std::unique_ptr<StreamFile>> openRecording(const std::string &path, std::shared_ptr<StreamIndex> streamIndex,
                                                  FileGrowth *growth, OutputHandler handleOutput, ReadOptions options)
{
    if (!RecordingReader::isRecording(path)) {
        if (Result<void> checked = checkPackedFormat(path); !checked)
            return checked.error();
        Result<std::unique_ptr<JsonlReader>> lines = JsonlReader::open(path, options);
        if (!lines)
            return lines.error();
        if (streamIndex)
            streamIndex->close();
        return std::unique_ptr<StreamFile>(std::move(*lines));
    }
    Result<std::unique_ptr<RecordingReader>> reader = RecordingReader::open(path, std::move(handleOutput), growth);
    if (!reader)
        return reader.error();
    if (streamIndex)
        (*reader)->setStreamIndex(std::move(streamIndex));
    return std::unique_ptr<StreamFile>(std::move(*reader));
}

}  // namespace ct
