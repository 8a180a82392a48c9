/* What the kernel imports, by the names that wasm2c gives it: kernel/arch/include/asm/lab.h says what each does. An address
 * that the kernel hands out is looked at before it is used. SPDX: MIT */
#include "lab.h"

/* The module's instance of us: there is one, and it needs nothing. */
struct w2c_lab {
	char unused;
};

void w2c_lab_print(struct w2c_lab *lab, u32 text, u32 size)
{
	(void)lab;
	console_print(memory_at(text, size), size);
}

void w2c_lab_stop(struct w2c_lab *lab, u32 why)
{
	(void)lab;
	end((enum reason)why);
}

u32 w2c_lab_size(struct w2c_lab *lab)
{
	(void)lab;
	return run_folder_size();
}

u32 w2c_lab_read(struct w2c_lab *lab, u32 to, u32 size, u32 offset)
{
	(void)lab;
	return run_folder_read(memory_at(to, size), size, offset);
}

void w2c_lab_write(struct w2c_lab *lab, u32 from, u32 size)
{
	(void)lab;
	run_folder_write(memory_at(from, size), size);
}

u32 w2c_lab_gate(struct w2c_lab *lab)
{
	(void)lab;
	return run_folder_program();
}

void w2c_lab_clock(struct w2c_lab *lab, u32 ms)
{
	(void)lab;
	run_folder_clock(ms);
}

u32 w2c_lab_asked_to_stop(struct w2c_lab *lab)
{
	(void)lab;
	return run_folder_stop();
}
