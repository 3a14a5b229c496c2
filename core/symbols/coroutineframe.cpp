// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/symbols/coroutineframe.h"

#include "core/symbols/demangle.h"
#include "core/symbols/suspensionline.h"
#include "core/symbols/symbolizer.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ct {

namespace {

/// Removes the suffix from "<coroutine>.actor" or "<coroutine>.actor.lto_priv.0". Returns an empty text if there is
/// none.
std::string_view baseOf(std::string_view symbol, std::string_view suffix)
{
    const std::size_t at = symbol.rfind(suffix);
    if (at == std::string_view::npos)
        return {};
    const std::string_view rest = symbol.substr(at + suffix.size());
    return rest.empty() || rest.starts_with(".lto_priv") || rest.starts_with(".llvm") ? symbol.substr(0, at)
                                                                                      : std::string_view{};
}

std::vector<std::string_view> bases(const std::vector<std::string_view> &names,
                                    std::initializer_list<std::string_view> suffixes)
{
    std::vector<std::string_view> found;
    for (const std::string_view name : names) {
        for (const std::string_view suffix : suffixes) {
            if (const std::string_view base = baseOf(name, suffix); !base.empty())
                found.push_back(base);
        }
    }
    return found;
}

struct Function {
    const Module *module = nullptr;
    ModuleSymbols *symbols = nullptr;
    std::uint64_t linked = 0;
    std::vector<std::string_view> names;  ///< valid until another module is opened
};

Function functionAt(Symbolizer &symbolizer, const ModuleMap &modules, std::uint64_t address)
{
    Function function;
    function.module = modules.moduleAt(address);
    if (!function.module)
        return function;
    function.symbols = symbolizer.symbolsOf(*function.module);
    if (const auto linked = function.symbols->linkedAddress(*function.module, address)) {
        function.linked = *linked;
        function.names = function.symbols->symbols().namesAt(*linked);
    }
    return function;
}

CoroutineFrame no(Unresolved reason, std::string remedy)
{
    CoroutineFrame frame;
    frame.location.reason = reason;
    frame.location.remedy = std::move(remedy);
    return frame;
}

CoroutineFrame notAFrame(const Function &function)
{
    if (!function.symbols)
        return no(Unresolved::NotACoroutine,
                  "this address is not a coroutine frame: the coroutine may have been destroyed");
    DescribedAddress nothing = function.symbols->nothing();
    // Without the symbols of local functions, no answer is possible.
    if (!function.symbols->dwarf() && !function.symbols->symbols().isEmpty())
        return no(Unresolved::NoSymbols,
                  "cannot check whether this is a coroutine frame: " + function.module->path +
                      " has no symbols of its coroutines; build it without -s, or install its debug package");
    if (function.symbols->symbols().isEmpty() && !nothing.remedy.empty())
        return no(nothing.reason, std::move(nothing.remedy));
    return no(Unresolved::NotACoroutine,
              "this address is not a coroutine frame: the coroutine may have been destroyed");
}

/// Returns the coroutine's symbol; empty if the two functions do not belong to one coroutine.
std::string_view coroutineOf(const Function &resume, const Function &destroy)
{
    const std::vector<std::string_view> ends = bases(destroy.names, {".destroy", ".cleanup"});
    for (const std::string_view base : bases(resume.names, {".actor", ".resume"})) {
        if (std::find(ends.begin(), ends.end(), base) != ends.end())
            return base;
    }
    return {};
}

}  // namespace

CoroutineFrame describeCoroutineFrame(Symbolizer &symbolizer, const ModuleMap &modules, std::uint64_t frame,
                                      const MemoryReader &read)
{
    // The ABI that both compilers share: resume function, destroy function, promise.
    std::array<std::uint64_t, 2> functions{};
    if (frame == 0 || frame % alignof(std::uint64_t) != 0)
        return no(Unresolved::NotACoroutine, "this address is not a coroutine frame: it is null or misaligned");
    if (!read(frame, functions.data(), sizeof(functions)))
        return no(Unresolved::NotReadable,
                  "the frame cannot be read: the process has ended, or this user may not read it "
                  "(see /proc/sys/kernel/yama/ptrace_scope)");
    const auto [resumeAddress, destroyAddress] = functions;
    const Function destroy = functionAt(symbolizer, modules, destroyAddress);
    if (!destroy.symbols)
        return notAFrame(destroy);
    const std::vector<std::string_view> ends = bases(destroy.names, {".destroy", ".cleanup"});
    Function resume;
    std::string_view coroutine = ends.empty() ? std::string_view{} : ends.front();
    if (resumeAddress != 0) {
        const Module *module = modules.moduleAt(resumeAddress);
        const bool together = module && module->path == destroy.module->path;
        resume = together ? functionAt(symbolizer, modules, resumeAddress) : Function{};
        coroutine = coroutineOf(resume, destroy);
    }
    if (coroutine.empty())
        return notAFrame(destroy);

    CoroutineFrame described;
    described.state = resumeAddress == 0 ? CoroutineFrame::State::Finished : CoroutineFrame::State::Suspended;
    described.resumeFunction = resumeAddress;
    described.location.module = destroy.module->path;
    SourceFrame source{readableSymbol(coroutine), {}, 0, 0, false};
    if (resumeAddress != 0) {
        SuspensionLine line =
            resume.symbols->suspensionLines().lineOf(*resume.symbols, {resumeAddress, resume.linked, frame}, read);
        source.file = std::move(line.file);
        source.line = line.line;
        source.column = line.column;
        described.resumeIndex = line.index;
    }
    if (source.line == 0) {
        described.location.reason = Unresolved::NoLines;
        described.location.remedy = resumeAddress == 0 ? "finished: it is suspended at its end"
                                    : !resume.symbols->dwarf()
                                        ? "only the function is known: " + described.location.module +
                                              " has no debug information; build it with -g"
                                        : "only the function is known: the compiler's code does not show at which "
                                          "co_await the coroutine is suspended; use this project's probe, which "
                                          "registers the site";
    }
    described.location.frames.push_back(std::move(source));
    return described;
}

}  // namespace ct
