// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
#include <corotracer/recording/capi.h>

#include "core/recording/read/recordingoverview.h"
#include "core/recording/read/recordingreader.h"
#include "reader/src/rows.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <new>
#include <utility>

using namespace ct;

namespace {

ctr_damage rowOf(const ctr::Damage &damage)
{
    return {damage.offset, damage.bytes, damage.transitions, damage.file, damage.atEnd};
}

/// An overview and its rows.
struct Overview {
    explicit Overview(RecordingOverview read) : content(std::move(read)), info(toJson(content.info))
    {
        for (const std::string &file : content.files)
            files.push_back(textOf(file));
        for (const RecordingOverview::Block &block : content.blocks)
            blocks.push_back({block.location.offset, block.location.firstTs, block.location.lastTs,
                              block.location.transitions, block.file, block.location.kind, 0});
        for (const ctr::Damage &damage : content.damages)
            damages.push_back(rowOf(damage));
        if (content.sums)
            sums = sumsOf(*content.sums);
        given.first_ts = content.firstTs;
        given.last_ts = content.lastTs;
        given.transitions = content.transitions;
        given.bytes = content.bytes;
        given.files = files.data();
        given.file_count = files.size();
        given.blocks = blocks.data();
        given.block_count = blocks.size();
        given.damages = damages.data();
        given.damage_count = damages.size();
        given.sums = content.sums ? &sums : nullptr;
        given.info = info.c_str();
        given.ended = content.hasEnded;
    }
    Overview(const Overview &) = delete;
    Overview &operator=(const Overview &) = delete;

    RecordingOverview content;
    std::string info;
    std::vector<ctr_text> files;
    std::vector<ctr_block> blocks;
    std::vector<ctr_damage> damages;
    ctr_sums sums{};
    ctr_overview given{};
};

}  // namespace

struct ctr_reader {
    void open(const char *file);
    bool readPass();
    const ctr_batch *next(std::size_t wantedRows);
    const ctr_overview *overview();
    void fail(std::string why)
    {
        status = CTR_FAILED;
        message = std::move(why);
    }

    std::string path;
    std::unique_ptr<RecordingReader> reader;  ///< nullptr: the recording could not be opened
    int status = CTR_GOOD;
    std::string message;
    Batch batch;
    std::vector<ctr::OutputPiece> pendingOutput;  ///< output for the next batch
    std::vector<ctr::OutputPiece> output;         ///< output of the latest batch
    Rows rows;
    bool atEnd = false;
    ctr_sums sums{};
    std::string info;
    std::vector<ctr_damage> damages;
    std::unique_ptr<Overview> heads;
};

void ctr_reader::open(const char *file)
{
    path = file ? file : "";
    auto opened = RecordingReader::open(
        path, [this](const ctr::OutputPiece &piece) { pendingOutput.push_back(piece); }, nullptr,
        RecordingReader::Frames::Ignored);  // the interface has no frame locations
    if (opened)
        reader = std::move(*opened);
    else
        fail(opened.error().message);
}

/// Reads one pass into `batch` and `output`. Returns false when there is none.
bool ctr_reader::readPass()
{
    if (!reader || atEnd)
        return false;
    const Result<bool> more = reader->next(batch);
    atEnd = !more || !*more;
    if (!more) {
        status = reader->readAll() ? CTR_DAMAGED : CTR_FAILED;
        message = more.error().message;
    } else if (atEnd && reader->info().part) {
        status = CTR_DAMAGED;
        message = path + ": it was made from a part of a recording, and lacks the rest; everything else was read";
    }
    if (atEnd)
        batch.clear();
    output.clear();
    output.swap(pendingOutput);
    // Output behind the last events gets a batch of its own.
    return !atEnd || !output.empty();
}

const ctr_batch *ctr_reader::next(std::size_t wantedRows)
{
    rows.clear();
    const ctr_batch *joined = nullptr;
    while (readPass()) {
        joined = rows.append(batch, output);
        if (rows.count() >= wantedRows)
            break;
        rows.keepTexts(batch, output);
    }
    return joined;
}

const ctr_overview *ctr_reader::overview()
{
    if (heads)
        return &heads->given;
    Result<RecordingOverview> read = overviewOf(path);
    if (read) {
        heads = std::make_unique<Overview>(std::move(*read));
        return &heads->given;
    }
    if (status != CTR_FAILED)
        fail(read.error().message);
    return nullptr;
}

namespace {

/// Runs `work` and lets no exception leave the library. After an exception the reader reports that memory ran out, and
/// reads no further batch. Returns `otherwise` then.
template <class Work, class Value>
Value guarded(ctr_reader &reader, Value otherwise, Work &&work) noexcept
{
    try {
        return work();
    } catch (const std::exception &) {
        reader.atEnd = true;
        reader.status = CTR_FAILED;
        reader.message.clear();  // the new text is short and needs no allocation
        reader.message = "out of memory";
        return otherwise;
    }
}

}  // namespace

ctr_reader *ctr_open(const char *path)
{
    auto *const reader = new (std::nothrow) ctr_reader;
    if (reader)
        guarded(*reader, 0, [&] { return reader->open(path), 0; });
    return reader;
}

void ctr_close(ctr_reader *reader)
{
    delete reader;
}

int ctr_status(const ctr_reader *reader)
{
    return reader->status;
}

const char *ctr_message(const ctr_reader *reader)
{
    return reader->message.c_str();
}

const ctr_batch *ctr_next(ctr_reader *reader)
{
    return guarded(*reader, static_cast<const ctr_batch *>(nullptr), [&] { return reader->next(0); });
}

const ctr_batch *ctr_next_rows(ctr_reader *reader, size_t rows)
{
    return guarded(*reader, static_cast<const ctr_batch *>(nullptr), [&] { return reader->next(rows); });
}

double ctr_progress(const ctr_reader *reader)
{
    return reader->reader && !reader->atEnd ? reader->reader->progress() : 1;
}

const ctr_sums *ctr_sums_of(ctr_reader *reader)
{
    if (reader->reader)
        reader->sums = sumsOf(reader->reader->accounting());
    return &reader->sums;
}

const char *ctr_info(ctr_reader *reader)
{
    return guarded(*reader, "{}", [&] {
        reader->info = toJson(reader->reader ? reader->reader->info() : RecordingInfo());
        return reader->info.c_str();
    });
}

size_t ctr_damages(ctr_reader *reader, const ctr_damage **damages)
{
    *damages = nullptr;
    return guarded(*reader, std::size_t{0}, [&] {
        reader->damages.clear();
        if (reader->reader) {
            for (const ctr::Damage &damage : reader->reader->damages())
                reader->damages.push_back(rowOf(damage));
        }
        *damages = reader->damages.data();
        return reader->damages.size();
    });
}

int ctr_ended(const ctr_reader *reader)
{
    return reader->reader && reader->reader->hasEnded();
}

const ctr_overview *ctr_overview_of(ctr_reader *reader)
{
    return guarded(*reader, static_cast<const ctr_overview *>(nullptr), [&] { return reader->overview(); });
}

int ctr_over_time(ctr_reader *reader, uint64_t from, uint64_t to, double *transitions, size_t columns)
{
    return guarded(*reader, 0, [&] {
        if (!reader->overview())
            return 0;
        const std::vector<double> all = reader->heads->content.transitionsOverTime(from, to, columns);
        std::fill_n(std::copy(all.begin(), all.end(), transitions), columns - all.size(), 0.0);
        return 1;
    });
}

const char *ctr_version(void)
{
    return COROTRACER_VERSION;
}
