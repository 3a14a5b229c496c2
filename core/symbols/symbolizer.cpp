// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/symbols/symbolizer.h"

#include <algorithm>
#include <map>
#include <utility>

namespace ct {

namespace {

constexpr std::size_t kMostModules = 64;
constexpr std::uint64_t kMostBytes = std::uint64_t{2} << 30;

/// A module's addresses as linked, each with its indexes in the result.
using Wanted = std::map<std::uint64_t, std::vector<std::size_t>>;

}  // namespace

Symbolizer::Symbolizer(DebugSearchPath searchPath) : m_searchPath(std::move(searchPath)) {}

Symbolizer::~Symbolizer() = default;

ModuleSymbols *Symbolizer::symbolsOf(const Module &module)
{
    const auto known = std::find_if(m_opened.begin(), m_opened.end(), [&](const Opened &opened) {
        return opened.path == module.path && opened.buildId == module.buildId;
    });
    if (known != m_opened.end()) {
        m_opened.splice(m_opened.begin(), m_opened, known);
        return m_opened.front().symbols.get();
    }
    auto symbols = std::make_unique<ModuleSymbols>(module, m_searchPath);
    if (symbols->lacksMemory() && !m_opened.empty()) {
        symbols.reset();
        m_opened.clear();
        symbols = std::make_unique<ModuleSymbols>(module, m_searchPath);
    }
    m_opened.push_front({module.path, module.buildId, std::move(symbols)});
    std::uint64_t bytes = 0;
    std::size_t kept = 0;
    for (auto opened = m_opened.begin(); opened != m_opened.end(); ++kept) {
        bytes += opened->symbols->bytes();
        const bool tooMuch = kept > 0 && (kept >= kMostModules || bytes > kMostBytes);
        opened = tooMuch ? m_opened.erase(opened, m_opened.end()) : std::next(opened);
    }
    return m_opened.front().symbols.get();
}

DescribedAddress Symbolizer::outside()
{
    DescribedAddress described;
    described.reason = Unresolved::NoModule;
    described.remedy = "no program or library was mapped there: the address may be of another process, of code made at "
                       "run time, or of a library that was unloaded";
    return described;
}

std::vector<DescribedAddress> Symbolizer::describe(const ModuleMap &modules, std::span<const std::uint64_t> addresses)
{
    std::vector<DescribedAddress> answers(addresses.size());
    std::map<std::pair<std::string, std::string>, std::vector<std::pair<const Module *, std::size_t>>> byFile;
    for (std::size_t i = 0; i < addresses.size(); ++i) {
        if (const Module *module = modules.moduleAt(addresses[i]))
            byFile[{module->path, module->buildId}].emplace_back(module, i);
        else
            answers[i] = outside();
    }
    for (const auto &[file, asked] : byFile) {
        ModuleSymbols *symbols = symbolsOf(*asked.front().first);
        Wanted wanted;
        for (const auto &[module, index] : asked) {
            if (const auto linked = symbols->linkedAddress(*module, addresses[index]))
                wanted[*linked].push_back(index);
            else
                answers[index] = symbols->nothing();
        }
        std::vector<std::uint64_t> linked;
        for (const auto &[address, indexes] : wanted)
            linked.push_back(address);
        const std::vector<DescribedAddress> described = symbols->describe(linked);
        std::size_t next = 0;
        for (const auto &[address, indexes] : wanted) {
            for (const std::size_t index : indexes)
                answers[index] = described[next];
            ++next;
        }
    }
    return answers;
}

}  // namespace ct
