/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program with arrays in .text, .rodata, .data.rel.ro, .data and .bss, of whose pages those are there that it says: it gives all back,
 * touches some, and prints "NAME PAGES" of each, and READY. What is written to is there by the page; around what is read the kernel
 * maps as much as it likes, so of that the program asks its own pagemap.
 */
#include "config.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, AROUND = 16 * PAGE, LARGE = 512 << 10, SMALL = 64 * PAGE, RELRO = 16 * PAGE };

#define PAGED __attribute__((aligned(4096)))

/* Never executed. */
__asm__(".pushsection .text\n"
	".balign 4096\n"
	".globl known_text\n"
	".type known_text, %function\n"
	"known_text: .skip 524288, 0xcc\n"
	".size known_text, 524288\n"
	".popsection\n");
extern const unsigned char known_text[LARGE];

extern const unsigned char known_rodata[LARGE];
const unsigned char known_rodata[LARGE] PAGED = {1};

extern unsigned char known_data[SMALL], known_bss[SMALL], known_odd[10000];
unsigned char known_data[SMALL] PAGED = {1};
unsigned char known_bss[SMALL] PAGED;
unsigned char known_odd[10000] PAGED = {1}; /* ends within a page */

/* Pointers, so that it is written to when the program is moved to where it is loaded, and by nobody afterwards. */
extern const void *const known_relro[RELRO / sizeof(void *)];
const void *const known_relro[RELRO / sizeof(void *)] PAGED = {known_data};

static volatile unsigned char sink;

static unsigned char *writable(const volatile void *p)
{
	return (unsigned char *)(uintptr_t)p;
}

static void give_back(const volatile void *array, size_t size)
{
	if (madvise(writable(array), size, MADV_DONTNEED) < 0)
		exit(1);
}

static void write_page(unsigned char *array, size_t number)
{
	*(volatile unsigned char *)(array + number * PAGE) = 7;
}

static size_t count_pages(const volatile unsigned char *array)
{
	static uint64_t entry[LARGE / PAGE];
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	size_t count = 0;

	if (pread(fd, entry, sizeof(entry), (off_t)((uintptr_t)array / PAGE * sizeof(*entry))) !=
		sizeof(entry))
		exit(1);
	close(fd);
	for (size_t i = 0; i < LARGE / PAGE; i++)
		count += entry[i] >> 63;
	return count;
}

/* Some places. */
static void read_some(const volatile unsigned char *array, size_t count)
{
	give_back(array, LARGE);
	for (size_t i = 0; i < count; i++)
		sink = array[2 * i * AROUND + 5 * PAGE];
}

/* .data.rel.ro may not be written to by now. */
static void write_relro(void)
{
	unsigned char *array = writable(known_relro);

	if (mprotect(array, RELRO, PROT_READ | PROT_WRITE) < 0)
		exit(1);
	give_back(array, RELRO);
	write_page(array, 2);
	write_page(array, 9);
	write_page(array, 10);
	if (mprotect(array, RELRO, PROT_READ) < 0)
		exit(1);
	printf("known_relro 3\n");
}

int main(void)
{
	read_some(known_text, 2);
	read_some(known_rodata, 3);
	write_relro();
	give_back(known_data, SMALL);
	for (size_t i = 0; i < 5; i++)
		write_page(known_data, 3 * i + 1);
	printf("known_data 5\n");
	give_back(known_bss, SMALL);
	write_page(known_bss, 0);
	write_page(known_bss, SMALL / PAGE - 1);
	sink = ((volatile unsigned char *)known_bss)[10 * PAGE]; /* zeros, in nobody's RSS */
	printf("known_bss 2\n");
	/* Its last page is others', too. */
	give_back(known_odd, 2 * PAGE);
	write_page(known_odd, 1);
	write_page(known_odd, 2);
	printf("known_odd 1\n");
	/* The first time takes the code for it to memory, and perhaps what is around. */
	count_pages(known_text);
	printf("known_text %zu\nknown_rodata %zu\n", count_pages(known_text),
		count_pages(known_rodata));
	puts("READY");
	fflush(stdout);
	for (;;)
		pause();
}
