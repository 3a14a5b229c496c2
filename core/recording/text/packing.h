// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compressed text files: gzip (.gz) and zstd (.zst). A file is written as a sequence of pieces, each of which is a
// complete gzip member or zstd frame. So a file that was cut off is valid up to its last whole piece, and every program
// that reads these formats reads all pieces as one text. See docs/decisions/0036-compressed-text-files.md.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace ct {

enum class Packing : std::uint8_t { None, Gzip, Zstd };

/// The packing of a file to be written, by the ending of its name.
Packing packingForName(std::string_view path);
/// The packing of a file that begins with these bytes.
Packing packingOf(std::string_view begin);

/// Compresses pieces. For one thread at a time.
class Packer {
public:
    /// Returns nullptr for Packing::None.
    static std::unique_ptr<Packer> make(Packing packing);
    virtual ~Packer() = default;
    /// Returns a complete member or frame with `text`; valid until the next call. Fails only if memory runs out.
    virtual Result<std::string_view> pack(std::string_view text) = 0;
};

/// Decompresses a file piece by piece. The bytes are untrusted. For one thread at a time.
class Unpacker {
public:
    /// Returns nullptr for Packing::None.
    static std::unique_ptr<Unpacker> make(Packing packing);
    virtual ~Unpacker() = default;
    /// Decompresses from the front of `packed`, which it shortens, into `to`. Returns the number of bytes in `to`. An
    /// empty `packed` returns what earlier calls had no room for. An error has only the reason, without the file.
    virtual Result<std::size_t> unpack(std::string_view &packed, char *to, std::size_t size) = 0;
    /// True if the bytes so far end with a complete member or frame.
    virtual bool isComplete() const = 0;
};

}  // namespace ct
