package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"runtime"
	"sort"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	connectingAtOnce = 32
	// Long, so that only what is lost is late.
	endFor = 10 * time.Second
)

// aTalk is many connections, each of which keeps so many messages under way, or none.
type aTalk struct {
	to, path               string
	flight, length         int
	settle, counted, pause time.Duration
	fromNs, untilNs, endNs int64
	guard                  sync.Mutex
	outcomes               map[string]int
	open                   int64
}

// talk opens all connections, has one message echoed on each, and prints a line of JSON that says when counting begins and ends. Then each
// connection keeps `-flight` messages under way until its time is over or SIGTERM comes, and what came back is told in another line. Without `-flight` they stay idle until
// SIGTERM.
func talk(words []string) {
	options := flag.NewFlagSet("talk", flag.ExitOnError)
	to := options.String("to", "", "address")
	path := options.String("path", "/echo", "what is asked for")
	connections := options.Int("connections", 1, "how many")
	flight := options.Int("flight", 0, "messages under way on each, 0: idle")
	length := options.Int("bytes", 125, "of each message")
	settle := options.Duration("settle", time.Second, "how long they talk before they are counted, and after")
	counted := options.Duration("for", time.Second, "how long they are counted")
	pause := options.Duration("pause", 0, "of each connection between an echo and the next message")
	options.Parse(words)

	ending := make(chan os.Signal, 1)
	signal.Notify(ending, syscall.SIGTERM)
	t := &aTalk{to: *to, path: *path, flight: *flight, length: *length, pause: *pause, outcomes: map[string]int{}}
	speakers := t.connectAll(*connections)
	t.fromNs = now() + int64(*settle)
	t.untilNs = t.fromNs + int64(*counted)
	t.endNs = t.untilNs + int64(*settle)
	t.print("ready", nil)
	if *flight == 0 {
		<-ending
		runtime.KeepAlive(speakers) // or their sockets may be closed as garbage
		t.print("end", nil)
		return
	}
	go func() {
		<-ending
		atomic.StoreInt64(&t.endNs, now())
	}()
	var everyone sync.WaitGroup
	for _, s := range speakers {
		everyone.Add(1)
		go func(s *aSpeaker) {
			defer everyone.Done()
			t.note(s.talk())
		}(s)
	}
	everyone.Wait()
	t.print("end", speakers)
}

func (t *aTalk) connectAll(count int) []*aSpeaker {
	speakers := make([]*aSpeaker, count)
	var everyone sync.WaitGroup
	places := make(chan struct{}, connectingAtOnce)
	for i := range speakers {
		everyone.Add(1)
		places <- struct{}{}
		go func(i int) {
			defer everyone.Done()
			speakers[i] = &aSpeaker{plan: t, number: i, sentNs: make([]int64, t.flight+1)}
			t.note(speakers[i].connect())
			<-places
		}(i)
	}
	everyone.Wait()
	return speakers
}

func (t *aTalk) note(problem error) {
	if problem == nil {
		return
	}
	outcome := outcomeOf(problem, outcomeClosed)
	if errors.Is(problem, errFrame) {
		outcome = outcomeGarbled
	} else if _, isStatus := strconv.Atoi(problem.Error()); isStatus == nil {
		outcome = problem.Error()
	}
	t.guard.Lock()
	t.outcomes[outcome]++
	t.guard.Unlock()
}

// print tells what has become of them; at the end also messages, and latencies in µs.
func (t *aTalk) print(when string, speakers []*aSpeaker) {
	var latencies []int32
	least := -1
	for _, s := range speakers {
		latencies = append(latencies, s.latenciesUs...)
		if least < 0 || len(s.latenciesUs) < least {
			least = len(s.latenciesUs)
		}
	}
	sort.Slice(latencies, func(a, b int) bool { return latencies[a] < latencies[b] })
	said := map[string]any{
		"when": when, "open": atomic.LoadInt64(&t.open), "failed": t.outcomes, "from_ns": t.fromNs, "until_ns": t.untilNs, "messages": len(latencies), "least": least,
	}
	for name, part := range map[string]float64{"p50_us": 0.5, "p99_us": 0.99, "max_us": 1} {
		if len(latencies) > 0 {
			at := int(float64(len(latencies)) * part)
			if at == len(latencies) {
				at--
			}
			said[name] = latencies[at]
		}
	}
	line, _ := json.Marshal(said)
	fmt.Println(string(line))
}

// aSpeaker is one connection.
type aSpeaker struct {
	plan        *aTalk
	number      int
	connection  net.Conn
	reader      *bufio.Reader
	frame       aFrame
	message     []byte
	out         []byte
	sent, back  int
	sentNs      []int64
	latenciesUs []int32
}

func (s *aSpeaker) connect() error {
	t := s.plan
	connection, problem := net.DialTimeout("tcp", t.to, connectFor)
	if problem != nil {
		return problem
	}
	connection.SetDeadline(time.Now().Add(connectFor))
	head := "GET " + t.path + " HTTP/1.1\r\nHost: " + t.to + "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: " + clientKey +
		"\r\nSec-WebSocket-Version: 13\r\n\r\n"
	if _, problem = io.WriteString(connection, head); problem != nil {
		connection.Close()
		return problem
	}
	s.reader = bufio.NewReaderSize(connection, 1024)
	accept, problem := readUpgrade(s.reader, "sec-websocket-accept")
	if problem == nil && accept != acceptFor(clientKey) {
		problem = errFrame
	}
	if problem == nil {
		s.connection = connection
		s.message = bytes.Repeat([]byte{'x'}, t.length)
		if problem = s.send(); problem == nil {
			problem = s.receive()
		}
	}
	if problem != nil {
		connection.Close()
		s.connection = nil
		return problem
	}
	connection.SetDeadline(time.Time{})
	atomic.AddInt64(&t.open, 1)
	return nil
}

// send writes the next message, which begins with who sends it and its number.
func (s *aSpeaker) send() error {
	s.mark(s.sent)
	s.out = appendFrame(s.out[:0], opText, s.message, true)
	s.sentNs[s.sent%len(s.sentNs)] = now()
	s.sent++
	_, problem := s.connection.Write(s.out)
	return problem
}

// receive reads an echo and fails where it isn't the message that is next.
func (s *aSpeaker) receive() error {
	if problem := s.frame.read(s.reader, false); problem != nil {
		return problem
	}
	s.mark(s.back)
	if s.frame.op != opText || !bytes.Equal(s.frame.payload, s.message) {
		return errFrame
	}
	at := now()
	if at >= s.plan.fromNs && at < s.plan.untilNs {
		s.latenciesUs = append(s.latenciesUs, int32((at-s.sentNs[s.back%len(s.sentNs)])/1000))
	}
	s.back++
	return nil
}

// mark makes the message the one of that number, in hexadecimal digits, as far as it is long enough.
func (s *aSpeaker) mark(number int) {
	const digits = "0123456789abcdef"
	value := uint64(s.number)<<40 | uint64(number)
	for i := 0; i < 16 && i < len(s.message); i++ {
		s.message[i] = digits[value&0xf]
		value >>= 4
	}
}

func (s *aSpeaker) talk() error {
	if s.connection == nil {
		return nil // told when it didn't connect
	}
	t := s.plan
	defer s.connection.Close()
	defer atomic.AddInt64(&t.open, -1)
	s.connection.SetDeadline(time.Now().Add(time.Duration(atomic.LoadInt64(&t.endNs)-now()) + endFor))
	for i := 0; i < t.flight; i++ {
		if problem := s.send(); problem != nil {
			return problem
		}
	}
	for s.back < s.sent {
		if problem := s.receive(); problem != nil {
			return problem
		}
		time.Sleep(t.pause)
		if now() < atomic.LoadInt64(&t.endNs) {
			if problem := s.send(); problem != nil {
				return problem
			}
		}
	}
	return s.leave()
}

// leave sends a close frame and waits for the answer to it.
func (s *aSpeaker) leave() error {
	s.out = appendFrame(s.out[:0], opClose, []byte{0x03, 0xe8}, true)
	if _, problem := s.connection.Write(s.out); problem != nil {
		return problem
	}
	if problem := s.frame.read(s.reader, false); problem != nil {
		return problem
	}
	if s.frame.op != opClose {
		return errFrame
	}
	return nil
}
