package main

import "math/bits"

// aHistogram counts latencies in µs, with an error of 1.6 % at most; traffic.py reads its buckets.
type aHistogram struct {
	counts [bucketsMax]int64
}

const (
	bucketBits = 6 // of each power of two
	bucketsMax = 32 << bucketBits
)

func (h *aHistogram) add(us int64) {
	if us < 0 {
		us = 0
	}
	e := bits.Len64(uint64(us)) - bucketBits - 1
	if e < 0 {
		e = 0
	}
	at := int64(e)<<bucketBits + us>>e
	if at >= bucketsMax {
		at = bucketsMax - 1
	}
	h.counts[at]++
}

// addTo adds its counts to those of others, by bucket.
func (h *aHistogram) addTo(all map[int]int64) {
	for at, count := range h.counts {
		if count > 0 {
			all[at] += count
		}
	}
}
