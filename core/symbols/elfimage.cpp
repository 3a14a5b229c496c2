// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/symbols/elfimage.h"

#include "core/symbols/buildid.h"

#include <algorithm>
#include <array>
#include <cerrno>
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

// libdw of elfutils 0.188 may look a few bytes behind the last section when a number there has no end.
constexpr std::size_t kPadding = 4096;
constexpr std::uint64_t kLargestFile = std::uint64_t{64} << 30;
constexpr std::uint64_t kMostToRead = std::uint64_t{8} << 30;
constexpr std::uint64_t kPage = 4096;

/// Closes on the way out.
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

Error damaged(const std::string &path, const char *what)
{
    return {ErrorCode::BadFormat, path + ": " + what + "; the file is damaged, or is being written: build it again"};
}

/// Of debug information, what says neither where code comes from nor what it is called.
bool isNeeded(const Elf64_Shdr &section, std::string_view name)
{
    constexpr std::array<std::string_view, 9> kUnused{".debug_loc",      ".debug_loclists", ".debug_macro",
                                                      ".debug_macinfo",  ".debug_frame",    ".debug_names",
                                                      ".debug_pubnames", ".debug_pubtypes", ".gdb_index"};
    if (section.sh_type == SHT_NOBITS || section.sh_type == SHT_NULL)
        return false;
    if ((section.sh_flags & SHF_ALLOC) != 0)
        return section.sh_type == SHT_NOTE || section.sh_type == SHT_DYNSYM || section.sh_type == SHT_STRTAB;
    // What is compressed is unpacked on opening, used or not.
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
    // Not blocked by a FIFO, and no controlling terminal taken from a device.
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    struct stat status {};
    if (file.fd < 0 || ::fstat(file.fd, &status) != 0)
        return errnoError(errno, path);
    if (!S_ISREG(status.st_mode))
        return Error{ErrorCode::BadFormat, path + ": not a file; name a program, a library or a debug file"};
    ElfImage image;
    image.m_path = path;
    if (const Result<void> loaded = image.load(file.fd, static_cast<std::uint64_t>(status.st_size)); !loaded)
        return loaded.error();
    image.m_buildId = buildIdOf(path);
    return image;
}

bool ElfImage::readAt(int fd, std::uint64_t offset, std::uint64_t size)
{
    if (offset > m_size || size > m_size - offset || m_bytesRead + size > kMostToRead)
        return false;
    m_bytesRead += size;
    while (size > 0) {
        const ssize_t got = ::pread(fd, m_memory.get() + offset, size, static_cast<off_t>(offset));
        if (got <= 0)
            return false;
        offset += static_cast<std::uint64_t>(got);
        size -= static_cast<std::uint64_t>(got);
    }
    return true;
}

Result<void> ElfImage::load(int fd, std::uint64_t size)
{
    Elf64_Ehdr head;
    if (size < sizeof(head) || size > kLargestFile)
        return damaged(m_path, "no program or library of a usable size");
    m_size = size;
    const std::size_t room = size + kPadding;
    void *memory = ::mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return errnoError(errno, m_path);
    m_memory = {static_cast<char *>(memory), Unmap{room}};
    ::madvise(memory, room, MADV_HUGEPAGE);  // only faster
    if (!readAt(fd, 0, sizeof(head)))
        return damaged(m_path, "cannot be read");
    std::memcpy(&head, memory, sizeof(head));
    if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
        head.e_ident[EI_DATA] != ELFDATA2LSB || (head.e_type != ET_EXEC && head.e_type != ET_DYN))
        return Error{ErrorCode::Unsupported, m_path + ": not a 64-bit little-endian ELF program or library"};
    m_machine = head.e_machine;

    if (const Result<void> loaded = loadSegments(fd, head); !loaded)
        return loaded;
    if (const Result<void> loaded = loadSections(fd, head); !loaded)
        return loaded;
    ::elf_version(EV_CURRENT);
    m_elf.reset(::elf_memory(m_memory.get(), size));
    return m_elf && ::elf_kind(m_elf.get()) == ELF_K_ELF ? Result<void>{} : damaged(m_path, "not to be understood");
}

Result<void> ElfImage::loadSegments(int fd, const Elf64_Ehdr &head)
{
    if (head.e_phnum > 0 && (head.e_phentsize != sizeof(Elf64_Phdr) ||
                             !readAt(fd, head.e_phoff, std::uint64_t{head.e_phnum} * sizeof(Elf64_Phdr))))
        return damaged(m_path, "its table of segments lies beyond its end");
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
    if (head.e_shnum == 0)
        return {};
    if (head.e_shentsize != sizeof(Elf64_Shdr) || !readAt(fd, head.e_shoff, bytes))
        return damaged(m_path, "its table of sections lies beyond its end");
    std::vector<Elf64_Shdr> sections(head.e_shnum);
    std::memcpy(sections.data(), m_memory.get() + head.e_shoff, bytes);
    std::string names;
    if (head.e_shstrndx < sections.size()) {
        const Elf64_Shdr &table = sections[head.e_shstrndx];
        if (!readAt(fd, table.sh_offset, table.sh_size))
            return damaged(m_path, "its section names lie beyond its end");
        names.assign(m_memory.get() + table.sh_offset, table.sh_size);
    }
    for (const Elf64_Shdr &section : sections) {
        const std::string_view name = section.sh_name < names.size() ? names.c_str() + section.sh_name : "";
        if (isNeeded(section, name) && !readAt(fd, section.sh_offset, section.sh_size))
            return damaged(m_path, "a section lies beyond its end, or is too large");
    }
    return {};
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
