/*
 * Functions of the C and compiler libraries that use FP/SIMD registers as Debian builds them, without those: the
 * variadic ones save the argument registers, strings streams are initialised by vectors, setjmp() saves D8 to D15,
 * popcount counts in a vector.
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

int __popcountdi2(uint64_t value);

/* A stream into memory; the base comes first, as put_in_memory() gets its address. */
struct memory_stream {
    FILE file;
    char *at, *end;
};

static int put_in_memory(char c, FILE *file)
{
    struct memory_stream *stream = (struct memory_stream *)file;

    if (stream->at < stream->end)
        *stream->at++ = c;
    return (unsigned char)c;
}

int vsnprintf(char *text, size_t bytes, const char *format, va_list list)
{
    struct memory_stream stream;
    int count;

    stream.file.unget = 0;
    stream.file.flags = __SWR;
    stream.file.put = put_in_memory;
    stream.file.get = NULL;
    stream.file.flush = NULL;
    stream.at = text;
    stream.end = bytes ? text + bytes - 1 : text;
    count = vfprintf(&stream.file, format, list);
    if (bytes)
        *stream.at = 0;
    return count;
}

int vsprintf(char *text, const char *format, va_list list)
{
    return vsnprintf(text, INT_MAX, format, list);
}

int vprintf(const char *format, va_list list)
{
    return vfprintf(stdout, format, list);
}

#define VARIADIC(call)      \
    va_list list;           \
    int count;              \
    va_start(list, format); \
    count = call;           \
    va_end(list);           \
    return count

int printf(const char *format, ...)
{
    VARIADIC(vfprintf(stdout, format, list));
}

int fprintf(FILE *file, const char *format, ...)
{
    VARIADIC(vfprintf(file, format, list));
}

int sprintf(char *text, const char *format, ...)
{
    VARIADIC(vsnprintf(text, INT_MAX, format, list));
}

int snprintf(char *text, size_t bytes, const char *format, ...)
{
    VARIADIC(vsnprintf(text, bytes, format, list));
}

int __popcountdi2(uint64_t value)
{
    int count = 0;

    for (; value; value &= value - 1)
        count++;
    return count;
}

asm(".globl setjmp, longjmp\n"
    ".type setjmp, %function\n"
    ".type longjmp, %function\n"
    "setjmp:\n"
    "    stp x19, x20, [x0]\n"
    "    stp x21, x22, [x0, #16]\n"
    "    stp x23, x24, [x0, #32]\n"
    "    stp x25, x26, [x0, #48]\n"
    "    stp x27, x28, [x0, #64]\n"
    "    stp x29, x30, [x0, #80]\n"
    "    mov x1, sp\n"
    "    str x1, [x0, #96]\n"
    "    mov w0, #0\n"
    "    ret\n"
    "longjmp:\n"
    "    ldp x19, x20, [x0]\n"
    "    ldp x21, x22, [x0, #16]\n"
    "    ldp x23, x24, [x0, #32]\n"
    "    ldp x25, x26, [x0, #48]\n"
    "    ldp x27, x28, [x0, #64]\n"
    "    ldp x29, x30, [x0, #80]\n"
    "    ldr x2, [x0, #96]\n"
    "    mov sp, x2\n"
    "    cmp w1, #0\n"
    "    csinc w0, w1, wzr, ne\n"
    "    ret\n");
