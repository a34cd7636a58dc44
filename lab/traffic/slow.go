package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// slow opens clients that upload, or read, so many bytes a second, and that come back when they are sent away; until SIGTERM. It prints one line
// of JSON when each has tried once, and one at its end.
func slow(words []string) {
	options := flag.NewFlagSet("slow", flag.ExitOnError)
	to := options.String("to", "", "address")
	uploads := options.Int("uploads", 0, "clients that upload 10 MiB")
	reads := options.Int("reads", 0, "clients that read 10 MiB")
	rate := options.Int("rate", 600, "bytes a second of each")
	options.Parse(words)

	ending := make(chan os.Signal, 1)
	signal.Notify(ending, syscall.SIGTERM)
	s := &slowness{to: *to, rate: *rate, outcomes: map[string]int{}}
	all := *uploads + *reads
	for i := 0; i < all; i++ {
		// In turn, so that each kind is there from the start.
		go s.run(i%2 == 0 && i/2 < *uploads || i/2 >= *reads)
		time.Sleep(rampPause)
	}
	for atomic.LoadInt64(&s.tried) < int64(all) {
		time.Sleep(10 * time.Millisecond)
	}
	s.print("ready")
	<-ending
	s.print("end")
}

const (
	rampPause     = time.Millisecond
	comeBackAfter = time.Second
	connectFor    = 10 * time.Second
	readBuffer    = 4096
)

type slowness struct {
	to                    string
	rate                  int
	tried, open, up, down int64
	guard                 sync.Mutex
	outcomes              map[string]int
}

func (s *slowness) print(when string) {
	s.guard.Lock()
	defer s.guard.Unlock()
	line, _ := json.Marshal(map[string]any{
		"when": when, "open": atomic.LoadInt64(&s.open), "up": atomic.LoadInt64(&s.up), "down": atomic.LoadInt64(&s.down), "sent_away": s.outcomes,
	})
	fmt.Println(string(line))
}

func (s *slowness) run(uploads bool) {
	for first := true; ; first = false {
		outcome := s.once(uploads, first)
		s.guard.Lock()
		s.outcomes[outcome]++
		s.guard.Unlock()
		time.Sleep(comeBackAfter)
	}
}

// once is one connection, to its end; returns how that came.
func (s *slowness) once(uploads, first bool) string {
	// A small window, as a slow client's is: or the kernel would take megabytes for it.
	dialer := net.Dialer{Timeout: connectFor, Control: func(_, _ string, raw syscall.RawConn) error {
		return raw.Control(func(file uintptr) {
			syscall.SetsockoptInt(int(file), syscall.SOL_SOCKET, syscall.SO_RCVBUF, readBuffer)
		})
	}}
	connection, problem := dialer.Dial("tcp", s.to)
	if first {
		atomic.AddInt64(&s.tried, 1)
	}
	if problem != nil {
		return outcomeOf(problem, outcomeRefused)
	}
	defer connection.Close()
	atomic.AddInt64(&s.open, 1)
	defer atomic.AddInt64(&s.open, -1)
	if uploads {
		return s.upload(connection)
	}
	return s.read(connection)
}

func (s *slowness) upload(connection net.Conn) string {
	head := "POST /upload HTTP/1.1\r\nHost: " + s.to + "\r\nContent-Type: text/plain\r\nContent-Length: " + strconv.Itoa(veryLargeBytes) + "\r\n\r\n"
	if _, problem := connection.Write([]byte(head)); problem != nil {
		return outcomeOf(problem, outcomeClosed)
	}
	answered := make(chan string, 1)
	go func() {
		var answer anAnswer
		if problem := answer.read(bufio.NewReaderSize(connection, 4096)); problem != nil {
			answered <- outcomeOf(problem, outcomeClosed)
		} else {
			answered <- strconv.Itoa(answer.status)
		}
	}()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for sent := 0; sent < veryLargeBytes; sent += s.rate {
		select {
		case outcome := <-answered:
			return outcome
		case <-tick.C:
		}
		count, problem := connection.Write(filler[:s.rate])
		atomic.AddInt64(&s.up, int64(count))
		if problem != nil {
			return outcomeOf(problem, outcomeClosed)
		}
	}
	return <-answered
}

func (s *slowness) read(connection net.Conn) string {
	if _, problem := connection.Write([]byte("GET /slow/10m HTTP/1.1\r\nHost: " + s.to + "\r\n\r\n")); problem != nil {
		return outcomeOf(problem, outcomeClosed)
	}
	piece := make([]byte, s.rate)
	status := ""
	for taken := 0; taken < veryLargeBytes; {
		count, problem := connection.Read(piece)
		taken += count
		atomic.AddInt64(&s.down, int64(count))
		if problem != nil {
			if status != "" && status != "200" {
				return status
			}
			return outcomeOf(problem, outcomeClosed)
		}
		if status == "" && count > 12 {
			status = string(piece[9:12])
		}
		time.Sleep(time.Second)
	}
	return status
}
