/// The places of output files and folders, decided in one way for every option that writes: an output folder is made, with its parents;
/// an output file in a folder that does not exist is refused. Commands call these before anything runs. `option`: the option that names
/// the output, for the message. Nothing happens if `path` is empty.
#pragma once
#include <string>

namespace gsu {

/// Throws InputError if the file cannot be written: its folder does not exist or is not writable, or the path is something other than a
/// regular file.
void checkOutputFile(const std::string& option, const std::string& path);

/// Throws InputError if there is no such folder afterwards, or one that is not writable.
void makeOutputFolder(const std::string& option, const std::string& path);

}  // namespace gsu
