// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/reporting/graphlabels.h"

#include "core/base/quantitytext.h"
#include "core/reporting/locations.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>

namespace ct {

namespace {

constexpr std::size_t kMostInLine = 40;

bool isContinuation(char c)
{
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

/// How many cells of a line a UTF-8 text needs. From U+1100 on, most characters are as wide as two others.
std::size_t cellsOf(const std::string &text)
{
    std::size_t cells = 0;
    for (const char c : text)
        cells += isContinuation(c) ? 0 : static_cast<unsigned char>(c) >= 0xE1 ? 2 : 1;
    return cells;
}

/// Replaces the middle of a long line by an ellipsis, and characters that XML forbids by U+FFFD.
std::string shortened(std::string text)
{
    for (const char *const forbidden : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"})
        for (std::size_t at = 0; (at = text.find(forbidden, at)) != std::string::npos;)
            text.replace(at, 3, "\xEF\xBF\xBD");
    std::vector<std::size_t> starts;
    for (std::size_t i = 0; i < text.size(); ++i)
        if (!isContinuation(text[i]))
            starts.push_back(i);
    if (starts.size() <= kMostInLine)
        return text;
    const std::size_t half = (kMostInLine - 1) / 2;
    return text.substr(0, starts[half]) + "\u2026" + text.substr(starts[starts.size() - half]);
}

/// "read" for "net::Connection::read(int)": boxes are narrow.
std::string briefFunction(const std::string &function)
{
    std::size_t end = function.size();
    if (function.ends_with(')')) {
        int depth = 0;
        do {
            --end;
            depth += function[end] == ')' ? 1 : function[end] == '(' ? -1 : 0;
        } while (depth > 0 && end > 0);
    }
    int depth = 0;
    for (std::size_t i = end; i-- > 0;) {
        depth += function[i] == '>' ? 1 : function[i] == '<' ? -1 : 0;
        if (depth == 0 && function[i] == ':')
            return end > i + 1 ? function.substr(i + 1, end - i - 1) : function;
    }
    return end > 0 ? function.substr(0, end) : function;
}

std::string countedText(const WaitNode &node, const char *one, const char *several)
{
    return node.count == 1 ? one : std::to_string(node.count) + " " + several;
}

std::string timerText(const WaitNode &node, std::uint64_t now)
{
    if (node.object == 0)
        return "timer";
    return node.object > now ? "timer, in " + durationText(node.object - now)
                             : "timer, due " + durationText(now - node.object) + " ago";
}

std::string addressed(const char *kind, const WaitNode &node)
{
    if (node.object == 0)
        return kind;
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), " 0x%" PRIx64, node.object);
    return kind + std::string(text.data());
}

std::string threadText(const WaitNode &node, const Population &population)
{
    const std::string name = population.threadName(node.pid, static_cast<std::uint32_t>(node.object));
    const std::string number = std::to_string(node.object);
    return "thread " + (name.empty() ? number : name + " (" + number + ")");
}

std::string titleOf(const WaitNode &node, const Population &population, std::uint64_t now)
{
    const bool isOne = node.count == 1;
    switch (node.kind) {
    case WaitNodeKind::Coroutine: {
        if (!isOne)
            return countedText(node, "", "coroutines");
        const std::string name = population.hasName(node.coroutine) ? population.notes(node.coroutine).name : "";
        return (name.empty() ? "coroutine" : name) + " #" + std::to_string(node.coroutine);
    }
    case WaitNodeKind::Lock: return isOne ? addressed("lock", node) : countedText(node, "", "locks");
    case WaitNodeKind::Channel: return isOne ? addressed("channel", node) : countedText(node, "", "channels");
    case WaitNodeKind::Descriptor:
        return isOne ? "descriptor " + std::to_string(static_cast<std::int64_t>(node.object))
                     : countedText(node, "", "descriptors");
    case WaitNodeKind::Timer: return isOne ? timerText(node, now) : countedText(node, "", "timers");
    case WaitNodeKind::Object: return isOne ? addressed("object", node) : countedText(node, "", "objects");
    case WaitNodeKind::Thread: return isOne ? threadText(node, population) : countedText(node, "", "threads");
    }
    return {};
}

const char *stateText(const WaitNode &node)
{
    switch (node.state) {
    case CoroutineState::Created: return "not started";
    case CoroutineState::Running: return "runs";
    case CoroutineState::Runnable: return "was woken, and has not run";
    case CoroutineState::Finished:
    case CoroutineState::Destroyed: return "has ended";
    default: return "";
    }
}

const char *markText(const WaitNode &node)
{
    if (node.inCycle)
        return "in a cycle";
    switch (node.deadEnd) {
    case DeadEnd::Ended: return "dead end: has ended";
    case DeadEnd::NoHolder: return "dead end: free, and still awaited";
    case DeadEnd::HolderEnded: return "dead end: its holder has ended";
    case DeadEnd::NoWakers: return "dead end: nothing is left to wake it";
    case DeadEnd::None: break;
    }
    return node.kind == WaitNodeKind::Coroutine ? stateText(node) : "";
}

}  // namespace

GraphLabels graphLabels(const WaitGraph &graph, const Population &population, const AddressResolver *resolver,
                        std::uint64_t now)
{
    GraphLabels labels;
    labels.reserve(graph.nodes.size());
    for (const WaitNode &node : graph.nodes) {
        std::vector<std::string> &lines = labels.emplace_back();
        lines.push_back(shortened(printableText(titleOf(node, population, now))));
        if (node.kind == WaitNodeKind::Coroutine && (node.site != kUnknownSite || node.addr != 0)) {
            NamedLocation location = locationOf(population, resolver, node.coroutine, node.site, node.addr, node.since);
            location.function = briefFunction(location.function);
            lines.push_back(shortened(locationText(location)));
        }
        if (const std::string mark = markText(node); !mark.empty())
            lines.push_back(mark);
    }
    return labels;
}

std::string graphSummary(const WaitGraph &graph)
{
    const auto counted = [](std::uint64_t count, const char *one, const char *several) {
        return std::to_string(count) + " " + (count == 1 ? one : several);
    };
    std::string text = counted(graph.coroutines, "coroutine", "coroutines");
    if (graph.cycles != 0)
        text += ", " + counted(graph.cycles, "cycle", "cycles");
    if (graph.deadEnds != 0)
        text += ", " + counted(graph.deadEnds, "dead end", "dead ends");
    if (graph.isBySite)
        text += "; grouped by site";
    if (graph.leftOut != 0)
        text += "; " + std::to_string(graph.leftOut) + " left out";
    if (graph.others != 0)
        text += "; " + std::to_string(graph.others) + " further " +
                (graph.others == 1 ? "coroutine neither reports" : "coroutines neither report") + " a wait nor " +
                (graph.others == 1 ? "is" : "are") + " waited for";
    return text;
}

std::vector<GraphSize> boxSizes(const GraphLabels &labels)
{
    constexpr double kCell = 7.2;
    constexpr double kMargin = 10;
    std::vector<GraphSize> sizes;
    sizes.reserve(labels.size());
    for (const std::vector<std::string> &lines : labels) {
        std::size_t cells = 6;
        for (const std::string &line : lines)
            cells = std::max(cells, cellsOf(line));
        sizes.push_back({static_cast<double>(cells) * kCell + 2 * kMargin,
                         static_cast<double>(lines.size()) * kGraphLineHeight + kMargin});
    }
    return sizes;
}

std::vector<GraphLink> linksOf(const WaitGraph &graph)
{
    std::vector<GraphLink> links;
    links.reserve(graph.edges.size());
    for (const WaitEdge &edge : graph.edges)
        links.push_back({edge.from, edge.to});
    return links;
}

}  // namespace ct
