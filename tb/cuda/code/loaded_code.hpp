/// Device code that a program passes at run time: as PTX, as a fat binary, or as an image of this library's linker.
#pragma once
#include <string>
#include <vector>

#include "cuda/device/status.hpp"

namespace gsu::cuda {

struct LoadedCode {
    std::vector<std::string> texts;  ///< PTX
    /// registers of a thread, as requested of the linker; 0: not requested
    unsigned maxRegisters{};
};
/// The contents of an image, whose kind and length follow from its first bytes. Throws Refusal: machine code, damaged, unreadable.
[[nodiscard]] LoadedCode codeOfImage(const void* image, unsigned sm);

/// The limit of registers among the options of a call; 0: there is none.
[[nodiscard]] unsigned maxRegistersIn(unsigned count, const int* options, void* const* values);

/// Empties the logs among a call's options: nothing is logged.
void endLogs(unsigned count, const int* options, void** values);

/// A linker job: texts go in, an image comes out that codeOfImage() knows.
class LinkJob {
public:
    /// Kind of an input: CUjitInputType.
    enum Input : int { Cubin = 0, Ptx = 1, FatBinary = 2, Object = 3, Library = 4, Nvvm = 5 };
    explicit LinkJob(unsigned maxRegisters) noexcept : maxRegisters_(maxRegisters) {}
    LinkJob(unsigned count, const int* options, void** values);
    /// Adds an input of `type` (Input). Throws Refusal if it is neither PTX nor a fat binary with PTX.
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
/// The job of this handle, or nullptr.
[[nodiscard]] LinkJob* linkJob(const void* handle) noexcept;
bool destroyLinkJob(const void* handle);

}  // namespace gsu::cuda
