#include "base/input_error.hpp"
#include "cuda/code/fat_binary.hpp"
#include "entries.hpp"

void gsu::fuzz::fatbin(std::string_view input)
{
    const std::span bytes(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
    static_cast<void>(cuda::containerBytes(bytes));
    try {
        const std::vector<cuda::Image> images = cuda::imagesOf(bytes);
        for (const cuda::Image& image : images) {
            require(image.ptx || image.text.empty(), "machine code has no text");
            require(image.text.find('\0') == std::string::npos, "a text ends with its first zero");
        }
        for (const unsigned sm : {0u, 80u, 90u, ~0u}) {
            const cuda::Image* best = cuda::ptxFor(images, sm);
            require(best == nullptr || (best->ptx && best->arch <= sm), "the device runs it");
        }
    } catch (const InputError& e) {
        require(!e.reason.empty(), "a refusal has a reason");
    }
}
