"""Port structs of GSU's RTL for Python, and streams on them for cocotb. Licence: Apache-2.0."""
