// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files of the agent's run folder, as devices: "program" to be read, "raw" to be appended to, "gate", whose first
 * byte comes when there is a program, and what is printed ("console"). To the agent they are what they are in the guest.
 */
#include <linux/cdev.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <asm/lab.h>

enum { MAJOR_NUMBER = 240 };
enum { PROGRAM, RAW, GATE, CONSOLE, FILES };

static int lab_open(struct inode *inode, struct file *file)
{
	if (iminor(inode) >= FILES)
		return -ENXIO;
	if (iminor(inode) == PROGRAM)
		i_size_write(inode, lab_size());
	return 0;
}

/* A program's memory is the kernel's: nothing is copied on the way. */
static ssize_t lab_read_file(struct file *file, char __user *to, size_t size, loff_t *at)
{
	u32 got = 0;

	switch (iminor(file_inode(file))) {
	case PROGRAM:
		got = lab_read((__force char *)to, size, *at);
		break;
	case GATE:
		if (size && lab_gate()) {
			*(__force char *)to = 'g';
			got = 1;
		}
		break;
	}
	*at += got;
	return got;
}

static ssize_t lab_write_file(struct file *file, const char __user *from, size_t size, loff_t *at)
{
	switch (iminor(file_inode(file))) {
	case RAW:
		lab_write((__force const char *)from, size);
		return size;
	case CONSOLE:
		lab_print((__force const char *)from, size);
		return size;
	default:
		return -EBADF;
	}
}

static int lab_fsync(struct file *file, loff_t from, loff_t to, int data_only)
{
	return 0;
}

static const struct file_operations operations = {
	.open = lab_open,
	.read = lab_read_file,
	.write = lab_write_file,
	.fsync = lab_fsync,
};

static int __init files_start(void)
{
	return register_chrdev(MAJOR_NUMBER, "lab", &operations);
}
device_initcall(files_start);
