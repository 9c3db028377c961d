/* Leaving a function where a call of a library fails. */
#pragma once

#include <errno.h>

/* `failed` returns -1 after setting the problem; it is given the call's name, the file and the system's last
 * errno. Needs `problem` and `path` in the function. IS_ERROR decides by the result of the call whether it
 * failed. */
#define WEIR_TRY(IS_ERROR, failed, call_text, expression)                                                    \
    do {                                                                                                     \
        errno = 0;                                                                                           \
        long long code = (long long)(expression);                                                            \
        if (IS_ERROR(code)) {                                                                                \
            return failed(problem, call_text, path, (int)code, errno);                                       \
        }                                                                                                    \
    } while (0)

/* The same of a call whose name is the name in messages, by the TRY of its library. */
#define CALL(call, ...) TRY(#call, call(__VA_ARGS__))

#define WEIR_NOT_ZERO(code) ((code) != 0)
#define WEIR_NEGATIVE(code) ((code) < 0)
