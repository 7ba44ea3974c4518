/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/aloe/docs.h"

const char record_doc[] =
    "Records a waveform that runs, from its next index on, in the new or empty folder DIR, until "
    "Ctrl-C, --slots or the end of the waveform: what comes from outside (files, sockets, radios), "
    "every change of a parameter with its index, and a digest of each message that a sink reads. "
    "`aloe replay DIR` repeats it. To record a waveform from its beginning, with the digests of "
    "all links, use `aloe run FILE --record DIR`.\n\n"
    "The state of components is not recorded. The replay begins with fresh state at index 0, runs "
    "up to the first recorded index with ABSENT in the place of what came from outside, and then "
    "plays the recording. So a component whose state depends on what came before may differ at "
    "first or for ever; replay says from which index on all sinks agree.\n\n"
    "What is recorded is read by taps, as by `aloe tap`: each output gets a ring of its own, for "
    "which the waveform pauses for a few slots, and the waveform waits for nobody. If a tap loses "
    "a message, the recording ends before that index, aloe says so, and the exit status is 1. A "
    "recording that is cut short replays up to its last whole second. A waveform with the "
    "virtual clock, or of a platform, cannot be recorded so.";

const char replay_doc[] =
    "DIR is the folder of `aloe run --record DIR` or `aloe record W DIR`. Players take the place "
    "of files, sockets and radios, every parameter changes at the index at which it changed, and a "
    "sink that writes a file writes to a temporary folder. The SHA-256 of what each sink gets is "
    "compared with the "
    "recording: the exit status is 1 if one differs, on whatever lanes, isolation and clock.\n\n"
    "All of the recording is checked first. One that is truncated, altered or of a newer version, "
    "or a file that a component reads and that has changed, ends with exit status 2 and the "
    "place. A recording that was cut short by a crash is replayed up to its last whole second.\n\n"
    "With late = \"skip\" or overrun = \"conceal\" instances may have missed an index or a "
    "message. INSTANCE.lapses in DIR has each of these with its index, and replay repeats them. "
    "If they are known up to an index only, replay ends there and says so.\n\nWith --platform the "
    "recording, of one node or of several, runs on the nodes of a platform that are up. Instances "
    "are on the nodes that the waveform names; if the platform does not have all of these, or the "
    "waveform names none, the plan chooses. Lapses, and more than 24 changes of parameters, are "
    "replayed on one node only.\n\n"
    "Of a recording by `aloe record`, which began at an index of a waveform that ran, each message "
    "that a sink reads is compared from that index on. The exit status is 0 only if all of them "
    "are the same; otherwise replay says from which index on all sinks agree.";

const char compare_doc[] =
    "DIR and DIR2 are folders of `aloe run FILE --record DIR --digests`, of the same waveform: of "
    "two builds of a component, two vector levels or two machines. All digests are compared, and "
    "the first index at which they differ is named, with the first instance at that index, in the "
    "order of the graph, whose output differs. Both digests are printed, and the first item that "
    "differs if the recordings have the messages themselves. Components with different builds are "
    "listed. The exit status is 1 if a message differs. A folder that is truncated, altered or of "
    "a newer version, or of another waveform, ends with exit status 2.";

const char doctor_doc[] =
    "Prints everything on this machine that real time depends on, each marked as good, fixable "
    "or not available here: the present value, the value that is needed, the reason, and the "
    "command that sets the value. What ALOE sets itself while a waveform runs counts as good. "
    "Without --apply nothing is changed.\n\nThen aloe doctor measures the CPUs of the lanes, "
    "with one loop that wakes by the timer and one loop that never sleeps, and prints how many "
    "slots of which length would be missed by a lane that works for half of each slot. A CPU on "
    "which a lane is running is not measured.\n\n--apply changes nothing permanently: --revert "
    "undoes the changes, and so does a restart of the machine. --revert does not touch a value "
    "that someone else has changed since, and names that value. Settings that take CPUs away "
    "from other programs need --lanes, with at least one CPU left over. With --bench "
    "every setting is changed for some seconds only.\n\nWith --radio, aloe "
    "doctor checks the radio of a radio file as its driver can, one answer on each line, marked "
    "as good, bad or unknown; if one is bad, the exit status is 1. Of an X310: route, link, MTU, "
    "firmware, the largest packet that passes, FPGA image, the time of each device, and the "
    "counts of one second in which all samples received are sent back, at the rate of the radio "
    "file. Nothing else may use the radio meanwhile, and the transmitter is on. "
    "platforms/x310/README.md of the source says what each answer means.";
