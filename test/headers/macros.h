// SPDX-FileCopyrightText: Copyright (c) 2026 the cmerge authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Macros that other libraries define and a program may include before cmerge: lower-case and short
// names. Headers of Thrust and the standard library are included before this file.
#pragma once

// <windows.h>: minwindef.h, rpcndr.h, combaseapi.h, wingdi.h, winnt.h. min and max: also Xlibint.h.
#define min(a, b) (((a) < (b)) ? (a) : (b))
#define max(a, b) (((a) > (b)) ? (a) : (b))
#define near
#define far
#define small char
#define hyper __int64
#define interface struct
#define pascal __stdcall
#define cdecl __cdecl
#define uuid(x)
#define IN
#define OUT
#define OPTIONAL
#define CONST const
#define VOID void
#define DELETE (0x00010000L)
#define ERROR 0
#define Yield()
#define GetObject GetObjectA
#define GetMessage GetMessageA

// Qt's qobjectdefs.h and qforeach.h.
#define emit
#define slots __attribute__((annotate("qt_slot")))
#define signals \
 public         \
  __attribute__((annotate("qt_signal")))
#define foreach(variable, container) for (variable : container)

// <X11/X.h> and <X11/Xlib.h>.
#define None 0L
#define Bool int
#define Status int
#define True 1
#define False 0
#define Success 0
#define Always 2
#define Above 0
#define Below 1
#define Complex 0
#define Unsorted 0

// <AssertMacros.h> of macOS before 10.12. <assert.h>: assert.
#define check(assertion) \
  do {                   \
  } while (0)
#define verify(assertion) \
  do {                    \
  } while (0)
#define require(assertion, label) \
  do {                            \
    goto label;                   \
  } while (0)
#define check_noerr(code) \
  do {                    \
  } while (0)
#undef assert
#define assert(expression) ((void)0)

// <complex.h>: I, complex. <sys/sysmacros.h>: major, minor, makedev.
#define I _Complex_I
#define complex _Complex
#define major(device) gnu_dev_major(device)
#define minor(device) gnu_dev_minor(device)
#define makedev(major, minor) gnu_dev_makedev(major, minor)

// <termios.h>: ECHO, B0. Arduino's binary.h: B0, B1. Its WString.h: F. Its Arduino.h: the rest.
#define B0 0000000
#define B1 1
#define ECHO 0000010
#define F(text) (text)
#define bit(b) (1UL << (b))
#define bitRead(value, bit) (((value) >> (bit)) & 0x01)
#define lowByte(w) ((unsigned char)((w)&0xff))
#define highByte(w) ((unsigned char)((w) >> 8))
#define interrupts() sei()
#define sq(x) ((x) * (x))

// <ctype.h> of Newlib.
#define _U 01
#define _L 02
#define _N 04
#define _S 010
#define _P 020
#define _C 040
#define _X 0100
#define _B 0200

// Compilers, in their GNU modes.
#undef unix
#undef linux
#define unix 1
#define linux 1

// <sys/param.h>: howmany, roundup, powerof2, MIN, MAX. <linux/keyboard.h>: K. <linux/fs.h>: READ.
#define howmany(x, y) (((x) + ((y)-1)) / (y))
#define roundup(x, y) ((((x) + ((y)-1)) / (y)) * (y))
#define powerof2(x) ((((x)-1) & (x)) == 0)
#define MIN(a, b) (((a) < (b)) ? (a) : (b))
#define MAX(a, b) (((a) > (b)) ? (a) : (b))
#define K(t, v) (((t) << 8) | (v))
#define READ 0
#define WRITE 1

// <Rinternals.h> and <R_ext/Error.h>.
#define length Rf_length
#define error Rf_error
#define isNull Rf_isNull

// <altivec.h>, in its GNU mode: pixel. Perl's embed.h: list and scope.
#define pixel __pixel
#define list(a) Perl_list(a)
#define scope(a) Perl_scope(a)
