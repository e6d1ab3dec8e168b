/// The text of rows in the tables of instructions (sync_ops.def, isa_ops.def), and an index of rows by opcode.
#pragma once
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gsu::ptx {

/// The parts between separators, without empty ones; views into `text`.
[[nodiscard]] std::vector<std::string_view> splitRow(std::string_view text, char separator);

/// An index of forms by opcode. It views forms that must outlive it and not move.
template <typename Form> class FormsByOpcode {
public:
    using List = std::vector<const Form*>;
    explicit FormsByOpcode(const std::vector<Form>& forms)
    {
        for (const Form& form : forms) map_[form.opcode].push_back(&form);
    }
    /// The forms of an opcode; may be empty.
    [[nodiscard]] const List& of(std::string_view opcode) const
    {
        static const List none;
        const auto at = map_.find(opcode);
        return at == map_.end() ? none : at->second;
    }

private:
    std::unordered_map<std::string_view, List> map_;
};

}  // namespace gsu::ptx
