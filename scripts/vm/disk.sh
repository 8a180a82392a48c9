#!/bin/sh
# In a system that has the tools, /disk/root.tar becomes a disk that boots by BIOS and by UEFI: /disk/lost-packets.qcow2 and .ova.
# No root, mount or loop device: every tool writes into the file. Whatever they would draw at random is given to them.
# Expects SOURCE_DATE_EPOCH, and /disk/lost-packets.ovf with @CAPACITY@ and @SIZE@.
set -eu
cd /disk
BOOT_MIB=96 ROOT_MIB=8000
FILESYSTEM=6c6f7374-7061-636b-8574-730000000001
raw=lost-packets.raw boot=lost-packets.raw@@1M
export MTOOLS_SKIP_CHECK=1

truncate -s $((1 + BOOT_MIB + ROOT_MIB + 1))MiB $raw
sfdisk --quiet $raw <<END
label: gpt
label-id: 6C6F7374-7061-636B-8574-730000000002
start=1MiB, size=${BOOT_MIB}MiB, type=uefi, name=boot, attrs=LegacyBIOSBootable, uuid=6C6F7374-7061-636B-8574-730000000003
start=$((1 + BOOT_MIB))MiB, size=${ROOT_MIB}MiB, type=linux, name=lost-packets, uuid=6C6F7374-7061-636B-8574-730000000004
END
dd if=/usr/lib/syslinux/mbr/gptmbr.bin of=$raw bs=440 count=1 conv=notrunc status=none

# From the tar, which has owners and devices that an ordinary user could not make.
mke2fs -q -t ext4 -L lost-packets -U $FILESYSTEM -m 1 -d root.tar \
    -E hash_seed=$FILESYSTEM,root_owner=0:0,lazy_itable_init=0,offset=$(((1 + BOOT_MIB) << 20)) $raw ${ROOT_MIB}M

# Kernel and initrd on FAT, where both boot loaders find them.
tar -xf root.tar --strip-components=2 --wildcards './boot/vmlinuz-*' './boot/initrd.img-*'
rm root.tar
mv vmlinuz-* vmlinuz
mv initrd.img-* initrd.img
# no_timer_check: a busy host starves a machine in software of the ticks that the kernel would count at its start.
options="root=LABEL=lost-packets ro quiet no_timer_check console=ttyS0 console=tty0"
printf 'timeout 0\n' >loader.conf
printf 'title Lost Packets\nlinux /vmlinuz\ninitrd /initrd.img\noptions %s\n' "$options" >lab.conf
printf 'DEFAULT lab\nLABEL lab\n LINUX /vmlinuz\n INITRD /initrd.img\n APPEND %s\n' "$options" >syslinux.cfg
mformat -i $boot -F -T $((BOOT_MIB << 11)) -H 2048 -h 255 -s 63 -N 6c6f7374 -v BOOT ::
mmd -i $boot ::/EFI ::/EFI/BOOT ::/loader ::/loader/entries ::/syslinux
mcopy -i $boot vmlinuz initrd.img ::/
mcopy -i $boot /usr/lib/systemd/boot/efi/systemd-bootx64.efi ::/EFI/BOOT/BOOTX64.EFI
mcopy -i $boot loader.conf ::/loader/
mcopy -i $boot lab.conf ::/loader/entries/
mcopy -i $boot syslinux.cfg /usr/lib/syslinux/modules/bios/ldlinux.c32 ::/syslinux/
syslinux --install --directory syslinux --offset $((1 << 20)) $raw

qemu-img convert -c -O qcow2 $raw lost-packets.qcow2
qemu-img convert -O vmdk -o subformat=streamOptimized $raw lost-packets.vmdk
# qemu-img draws the identity of a VMDK's content at random; the first of these is its, the next its parent's.
at=$(head -c 65536 lost-packets.vmdk | grep --text --byte-offset --only-matching '^CID=' | head -n 1 | cut -d: -f1)
printf 6c6f7374 | dd of=lost-packets.vmdk bs=1 seek=$((at + 4)) conv=notrunc status=none

sed -i -e "s/@SIZE@/$(stat -c %s lost-packets.vmdk)/" -e "s/@CAPACITY@/$(stat -c %s $raw)/" lost-packets.ovf
for part in lost-packets.ovf lost-packets.vmdk; do
    echo "SHA256($part)= $(sha256sum $part | cut -d' ' -f1)"
done >lost-packets.mf
tar --format=ustar --owner=0 --group=0 --numeric-owner --mode=644 --mtime="@$SOURCE_DATE_EPOCH" \
    -cf lost-packets.ova lost-packets.ovf lost-packets.mf lost-packets.vmdk
