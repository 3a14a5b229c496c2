// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Measures a recording of a scheduler's events: bytes per event, and ns per event to encode, compress, write, read and
// decode. The floors are copying the events, and zstd alone on them.
//   bench_recording [DIRECTORY, default /dev/shm]
#include "core/recording/read/recordingreader.h"
#include "core/recording/write/recordingwriter.h"
#include "tests/bench/schedulerevents.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <unistd.h>
#include <zstd.h>

using namespace ct;
using namespace ct::ctr;
using namespace bench;

namespace {

constexpr std::size_t kEvents = 4'000'000;
constexpr int kRuns = 5;

/// Returns the median of several runs, in ns per event.
double perEvent(const std::function<double()> &run)
{
    std::vector<double> times;
    for (int i = 0; i < kRuns; ++i)
        times.push_back(run() * 1e9 / kEvents);
    std::sort(times.begin(), times.end());
    return times[kRuns / 2];
}

std::vector<Batch> eventsOf(const Storm &storm)
{
    StormStream stream(storm);
    std::vector<Batch> batches;
    for (std::size_t count = 0; count < kEvents; count += kBatch)
        batches.push_back(stream.next(std::min(kBatch, kEvents - count)));
    return batches;
}

/// Returns the payloads of the blocks, before compression.
std::vector<std::string> payloadsOf(const std::vector<Batch> &batches)
{
    std::vector<std::string> payloads;
    StreamEncoder encoder;
    ColumnWriter payload;
    for (std::size_t i = 0; i < batches.size(); ++i) {
        encoder.addBatch(batches[i]);
        if (!encoder.isFull() && i + 1 < batches.size())
            continue;
        payload.clear();
        encoder.write(std::nullopt, payload);
        payloads.emplace_back(reinterpret_cast<const char *>(payload.data()), payload.size());
        encoder.beginBlock();
    }
    return payloads;
}

double copyTime(const std::vector<Batch> &batches)
{
    Transitions copy;
    copy.resize(kBatch);
    return secondsOf([&] {
        for (const Batch &batch : batches) {
            std::memcpy(copy.data(), batch.transitions.data(), batch.transitions.size() * sizeof(Transition));
            asm volatile("" : : "r"(copy.data()) : "memory");
        }
    });
}

struct Compressed {
    double seconds = 0;
    std::size_t bytes = 0;
};
Compressed compress(ZSTD_CCtx *context, std::string_view text, std::string &out)
{
    out.resize(ZSTD_compressBound(text.size()));
    Compressed result;
    result.seconds =
        secondsOf([&] { result.bytes = ZSTD_compress2(context, out.data(), out.size(), text.data(), text.size()); });
    out.resize(result.bytes);
    return result;
}

/// Prints the floors: memcpy of the transitions, and zstd alone on their bytes in memory.
void printFloor(const std::vector<Batch> &batches)
{
    ZSTD_CCtx *context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, BlockWriter::kLevel);
    std::size_t bytes = 0;
    std::string out;
    const double copy = perEvent([&] { return copyTime(batches); });
    const double time = perEvent([&] {
        double seconds = 0;
        bytes = 0;
        for (std::size_t i = 0; i < batches.size(); i += 8) {
            std::string raw;
            for (std::size_t k = i; k < std::min(i + 8, batches.size()); ++k)
                raw.append(reinterpret_cast<const char *>(batches[k].transitions.data()),
                           batches[k].transitions.size() * sizeof(Transition));
            const Compressed block = compress(context, raw, out);
            seconds += block.seconds;
            bytes += block.bytes;
        }
        return seconds;
    });
    std::printf("  floors: memcpy %.1f ns; zstd alone %.1f ns, %.2f B/event\n", copy, time,
                static_cast<double>(bytes) / kEvents);
    ZSTD_freeCCtx(context);
}

void printParts(const std::vector<Batch> &batches)
{
    const double encode = perEvent([&] { return secondsOf([&] { payloadsOf(batches); }); });
    const std::vector<std::string> payloads = payloadsOf(batches);
    std::size_t raw = 0;
    for (const std::string &payload : payloads)
        raw += payload.size();
    std::printf("  encode %.1f ns, %.2f B/event;", encode, static_cast<double>(raw) / kEvents);
    StreamDecoder decoder;
    Batch batch;
    const double decode = perEvent([&] {
        return secondsOf([&] {
            for (const std::string &payload : payloads) {
                if (!decoder.beginBlock(payload))
                    std::abort();
                while (decoder.next(batch)) {
                }
            }
        });
    });
    std::printf(" decode %.1f ns\n", decode);
    std::string out, back;
    for (const int level : {-3, 1, 2, 3}) {
        ZSTD_CCtx *context = ZSTD_createCCtx();
        ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
        std::size_t bytes = 0;
        double unpack = 0;
        const double pack = perEvent([&] {
            double seconds = 0;
            bytes = 0;
            unpack = 0;
            for (const std::string &payload : payloads) {
                const Compressed block = compress(context, payload, out);
                seconds += block.seconds;
                bytes += block.bytes;
                back.resize(payload.size());
                unpack += secondsOf([&] { ZSTD_decompress(back.data(), back.size(), out.data(), out.size()); });
            }
            return seconds;
        });
        std::printf("  zstd %2d: %.1f ns, %.2f B/event; back %.1f ns\n", level, pack,
                    static_cast<double>(bytes) / kEvents, unpack * 1e9 / kEvents);
        ZSTD_freeCCtx(context);
    }
}

void printWhole(const std::vector<Batch> &batches, const std::string &path)
{
    std::uint64_t size = 0;
    const double write = perEvent([&] {
        const auto writer = RecordingWriter::open(path);
        return secondsOf([&] {
            for (const Batch &batch : batches) {
                if (!(*writer)->consume(batch))
                    std::abort();
            }
            if (!(*writer)->finish({}))
                std::abort();
        });
    });
    if (std::FILE *file = std::fopen(path.c_str(), "rb")) {
        std::fseek(file, 0, SEEK_END);
        size = static_cast<std::uint64_t>(std::ftell(file));
        std::fclose(file);
    }
    Batch batch;
    const double read = perEvent([&] {
        const auto reader = RecordingReader::open(path);
        return secondsOf([&] {
            for (;;) {
                const Result<bool> more = (*reader)->next(batch);
                if (!more)
                    std::abort();
                if (!*more)
                    break;
            }
        });
    });
    std::printf("  file: %.2f B/event; all of writing %.1f ns = %.1f M events/s; all of reading %.1f ns = %.1f M "
                "events/s\n",
                static_cast<double>(size) / kEvents, write, 1e3 / write, read, 1e3 / read);
    ::unlink(path.c_str());
}

}  // namespace

int main(int argc, char **argv)
{
    const std::string path = std::string(argc > 1 ? argv[1] : "/dev/shm") + "/bench_recording.ctr";
    for (const Storm &storm : {Storm{"1,000 coroutines, 2 threads", 1000, 2, false, false},
                               Storm{"the same, a frame address each", 1000, 2, true, false},
                               Storm{"the same, in random order", 1000, 2, true, true},
                               Storm{"100,000 coroutines, 2 threads", 100'000, 2, false, false},
                               Storm{"the same, a frame address each", 100'000, 2, true, false},
                               Storm{"the same, in random order", 100'000, 2, true, true}}) {
        std::printf("%s\n", storm.name);
        const std::vector<Batch> batches = eventsOf(storm);
        printFloor(batches);
        printParts(batches);
        printWhole(batches, path);
    }
}
