package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	longPath    = "/long/"
	longBuffer  = 32 << 10
	longPieces  = 4 // a second
	longStalled = 30 * time.Second
	// No piece of a long body is like another.
	longStep = 0x9e3779b97f4a7c15
)

// fillLong writes what a long body has from there on; both are multiples of eight.
func fillLong(to []byte, from int) {
	for i := 0; i < len(to); i += 8 {
		binary.LittleEndian.PutUint64(to[i:], uint64((from+i)/8)*longStep)
	}
}

func longLength(path []byte) (int, bool) {
	if !bytes.HasPrefix(path, []byte(longPath)) {
		return 0, false
	}
	length, problem := strconv.Atoi(string(path[len(longPath):]))
	return length &^ 7, problem == nil
}

func sendLong(connection net.Conn, length int) bool {
	connection.(*net.TCPConn).SetWriteBuffer(bigSendBuffer)
	_, problem := io.WriteString(connection, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: "+strconv.Itoa(length)+"\r\n\r\n")
	piece := make([]byte, longBuffer)
	for sent := 0; problem == nil && sent < length; sent += len(piece) {
		piece = piece[:min(len(piece), length-sent)]
		fillLong(piece, sent)
		_, problem = connection.Write(piece)
	}
	return problem == nil
}

func min(a, b int) int {
	if a < b {
		return a
	}
	return b
}

// long has clients read bodies at so many bytes a second, and look at each byte; who has one whole begins another one. At SIGTERM they read what is left as fast
// as it comes. It prints a line of JSON when each has the head of its first answer, and one at the end.
func long(words []string) {
	options := flag.NewFlagSet("long", flag.ExitOnError)
	to := options.String("to", "", "address")
	count := options.Int("clients", 1, "how many")
	lengths := options.String("bytes", "1048576", "of each body; several with commas between, in turn")
	rate := options.Int("rate", 16<<10, "bytes a second of each")
	options.Parse(words)

	ending := make(chan os.Signal, 1)
	signal.Notify(ending, syscall.SIGTERM)
	l := &aLong{to: *to, rate: *rate, outcomes: map[string]int{}}
	var everyone sync.WaitGroup
	for i := 0; i < *count; i++ {
		words := strings.Split(*lengths, ",")
		length, problem := strconv.Atoi(words[i%len(words)])
		if problem != nil {
			fail("bytes: %v", problem)
		}
		everyone.Add(1)
		go func() {
			defer everyone.Done()
			l.run(length &^ 7)
		}()
		time.Sleep(rampPause)
	}
	for atomic.LoadInt64(&l.tried) < int64(*count) {
		time.Sleep(10 * time.Millisecond)
	}
	l.print("ready")
	<-ending
	l.isOver.set()
	everyone.Wait()
	l.print("end")
}

type aLong struct {
	to                       string
	rate                     int
	isOver                   atomicFlag
	tried, open, whole, down int64
	guard                    sync.Mutex
	outcomes                 map[string]int
	first                    []string
}

func (l *aLong) print(when string) {
	l.guard.Lock()
	defer l.guard.Unlock()
	line, _ := json.Marshal(map[string]any{
		"when": when, "open": atomic.LoadInt64(&l.open), "ended": atomic.LoadInt64(&l.whole), "bytes": atomic.LoadInt64(&l.down), "failed": l.outcomes,
		"first": l.first,
	})
	fmt.Println(string(line))
}

func (l *aLong) run(length int) {
	for first := true; first || !l.isOver.get(); first = false {
		problem := l.once(length, first)
		if problem == nil {
			atomic.AddInt64(&l.whole, 1)
			continue
		}
		outcome := exactly(problem, outcomeCut)
		if _, isStatus := strconv.Atoi(problem.Error()); isStatus == nil {
			outcome = problem.Error()
		} else if errors.Is(problem, errFrame) {
			outcome = outcomeBody
		}
		l.guard.Lock()
		l.outcomes[outcome]++
		l.first = remember(l.first, problem.Error())
		l.guard.Unlock()
		time.Sleep(comeBackAfter)
	}
}

// once is one body, to its end.
func (l *aLong) once(length int, isFirst bool) error {
	// A small window: or the kernel would read ahead of its client.
	dialer := net.Dialer{Timeout: connectFor, Control: func(_, _ string, raw syscall.RawConn) error {
		return raw.Control(func(file uintptr) {
			syscall.SetsockoptInt(int(file), syscall.SOL_SOCKET, syscall.SO_RCVBUF, longBuffer)
		})
	}}
	connection, problem := dialer.Dial("tcp", l.to)
	var reader *bufio.Reader
	var answer anAnswer
	if problem == nil {
		defer connection.Close()
		connection.SetDeadline(time.Now().Add(longStalled))
		_, problem = io.WriteString(connection, "GET "+longPath+strconv.Itoa(length)+" HTTP/1.1\r\nHost: "+l.to+"\r\nConnection: close\r\n\r\n")
		reader = bufio.NewReaderSize(connection, 4096)
	}
	if problem == nil {
		problem = answer.read(reader)
	}
	if problem == nil && answer.status != 200 {
		problem = errors.New(strconv.Itoa(answer.status))
	}
	if problem == nil && answer.length != int64(length) {
		problem = errMalformed
	}
	if problem == nil {
		atomic.AddInt64(&l.open, 1)
		defer atomic.AddInt64(&l.open, -1)
	}
	if isFirst {
		atomic.AddInt64(&l.tried, 1)
	}
	if problem != nil {
		return problem
	}
	return l.read(connection, reader, length)
}

func (l *aLong) read(connection net.Conn, reader *bufio.Reader, length int) error {
	size := l.rate / longPieces &^ 7
	piece, expected := make([]byte, size), make([]byte, size)
	for at := 0; at < length; {
		part := piece[:min(size, length-at)]
		connection.SetReadDeadline(time.Now().Add(longStalled))
		if _, problem := io.ReadFull(reader, part); problem != nil {
			return problem
		}
		fillLong(expected[:len(part)], at)
		if !bytes.Equal(part, expected[:len(part)]) {
			return errFrame
		}
		at += len(part)
		atomic.AddInt64(&l.down, int64(len(part)))
		if !l.isOver.get() {
			time.Sleep(time.Second / longPieces)
		}
	}
	return nil
}
