# Writes OUTPUT, a source file that holds the texts RULES, FOUND and EXAMPLES (tb/rules/texts.hpp).
function(text name file)
  file(READ ${file} content)
  set(${name} "R\"gsu(${content})gsu\"" PARENT_SCOPE)
endfunction()
text(rules ${RULES})
text(found ${FOUND})
set(list "")
foreach(file ${EXAMPLES})
  text(example ${file})
  string(APPEND list "    ${example},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"rules/texts.hpp\"

namespace gsu::rules {
namespace {

constexpr std::string_view kExamples[] = {
${list}};

}  // namespace

std::string_view rulesText() noexcept
{
    return ${rules};
}
std::string_view foundText() noexcept
{
    return ${found};
}
std::span<const std::string_view> exampleTexts() noexcept { return kExamples; }

}  // namespace gsu::rules
")
