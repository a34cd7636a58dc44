package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"sort"
	"strconv"
	"strings"
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
	kind, path             string
	to                     []string
	flight, length, each   int
	settle, counted, pause time.Duration
	fromNs, untilNs, endNs int64
	ending                 chan struct{}
	guard                  sync.Mutex
	outcomes               map[string]int
	first                  []string
	open, ended            int64
}

// talk opens all connections, has one message echoed on each, and prints a line of JSON that says when counting begins and ends. Then each
// connection keeps `-flight` messages under way until its time is over or SIGTERM comes, and what came back is told in another line. Without `-flight` they stay idle until
// SIGTERM. With `-each` a connection ends after so many messages, as it should, and another one takes its place.
func talk(words []string) {
	options := flag.NewFlagSet("talk", flag.ExitOnError)
	kind := options.String("kind", "websocket", "websocket, tcp or grpc")
	to := options.String("to", "", "address; several with commas between, in turn")
	path := options.String("path", "/echo", "what is asked for")
	connections := options.Int("connections", 1, "how many")
	flight := options.Int("flight", 0, "messages under way on each, 0: idle")
	length := options.Int("bytes", 125, "of each message")
	settle := options.Duration("settle", time.Second, "how long they talk before they are counted, and after")
	counted := options.Duration("for", time.Second, "how long they are counted")
	pause := options.Duration("pause", 0, "of each connection between an echo and the next message")
	each := options.Int("each", 0, "messages of each connection, 0: as many as there is time for")
	options.Parse(words)

	ending := make(chan os.Signal, 1)
	signal.Notify(ending, syscall.SIGTERM)
	t := &aTalk{
		kind: *kind, to: strings.Split(*to, ","), path: *path, flight: *flight, length: *length, each: *each, pause: *pause, outcomes: map[string]int{}, ending: make(chan struct{}),
	}
	if newLine(t, 0) == nil {
		fail("talk: %s (expected: one of %v)", t.kind, kinds())
	}
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
		close(t.ending)
	}()
	var everyone sync.WaitGroup
	for _, s := range speakers {
		everyone.Add(1)
		go func(s *aSpeaker) {
			defer everyone.Done()
			s.run(len(speakers))
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
	outcome := exactly(problem, outcomeClosed)
	if errors.Is(problem, errFrame) {
		outcome = outcomeGarbled
	} else if _, isStatus := strconv.Atoi(problem.Error()); isStatus == nil {
		outcome = problem.Error()
	}
	t.guard.Lock()
	t.outcomes[outcome]++
	t.first = remember(t.first, problem.Error())
	t.guard.Unlock()
}

// wait sleeps so long, or until the end.
func (t *aTalk) wait(length time.Duration) {
	if length <= 0 {
		return
	}
	timer := time.NewTimer(length)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.ending:
	}
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
		"ended": atomic.LoadInt64(&t.ended), "first": t.first,
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

// aSpeaker is one connection, or one after the other.
type aSpeaker struct {
	plan        *aTalk
	number      int
	line        aLine
	message     []byte
	sent, back  int
	sentNs      []int64
	latenciesUs []int32
}

func (s *aSpeaker) connect() error {
	t := s.plan
	line := newLine(t, s.number)
	if problem := line.open(connectFor); problem != nil {
		return problem
	}
	s.line = line
	s.message = bytes.Repeat([]byte{'x'}, t.length)
	problem := s.send()
	if problem == nil {
		problem = s.receive()
	}
	if problem != nil {
		line.close()
		s.line = nil
		return problem
	}
	line.limit(0)
	atomic.AddInt64(&t.open, 1)
	return nil
}

// send writes the next message, which begins with who sends it and its number.
func (s *aSpeaker) send() error {
	s.mark(s.sent)
	s.sentNs[s.sent%len(s.sentNs)] = now()
	s.sent++
	return s.line.send(s.message)
}

// receive reads an echo and fails where it isn't the message that is next.
func (s *aSpeaker) receive() error {
	found, problem := s.line.receive(len(s.message))
	if problem != nil {
		return problem
	}
	s.mark(s.back)
	if !bytes.Equal(found, s.message) {
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

// run talks until the end; where connections come and go, on one after the other.
func (s *aSpeaker) run(speakers int) {
	t := s.plan
	// Or all of them would speak at once.
	t.wait(t.pause * time.Duration(s.number) / time.Duration(speakers))
	for {
		problem := s.talk()
		t.note(problem)
		if t.each == 0 {
			return
		}
		if problem != nil {
			t.wait(comeBackAfter)
		}
		if !s.isTime() {
			return
		}
		s.sent, s.back = 0, 0
		t.note(s.connect())
	}
}

func (s *aSpeaker) isTime() bool {
	return now() < atomic.LoadInt64(&s.plan.endNs)
}

func (s *aSpeaker) talk() error {
	if s.line == nil {
		return nil // told when it didn't connect
	}
	t := s.plan
	defer func() {
		s.line.close()
		s.line = nil
		atomic.AddInt64(&t.open, -1)
	}()
	s.line.limit(time.Duration(atomic.LoadInt64(&t.endNs)-now()) + endFor)
	for i := 0; i < t.flight; i++ {
		if problem := s.send(); problem != nil {
			return problem
		}
	}
	for s.back < s.sent {
		if problem := s.receive(); problem != nil {
			return problem
		}
		t.wait(t.pause)
		if s.isTime() && (t.each == 0 || s.sent < t.each) {
			if problem := s.send(); problem != nil {
				return problem
			}
		}
	}
	problem := s.line.leave()
	if problem == nil {
		atomic.AddInt64(&t.ended, 1)
	}
	return problem
}
