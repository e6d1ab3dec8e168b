# Writes OUTPUT, a source file that holds the GTKWave views VIEWS (tb/observers/wave_views.hpp).
set(list "")
foreach(file ${VIEWS})
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} content)
  string(APPEND list "    if (name == \"${name}\")\n        return R\"gsu(${content})gsu\";\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"observers/wave_views.hpp\"

namespace gsu {

std::string_view savedView(std::string_view name) noexcept
{
${list}    return {};
}

}  // namespace gsu
")
