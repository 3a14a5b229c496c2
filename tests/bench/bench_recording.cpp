// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a recording costs: bytes an event, and ns an event of encoding, compressing, writing, reading and decoding, for
// the transitions of a scheduler; beside the floors of copying the same transitions, and of zstd alone on them.
//   bench_recording [DIRECTORY for the file, /dev/shm]
#include "core/recording/recordingreader.h"
#include "core/recording/recordingwriter.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <deque>
#include <functional>
#include <random>
#include <string>
#include <unistd.h>
#include <zstd.h>

using namespace ct;
using namespace ct::ctr;

namespace {

constexpr std::size_t kEvents = 4'000'000;
constexpr std::size_t kBatch = 8192;  ///< as the harvest of lanes makes them
constexpr int kRuns = 5;

double secondsOf(const std::function<void()> &work)
{
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// The median of several runs, ns an event.
double perEvent(const std::function<double()> &run)
{
    std::vector<double> times;
    for (int i = 0; i < kRuns; ++i)
        times.push_back(run() * 1e9 / kEvents);
    std::sort(times.begin(), times.end());
    return times[kRuns / 2];
}

struct Storm {
    const char *name;
    std::uint32_t coroutines;
    std::uint32_t threads;
    bool ownAddresses;  ///< each coroutine's frame has another; else all suspend at one
    bool random;        ///< who comes next; else they queue
};

/// Threads take coroutines, resume them and suspend them again; times jitter by some tens of ns, and now and then by
/// hundreds.
std::vector<Batch> eventsOf(const Storm &storm)
{
    std::mt19937 random(1);
    std::deque<CoroutineId> ready;
    std::vector<std::uint64_t> next(storm.coroutines);
    struct Thread {
        std::uint64_t now = 0;
        CoroutineId running = kNoCoroutine;
    };
    std::vector<Thread> threads(storm.threads);
    std::vector<Batch> batches(1);
    for (CoroutineId id = 0; id < storm.coroutines; ++id) {
        ready.push_back(id);
        Birth birth;
        birth.coroutine = id;
        birth.dialect = Dialect::Lane;
        batches.back().births.push_back(birth);
    }
    batches.back().sites.push_back({1, 10, 5, "storm.cpp", "Job takeTurns()"});
    for (std::uint32_t i = 0; i < storm.threads; ++i)
        threads[i].now = 1'000'000'000'000 + i * 17;
    for (std::size_t count = 0; count < kEvents; ++count) {
        const auto thread =
            std::min_element(threads.begin(), threads.end(), [](auto &a, auto &b) { return a.now < b.now; });
        Transition event;
        event.active = thread->running == kNoCoroutine;
        if (event.active) {
            const std::size_t place = storm.random ? random() % std::min<std::size_t>(ready.size(), 4096) : 0;
            std::swap(ready[place], ready.front());
            thread->running = ready.front();
            ready.pop_front();
        }
        const CoroutineId id = thread->running;
        event.coroutine = id;
        event.n = next[id]++;
        event.seq = slotSeq(Dialect::Lane, event.n);
        event.ts = thread->now;
        event.tid = 4000 + static_cast<std::uint32_t>(thread - threads.begin());
        event.site = event.active ? kUnknownSite : 1;
        event.addr = storm.ownAddresses ? 0x5600'0000'1000 + std::uint64_t{id} * 208 : event.active ? 0 : 0x401234;
        if (!event.active) {
            ready.push_back(id);
            thread->running = kNoCoroutine;
        }
        thread->now += 25 + random() % 30 + (random() % 50 == 0 ? random() % 1000 : 0);
        if (batches.back().transitions.size() == kBatch)
            batches.emplace_back();
        batches.back().transitions.push_back(event);
        batches.back().now = event.ts;
    }
    return batches;
}

/// Blocks as they would be written, before compression.
std::vector<std::string> payloadsOf(const std::vector<Batch> &batches)
{
    std::vector<std::string> payloads;
    StreamEncoder encoder;
    ColumnWriter payload;
    for (std::size_t i = 0; i < batches.size(); ++i) {
        encoder.add(batches[i]);
        if (!encoder.isFull() && i + 1 < batches.size())
            continue;
        payload.clear();
        encoder.write(std::nullopt, payload);
        payloads.emplace_back(reinterpret_cast<const char *>(payload.data()), payload.size());
        encoder.begin();
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

/// zstd alone, on the transitions as they lie in memory.
void sayFloor(const std::vector<Batch> &batches)
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

void sayParts(const std::vector<Batch> &batches)
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
                if (!decoder.begin(payload))
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

void sayWhole(const std::vector<Batch> &batches, const std::string &path)
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
        sayFloor(batches);
        sayParts(batches);
        sayWhole(batches, path);
    }
}
