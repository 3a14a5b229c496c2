// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/symbols/buildid.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace ct {

namespace {

constexpr std::size_t kMostHeaders = 1024;
constexpr std::size_t kMostNoteBytes = 64U << 10;
constexpr std::size_t kLongestId = 64;

/// Reads an untrusted file by copying. Each read is complete or fails.
class ElfFile {
public:
    explicit ElfFile(const std::string &path) : m_fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK))
    {
    }
    ~ElfFile()
    {
        if (m_fd >= 0)
            ::close(m_fd);
    }
    ElfFile(const ElfFile &) = delete;
    ElfFile &operator=(const ElfFile &) = delete;

    bool read(std::uint64_t offset, void *to, std::size_t size) const
    {
        return m_fd >= 0 && offset < std::uint64_t{1} << 62 &&
               ::pread(m_fd, to, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
    }

private:
    int m_fd;
};

constexpr std::size_t padded(std::size_t size)
{
    return (size + 3) & ~std::size_t{3};
}

std::string hexOf(std::string_view bytes)
{
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string hex;
    for (const char character : bytes) {
        hex += kDigits[static_cast<unsigned char>(character) >> 4];
        hex += kDigits[static_cast<unsigned char>(character) & 15];
    }
    return hex;
}

std::string idAmong(std::string_view notes)
{
    Elf64_Nhdr note;
    while (notes.size() >= sizeof(note)) {
        std::memcpy(&note, notes.data(), sizeof(note));
        notes.remove_prefix(sizeof(note));
        const std::size_t name = padded(note.n_namesz);
        const std::size_t id = padded(note.n_descsz);
        if (note.n_namesz > notes.size() || note.n_descsz > notes.size() || name + id > padded(notes.size()))
            return {};
        const bool isId = note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(ELF_NOTE_GNU) &&
                          notes.substr(0, sizeof(ELF_NOTE_GNU)) == std::string_view(ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU));
        if (isId && note.n_descsz <= kLongestId && name + note.n_descsz <= notes.size())
            return hexOf(notes.substr(name, note.n_descsz));
        notes.remove_prefix(std::min(name + id, notes.size()));
    }
    return {};
}

}  // namespace

std::string buildIdOf(const std::string &path)
{
    const ElfFile file(path);
    Elf64_Ehdr head;
    if (!file.read(0, &head, sizeof(head)) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_ident[EI_DATA] != ELFDATA2LSB ||
        head.e_phentsize != sizeof(Elf64_Phdr) || head.e_phnum > kMostHeaders)
        return {};
    std::vector<Elf64_Phdr> segments(head.e_phnum);
    if (!file.read(head.e_phoff, segments.data(), segments.size() * sizeof(Elf64_Phdr)))
        return {};
    for (const Elf64_Phdr &segment : segments) {
        if (segment.p_type != PT_NOTE || segment.p_filesz > kMostNoteBytes)
            continue;
        std::string notes(segment.p_filesz, '\0');
        if (!file.read(segment.p_offset, notes.data(), notes.size()))
            continue;
        if (std::string id = idAmong(notes); !id.empty())
            return id;
    }
    return {};
}

}  // namespace ct
