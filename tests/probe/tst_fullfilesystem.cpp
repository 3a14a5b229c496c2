// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The file system fills up while a target runs. The target continues, and everything without memory is reported and
// counted.
#include "tests/probe/lanetest.h"
#include "tests/support/harvestloop.h"
#include "tests/support/smalltmpfs.h"

#include <array>
#include <fcntl.h>
#include <thread>

namespace {

struct Counts {
    std::uint64_t born = 0, traced = 0, events = 0;
};

/// The target: some coroutines while there is room, and far more than fit once there is none.
class Target {
public:
    void run(int from, int to)
    {
        corotracer::InitTracer();
        live(2000);
        sendCounts(to);
        char go = 0;
        while (::read(from, &go, 1) == 1 && go == 'f') {
            live(60'000);
            std::thread([this] { live(3000); }).join();
            sendCounts(to);
        }
    }

private:
    void live(int coroutines)
    {
        for (int i = 0; i < coroutines; ++i) {
            auto &one = *m_all.emplace_back(std::make_unique<lanetest::Traced>());
            ++m_counts.born;
            if (one.self() == corotracer::kNoIdentity)
                continue;
            ++m_counts.traced;
            lanetest::events(one, 4);
            m_counts.events += 4;
        }
    }
    void sendCounts(int to) const
    {
        if (::write(to, &m_counts, sizeof m_counts) != sizeof m_counts)
            ::_exit(3);
    }

    Counts m_counts;
    std::vector<std::unique_ptr<lanetest::Traced>> m_all;
};

/// Fills the rest of the file system.
void fillUp(const std::string &path)
{
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    std::vector<char> zeros(1 << 16);
    for (std::size_t size = zeros.size(); size != 0; size /= 2) {
        while (::write(fd, zeros.data(), size) == static_cast<ssize_t>(size)) {
        }
    }
    ::close(fd);
}

struct Engine {
    explicit Engine(ct::Region &region) : loop(region) {}
    void pass()
    {
        batch.clear();
        loop.safetyPass(batch);
    }
    /// Waits until the target has sent its counts.
    Counts await(int from)
    {
        Counts counts;
        std::size_t got = 0;
        while (got < sizeof counts) {
            const ssize_t part = ::read(from, reinterpret_cast<char *>(&counts) + got, sizeof counts - got);
            REQUIRE(part != 0);
            got += part > 0 ? static_cast<std::size_t>(part) : 0;
            pass();
        }
        return counts;
    }

    /// Scans until growthStopped has the given value. The gauges are updated only now and then.
    bool becomes(bool stopped)
    {
        for (int attempt = 0; attempt < 2000 && loop.accounting().growthStopped != stopped; ++attempt) {
            pass();
            ::usleep(1000);
        }
        return loop.accounting().growthStopped == stopped;
    }

    HarvestLoop loop;
    ct::Batch batch;
};

}  // namespace

CT_CASE(aTargetOutlivesAFullFileSystem)
{
    smalltmpfs::onSmallTmpfs(48 << 20, [](const std::string &directory) {
        ct::RegionSpec spec;
        spec.path = directory + "/r.shm";
        spec.stations = 1'000'000;
        spec.laneBytes = 2 << 20;
        auto region = ct::Region::create(spec);
        REQUIRE(region);
        ::setenv("CTP_SHM_PATH", spec.path.c_str(), 1);
        ::setenv("CTP_SOCK_PATH", (directory + "/none.sock").c_str(), 1);
        ::setenv("CTP_MAX_STATIONS", "1000000", 1);
        std::array<int, 2> orders{}, answers{};
        REQUIRE(::pipe2(orders.data(), O_CLOEXEC) == 0 && ::pipe2(answers.data(), O_CLOEXEC) == 0);
        const pid_t child = ::fork();
        if (child == 0) {
            ::close(orders[1]);
            Target().run(orders[0], answers[1]);
            ::_exit(0);
        }
        ::close(orders[0]);
        ::close(answers[1]);
        ::fcntl(answers[0], F_SETFL, O_NONBLOCK);
        Engine engine(*region);
        Counts counts = engine.await(answers[0]);
        CHECK_EQUAL(counts.traced, 2000u);
        CHECK(!engine.loop.accounting().growthStopped);

        fillUp(directory + "/filler");
        REQUIRE(::write(orders[1], "f", 1) == 1);
        counts = engine.await(answers[0]);
        CHECK(counts.traced < counts.born);
        CHECK(engine.becomes(true));

        // With room again, growth continues.
        REQUIRE(::unlink((directory + "/filler").c_str()) == 0);
        ::usleep(200'000);
        const std::uint64_t before = counts.traced;
        REQUIRE(::write(orders[1], "f", 1) == 1);
        counts = engine.await(answers[0]);
        CHECK(counts.traced > before);
        CHECK(engine.becomes(false));
        ::close(orders[1]);
        int status = 0;
        REQUIRE(::waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        for (bool done = false; !done;) {
            engine.batch.clear();
            done = engine.loop.finalDrain(engine.batch);
        }
        const ct::Accounting sums = engine.loop.accounting();
        CHECK_EQUAL(sums.captured + sums.lost, counts.events);
        CHECK_EQUAL(sums.missedBeforeAttach, 0u);
        CHECK_EQUAL(sums.coroutines, counts.traced);
        CHECK_EQUAL(sums.coroutines + sums.untraced, counts.born);
    });
}
