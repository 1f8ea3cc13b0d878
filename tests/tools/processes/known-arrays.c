/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Target program for tests of memtally pages: arrays with a known number of resident pages
 *
 * The arrays are in .text, .rodata, .data.rel.ro, .data and .bss. The program gives all pages back,
 * touches some, and prints "NAME PAGES" for each array, then READY. For written arrays the count
 * follows from the writes. Around a read the kernel maps as many pages as it likes, so for read
 * arrays the program asks its own pagemap.
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

/*
 * Pointers, so that the dynamic loader writes to the array when it relocates the program. Nothing
 * writes to it later.
 */
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

/* Reads COUNT places that are far apart. */
static void read_some(const volatile unsigned char *array, size_t count)
{
	give_back(array, LARGE);
	for (size_t i = 0; i < count; i++)
		sink = array[2 * i * AROUND + 5 * PAGE];
}

/* .data.rel.ro is read-only at this point. */
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
	/* the zero page, which does not count as RSS */
	sink = ((volatile unsigned char *)known_bss)[10 * PAGE];
	printf("known_bss 2\n");
	/* The last page also holds other variables. */
	give_back(known_odd, 2 * PAGE);
	write_page(known_odd, 1);
	write_page(known_odd, 2);
	printf("known_odd 1\n");
	/* The first call maps the code for it, and perhaps pages around it. */
	count_pages(known_text);
	printf("known_text %zu\nknown_rodata %zu\n", count_pages(known_text),
		count_pages(known_rodata));
	puts("READY");
	fflush(stdout);
	for (;;)
		pause();
}
