#include "cli/error_message.hpp"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"

namespace gsu::cli {

namespace {

using Json = nlohmann::ordered_json;

/// One line of readable length, however long a file name or message is. The place is at its beginning, the reason at its end.
std::string oneLine(std::string text)
{
    constexpr std::size_t kBegin = 400, kEnd = 300;
    if (text.size() > kBegin + kEnd + 5)
        text = text.substr(0, kBegin) + " ... " + text.substr(text.size() - kEnd);
    for (char& c : text) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
    }
    return text;
}

int write(const std::string& text, Json error, int code, bool json)
{
    const std::string line = oneLine(text) + '\n';
    std::fwrite(line.data(), 1, line.size(), stderr);
    if (!json || printed()) return code;
    error["exit_code"] = code;
    const std::string object =
        Json{{"error", std::move(error)}}.dump(-1, ' ', false, Json::error_handler_t::replace) +
        '\n';
    std::fwrite(object.data(), 1, object.size(), stdout);
    return code;
}

}  // namespace

int reportError(const std::string& text, int code, bool json)
{
    return write(text, {{"message", oneLine(text)}}, code, json);
}

int reportError(const InputError& e, int code, bool json)
{
    Json error{{"file", oneLine(e.file)}};
    if (e.line != 0) error["line"] = e.line;
    if (e.line != 0 && e.column != 0) error["column"] = e.column;
    error["message"] = oneLine(e.reason);
    // An option is named behind the program, as in messages on how a call is written.
    const std::string program = e.file.starts_with("--") ? "gsu: " : "";
    return write(program + e.what(), std::move(error), code, json);
}

}  // namespace gsu::cli
