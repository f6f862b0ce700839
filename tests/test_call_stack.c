/* Call stacks as followed from outside: calls, tail calls, recursion, loops, exceptions, lost returns, time. */
#include <stdio.h>
#include <string.h>

#include "tests/unit.h"
#include "trace/call_stack.h"

static struct call_stacks *stacks;
static char log_text[4096];
static char chains[4096];

static void entered(void *ctx, unsigned core, uint32_t function, uint64_t t_ps)
{
    size_t at = strlen(log_text);

    snprintf(log_text + at, sizeof(log_text) - at, "%c%llu ", 'a' + (int)function, (unsigned long long)t_ps);
}

static void left(void *ctx, unsigned core, uint64_t t_ps)
{
    size_t at = strlen(log_text);

    snprintf(log_text + at, sizeof(log_text) - at, "-%llu ", (unsigned long long)t_ps);
}

static void visit(void *ctx, const uint32_t *functions, size_t depth, uint64_t ps)
{
    size_t at = strlen(chains);

    for (size_t i = 0; i < depth; i++)
        chains[at++] = (char)('a' + (int)functions[i]);
    snprintf(chains + at, sizeof(chains) - at, "=%llu ", (unsigned long long)ps);
}

static void add(void *ctx, const uint32_t *functions, size_t depth, uint64_t ps)
{
    *(uint64_t *)ctx += ps;
}

static void setup(void)
{
    struct call_listener listener = {.entered = entered, .left = left};

    stacks = call_stacks_create(2, &listener);
    log_text[0] = chains[0] = 0;
}

static void teardown(void)
{
    call_stacks_destroy(stacks);
}

static const char *seen(uint64_t end_ps)
{
    call_ended(stacks, 0, end_ps);
    call_stacks_visit(stacks, visit, NULL);
    return chains;
}

enum { A, B, C, HANDLER };

START_TEST(a_call_and_its_return)
{
    call_entered(stacks, 0, A, 0x10, 0x900, 5);
    call_entered(stacks, 0, B, 0x20, 0x800, 10);
    call_returned(stacks, 0, 0x20, 17);
    ck_assert_str_eq(seen(20), "a=8 ab=7 ");
    ck_assert_str_eq(log_text, "a5 b10 -17 -20 ");
}
END_TEST

START_TEST(a_tail_call_takes_the_callers_place)
{
    call_entered(stacks, 0, A, 0x10, 0x900, 0);
    call_entered(stacks, 0, B, 0x20, 0x800, 1);
    call_entered(stacks, 0, C, 0x20, 0x800, 4);
    call_returned(stacks, 0, 0x20, 9);
    ck_assert_str_eq(seen(10), "a=2 ab=3 ac=5 ");
    ck_assert_str_eq(log_text, "a0 b1 -4 c4 -9 -10 ");
}
END_TEST

START_TEST(a_loop_to_the_first_instruction_is_no_call)
{
    for (uint64_t t = 0; t < 5; t++)
        call_entered(stacks, 0, A, 0x10, 0x900, t);
    ck_assert_str_eq(seen(6), "a=6 ");
    ck_assert_str_eq(log_text, "a0 -6 ");
}
END_TEST

/* From the same instruction, so that only the stack pointer differs. */
START_TEST(recursion_is_a_call)
{
    call_entered(stacks, 0, A, 0x10, 0x900, 0);
    call_entered(stacks, 0, A, 0x40, 0x8f0, 1);
    call_entered(stacks, 0, A, 0x40, 0x8e0, 2);
    call_returned(stacks, 0, 0x40, 3);
    call_returned(stacks, 0, 0x40, 4);
    ck_assert_str_eq(seen(5), "a=2 aa=2 aaa=1 ");
}
END_TEST

START_TEST(a_handler_interrupts_and_ends)
{
    call_entered(stacks, 0, A, 0x10, 0x900, 0);
    call_exception(stacks, 0, HANDLER, 2);
    call_entered(stacks, 0, B, 0x10, 0x900, 3); /* the link register is still the interrupted function's */
    call_exception_returned(stacks, 0, 6);
    call_returned(stacks, 0, 0x10, 8);
    ck_assert_str_eq(seen(8), "a=4 ad=1 adb=3 ");
}
END_TEST

START_TEST(a_return_from_several_functions_ends_all)
{
    call_entered(stacks, 0, A, 0x10, 0x900, 0);
    call_entered(stacks, 0, B, 0x20, 0x800, 1);
    call_entered(stacks, 0, C, 0x30, 0x700, 2);
    call_returned(stacks, 0, 0x20, 3);
    call_returned(stacks, 0, 0x7777, 4); /* nobody was called from there */
    ck_assert_str_eq(seen(5), "a=3 ab=1 abc=1 ");
}
END_TEST

START_TEST(cores_are_apart_and_their_time_is_added)
{
    call_entered(stacks, 0, A, 0x10, 0x900, 0);
    call_entered(stacks, 1, A, 0x10, 0x500, 100);
    call_entered(stacks, 1, B, 0x20, 0x400, 110);
    call_ended(stacks, 1, 111);
    ck_assert_str_eq(seen(3), "a=13 ab=1 ");
}
END_TEST

START_TEST(calls_deeper_than_the_most_lose_no_time)
{
    uint64_t sum = 0;

    for (uint64_t i = 0; i < 1000; i++)
        call_entered(stacks, 0, (uint32_t)(i & 1), 0x100 + i, 0x9000 - 16 * i, i);
    for (uint64_t i = 1000; i-- > 0;)
        call_returned(stacks, 0, 0x100 + i, 2000 - i);
    call_ended(stacks, 0, 2000);
    call_stacks_visit(stacks, add, &sum);
    ck_assert_uint_eq(sum, 2000);
}
END_TEST

void test_call_stack(struct unit_registry *r)
{
    unit_suite(r, "CallStack", setup, teardown);
    unit_test(r, a_call_and_its_return);
    unit_test(r, a_tail_call_takes_the_callers_place);
    unit_test(r, a_loop_to_the_first_instruction_is_no_call);
    unit_test(r, recursion_is_a_call);
    unit_test(r, a_handler_interrupts_and_ends);
    unit_test(r, a_return_from_several_functions_ends_all);
    unit_test(r, cores_are_apart_and_their_time_is_added);
    unit_test(r, calls_deeper_than_the_most_lose_no_time);
}
