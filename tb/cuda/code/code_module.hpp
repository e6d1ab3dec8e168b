/// A loaded module of device code: one PTX text or several linked ones, its variables in device memory, its kernels.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuda/device/heap.hpp"
#include "exec/machine/executor.hpp"

namespace gsu::cuda {

/// A variable as programs see it.
struct VariablePlace {
    /// Address on the device. A constant variable has an address in the constant window: the module's number above the 16 bits of its place
    /// in the bank.
    std::uint64_t address{};
    std::uint64_t bytes{};
    std::uint8_t* data{};  ///< its bytes in this process
};

class CodeModule : public std::enable_shared_from_this<CodeModule> {
public:
    /// Parses, links, checks, lays out variables in `heap` and initialises them. Throws InputError with place and reason. `texts`: PTX;
    /// `name`: for messages; `managed`: variables that the host shares; `number`: counts modules.
    CodeModule(const std::vector<std::string>& texts, std::string name,
               const std::vector<std::string>& managed, std::uint64_t number, Heap& heap,
               const RunOptions& options);
    ~CodeModule();
    CodeModule(const CodeModule&) = delete;
    CodeModule& operator=(const CodeModule&) = delete;

    /// The kernel of this name, or nullptr.
    [[nodiscard]] const ptx::Function* kernel(const std::string& name) const noexcept;
    [[nodiscard]] std::vector<const ptx::Function*> kernels() const;
    [[nodiscard]] std::optional<VariablePlace> variable(const std::string& name) const;
    /// True if a variable of the module begins there.
    [[nodiscard]] bool owns(std::uint64_t address) const noexcept;
    [[nodiscard]] const ptx::Module& code() const noexcept { return module_; }
    [[nodiscard]] Device& device() noexcept { return *device_; }
    [[nodiscard]] const LaunchSpec& common() const noexcept { return common_; }
    [[nodiscard]] const std::vector<std::string>& texts() const noexcept { return texts_; }
    /// Sets the registers that a thread may have, as the program asked when it loaded the module; 0: any number.
    void limitRegisters(unsigned most) noexcept { maxRegisters_ = most; }
    [[nodiscard]] unsigned maxRegisters() const noexcept { return maxRegisters_; }
    [[nodiscard]] const std::string& name() const noexcept { return common_.entry; }

private:
    void share(const std::vector<std::string>& managed);
    void initialise(const RunOptions& options);
    void announceVariables();

    std::vector<std::string> texts_;
    LaunchSpec common_;
    ptx::Module module_;
    std::uint64_t number_;
    unsigned maxRegisters_{};
    Heap& heap_;
    std::unique_ptr<Device> device_;
    std::vector<std::uint64_t> variables_;  ///< in the heap
    std::vector<std::uint64_t> managed_;    ///< allocated managed variables
};

/// Throws InputError with place and reason if these texts cannot be linked.
void checkCode(const std::vector<std::string>& texts, const std::string& name);

/// Bytes of a kernel's parameters, and the offset of each.
struct ParameterLayout {
    std::vector<std::uint64_t> offsets;
    std::uint64_t bytes{};
};
[[nodiscard]] ParameterLayout parametersOf(const ptx::Function& kernel);
/// Bytes of shared memory that the kernel declares, without dynamic memory, as the unit lays them out.
[[nodiscard]] std::uint32_t staticShared(const CodeModule& module, const ptx::Function& kernel);
/// Bytes of local memory of a thread that the kernel itself declares.
[[nodiscard]] std::uint64_t localBytes(const ptx::Function& kernel);

}  // namespace gsu::cuda
