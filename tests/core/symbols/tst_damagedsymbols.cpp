// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Programs that were cut off, or with changed bytes: fewer addresses are resolved, and nothing worse happens.
#include "core/symbols/symbolizer.h"
#include "programrun.h"
#include "tests/support/check.h"
#include "tests/support/tempdir.h"

#include <algorithm>
#include <iterator>
#include <random>

using namespace ct;

namespace {

std::string contentOf(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

class Damage {
public:
    explicit Damage(const std::string &name) : m_content(contentOf(made::path(name)))
    {
        ModuleSymbols symbols({made::path(name), 0, ~std::uint64_t{0}, 0, ""}, {});
        for (const SymbolTable::Symbol &symbol : symbols.symbols().symbols()) {
            for (std::uint64_t address = symbol.begin; address < symbol.end; address += 7)
                m_addresses.push_back(address);
        }
        std::sort(m_addresses.begin(), m_addresses.end());
        m_addresses.erase(std::unique(m_addresses.begin(), m_addresses.end()), m_addresses.end());
    }

    const std::string &content() const { return m_content; }
    /// Returns the number of addresses that still have a line.
    std::size_t linesOf(const std::string &content)
    {
        const std::string path = m_folder.file("damaged");
        std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
        ModuleSymbols symbols({path, 0, ~std::uint64_t{0}, 0, ""}, {});
        std::size_t lines = 0;
        for (const DescribedAddress &described : symbols.describe(m_addresses)) {
            lines += !described.frames.empty() && described.frames.front().line > 0 ? 1 : 0;
            CHECK((described.reason == Unresolved::None) == described.remedy.empty());
        }
        return lines;
    }

private:
    std::string m_content;
    std::vector<std::uint64_t> m_addresses;
    test::TempDir m_folder;
};

constexpr const char *kPrograms[] = {"gxx_o2", "clang_o2", "gxx_dwarf4", "gxx_compressed", "gxx_separate.debug"};

}  // namespace

CT_CASE(truncatedFilesHaveFewerLines)
{
    for (const char *name : kPrograms) {
        if (!made::exists(name))
            continue;
        Damage damage(name);
        const std::size_t whole = damage.linesOf(damage.content());
        CHECK(whole > 50);
        std::mt19937 random(7);
        std::size_t less = 0;
        for (int i = 0; i < 60; ++i)
            less += damage.linesOf(damage.content().substr(0, random() % damage.content().size())) < whole ? 1 : 0;
        CHECK_EQUAL(less, 60U);
    }
}

CT_CASE(survivesChangedBytes)
{
    for (const char *name : kPrograms) {
        if (!made::exists(name))
            continue;
        Damage damage(name);
        std::mt19937 random(11);
        std::size_t some = 0;
        for (int i = 0; i < 150; ++i) {
            std::string content = damage.content();
            // Changes 1 to 20 bytes: in the first KiB, in the last 4 KiB, or anywhere.
            const std::size_t tables = 1024;
            for (int change = 0; change < 1 + i % 20; ++change) {
                std::size_t at = random() % content.size();
                if (i % 3 == 0)
                    at = random() % tables;
                else if (i % 3 == 1)
                    at = content.size() - 1 - random() % (4 * tables);
                content[at] = static_cast<char>(random());
            }
            some += damage.linesOf(content) > 0 ? 1 : 0;
        }
        CHECK(some > 10);
    }
}

CT_CASE(survivesChangedDebugInformation)
{
    for (const char *name : kPrograms) {
        if (!made::exists(name))
            continue;
        Damage damage(name);
        std::mt19937 random(13);
        // Overwrites up to 199 bytes in a row where .debug_* is, between a third and five sixths of the file.
        for (int i = 0; i < 100; ++i) {
            std::string content = damage.content();
            const std::size_t from = content.size() / 3 + random() % (content.size() / 2);
            const std::size_t size = std::min<std::size_t>(random() % 200, content.size() - from);
            for (std::size_t at = from; at < from + size; ++at)
                content[at] = static_cast<char>(i % 4 == 0 ? 0xFF : i % 4 == 1 ? 0 : random());
            damage.linesOf(content);
        }
    }
}
