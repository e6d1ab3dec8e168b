/// Links modules into one, as a linker of device code does: names that are .visible, .weak or .common are shared, .extern names refer to
/// their definition, all other names stay private to their module.
///
/// A strong definition beats .common, .common beats .weak, the first of several weak ones counts; .common variables take the largest size
/// and alignment. Two strong definitions, a declaration that its definition does not fit, and a reference without a definition are errors
/// that name both places. An unsized .extern .shared array is the launch's dynamic shared memory. A private name that another module also
/// has becomes `name@b.ptx` (file name; `name@b.ptx#2` for the second such file).
#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "ptx/ast.hpp"

namespace gsu::ptx {

/// Links modules. Pre: at least one module, each ok(). `provided` are functions that need no definition. Errors are diagnostics of the
/// result (at most Limits::kErrors). Lines are counted through the modules, see Module::placeOf. `open`: references without a definition
/// are no error.
[[nodiscard]] Module linkModules(std::vector<Module> modules,
                                 std::span<const std::string_view> provided = {},
                                 bool open = false);

namespace detail {

/// The reason why a declaration does not fit its definition; empty if it does. `common`: both are definitions, sizes may differ.
[[nodiscard]] std::string mismatch(const Variable& declared, const Variable& defined, bool common);
[[nodiscard]] std::string mismatch(const Function& declared, const Function& defined);
/// Moves all positions `lines` lines down and counts .file numbers from `files` + 1 on.
void shift(Module& module, std::uint32_t lines, std::uint32_t files);

}  // namespace detail
}  // namespace gsu::ptx
