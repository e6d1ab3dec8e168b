// References to memory by address in a launch file: "patch", "memory", names of buffers.
#include <fmt/format.h>

#include "base/number.hpp"
#include "exec/launch/json_view.hpp"
#include "exec/launch/launch_spec.hpp"
#include "exec/storage/global_memory.hpp"

namespace gsu {

MemoryRef memoryRef(const JsonView& json)
{
    if (!json.json().is_string()) return MemoryRef(json.whole(4096));
    const std::string name = json.text();
    if (name.empty()) json.fail("must not be empty");
    return MemoryRef(name);
}

std::vector<Patch> patchesOf(const JsonView& json, std::uint64_t bytes)
{
    json.array();
    std::vector<Patch> patches;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const JsonView one = json.at(i);
        one.keys({"offset", "buffer", "add", "tensormap"});
        Patch patch;
        patch.offset = one["offset"].whole(~0ull >> 1);
        if (one.has("tensormap") == one.has("buffer")) one.fail("exactly one of buffer, tensormap");
        if (one.has("tensormap")) {
            if (one.has("add")) one["add"].fail("does not go with tensormap");
            patch.tensor = tensorOf(one["tensormap"]);
        } else {
            patch.base = memoryRef(one["buffer"]);
            if (one.has("add")) patch.add = one["add"].whole(~0ull >> 1);
        }
        const std::uint64_t size = patch.tensor ? TensorMap::kBytes : 8;
        if (patch.offset > bytes || size > bytes - patch.offset) {
            one["offset"].fail(
                fmt::format("{} bytes at {} do not fit into {}", size, patch.offset, bytes));
        }
        patches.push_back(std::move(patch));
    }
    return patches;
}

std::uint64_t addressOf(const JsonView& json, bool variable)
{
    std::uint64_t address = 0;
    if (json.json().is_string()) {
        const std::string text = json.text();
        const auto number = wholeNumber(text, ~std::uint64_t{0}, Digits::Hexadecimal);
        if (!number) json.fail("'" + text + "' is not a hexadecimal address");
        address = *number;
    } else {
        address = json.whole(~0ull >> 1);
    }
    constexpr std::uint64_t kConstBytes = 64 * 1024;
    const bool constant = address < kConstBytes || (address >= exec::kConstWindow &&
                                                    address - exec::kConstWindow < kConstBytes);
    if (variable && constant) return address;
    if (address % 256 != 0) json.fail("is not a multiple of 256");
    if (address < exec::kGlobalBase || address >= exec::kGlobalBase + (1ull << 40))
        json.fail("is not in 0x7f4000000000..0x803fffffffff");
    return address;
}

}  // namespace gsu
