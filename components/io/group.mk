# SPDX-License-Identifier: BSD-3-Clause
ROOMS_io = $(LIBROOMS)
LIBS_io := -lsndfile -lsamplerate
