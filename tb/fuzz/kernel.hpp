/// The text of a growing kernel: code, registers, tables, shared memory, barrier ids; and its instruction forms.
#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/plan.hpp"

namespace gsu::fuzz {

inline constexpr unsigned kSharedBytes = 48 * 1024;
/// Note on a synchronization that orders nothing: without it the order is the same.
inline constexpr const char* kIdle = "changes nothing";
inline constexpr unsigned kBarriers = 16;  ///< named ones; 0 is for joins of all warps

class Kernel {
public:
    Kernel(const Shape& shape, bool sm80) : shape_(shape), sm80_(sm80) {}

    /// Emits one instruction, without ";".
    template <typename... A> void op(fmt::format_string<A...> format, A&&... arguments)
    {
        line(fmt::format(format, std::forward<A>(arguments)...));
    }
    /// Emits a line. `note`: a comment after it.
    void line(const std::string& instruction, const char* note = nullptr);
    void label(const std::string& name) { text_ += name + ":\n"; }
    void comment(const std::string& text) { text_ += "// " + text + '\n'; }
    [[nodiscard]] std::string newLabel() { return fmt::format("L{}", labels_++); }

    /// A fresh register.
    [[nodiscard]] std::string b32() { return fmt::format("%r{}", b32_++); }
    [[nodiscard]] std::string b64() { return fmt::format("%d{}", b64_++); }
    [[nodiscard]] std::string pred() { return fmt::format("%p{}", pred_++); }
    [[nodiscard]] std::string f32() { return fmt::format("%f{}", f32_++); }

    /// Bytes of the CTA's shared memory, fresh since the last reuse.
    [[nodiscard]] unsigned shared(unsigned bytes, unsigned align);
    [[nodiscard]] unsigned sharedLeft() const noexcept { return kSharedBytes - shared_; }
    [[nodiscard]] unsigned takeId() { return ids_++; }
    [[nodiscard]] unsigned idsLeft() const noexcept { return kBarriers - ids_; }
    /// Call after a barrier of all: memory and ids may be reused.
    void reuse(bool memory) noexcept
    {
        ids_ = 1;
        if (memory) shared_ = 0;
    }
    /// The kernel has tcgen05: its target is sm_100a.
    void needTensor() noexcept { tensor_ = true; }
    /// Adds a constant array in global memory; returns its name.
    [[nodiscard]] std::string table(const std::vector<std::uint32_t>& values);

    /// Replaces the text that is being emitted; returns the former text.
    [[nodiscard]] std::string swapText(std::string text)
    {
        return std::exchange(text_, std::move(text));
    }
    void append(const std::string& text) { text_ += text; }

    /// The text of the module.
    [[nodiscard]] std::string module() const;
    /// Forms of synchronization instructions: mnemonic with modifiers, and their number in the text.
    [[nodiscard]] const std::map<std::string, unsigned>& forms() const noexcept { return forms_; }

private:
    void count(const std::string& instruction);

    Shape shape_;
    bool sm80_, tensor_{};
    std::string text_, tables_;
    unsigned labels_{}, b32_{}, b64_{}, pred_{}, f32_{}, tablesCount_{};
    unsigned shared_{}, sharedMost_{}, ids_{1};
    std::map<std::string, unsigned> forms_;
};

}  // namespace gsu::fuzz
