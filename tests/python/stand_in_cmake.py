"""Stands for CMake in tests of gsu build: what it was called with goes to a file, what it makes is empty. Environment variables of the test say what goes wrong."""
import os
import pathlib
import sys
import time

arguments = sys.argv[1:]
wrong = os.environ.get("STAND_IN", "")
with open(os.environ["STAND_IN_LOG"], "a", encoding="utf-8") as log:
    log.write(" ".join(arguments) + "\n")
if "-B" in arguments:
    if wrong == "configure":
        sys.exit("CMake Error at CMakeLists.txt:1: verilator not found: install it")
    pathlib.Path(arguments[arguments.index("-B") + 1]).mkdir(parents=True)
    sys.exit(0)
build = pathlib.Path(arguments[arguments.index("--build") + 1])
if arguments[arguments.index("--target") + 1] == "gsu_model_header":
    (build / "model").mkdir()
    (build / "model/model_digest.hpp").write_text(f'#define GSU_MODEL_DIGEST "{os.environ["STAND_IN_DIGEST"]}"\n'
                                                  f'#define GSU_MODEL_TOOLS "{os.environ["STAND_IN_TOOLS"]}"\n')
    sys.exit(0)
if wrong == "compile":
    sys.exit("x.cpp:1:1: error: expected declaration")
if wrong == "full":
    sys.exit("fatal error: error writing to x.s: No space left on device")
if wrong == "slow":
    pathlib.Path(os.environ["STAND_IN_LOG"] + ".compiling").touch()
    time.sleep(60)
if wrong == "wait":
    time.sleep(1)
(build / "model.so").write_bytes(b"no model")
