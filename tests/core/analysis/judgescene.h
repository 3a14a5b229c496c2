// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A run that a test builds step by step, and judges. Times are ms; all coroutines belong to one process.
#pragma once

#include "core/analysis/judge.h"
#include "tests/support/events.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ct::test {

class JudgeScene {
public:
    static constexpr std::uint32_t kPid = 7;
    static constexpr std::uint64_t kMs = 1'000'000;

    JudgeScene() : history(16 << 20) {}

    SiteId site(const std::string &function, std::uint32_t line)
    {
        Batch batch;
        Site site;
        site.id = ++m_sites;
        site.line = line;
        site.file = "/src/" + function + ".cpp";
        site.function = function + "()";
        batch.sites = {site};
        feed(batch);
        return site.id;
    }
    /// Without a time, the time of its birth is not known.
    CoroutineId born(std::uint64_t ms = 0) { return born(ms, Dialect::Lane, kPid); }
    /// A coroutine of a version-1 target. Its function, if there is one, was read from its frame.
    CoroutineId bornInVersion1(const std::string &function = {})
    {
        const CoroutineId id = born(0, Dialect::Seqlock, 0);
        if (!function.empty())
            readFrame(id, function);
        return id;
    }
    void readFrame(CoroutineId id, const std::string &function)
    {
        FrameLocation location;
        location.coroutine = id;
        location.function = function;
        data.addFrames({location});
    }
    /// A new coroutine that is suspended at the site.
    CoroutineId suspended(std::uint64_t ms, SiteId where, PointKind kind = PointKind::Await)
    {
        const CoroutineId id = born();
        suspend(id, ms, where, kind);
        return id;
    }
    void suspend(CoroutineId id, std::uint64_t ms, SiteId where, PointKind kind = PointKind::Await)
    {
        event(id, ms, where, kind, false);
    }
    void resume(CoroutineId id, std::uint64_t ms) { event(id, ms, kUnknownSite, PointKind::Await, true); }
    void suspendOn(CoroutineId id, std::uint64_t ms, SiteId where, std::uint32_t tid)
    {
        event(id, ms, where, PointKind::Await, false, tid);
    }
    void resumeOn(CoroutineId id, std::uint64_t ms, std::uint32_t tid)
    {
        event(id, ms, kUnknownSite, PointKind::Await, true, tid);
    }
    void destroy(CoroutineId id, std::uint64_t ms)
    {
        Batch batch;
        batch.deaths = {{id, ms * kMs}};
        feed(batch);
    }

    /// What the latest suspension of a coroutine waits for.
    void waits(CoroutineId id, WaitKind kind, std::uint64_t object, CoroutineId target = kNoCoroutine,
               std::uint32_t part = 0)
    {
        Batch batch;
        batch.notes.waits = {{id, m_next[id] - 1, kind, object, target, part}};
        feed(batch);
    }
    void use(UseKind kind, CoroutineId by, std::uint64_t object, std::uint64_t ms)
    {
        Batch batch;
        batch.notes.uses = {{by, by == kNoCoroutine ? 0 : m_next[by], kind, object, kUnknownSite, ms * kMs, kPid, 100}};
        feed(batch);
    }
    /// A wake by a thread that saw `unseen` events of the coroutine less than there are now.
    void wake(CoroutineId id, std::uint64_t ms, std::uint64_t unseen = 0)
    {
        Batch batch;
        batch.notes.wakes = {{id, kNoCoroutine, m_next[id] - unseen, ms * kMs, kPid, 101}};
        feed(batch);
    }
    /// From now on, the target is known to report wakes.
    void reportsWakes()
    {
        const CoroutineId id = suspended(1, site("woken", 1));
        wake(id, 2);
        resume(id, 3);
        destroy(id, 4);
    }
    /// Its only thread was seen to wait for a signal: nothing keeps it from resuming a coroutine.
    void sleeps(std::uint64_t ms) { sampled(ms, {thread(100, ThreadState::Sleeping, ThreadCall::Signal)}); }
    void parent(CoroutineId id, CoroutineId of)
    {
        Batch batch;
        batch.notes.parents = {{id, of}};
        feed(batch);
    }
    /// The process was sampled at that time, completely.
    void sampled(std::uint64_t ms, std::vector<ThreadSample> threads = {},
                 std::vector<DescriptorSample> descriptors = {})
    {
        m_descriptorsMs = ms;
        sampledThreads(ms, std::move(threads), std::move(descriptors));
    }
    /// The threads of the process were sampled at that time, but not its descriptors.
    void sampledThreads(std::uint64_t ms, std::vector<ThreadSample> threads = {},
                        std::vector<DescriptorSample> descriptors = {})
    {
        Batch batch;
        for (ThreadSample &thread : threads) {
            thread.pid = kPid;
            thread.ts = ms * kMs;
        }
        for (DescriptorSample &descriptor : descriptors) {
            descriptor.pid = kPid;
            descriptor.ts = ms * kMs;
        }
        ProcessSample process;
        process.pid = kPid;
        process.ts = ms * kMs;
        process.descriptorsTs = m_descriptorsMs * kMs;
        process.threads = 1;
        process.areThreadsKnown = process.areCallsKnown = process.areDescriptorsKnown = true;
        batch.notes.threadSamples = std::move(threads);
        batch.notes.descriptorSamples = std::move(descriptors);
        batch.notes.processSamples = {process};
        feed(batch);
    }
    static ThreadSample thread(std::uint32_t tid, ThreadState state, ThreadCall call, std::uint64_t object = 0,
                               std::uint64_t cpuMs = 0)
    {
        ThreadSample sample;
        sample.tid = tid;
        sample.state = state;
        sample.call = call;
        sample.object = object;
        sample.cpuNs = cpuMs * kMs;
        return sample;
    }
    static DescriptorSample descriptor(std::uint32_t number, std::uint32_t epoll, DescriptorKind kind,
                                       std::uint64_t deadline = 0)
    {
        DescriptorSample sample;
        sample.descriptor = number;
        sample.epoll = epoll;
        sample.kind = kind;
        sample.events = 1;
        sample.deadline = deadline;
        return sample;
    }
    void feed(const Batch &batch)
    {
        (void)population.consume(batch);
        (void)data.consume(batch);
        (void)history.consume(batch);
    }

    Verdict at(std::uint64_t ms) const { return judge({population, data, history}, ms * kMs); }
    /// The findings of a rule.
    std::vector<Finding> at(std::uint64_t ms, Rule rule) const
    {
        std::vector<Finding> findings = at(ms).findings;
        std::erase_if(findings, [rule](const Finding &finding) { return finding.rule != rule; });
        return findings;
    }
    /// How many coroutines a rule could not judge.
    std::uint64_t abstained(std::uint64_t ms, Rule rule) const
    {
        std::uint64_t count = 0;
        for (const Abstention &abstention : at(ms).abstained)
            count += abstention.rule == rule ? abstention.count : 0;
        return count;
    }
    /// Nothing is found, except that data are missing.
    bool isClean(std::uint64_t ms) const
    {
        const std::vector<Finding> findings = at(ms).findings;
        return std::all_of(findings.begin(), findings.end(),
                           [](const Finding &finding) { return finding.rule == Rule::Capture; });
    }

    const std::shared_ptr<Population> owned = std::make_shared<Population>();
    Population &population = *owned;
    JudgeData data{owned};
    History history;
    std::uint64_t frame = 0;  ///< address of the frame in suspensions that follow

private:
    CoroutineId born(std::uint64_t ms, Dialect dialect, std::uint32_t pid)
    {
        Batch batch;
        Birth birth;
        birth.coroutine = static_cast<CoroutineId>(m_next.size());
        birth.dialect = dialect;
        birth.pid = pid;
        birth.birthTs = ms * kMs;
        batch.births = {birth};
        m_next.push_back(0);
        feed(batch);
        return birth.coroutine;
    }
    void event(CoroutineId id, std::uint64_t ms, SiteId where, PointKind kind, bool active, std::uint32_t tid = 0)
    {
        Batch batch;
        Transition transition = eventOf(Dialect::Lane, id, m_next[id]++, ms * kMs, active, where);
        transition.kind = kind;
        transition.addr = active ? 0 : frame;
        transition.tid = tid != 0 ? tid : 100 + id % 4;
        batch.transitions = {transition};
        batch.now = transition.ts;
        feed(batch);
    }
    std::vector<std::uint64_t> m_next;
    SiteId m_sites = 0;
    std::uint64_t m_descriptorsMs = 0;
};

}  // namespace ct::test
