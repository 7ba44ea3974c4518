# SPDX-License-Identifier: BSD-3-Clause
#
# flood.sh CPU COMMAND...: in a network namespace and a mount namespace of its own, with a pair of veth whose packets the
# kernel gives to this CPU.
set -eu
cpu=$1
shift
mount -t sysfs none /sys # of this network namespace
ip link add flood0 type veth peer name flood1
ip link set flood0 up
ip link set flood1 up
printf '%x' $((1 << cpu)) >/sys/class/net/flood1/queues/rx-0/rps_cpus
exec "$@"
