// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files of the agent's run folder, as devices: "program" to be read, "raw" to be appended to, "gate", whose first
 * byte comes when there is a program, and what is printed ("console"). To the agent they are what they are in the guest.
 */
#include <linux/cdev.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/io.h>
#include <linux/uaccess.h>
#include <asm/labtab.h>

enum { MAJOR_NUMBER = 240, PIECE = 1 << 16 };
enum { PROGRAM, RAW, GATE, CONSOLE, FILES };

static char piece[PIECE];

static int lab_open(struct inode *inode, struct file *file)
{
	if (iminor(inode) >= FILES)
		return -ENXIO;
	if (iminor(inode) == PROGRAM)
		i_size_write(inode, labtab_call(LABTAB_SIZE, NULL, 0, 0));
	return 0;
}

static ssize_t lab_read(struct file *file, char __user *to, size_t size, loff_t *at)
{
	u32 part = min_t(size_t, size, PIECE), got;

	switch (iminor(file_inode(file))) {
	case PROGRAM:
		got = labtab_call(LABTAB_READ, piece, part, *at);
		break;
	case GATE:
		labtab_call(LABTAB_GATE, NULL, 0, 0);
		piece[0] = 'g';
		got = min_t(u32, part, 1);
		break;
	default:
		return 0;
	}
	if (copy_to_user(to, piece, got))
		return -EFAULT;
	*at += got;
	return got;
}

static ssize_t lab_write(struct file *file, const char __user *from, size_t size, loff_t *at)
{
	u32 part = min_t(size_t, size, PIECE), i;

	if (copy_from_user(piece, from, part))
		return -EFAULT;
	switch (iminor(file_inode(file))) {
	case RAW:
		labtab_call(LABTAB_WRITE, piece, part, 0);
		return part;
	case CONSOLE:
		for (i = 0; i < part; i++)
			outb(piece[i], LABTAB_CONSOLE);
		return part;
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
	.read = lab_read,
	.write = lab_write,
	.fsync = lab_fsync,
};

static int __init files_start(void)
{
	return register_chrdev(MAJOR_NUMBER, "labtab", &operations);
}
device_initcall(files_start);
