// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Addresses of programs that have ended, compared with the lines that the programs printed, and with addr2line.
#include "core/symbols/symbolizer.h"
#include "programrun.h"
#include "tests/support/check.h"
#include "tests/support/paths.h"

#include <algorithm>
#include <random>

using namespace ct;

namespace {

/// Returns "function:line" of all frames, innermost first, with "+" for inlined ones.
std::string chainOf(const DescribedAddress &described)
{
    std::string chain;
    for (const SourceFrame &frame : described.frames)
        chain += frame.function + ":" + std::to_string(frame.line) + (frame.inlined ? "+" : "") + " ";
    return chain;
}

std::string described(Symbolizer &symbolizer, const made::ProgramRun &ran, const std::string &key)
{
    const std::uint64_t addresses[] = {ran.locations.at(key).address};
    return chainOf(symbolizer.describe(ran.modules, addresses).front());
}

void checkProgram(const std::string &name)
{
    if (!made::exists(name))
        return;
    const made::ProgramRun ran = made::run(name);
    REQUIRE(ran.ran && ran.locations.size() == 5);
    Symbolizer symbolizer;
    const auto line = [&](const char *key) { return std::to_string(ran.locations.at(key).line); };
    const auto mark = [](const char *source, const char *text) { return std::to_string(made::marked(source, text)); };
    const int before = check::failures;
    CHECK_EQUAL(described(symbolizer, ran, "innermost"),
                "shapes::innermost():" + line("innermost") + "+ shapes::middle(int):" + mark("program.cpp", "middle") +
                    "+ shapes::outer<long>(long):" + mark("program.cpp", "outer") + " ");
    CHECK_EQUAL(described(symbolizer, ran, "method"), "shapes::Box::method() const:" + line("method") + " ");
    CHECK_EQUAL(described(symbolizer, ran, "hidden"), "(anonymous namespace)::hidden(int):" + line("hidden") + " ");
    const std::string lambda = described(symbolizer, ran, "lambda");
    CHECK(lambda.find("main::") == 0 &&
          lambda.find(std::string(":").append(line("lambda")).append(" ")) != std::string::npos);
    CHECK_EQUAL(described(symbolizer, ran, "insideLibrary"),
                "insideLibrary():" + line("insideLibrary") +
                    "+ libraryFunction(int):" + mark("library.cpp", "library") + " ");
    const std::uint64_t asked[] = {ran.locations.at("innermost").address};
    const DescribedAddress one = symbolizer.describe(ran.modules, asked).front();
    CHECK(one.reason == Unresolved::None && one.remedy.empty());
    CHECK_EQUAL(one.frames.front().file, ct::test::kSourceDir + "/tests/core/symbols/program.cpp");
    if (check::failures != before)
        std::cerr << "  in " << name << ", lambda " << lambda << std::endl;
}

/// Returns the lines of each address's frames as addr2line prints them, 0 for its "?". Addresses are as linked.
std::vector<std::string> peer(const std::string &program, const std::vector<std::uint64_t> &addresses)
{
    std::ostringstream command;
    command << CT_ADDR2LINE << " -iae '" << program << "'" << std::hex;
    for (const std::uint64_t address : addresses)
        command << " 0x" << address;
    std::vector<std::string> answers;
    std::FILE *output = ::popen(command.str().c_str(), "r");
    char text[4096];
    while (output && std::fgets(text, sizeof(text), output)) {
        const std::string line(text);
        if (line.starts_with("0x")) {
            answers.emplace_back();
            continue;
        }
        const std::size_t colon = line.rfind(':');
        const std::string number = line.substr(colon + 1, line.find_first_not_of("0123456789", colon + 1) - colon - 1);
        answers.back() += (number.empty() ? "0" : number) + " ";
    }
    if (output)
        ::pclose(output);
    return answers;
}

void comparePeer(const std::string &name)
{
    if (!made::exists(name))
        return;
    const Module module{made::path(name), 0, ~std::uint64_t{0}, 0, buildIdOf(made::path(name))};
    ModuleSymbols symbols(module, {});
    std::vector<std::uint64_t> addresses;
    for (const SymbolTable::Symbol &symbol : symbols.symbols().symbols()) {
        const std::vector<std::uint64_t> first{symbol.begin};
        // Only functions of the program's own sources: the tools differ for the compiler's start files.
        const std::vector<SourceFrame> frames = symbols.describe(first).front().frames;
        const bool ours = !frames.empty() && frames.front().file.find("/tests/core/symbols/") != std::string::npos;
        for (std::uint64_t address = symbol.begin; ours && address < symbol.end; address += 3)
            addresses.push_back(address);
    }
    std::sort(addresses.begin(), addresses.end());
    addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
    REQUIRE(addresses.size() > 50);
    const std::vector<DescribedAddress> ours = symbols.describe(addresses);
    const std::vector<std::string> theirs = peer(module.path, addresses);
    REQUIRE(theirs.size() == addresses.size());
    std::size_t different = 0;
    for (std::size_t i = 0; i < addresses.size(); ++i) {
        std::string lines;
        for (const SourceFrame &frame : ours[i].frames)
            lines += std::to_string(frame.line) + " ";
        if (lines != theirs[i] && ++different < 5)
            std::cerr << name << " 0x" << std::hex << addresses[i] << std::dec << ": " << lines << "| addr2line "
                      << theirs[i] << std::endl;
    }
    std::cout << name << ": " << addresses.size() << " addresses, " << different << " differ from addr2line"
              << std::endl;
    CHECK_EQUAL(different, 0U);
}

}  // namespace

CT_CASE(findsFunctionsFilesLinesAndInlinedFrames)
{
    for (const char *name : {"gxx_o2", "gxx_o0_fixed", "gxx_dwarf4", "gxx_compressed", "gxx_split", "gxx_lto",
                             "gxx_shared", "clang_o2", "clang_o0", "clang_dwarf4", "clang_aranges"})
        checkProgram(name);
}

CT_CASE(findsInlinedFramesOfRust)
{
    if (!made::exists("rust"))
        return;
    const made::ProgramRun ran = made::run("rust");
    REQUIRE(ran.ran && ran.locations.count("innermost") == 1);
    Symbolizer symbolizer;
    const std::uint64_t addresses[] = {ran.locations.at("innermost").address};
    const DescribedAddress one = symbolizer.describe(ran.modules, addresses).front();
    REQUIRE(one.frames.size() == 2);
    CHECK(one.frames[0].inlined && one.frames[0].function.find("innermost") != std::string::npos);
    CHECK_EQUAL(one.frames[0].line, static_cast<unsigned>(made::marked("program.rs", "innermost")));
    CHECK(one.frames[1].function.find("outer") != std::string::npos);
    CHECK_EQUAL(one.frames[1].line, static_cast<unsigned>(made::marked("program.rs", "outer")));
}

CT_CASE(agreesWithAddr2line)
{
    if (std::string(CT_ADDR2LINE).ends_with("NOTFOUND")) {
        std::cout << "SKIPPED: no addr2line here" << std::endl;
        return;
    }
    for (const char *name : {"gxx_o2", "gxx_o0_fixed", "gxx_dwarf4", "clang_o2", "clang_dwarf4"})
        comparePeer(name);
}

CT_CASE(answersDoNotDependOnTheNumberOfAddresses)
{
    const made::ProgramRun ran = made::run("gxx_o2");
    REQUIRE(!ran.modules.modules().empty());
    std::mt19937_64 random(1);
    std::vector<std::uint64_t> addresses{0, ~std::uint64_t{0}};
    for (const Module &module : ran.modules.modules()) {
        for (int i = 0; i < 20; ++i)
            addresses.push_back(module.begin + random() % (module.end - module.begin));
    }
    for (const auto &[name, marker] : ran.locations)
        addresses.insert(addresses.end(), 2, marker.address);
    Symbolizer symbolizer;
    const std::vector<DescribedAddress> together = symbolizer.describe(ran.modules, addresses);
    REQUIRE(together.size() == addresses.size());
    for (std::size_t i = 0; i < addresses.size(); ++i) {
        const std::uint64_t one[] = {addresses[i]};
        CHECK(Symbolizer().describe(ran.modules, one).front() == together[i]);
        CHECK(together[i].remedy.empty() == (together[i].reason == Unresolved::None));
    }
    CHECK(together[0].reason == Unresolved::NoModule && together[0].frames.empty());
}
