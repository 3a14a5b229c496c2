// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Files that need far more memory than their size: symbols stay within their memory limits.
#include "core/symbols/symbolizer.h"
#include "programrun.h"
#include "tests/support/check.h"
#include "tests/support/tempdir.h"

#include <cstring>
#include <dwarf.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace ct;

namespace {

constexpr std::uint64_t kMiB = 1U << 20;
constexpr std::uint64_t kCode = 0x1000;

enum class Packing { None, Zlib, Gnu };

struct Section {
    std::string name;
    std::string content;
    Packing packing = Packing::None;
};

/// Compresses the sections of a file with libelf.
void pack(int fd, const std::vector<Section> &sections)
{
    Elf *elf = ::elf_begin(fd, ELF_C_RDWR, nullptr);
    for (std::size_t i = 0; i < sections.size(); ++i) {
        Elf_Scn *section = ::elf_getscn(elf, i + 1);
        if (sections[i].packing == Packing::Zlib)
            CHECK(::elf_compress(section, ELFCOMPRESS_ZLIB, 0) >= 0);
        if (sections[i].packing == Packing::Gnu)
            CHECK(::elf_compress_gnu(section, 1, 0) >= 0);
    }
    CHECK(::elf_update(elf, ELF_C_WRITE) > 0);
    ::elf_end(elf);
}

/// Makes a program of these sections, with code at kCode.
void makeElf(const std::string &path, std::vector<Section> sections)
{
    ::elf_version(EV_CURRENT);
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    Elf *elf = ::elf_begin(fd, ELF_C_WRITE, nullptr);
    GElf_Ehdr head{};
    ::gelf_newehdr(elf, ELFCLASS64);
    ::gelf_getehdr(elf, &head);
    head.e_ident[EI_DATA] = ELFDATA2LSB;
    head.e_type = ET_DYN;
    head.e_machine = EM_X86_64;
    head.e_version = EV_CURRENT;
    ::gelf_update_ehdr(elf, &head);
    ::gelf_newphdr(elf, 1);
    ::gelf_getehdr(elf, &head);
    std::string names(1, '\0');
    sections.push_back({".shstrtab", "", Packing::None});
    std::vector<GElf_Word> nameAt;
    for (const Section &section : sections) {
        nameAt.push_back(static_cast<GElf_Word>(names.size()));
        names += section.name + '\0';
    }
    sections.back().content = names;
    for (std::size_t i = 0; i < sections.size(); ++i) {
        Elf_Scn *made = ::elf_newscn(elf);
        Elf_Data *data = ::elf_newdata(made);
        data->d_buf = sections[i].content.data();
        data->d_size = sections[i].content.size();
        data->d_type = ELF_T_BYTE;
        data->d_align = 1;
        GElf_Shdr about{};
        ::gelf_getshdr(made, &about);
        about.sh_name = nameAt[i];
        about.sh_type = i + 1 == sections.size() ? SHT_STRTAB : SHT_PROGBITS;
        about.sh_size = data->d_size;
        about.sh_addralign = 1;
        ::gelf_update_shdr(made, &about);
        if (i + 1 == sections.size())
            head.e_shstrndx = static_cast<GElf_Half>(::elf_ndxscn(made));
    }
    ::gelf_update_ehdr(elf, &head);
    GElf_Phdr segment{};
    segment.p_type = PT_LOAD;
    segment.p_flags = PF_R | PF_X;
    segment.p_vaddr = kCode;
    segment.p_memsz = segment.p_filesz = 0x1000;
    ::gelf_update_phdr(elf, 0, &segment);
    CHECK(::elf_update(elf, ELF_C_WRITE) > 0);
    ::elf_end(elf);
    pack(fd, sections);
    ::close(fd);
}

/// Returns `count` sections of 8 MiB of zeros.
std::vector<Section> bombs(int count, Packing packing)
{
    static constexpr const char *kNames[] = {"info", "abbrev", "line",     "str",     "ranges", "types",
                                             "loc",  "macro",  "rnglists", "aranges", "addr",   "line_str"};
    std::vector<Section> sections;
    for (int i = 0; i < count; ++i)
        sections.push_back({std::string(packing == Packing::Gnu ? ".zdebug_" : ".debug_") + kNames[i],
                            std::string(8 * kMiB, '\0'), packing});
    return sections;
}

std::string bytesOf(std::initializer_list<unsigned> bytes)
{
    return {bytes.begin(), bytes.end()};
}
std::string wordOf(std::uint64_t value, std::size_t size)
{
    return {reinterpret_cast<const char *>(&value), size};
}

/// Returns a unit with code at kCode, whose line program has `rows` special opcodes.
std::vector<Section> linesOf(std::size_t rows)
{
    const std::string abbreviations = bytesOf({1, DW_TAG_compile_unit, 0, DW_AT_stmt_list, DW_FORM_sec_offset,
                                               DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data8, 0, 0, 0});
    const std::string unit =
        wordOf(4, 2) + wordOf(0, 4) + bytesOf({8, 1}) + wordOf(0, 4) + wordOf(kCode, 8) + wordOf(0x1000, 8);
    const std::string tables = bytesOf({1, 1, 1, 0xFF, 4, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1}) + bytesOf({0}) +
                               std::string("a.c\0\0\0\0\0", 8);
    const std::string program = bytesOf({0, 9, DW_LNE_set_address}) + wordOf(kCode, 8) + std::string(rows, '\x0E') +
                                bytesOf({DW_LNS_advance_pc, 0x80, 0x20, 0, 1, DW_LNE_end_sequence});
    const std::string lines = wordOf(4, 2) + wordOf(tables.size(), 4) + tables + program;
    return {{".debug_abbrev", abbreviations},
            {".debug_info", wordOf(unit.size(), 4) + unit},
            {".debug_line", wordOf(lines.size(), 4) + lines}};
}

Module moduleOf(const std::string &path)
{
    return {path, 0, ~std::uint64_t{0}, 0, ""};
}

/// Returns a unit whose debug information is in another file of the same folder: DWARF 5, 3.1.2.
std::vector<Section> skeletonOf(const std::string &file, const std::string &folder)
{
    const std::string abbreviations =
        bytesOf({1, DW_TAG_skeleton_unit, 0, DW_AT_dwo_name, DW_FORM_string, DW_AT_comp_dir, DW_FORM_string,
                 DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data8, 0, 0, 0});
    const std::string unit = wordOf(5, 2) + bytesOf({DW_UT_skeleton, 8}) + wordOf(0, 4) + wordOf(7, 8) + bytesOf({1}) +
                             file + '\0' + folder + '\0' + wordOf(kCode, 8) + wordOf(0x1000, 8);
    return {{".debug_abbrev", abbreviations}, {".debug_info", wordOf(unit.size(), 4) + unit}};
}

/// Limits the memory for symbols in this process during its lifetime.
struct Limit {
    explicit Limit(std::uint64_t bytes) { SymbolMemory::setLimit(bytes); }
    ~Limit() { SymbolMemory::setLimit(0); }
    Limit(const Limit &) = delete;
    Limit &operator=(const Limit &) = delete;
};

}  // namespace

CT_CASE(compressedSectionsAreLimitedTogether)
{
    const test::TempDir dir;
    const std::string path = dir.file("bomb");
    for (const Packing packing : {Packing::Zlib, Packing::Gnu}) {
        makeElf(path, bombs(3, packing));
        {
            const Result<ElfImage> few = ElfImage::open(path);
            REQUIRE(static_cast<bool>(few));
            CHECK(few->memory().bytes() >= 24 * kMiB);
        }
        CHECK_EQUAL(SymbolMemory::used(), 0U);
        makeElf(path, bombs(12, packing));
        const Result<ElfImage> many = ElfImage::open(path);
        REQUIRE(!many);
        CHECK(many.error().code == ErrorCode::NoSpace);
        CHECK(many.error().message.find(path) != std::string::npos);
        CHECK_EQUAL(SymbolMemory::used(), 0U);
        ModuleSymbols symbols(moduleOf(path), {});
        CHECK(symbols.lacksMemory());
        CHECK(symbols.nothing().reason == Unresolved::Unreadable);
        CHECK_EQUAL(symbols.nothing().remedy, many.error().message);
    }
}

CT_CASE(refusesFalseSectionSizes)
{
    const test::TempDir dir;
    const std::string path = dir.file("liar");
    for (const std::uint64_t claim : {~std::uint64_t{0}, std::uint64_t{1} << 40, std::uint64_t{1}}) {
        makeElf(path, bombs(1, Packing::Zlib));
        Result<ElfImage> honest = ElfImage::open(path);
        REQUIRE(static_cast<bool>(honest));
        GElf_Shdr about;
        REQUIRE(::gelf_getshdr(::elf_getscn(honest->elf(), 1), &about) != nullptr);
        const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
        CHECK_EQUAL(
            ::pwrite(fd, &claim, sizeof(claim), static_cast<off_t>(about.sh_offset + offsetof(Elf64_Chdr, ch_size))),
            static_cast<ssize_t>(sizeof(claim)));
        ::close(fd);
        ModuleSymbols symbols(moduleOf(path), {});
        CHECK_EQUAL(symbols.lacksMemory(), claim != 1);
        CHECK(symbols.dwarf() == nullptr ||
              symbols.dwarf()->locations(std::vector<Dwarf_Addr>{kCode})[0].frames.empty());
    }
}

CT_CASE(splitFilesAreLimited)
{
    const test::TempDir dir;
    const std::string path = dir.file("skeleton");
    makeElf(path, skeletonOf("split.dwo", dir.path()));
    for (const bool fits : {true, false}) {
        makeElf(dir.file("split.dwo"), bombs(fits ? 3 : 12, Packing::Zlib));
        const ModuleSymbols symbols(moduleOf(path), {});
        CHECK_EQUAL(symbols.bytes() >= 24 * kMiB, fits);
    }
}

CT_CASE(unitsAreLimited)
{
    const test::TempDir dir;
    const std::string unit = wordOf(8, 4) + wordOf(4, 2) + wordOf(0, 4) + bytesOf({8, 0});
    std::string info;
    for (int i = 0; i < 400'000; ++i)
        info += unit;
    const std::string path = dir.file("units");
    makeElf(path, {{".debug_info", info, Packing::Zlib}, {".debug_abbrev", bytesOf({0})}});
    const ModuleSymbols symbols(moduleOf(path), {});
    CHECK(symbols.bytes() > 32 * kMiB);  // units use memory up to the limit
    CHECK(symbols.bytes() < SymbolMemory::kFree + 40 * (info.size() / 100));
}

CT_CASE(lineProgramsAreLimited)
{
    const test::TempDir dir;
    const std::string path = dir.file("lines");
    const std::vector<Dwarf_Addr> address{kCode};
    makeElf(path, linesOf(100));
    ModuleSymbols small(moduleOf(path), {});
    REQUIRE(small.dwarf() != nullptr);
    REQUIRE(small.dwarf()->locations(address)[0].frames.size() == 1);
    CHECK(small.dwarf()->locations(address)[0].frames[0].line > 0);
    CHECK(small.bytes() < kMiB);
    makeElf(path, linesOf(8 * kMiB));
    ModuleSymbols large(moduleOf(path), {});
    REQUIRE(large.dwarf() != nullptr);
    CHECK(large.dwarf()->locations(address)[0].frames.empty());
    CHECK(large.bytes() < 16 * kMiB);
}

CT_CASE(sparseFilesUseNoMemory)
{
    const test::TempDir dir;
    const std::string path = dir.file("sparse");
    makeElf(path, {{".debug_info", "x"}});
    constexpr std::uint64_t kHuge = std::uint64_t{40} << 30;
    REQUIRE(::truncate(path.c_str(), static_cast<off_t>(kHuge)) == 0);
    GElf_Shdr about;
    std::uint64_t headers = 0;
    {
        const Result<ElfImage> image = ElfImage::open(path);
        REQUIRE(static_cast<bool>(image));
        GElf_Ehdr head;
        ::gelf_getehdr(image->elf(), &head);
        headers = head.e_shoff;
        REQUIRE(::gelf_getshdr(::elf_getscn(image->elf(), 1), &about) != nullptr);
    }
    about.sh_size = kHuge - about.sh_offset;
    const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    CHECK_EQUAL(::pwrite(fd, &about, sizeof(about), static_cast<off_t>(headers + sizeof(about))),
                static_cast<ssize_t>(sizeof(about)));
    ::close(fd);
    const Result<ElfImage> image = ElfImage::open(path);
    REQUIRE(static_cast<bool>(image));
    CHECK(image->memory().bytes() < kMiB);
}

CT_CASE(ignoresSectionsCountedInTheFirstSectionHeader)
{
    // With e_shnum 0, the number is in the first section header. The ELF header itself can pose as that one.
    const test::TempDir dir;
    const std::string path = dir.file("hidden");
    makeElf(path, bombs(12, Packing::Zlib));
    const std::uint16_t none = 0;
    const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    CHECK_EQUAL(::pwrite(fd, &none, sizeof(none), offsetof(Elf64_Ehdr, e_shnum)), static_cast<ssize_t>(sizeof(none)));
    ::close(fd);
    const Result<ElfImage> image = ElfImage::open(path);
    REQUIRE(static_cast<bool>(image));
    std::size_t sections = 7;
    CHECK_EQUAL(::elf_getshdrnum(image->elf(), &sections), 0);
    CHECK_EQUAL(sections, 0U);
    CHECK(!image->hasDwarf());
}

CT_CASE(allFilesTogetherAreLimited)
{
    const made::ProgramRun ran = made::run("gxx_o2");
    REQUIRE(ran.ran);
    const std::vector<std::uint64_t> address{ran.locations.at("hidden").address};
    std::uint64_t needed = 0;
    {
        Symbolizer symbolizer;
        CHECK(symbolizer.describe(ran.modules, address)[0].reason == Unresolved::None);
        needed = SymbolMemory::used();
        CHECK(needed > 0);
    }
    CHECK_EQUAL(SymbolMemory::used(), 0U);
    Symbolizer first;
    CHECK(first.describe(ran.modules, address)[0].reason == Unresolved::None);
    SymbolMemory another;
    const Limit limit(10 * needed);
    REQUIRE(another.reserve(SymbolMemory::limit() - SymbolMemory::used() - 16));
    {
        // The symbolizer of another window gets no memory.
        Symbolizer second;
        const DescribedAddress refused = second.describe(ran.modules, address)[0];
        CHECK(refused.reason == Unresolved::Unreadable);
        CHECK(refused.remedy.find("MiB") != std::string::npos);
    }
    // The first symbolizer makes room by freeing its own older files.
    Module other = *ran.modules.moduleAt(address[0]);
    const test::TempDir dir;
    other.path = dir.file("copy");
    std::ofstream(other.path, std::ios::binary) << std::ifstream(made::path("gxx_o2"), std::ios::binary).rdbuf();
    const ModuleMap copied(std::vector<Module>{other});
    CHECK(!first.describe(copied, address)[0].frames.empty());
    CHECK(SymbolMemory::used() <= SymbolMemory::limit());
}
