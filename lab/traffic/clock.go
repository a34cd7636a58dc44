package main

import (
	"syscall"
	"time"
	"unsafe"
)

const clockMonotonic = 1

var (
	atStart   = time.Now()
	atStartNs = monotonicNs()
)

// now is CLOCK_MONOTONIC in nanoseconds, the clock that Python's time.monotonic_ns reads: what happens here and in the lab has one time.
func now() int64 {
	return atStartNs + int64(time.Since(atStart))
}

func monotonicNs() int64 {
	var at syscall.Timespec
	if _, _, problem := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&at)), 0); problem != 0 {
		fail("clock_gettime: %v", problem)
	}
	return at.Nano()
}

func sleepUntil(atNs int64) {
	time.Sleep(time.Duration(atNs - now()))
}
