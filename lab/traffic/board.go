package main

import (
	"os"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// A board is a file in shared memory with a node's counts, which the lab reads at any time. It outlives the node, however that ends, and the
// next one that is started with it counts on. All fields are 64 bits wide; traffic.py has the same list.
type board struct {
	gets, posts, checks, others    *int64 // requests by kind; others are those that warm up
	accepted                       *int64 // connections
	open, openMax                  *int64 // connections now, and the most since this start
	inFlight, inFlightMax          *int64 // requests of the load now, and the most since this start
	readyNs                        *int64 // when this start began to listen
	getsPerSlice, acceptedPerSlice []int64
	epochNs                        int64
}

const (
	fieldBytes = 8
	fieldsMax  = 16
	slices     = 1024
	sliceNs    = 100_000_000
	boardBytes = fieldBytes * (fieldsMax + 2*slices)
)

func openBoard(path string, epochNs int64) *board {
	file, problem := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if problem == nil {
		problem = file.Truncate(boardBytes)
	}
	if problem != nil {
		fail("board: %v", problem)
	}
	memory, problem := syscall.Mmap(int(file.Fd()), 0, boardBytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if problem != nil {
		fail("board: %v", problem)
	}
	words := unsafe.Slice((*int64)(unsafe.Pointer(&memory[0])), boardBytes/fieldBytes)
	b := &board{
		gets: &words[0], posts: &words[1], checks: &words[2], others: &words[3],
		accepted: &words[4], open: &words[5], openMax: &words[6], inFlight: &words[7], inFlightMax: &words[8], readyNs: &words[9],
		getsPerSlice:     words[fieldsMax : fieldsMax+slices],
		acceptedPerSlice: words[fieldsMax+slices : fieldsMax+2*slices],
		epochNs:          epochNs,
	}
	for _, count := range []*int64{b.open, b.openMax, b.inFlight, b.inFlightMax} {
		atomic.StoreInt64(count, 0)
	}
	return b
}

// mark has the maxima count from now on.
func (b *board) mark() {
	atomic.StoreInt64(b.openMax, atomic.LoadInt64(b.open))
	atomic.StoreInt64(b.inFlightMax, atomic.LoadInt64(b.inFlight))
}

func (b *board) slice(counts []int64) *int64 {
	number := (now() - b.epochNs) / sliceNs
	if number < 0 {
		number = 0
	} else if number >= slices {
		number = slices - 1
	}
	return &counts[number]
}

func (b *board) opened() {
	atomic.AddInt64(b.accepted, 1)
	atomic.AddInt64(b.slice(b.acceptedPerSlice), 1)
	raise(b.openMax, atomic.AddInt64(b.open, 1))
}

func (b *board) closed() {
	atomic.AddInt64(b.open, -1)
}

func raise(most *int64, value int64) {
	for {
		before := atomic.LoadInt64(most)
		if value <= before || atomic.CompareAndSwapInt64(most, before, value) {
			return
		}
	}
}
