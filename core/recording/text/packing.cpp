// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
// zlib then takes its input as const.
#define ZLIB_CONST

#include "core/recording/text/packing.h"

#include "core/base/fileending.h"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <zlib.h>
#include <zstd.h>

namespace ct {

namespace {

/// The fastest levels: a capture must not wait for its output. See docs/performance.md.
constexpr int kGzipLevel = 1;
constexpr int kZstdLevel = 1;
/// Window of deflate: 32 KiB; + 16: with the header and trailer of gzip.
constexpr int kGzipWindow = 15 + 16;
constexpr int kGzipMemory = 9;

Error noMemory()
{
    return errnoError(ENOMEM, "the text cannot be compressed or decompressed", "end other programs");
}

class GzipPacker final : public Packer {
public:
    GzipPacker()
        : m_isReady(deflateInit2(&m_stream, kGzipLevel, Z_DEFLATED, kGzipWindow, kGzipMemory, Z_DEFAULT_STRATEGY) ==
                    Z_OK)
    {
    }
    ~GzipPacker() override { (void)deflateEnd(&m_stream); }

    Result<std::string_view> pack(std::string_view text) override
    {
        if (!m_isReady)
            return noMemory();
        m_packed.resize(deflateBound(&m_stream, text.size()));
        m_stream.next_in = reinterpret_cast<const Bytef *>(text.data());
        m_stream.avail_in = static_cast<uInt>(text.size());
        m_stream.next_out = reinterpret_cast<Bytef *>(m_packed.data());
        m_stream.avail_out = static_cast<uInt>(m_packed.size());
        const bool isDone = deflate(&m_stream, Z_FINISH) == Z_STREAM_END;
        const std::size_t size = m_packed.size() - m_stream.avail_out;
        if (deflateReset(&m_stream) != Z_OK || !isDone)
            return noMemory();
        return std::string_view(m_packed.data(), size);
    }

private:
    z_stream m_stream{};
    bool m_isReady;
    std::string m_packed;
};

class ZstdPacker final : public Packer {
public:
    Result<std::string_view> pack(std::string_view text) override
    {
        if (!m_context)
            return noMemory();
        (void)ZSTD_CCtx_setParameter(m_context.get(), ZSTD_c_compressionLevel, kZstdLevel);
        (void)ZSTD_CCtx_setParameter(m_context.get(), ZSTD_c_checksumFlag, 1);
        m_packed.resize(ZSTD_compressBound(text.size()));
        const std::size_t size =
            ZSTD_compress2(m_context.get(), m_packed.data(), m_packed.size(), text.data(), text.size());
        if (ZSTD_isError(size) != 0)
            return noMemory();
        return std::string_view(m_packed.data(), size);
    }

private:
    struct Free {
        void operator()(ZSTD_CCtx *context) const { ZSTD_freeCCtx(context); }
    };
    std::unique_ptr<ZSTD_CCtx, Free> m_context{ZSTD_createCCtx()};
    std::string m_packed;
};

class GzipUnpacker final : public Unpacker {
public:
    GzipUnpacker() : m_isReady(inflateInit2(&m_stream, kGzipWindow) == Z_OK) {}
    ~GzipUnpacker() override { (void)inflateEnd(&m_stream); }

    Result<std::size_t> unpack(std::string_view &packed, char *to, std::size_t size) override
    {
        if (!m_isReady)
            return noMemory();
        if (m_isComplete && packed.empty())
            return std::size_t{0};
        if (m_isComplete)
            (void)inflateReset(&m_stream);
        constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
        const auto in = static_cast<uInt>(std::min(packed.size(), kMost));
        const auto out = static_cast<uInt>(std::min(size, kMost));
        m_stream.next_in = reinterpret_cast<const Bytef *>(packed.data());
        m_stream.avail_in = in;
        m_stream.next_out = reinterpret_cast<Bytef *>(to);
        m_stream.avail_out = out;
        const int status = inflate(&m_stream, Z_NO_FLUSH);
        packed.remove_prefix(in - m_stream.avail_in);
        m_isComplete = status == Z_STREAM_END;
        if (status == Z_MEM_ERROR)
            return noMemory();
        if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
            return Error{ErrorCode::BadFormat, m_stream.msg != nullptr ? m_stream.msg : "no gzip data"};
        return std::size_t{out - m_stream.avail_out};
    }
    bool isComplete() const override { return m_isComplete; }

private:
    z_stream m_stream{};
    bool m_isReady;
    bool m_isComplete = false;
};

class ZstdUnpacker final : public Unpacker {
public:
    Result<std::size_t> unpack(std::string_view &packed, char *to, std::size_t size) override
    {
        if (!m_stream)
            return noMemory();
        if (m_isComplete && packed.empty())
            return std::size_t{0};
        ZSTD_inBuffer in{packed.data(), packed.size(), 0};
        ZSTD_outBuffer out{to, size, 0};
        const std::size_t status = ZSTD_decompressStream(m_stream.get(), &out, &in);
        packed.remove_prefix(in.pos);
        if (ZSTD_isError(status) != 0)
            return Error{ErrorCode::BadFormat, ZSTD_getErrorName(status)};
        m_isComplete = status == 0;
        return out.pos;
    }
    bool isComplete() const override { return m_isComplete; }

private:
    struct Free {
        void operator()(ZSTD_DStream *stream) const { ZSTD_freeDStream(stream); }
    };
    std::unique_ptr<ZSTD_DStream, Free> m_stream{ZSTD_createDStream()};
    bool m_isComplete = false;
};

}  // namespace

Packing packingForName(std::string_view path)
{
    return hasEnding(path, ".gz") ? Packing::Gzip : hasEnding(path, ".zst") ? Packing::Zstd : Packing::None;
}

Packing packingOf(std::string_view begin)
{
    return begin.starts_with("\x1F\x8B")           ? Packing::Gzip
           : begin.starts_with("\x28\xB5\x2F\xFD") ? Packing::Zstd
                                                   : Packing::None;
}

std::unique_ptr<Packer> Packer::make(Packing packing)
{
    switch (packing) {
    case Packing::Gzip: return std::make_unique<GzipPacker>();
    case Packing::Zstd: return std::make_unique<ZstdPacker>();
    case Packing::None: break;
    }
    return nullptr;
}

std::unique_ptr<Unpacker> Unpacker::make(Packing packing)
{
    switch (packing) {
    case Packing::Gzip: return std::make_unique<GzipUnpacker>();
    case Packing::Zstd: return std::make_unique<ZstdUnpacker>();
    case Packing::None: break;
    }
    return nullptr;
}

}  // namespace ct
