/// Which accesses take time: `--set exec.memory=NAME` (memory.md).
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace gsu::visibility {

enum class Form : std::uint8_t {
    Immediate,  ///< every access is performed at issue
    Default,  ///< stores and reductions to other CTAs' shared memory, and all stores towards the async proxy
    Weak  ///< also stores and reductions of a thread within its CTA and towards others
};

[[nodiscard]] constexpr const char* nameOf(Form form) noexcept
{
    return form == Form::Immediate ? "immediate" : form == Form::Default ? "default" : "weak";
}

[[nodiscard]] constexpr std::optional<Form> formOf(std::string_view name) noexcept
{
    for (const Form form : {Form::Immediate, Form::Default, Form::Weak})
        if (name == nameOf(form)) return form;
    return std::nullopt;
}

}  // namespace gsu::visibility
