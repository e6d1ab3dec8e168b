/// A memory for StoreQueue and ProxyLog without a kernel: bytes, and the reports that each client got.
#pragma once
#include <cstring>
#include <map>
#include <vector>

#include "exec/visibility/store_queue.hpp"

namespace gsu::visibility::test {

struct Bytes final : StoreSink {
    std::map<Where, std::uint8_t> bytes;
    std::vector<Store> everyone, cta;

    void toEveryone(const Store& s, const Announced&) override
    {
        for (unsigned i = 0; i < s.bytes; ++i) {
            std::uint8_t& b = bytes[s.where + i];
            b = s.reduce != 0 ? static_cast<std::uint8_t>(b + s.data[i]) : s.data[i];
        }
        everyone.push_back(s);
    }
    void toCta(const Store& s, const Announced&) override { cta.push_back(s); }

    [[nodiscard]] std::uint32_t word(Where where) const
    {
        std::uint32_t value = 0;
        for (unsigned i = 0; i < 4; ++i) {
            const auto found = bytes.find(where + i);
            value |= std::uint32_t{found == bytes.end() ? std::uint8_t{0} : found->second} << 8 * i;
        }
        return value;
    }
    /// As a thread reads it.
    [[nodiscard]] std::uint32_t read(const StoreQueue& queue, const Thread& by, Where where) const
    {
        std::uint32_t value = word(where);
        std::uint8_t raw[4];
        std::memcpy(raw, &value, 4);
        queue.overlay(by, where, 4, raw);
        std::memcpy(&value, raw, 4);
        return value;
    }
};

[[nodiscard]] inline Store store(const Thread& by, Where where, std::uint32_t value,
                                 bool twoSteps = true)
{
    Store s;
    s.by = by;
    s.at.warp = by.warp;
    s.where = where;
    s.bytes = 4;
    s.twoSteps = twoSteps;
    std::memcpy(s.data.data(), &value, 4);
    return s;
}

}  // namespace gsu::visibility::test
