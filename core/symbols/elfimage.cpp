// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/symbols/elfimage.h"

#include "core/base/fileremedy.h"
#include "core/symbols/buildid.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ct {

namespace {

// libdw of elfutils 0.188 may read a few bytes behind the last section, if a number there has no end.
constexpr std::size_t kPadding = 4096;
constexpr std::uint64_t kLargestFile = std::uint64_t{64} << 30;
constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kSymbolFactor = 4;  ///< 32 bytes for each symbol of 24 bytes, twice while the list grows

/// Closes the descriptor at the end of the scope.
struct Descriptor {
    int fd;
    explicit Descriptor(int value) : fd(value) {}
    ~Descriptor()
    {
        if (fd >= 0)
            ::close(fd);
    }
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;
};

Error tooLarge(const std::string &path)
{
    return {ErrorCode::NoSpace,
            path + ": its symbols would need more memory than the limit of " +
                std::to_string(SymbolMemory::limit() >> 20) +
                " MiB for all files, or unpack to far more than the size of the file; its addresses are not "
                "resolved. Name a folder with a smaller debug file, or build it with -g1"};
}

Error damaged(const std::string &path, const char *what)
{
    return {ErrorCode::BadFormat, path + ": " + what + "; the file is damaged, or is being written; build it again"};
}

bool readFully(int fd, char *to, std::uint64_t size, std::uint64_t offset)
{
    while (size > 0) {
        const ssize_t got = ::pread(fd, to, size, static_cast<off_t>(offset));
        if (got <= 0)
            return false;
        to += got;
        offset += static_cast<std::uint64_t>(got);
        size -= static_cast<std::uint64_t>(got);
    }
    return true;
}

/// Returns the size to which libelf unpacks a compressed section; libelf writes no more than that. Judges by the
/// content: only in a valid file does libelf find the same sections by name (.zdebug_...).
std::uint64_t claimedBytes(std::uint64_t flags, std::string_view content)
{
    std::uint64_t claimed = 0;
    Elf64_Chdr head;
    if ((flags & SHF_COMPRESSED) != 0 && content.size() >= sizeof(head)) {
        std::memcpy(&head, content.data(), sizeof(head));
        claimed = head.ch_size;
    }
    constexpr std::string_view kGnuMagic = "ZLIB";
    constexpr std::size_t kGnuHead = 12;
    if (content.starts_with(kGnuMagic) && content.size() >= kGnuHead) {
        std::uint64_t size = 0;
        for (const char byte : content.substr(kGnuMagic.size(), sizeof(size)))
            size = size << 8 | static_cast<unsigned char>(byte);
        claimed = std::max(claimed, size);
    }
    return claimed;
}

/// Returns false for sections that symbols do not need: debug information without code locations and names.
bool isNeeded(const Elf64_Shdr &section, std::string_view name)
{
    constexpr std::array<std::string_view, 9> kUnused{".debug_loc",      ".debug_loclists", ".debug_macro",
                                                      ".debug_macinfo",  ".debug_frame",    ".debug_names",
                                                      ".debug_pubnames", ".debug_pubtypes", ".gdb_index"};
    if (section.sh_type == SHT_NOBITS || section.sh_type == SHT_NULL)
        return false;
    if ((section.sh_flags & SHF_ALLOC) != 0)
        return section.sh_type == SHT_NOTE || section.sh_type == SHT_DYNSYM || section.sh_type == SHT_STRTAB;
    // libelf unpacks compressed sections on opening, whether they are used or not.
    return (section.sh_flags & SHF_COMPRESSED) != 0 || std::find(kUnused.begin(), kUnused.end(), name) == kUnused.end();
}

}  // namespace

void ElfImage::Unmap::operator()(char *memory) const
{
    ::munmap(memory, size);
}

void ElfImage::End::operator()(Elf *elf) const
{
    ::elf_end(elf);
}

Result<ElfImage> ElfImage::open(const std::string &path)
{
    // A FIFO must not block the call, and a device must not become the controlling terminal.
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    struct stat status {};
    if (file.fd < 0 || ::fstat(file.fd, &status) != 0)
        return readError(errno, path + " cannot be read");
    if (!S_ISREG(status.st_mode))
        return Error{ErrorCode::BadFormat, path + ": not a file; name a program, a library or a debug file"};
    ElfImage image;
    image.m_path = path;
    if (const Result<void> loaded = image.load(file.fd, status); !loaded)
        return loaded.error();
    image.m_buildId = buildIdOf(path);
    return image;
}

bool ElfImage::allowUnpacking(const std::string &path, SymbolMemory &memory)
{
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    if (file.fd < 0)
        return true;
    struct stat status {};
    Elf64_Ehdr head;
    const auto read = [&file](void *to, std::uint64_t size, std::uint64_t offset) {
        return readFully(file.fd, static_cast<char *>(to), size, offset);
    };
    if (::fstat(file.fd, &status) != 0 || !S_ISREG(status.st_mode) || !read(&head, sizeof(head), 0) ||
        head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_ident[EI_DATA] != ELFDATA2LSB || head.e_shnum == 0 ||
        head.e_shentsize != sizeof(Elf64_Shdr))
        return false;
    std::vector<Elf64_Shdr> sections(head.e_shnum);
    if (!read(sections.data(), sections.size() * sizeof(Elf64_Shdr), head.e_shoff))
        return false;
    memory.addMapped(
        std::min(static_cast<std::uint64_t>(status.st_size), static_cast<std::uint64_t>(status.st_blocks) * 512));
    // All or nothing: a refused file leaves the memory to other files.
    std::uint64_t bytes = 0;
    for (const Elf64_Shdr &section : sections) {
        std::array<char, sizeof(Elf64_Chdr)> begin{};
        const std::uint64_t size = std::min<std::uint64_t>(section.sh_size, begin.size());
        if (section.sh_type == SHT_NOBITS || !read(begin.data(), size, section.sh_offset))
            continue;
        const std::uint64_t claimed = claimedBytes(section.sh_flags, {begin.data(), size});
        bytes = claimed > ~bytes ? ~std::uint64_t{0} : bytes + claimed;
    }
    return memory.reserveDerived(bytes);
}

/// Returns false if the range lies beyond the end, cannot be read, or is too large (m_tooLarge).
bool ElfImage::readAt(int fd, std::uint64_t offset, std::uint64_t size)
{
    if (offset > m_size || size > m_size - offset)
        return false;
    const std::uint64_t end = offset + size;
    while (offset < end) {
        // The holes of a sparse file are zero already, and need no memory.
        const off_t data = ::lseek(fd, static_cast<off_t>(offset), SEEK_DATA);
        if ((data < 0 && errno == ENXIO) || (data >= 0 && static_cast<std::uint64_t>(data) >= end))
            return true;
        offset = data < 0 ? offset : static_cast<std::uint64_t>(data);
        const off_t hole = data < 0 ? -1 : ::lseek(fd, data, SEEK_HOLE);
        const std::uint64_t piece = (hole > data ? std::min(end, static_cast<std::uint64_t>(hole)) : end) - offset;
        m_tooLarge = !m_share->reserve(piece);
        if (m_tooLarge || !readFully(fd, m_memory.get() + offset, piece, offset))
            return false;
        offset += piece;
    }
    return true;
}

Error ElfImage::unread(const char *what) const
{
    return m_tooLarge ? tooLarge(m_path) : damaged(m_path, what);
}

Result<void> ElfImage::load(int fd, const struct stat &status)
{
    const auto size = static_cast<std::uint64_t>(status.st_size);
    Elf64_Ehdr head;
    if (size < sizeof(head) || size > kLargestFile)
        return damaged(m_path, "its size is not that of a program or library");
    m_size = size;
    const std::size_t mapped = size + kPadding;
    void *memory = ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return errnoError(errno, "no memory for " + m_path, "raise the limit of the address space (ulimit -v)");
    m_memory = {static_cast<char *>(memory), Unmap{mapped}};
    // For speed only. In a sparse file, a page of 2 MiB for each block would need too much memory.
    const bool isSparse = static_cast<std::uint64_t>(status.st_blocks) * 512 < size;
    ::madvise(memory, mapped, isSparse ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);
    if (!readAt(fd, 0, sizeof(head)))
        return unread("cannot be read");
    std::memcpy(&head, memory, sizeof(head));
    if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
        head.e_ident[EI_DATA] != ELFDATA2LSB || (head.e_type != ET_EXEC && head.e_type != ET_DYN))
        return Error{ErrorCode::Unsupported, m_path + ": not a 64-bit little-endian ELF program or library; name one"};
    m_machine = head.e_machine;

    if (const Result<void> loaded = loadSegments(fd, head); !loaded)
        return loaded;
    if (const Result<void> loaded = loadSections(fd, head); !loaded)
        return loaded;
    ::elf_version(EV_CURRENT);
    m_elf.reset(::elf_memory(m_memory.get(), size));
    return m_elf && ::elf_kind(m_elf.get()) == ELF_K_ELF ? Result<void>{}
                                                         : damaged(m_path, "its ELF header cannot be read");
}

Result<void> ElfImage::loadSegments(int fd, const Elf64_Ehdr &head)
{
    if (head.e_phnum > 0 && (head.e_phentsize != sizeof(Elf64_Phdr) ||
                             !readAt(fd, head.e_phoff, std::uint64_t{head.e_phnum} * sizeof(Elf64_Phdr))))
        return unread("its table of segments is beyond its end");
    for (std::size_t i = 0; i < head.e_phnum; ++i) {
        Elf64_Phdr segment;
        std::memcpy(&segment, m_memory.get() + head.e_phoff + i * sizeof(segment), sizeof(segment));
        if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0)
            m_executable.push_back({segment.p_offset, segment.p_filesz, segment.p_vaddr, segment.p_memsz});
    }
    return {};
}

Result<void> ElfImage::loadSections(int fd, const Elf64_Ehdr &head)
{
    const std::uint64_t bytes = std::uint64_t{head.e_shnum} * sizeof(Elf64_Shdr);
    if (head.e_shnum == 0) {
        // Otherwise libelf would read the number of sections, and the table, from bytes that were not read or checked.
        std::memset(m_memory.get() + offsetof(Elf64_Ehdr, e_shoff), 0, sizeof(head.e_shoff));
        return {};
    }
    if (head.e_shentsize != sizeof(Elf64_Shdr) || !readAt(fd, head.e_shoff, bytes))
        return unread("its table of sections is beyond its end");
    std::vector<Elf64_Shdr> sections(head.e_shnum);
    std::memcpy(sections.data(), m_memory.get() + head.e_shoff, bytes);
    std::string_view names;
    if (head.e_shstrndx < sections.size()) {
        const Elf64_Shdr &table = sections[head.e_shstrndx];
        if (!readAt(fd, table.sh_offset, table.sh_size))
            return unread("its section names are beyond its end");
        names = {m_memory.get() + table.sh_offset, table.sh_size};
    }
    for (const Elf64_Shdr &section : sections) {
        std::string_view name = names.substr(std::min<std::size_t>(section.sh_name, names.size()));
        name = name.substr(0, name.find('\0'));
        if (isNeeded(section, name) && !readAt(fd, section.sh_offset, section.sh_size))
            return unread("a section is beyond its end");
    }
    // Only after all sections were read: they may overlap, and the file may change at any time.
    return m_share->reserveDerived(derivedBytes(sections)) ? Result<void>{} : tooLarge(m_path);
}

/// Upper limit of the memory for unpacked sections and sorted symbols.
std::uint64_t ElfImage::derivedBytes(const std::vector<Elf64_Shdr> &sections) const
{
    std::uint64_t bytes = 0;
    for (const Elf64_Shdr &section : sections) {
        if (section.sh_type == SHT_NOBITS || section.sh_offset > m_size || section.sh_size > m_size - section.sh_offset)
            continue;
        const std::string_view content(m_memory.get() + section.sh_offset, section.sh_size);
        const bool hasSymbols = section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM;
        const std::uint64_t more =
            std::max(claimedBytes(section.sh_flags, content), hasSymbols ? kSymbolFactor * section.sh_size : 0);
        bytes = more > ~bytes ? ~std::uint64_t{0} : bytes + more;
    }
    return bytes;
}

Elf_Scn *ElfImage::section(const char *name) const
{
    std::size_t names = 0;
    if (::elf_getshdrstrndx(m_elf.get(), &names) != 0)
        return nullptr;
    for (Elf_Scn *section = ::elf_nextscn(m_elf.get(), nullptr); section;
         section = ::elf_nextscn(m_elf.get(), section)) {
        GElf_Shdr head;
        const char *found = ::gelf_getshdr(section, &head) ? ::elf_strptr(m_elf.get(), names, head.sh_name) : nullptr;
        if (found && std::strcmp(found, name) == 0 && head.sh_type != SHT_NOBITS)
            return section;
    }
    return nullptr;
}

bool ElfImage::hasDwarf() const
{
    return section(".debug_info") || section(".zdebug_info");
}

std::uint64_t ElfImage::lineProgramBytes(std::uint64_t offset) const
{
    Elf_Scn *plain = section(".debug_line");
    Elf_Scn *found = plain ? plain : section(".zdebug_line");
    const Elf_Data *data = found ? ::elf_rawdata(found, nullptr) : nullptr;
    if (!data || !data->d_buf || offset >= data->d_size)
        return 0;
    const std::uint64_t rest = data->d_size - offset;
    std::uint32_t length = 0;
    constexpr std::uint32_t kIs64Bit = 0xFFFF'FFFF;
    if (rest >= sizeof(length))
        std::memcpy(&length, static_cast<const char *>(data->d_buf) + offset, sizeof(length));
    return length == kIs64Bit ? rest : std::min<std::uint64_t>(rest, length);
}

std::optional<ElfImage::DebugLink> ElfImage::debugLink() const
{
    Elf_Scn *found = section(".gnu_debuglink");
    const Elf_Data *data = found ? ::elf_rawdata(found, nullptr) : nullptr;
    if (!data || !data->d_buf || data->d_size < 2 * sizeof(std::uint32_t))
        return std::nullopt;
    const std::string_view content(static_cast<const char *>(data->d_buf), data->d_size);
    const std::size_t end = content.find('\0');
    DebugLink link;
    const std::size_t crcAt = end == std::string_view::npos ? content.size() : (end + 4) & ~std::size_t{3};
    if (end == 0 || crcAt + sizeof(link.crc) > content.size() || content.substr(0, end).find('/') < end)
        return std::nullopt;
    link.name = content.substr(0, end);
    std::memcpy(&link.crc, content.data() + crcAt, sizeof(link.crc));
    return link;
}

std::optional<std::uint64_t> ElfImage::linkedAddress(std::uint64_t offset, std::uint64_t mapping) const
{
    for (const Segment &segment : m_executable) {
        if (offset >= segment.offset && offset - segment.offset < segment.fileSize)
            return offset - segment.offset + segment.address;
    }
    const bool hasCode = std::any_of(m_executable.begin(), m_executable.end(),
                                     [](const Segment &segment) { return segment.fileSize > 0; });
    if (hasCode || m_executable.size() != 1 || offset < mapping)
        return std::nullopt;
    const std::uint64_t address = m_executable.front().address / kPage * kPage + (offset - mapping);
    return isExecutable(address) ? std::optional(address) : std::nullopt;
}

bool ElfImage::isExecutable(std::uint64_t linkedAddress) const
{
    return std::any_of(m_executable.begin(), m_executable.end(), [&](const Segment &segment) {
        return linkedAddress >= segment.address && linkedAddress - segment.address < segment.size;
    });
}

}  // namespace ct
