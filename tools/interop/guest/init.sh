#!/bin/busybox sh
# The first program of the guest. It mounts the files of the machine, and runs a command with them.
b=/bin/busybox
$b mount -t proc proc /proc
$b mount -t sysfs sysfs /sys
$b mount -t devtmpfs devtmpfs /dev
for module in $($b cat /modules/order); do $b insmod /modules/$module.ko; done

plan9=trans=virtio,version=9p2000.L,msize=512000
$b mount -t 9p -o ro,cache=loose,$plan9 host /host
for folder in proc sys dev; do $b mount -o bind /$folder /host/$folder; done
# The only folder for files of its own.
$b mount -t tmpfs tmpfs /host/run
$b mount -t 9p -o $plan9 share /host/mnt
$b ip link set lo up

set -- $($b cat /host/mnt/command)
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/run TMPDIR=/run
$b chroot /host /usr/bin/python3 "$@" > /host/mnt/output.log 2>&1
echo $? > /host/mnt/status
$b poweroff -f
