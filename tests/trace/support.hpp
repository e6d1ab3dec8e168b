/// Small traces and drivers for the trace tests.
#pragma once
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "base/hash.hpp"
#include "base/input_error.hpp"
#include "catch.hpp"
#include "files.hpp"
#include "golden/golden_port.hpp"
#include "observers/tap_port.hpp"
#include "trace/program.hpp"
#include "trace/reader.hpp"
#include "trace/record_text.hpp"
#include "trace/recorder.hpp"
#include "trace/replayer.hpp"

namespace support {

namespace fs = std::filesystem;

using testfiles::Folder;
using testfiles::slurp;
using testfiles::spill;

inline gsu::trace::Header header(unsigned sms = 1)
{
    gsu::trace::Header h;
    h.config = gsu::configOf(gsu::Preset::Hopper);
    h.clockMhz = 1755;
    h.sms = sms;
    h.seed = 7;
    h.ptxHash = 0x123456789abcdef0ull;
    h.ptxName = "some kernel.ptx";
    h.entry = "reduce";
    h.exec = {{"exec.alu_lat", 4}};
    return h;
}

inline std::string textOf(const gsu::trace::Record& record)
{
    std::string text;
    gsu::Cycle previous = 0;
    gsu::trace::appendRecord(text, record, previous);
    return text;
}

inline gsu::trace::Record recordOf(const std::string& line)
{
    static const std::string name = "line";
    gsu::trace::Record record;
    gsu::Cycle previous = 0;
    gsu::trace::Cursor cursor(line, name, 1);
    gsu::trace::parseRecord(cursor, record, previous);
    return record;
}

/// A complete trace from record lines; count and hash are right.
inline std::string traceText(const std::vector<std::string>& lines, unsigned sms = 1)
{
    std::string text = gsu::trace::headerText(header(sms));
    for (const auto& line : lines) text += line + '\n';
    char footer[64];
    std::snprintf(footer, sizeof footer, "end %zu 0x%016llx\n", lines.size(),
                  static_cast<unsigned long long>(gsu::fnv1a(text)));
    return text + footer;
}

/// The reason why a file is refused, "" when it is not; `line` of the error.
inline std::string refusal(const std::string& path, std::uint32_t* line = nullptr)
{
    try {
        static_cast<void>(gsu::trace::Program::load(path));
    } catch (const gsu::InputError& e) {
        if (line != nullptr) *line = e.line;
        return e.what();
    }
    return {};
}

}  // namespace support
