// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/symbols/demangle.h"

#include "core/base/functionname.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>
#include <utility>

namespace ct {

namespace {

constexpr std::size_t kLongestName = 16U << 10;

struct Free {
    void operator()(char *text) const { std::free(text); }
};

/// Returns true for names that end like "::h0123456789abcdef", the hash with which rustc distinguishes instances.
bool endsWithRustHash(std::string_view name)
{
    constexpr std::size_t kLength = 19;
    const std::string_view hash = name.size() > kLength ? name.substr(name.size() - kLength) : "";
    return hash.starts_with("::h") && hash.find_first_not_of("0123456789abcdef", 3) == std::string_view::npos;
}

/// Resolves rustc's escapes. Sources: https://doc.rust-lang.org/rustc/symbol-mangling/index.html, and rustc-demangle
/// for the list of escapes.
std::string rustUnescaped(std::string name)
{
    constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kEscapes{{{"$LT$", "<"},
                                                                                      {"$GT$", ">"},
                                                                                      {"$LP$", "("},
                                                                                      {"$RP$", ")"},
                                                                                      {"$RF$", "&"},
                                                                                      {"$BP$", "*"},
                                                                                      {"$SP$", "@"},
                                                                                      {"$C$", ","},
                                                                                      {"$u20$", " "},
                                                                                      {"$u7b$", "{"},
                                                                                      {"$u7d$", "}"}}};
    for (const auto &[escape, text] : kEscapes) {
        for (std::size_t at = name.find(escape); at != std::string::npos; at = name.find(escape, at + text.size()))
            name.replace(at, escape.size(), text);
    }
    for (std::size_t at = name.find(".."); at != std::string::npos; at = name.find("..", at + 2))
        name.replace(at, 2, "::");
    for (const std::string_view before : {"_<", "::_{"}) {
        const std::size_t at = name.find(before);
        if (at != std::string::npos && (at == 0 || before.starts_with(':')))
            name.erase(name.find('_', at), 1);
    }
    return name;
}

}  // namespace

std::string readableSymbol(std::string_view symbol)
{
    if (!symbol.starts_with("_Z") || symbol.size() > kLongestName)
        return std::string(symbol);
    int status = 0;
    const std::unique_ptr<char, Free> text(abi::__cxa_demangle(std::string(symbol).c_str(), nullptr, nullptr, &status));
    if (status != 0 || !text)
        return std::string(symbol);
    std::string_view name = text.get();
    if (endsWithRustHash(name))
        return rustUnescaped(std::string(name.substr(0, name.rfind("::"))));
    // Clones (".actor", ".resume", ".cold", ".part.0") are parts of one function.
    name = name.substr(0, name.find(" [clone "));
    return readableFunction(name);
}

std::string_view lastPart(std::string_view readable)
{
    int depth = 0;
    std::size_t begin = 0;
    std::size_t end = std::string_view::npos;
    for (std::size_t i = 0; i < readable.size(); ++i) {
        const char c = readable[i];
        if (depth == 0 && (c == '(' || c == '<'))
            end = std::min(end, i);
        if (c == '(' || c == '<')
            ++depth;
        else if (c == ')' || c == '>')
            --depth;
        else if (depth == 0 && (c == ':' || (c == ' ' && !readable.substr(i).starts_with(" const")))) {
            begin = i + 1;
            end = std::string_view::npos;
        }
    }
    return readable.substr(begin, std::min(end, readable.size()) - begin);
}

}  // namespace ct
