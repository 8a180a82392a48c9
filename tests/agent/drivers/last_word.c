/* Process 1 of a lab kernel ends with reboot(2), not exit(3): what was counted is written before. */
void __gcov_dump(void);
int __real_reboot(int how);
int __wrap_reboot(int how);

int __wrap_reboot(int how)
{
	__gcov_dump();
	return __real_reboot(how);
}
