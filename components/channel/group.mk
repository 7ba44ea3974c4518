# SPDX-License-Identifier: BSD-3-Clause
# FFTW keeps what its planner knows for as long as the process lives: unloaded with a component, that would be lost memory.
LIBS_channel := -Wl,-z,nodelete
