/// Device code that a program hands over at run time: as PTX, as a fat binary, or as what the linker of this library made of them.
#pragma once
#include <string>
#include <vector>

#include "cuda/device/status.hpp"

namespace gsu::cuda {

struct LoadedCode {
    std::vector<std::string> texts;  ///< PTX
    unsigned maxRegisters{};         ///< of a thread, as asked of the linker; 0: not asked
};
/// What is in an image; its kind and length are seen from its first bytes. Throws Refusal: machine code, damaged, unreadable.
[[nodiscard]] LoadedCode codeOfImage(const void* image, unsigned sm);

/// The bound of registers among the options of a call; 0: there is none.
[[nodiscard]] unsigned maxRegistersIn(unsigned count, const int* options, void* const* values);

/// Empties the logs of a call that has options: there are none.
void endLogs(unsigned count, const int* options, void** values);

/// A linker: texts go in, an image comes out that codeOfImage() knows.
class LinkJob {
public:
    /// CUjitInputType.
    enum Input : int { Cubin = 0, Ptx = 1, FatBinary = 2, Object = 3, Library = 4, Nvvm = 5 };
    explicit LinkJob(unsigned maxRegisters) noexcept : maxRegisters_(maxRegisters) {}
    LinkJob(unsigned count, const int* options, void** values);
    /// `type`: Input. Throws Refusal for what is not PTX or a fat binary with PTX.
    void add(int type, const std::string& bytes, const std::string& name, unsigned sm);
    [[nodiscard]] const std::string& complete();
    void endLogs();
    [[nodiscard]] const std::vector<std::string>& texts() const noexcept { return texts_; }

private:
    std::vector<std::string> texts_;
    std::string image_;
    std::vector<int> options_;
    void** values_{};
    unsigned maxRegisters_;
};
[[nodiscard]] void* newLinkJob(unsigned count, const int* options, void** values);
/// nullptr: there is none of this handle.
[[nodiscard]] LinkJob* linkJob(const void* handle) noexcept;
bool destroyLinkJob(const void* handle);

}  // namespace gsu::cuda
