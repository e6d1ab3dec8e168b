// Symbols that a program looks up in a model made by `gsu build`: the digest of its sources, and its classes.
#include "model_digest.hpp"
#include "verilated/system_base.hpp"

#define GSU_VISIBLE extern "C" __attribute__((visibility("default")))

GSU_VISIBLE const char* gsu_model_digest() { return GSU_MODEL_DIGEST; }
GSU_VISIBLE const char* gsu_model_tools() { return GSU_MODEL_TOOLS; }

GSU_VISIBLE const gsu::RtlModels* gsu_model() { return &gsu::builtInModels(); }
