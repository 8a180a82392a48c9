// SPDX-License-Identifier: GPL-2.0-only
/* No assembler asks where a field lies; the build wants the file. */
int main(void);
int main(void)
{
	return 0;
}
