// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/reporting/stacks.h"

#include "core/analysis/watchedtime.h"
#include "core/base/quantitytext.h"
#include "core/reporting/locations.h"

#include <algorithm>
#include <array>
#include <map>

namespace ct {

namespace {

std::string stateText(const ChainGroup &group)
{
    static constexpr std::array<const char *, 7> kWaits = {"waits",
                                                           "waits for a lock",
                                                           "waits for a channel",
                                                           "waits for a descriptor",
                                                           "waits for a time",
                                                           "waits in a cycle",
                                                           "waits for an object"};
    switch (group.end) {
    case ChainEnd::NotStarted: return "not started";
    case ChainEnd::Running: return "runs";
    case ChainEnd::Woken: return "was woken, and has not run";
    case ChainEnd::Waiting: break;
    }
    return kWaits.at(std::min<std::size_t>(static_cast<std::size_t>(group.waitsFor), kWaits.size() - 1));
}

}  // namespace

std::vector<ReportedStack> reportedStacks(const std::vector<ChainGroup> &groups, std::uint64_t now,
                                          const Population &population, const AddressResolver *resolver)
{
    const WatchedTime watched(population, now);
    std::vector<ReportedStack> stacks;
    std::map<std::pair<std::string, std::vector<std::string>>, std::size_t> indexes;
    for (const ChainGroup &group : groups) {
        const std::uint32_t pid = population.at(group.links.front().coroutine).pid;
        const std::uint64_t longestNs = watched.since(pid, group.since);
        ReportedStack stack{group.count, stateText(group), longestNs, {}, group.coroutines};
        for (const ChainLink &link : group.links)
            stack.links.push_back(
                locationText(locationOf(population, resolver, link.coroutine, link.site, link.addr, link.since)));
        const auto [known, isNew] = indexes.try_emplace({stack.state, stack.links}, stacks.size());
        if (isNew) {
            stacks.push_back(std::move(stack));
        } else {
            ReportedStack &same = stacks[known->second];
            same.count += stack.count;
            same.longestNs = std::max(same.longestNs, stack.longestNs);
            same.coroutines.insert(same.coroutines.end(), stack.coroutines.begin(), stack.coroutines.end());
        }
    }
    std::stable_sort(stacks.begin(), stacks.end(),
                     [](const ReportedStack &a, const ReportedStack &b) { return a.count > b.count; });
    return stacks;
}

std::vector<std::string> foldedLinks(const ReportedStack &stack)
{
    std::vector<std::string> lines;
    for (auto link = stack.links.begin(); link != stack.links.end();) {
        const auto next =
            std::find_if(link, stack.links.end(), [link](const std::string &other) { return other != *link; });
        lines.push_back(next - link == 1 ? *link : *link + ", " + std::to_string(next - link) + " times");
        link = next;
    }
    return lines;
}

std::string stackText(const ReportedStack &stack)
{
    std::string text =
        std::to_string(stack.count) + " x " + stack.state + ", the longest for " + durationText(stack.longestNs) + "\n";
    for (const std::string &link : foldedLinks(stack))
        text += "    " + link + "\n";
    return text;
}

std::string stacksText(const std::vector<ReportedStack> &stacks)
{
    std::string text;
    if (!stacks.empty())
        text += "\ncoroutines that are alive, equal ones together, the innermost first:\n";
    for (const ReportedStack &stack : stacks)
        text += "\n" + stackText(stack);
    return text;
}

}  // namespace ct
