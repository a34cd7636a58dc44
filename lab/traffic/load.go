package main

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// One request: when it was due, from when its latency counts, when it was over, and how. In ns after the load's start.
type aRecord struct {
	kind             byte // G or P
	due, from, ended int64
	outcome          string
}

const (
	outcomeOk      = "ok"
	outcomeUnsent  = "unsent"
	outcomeRefused = "refused"
	outcomeTimeout = "timeout"
	outcomeClosed  = "closed" // before any byte of an answer
	outcomeCut     = "cut"    // in the middle of one
	outcomeGarbled = "garbled"
	outcomeBody    = "body"
	// Only where it matters how a connection came to its end.
	outcomeReset = "reset"
	outcomePorts = "ports" // none was left for the client
)

// As many are told in words.
const firstProblems = 20

// The pace and patience of a load.
type aPlan struct {
	to, path        string
	startNs, endNs  int64
	every, patience time.Duration
	expected        []byte
}

// load has each client ask at its own times, evenly spread, on a connection of its own, which it opens again after each failure. A request that
// is due while the one before still has no answer is sent late, and its latency counts from when it was due; none is left out. One that a client
// couldn't send until its patience was over after the end is `unsent`.
func load(words []string) {
	options := flag.NewFlagSet("load", flag.ExitOnError)
	to := options.String("to", "", "address")
	clients := options.Int("clients", 40, "clients that GET")
	posters := options.Int("posters", 0, "clients that POST")
	every := options.Duration("every", 25*time.Millisecond, "of each client")
	path := options.String("path", "/load", "what is asked for")
	start := options.Int64("start", 0, "in ns of the monotonic clock")
	length := options.Duration("for", 10*time.Second, "how long requests are due")
	patience := options.Duration("patience", 6*time.Second, "how long an answer may take")
	out := options.String("out", "", "file of records")
	options.Parse(words)

	plan := &aPlan{to: *to, path: *path, startNs: *start, endNs: *start + int64(*length), every: *every, patience: *patience, expected: smallBody}
	if bytes.HasSuffix([]byte(*path), []byte("/64k")) {
		plan.expected = filler
	}
	var everyone sync.WaitGroup
	records := make([][]aRecord, *clients+*posters)
	for i := range records {
		everyone.Add(1)
		client := &aClient{plan: plan, number: i, kind: 'G', offset: int64(*every) * int64(i) / int64(*clients)}
		if i >= *clients {
			client.kind = 'P'
			client.offset = int64(*every) * int64(2*(i-*clients)+1) / int64(2**posters)
		}
		go func(i int) {
			defer everyone.Done()
			records[i] = client.run()
		}(i)
	}
	everyone.Wait()
	write(*out, records, *start)
}

func write(path string, records [][]aRecord, startNs int64) {
	file, problem := os.Create(path)
	if problem != nil {
		fail("out: %v", problem)
	}
	defer file.Close()
	buffered := bufio.NewWriter(file)
	defer buffered.Flush()
	for _, of := range records {
		for _, r := range of {
			fmt.Fprintf(buffered, "%c,%d,%d,%d,%s\n", r.kind, (r.due-startNs)/1000, (r.from-startNs)/1000, (r.ended-startNs)/1000, r.outcome)
		}
	}
}

type aClient struct {
	plan       *aPlan
	number     int
	kind       byte
	offset     int64
	connection net.Conn
	reader     *bufio.Reader
	answer     anAnswer
	fresh      bool  // a connection for each request
	problem    error // that the last request failed with, where it wasn't by its answer
}

func (c *aClient) run() []aRecord {
	plan := c.plan
	var records []aRecord
	for k := int64(0); ; k++ {
		due := plan.startNs + c.offset + k*int64(plan.every)
		if due >= plan.endNs {
			break
		}
		from := due
		if now() < due {
			sleepUntil(due)
			from = now() // a timer that goes off late is the load's fault
		}
		record := aRecord{kind: c.kind, due: due, from: from}
		if now() > plan.endNs+int64(plan.patience) {
			record.outcome = outcomeUnsent
		} else {
			record.outcome = c.ask(k)
		}
		record.ended = now()
		records = append(records, record)
	}
	c.close()
	return records
}

// ask sends one request and returns how it ended.
func (c *aClient) ask(k int64) string {
	deadline := time.Now().Add(c.plan.patience)
	c.problem = nil
	if c.connection == nil {
		connection, problem := net.DialTimeout("tcp", c.plan.to, c.plan.patience)
		if problem != nil {
			return c.failed(problem, outcomeRefused)
		}
		c.connection, c.reader = connection, bufio.NewReaderSize(connection, 16<<10)
	}
	c.connection.SetDeadline(deadline)
	outcome := c.exchange(k)
	if outcome == outcomeOk && !c.answer.closes {
		return outcome
	}
	if _, isStatus := strconv.Atoi(outcome); isStatus != nil || c.answer.closes {
		c.close()
	}
	return outcome
}

func (c *aClient) exchange(k int64) string {
	if _, problem := c.connection.Write(c.request(k)); problem != nil {
		return c.failed(problem, outcomeClosed)
	}
	c.answer.closes = false
	if _, problem := c.reader.Peek(1); problem != nil {
		return c.failed(problem, outcomeClosed)
	}
	if problem := c.answer.read(c.reader); problem != nil {
		return c.failed(problem, outcomeCut)
	}
	right, at := true, 0
	expected := c.plan.expected
	if c.kind == 'P' {
		expected = smallBody
	}
	problem := c.answer.body(c.reader, func(part []byte) {
		right = right && at+len(part) <= len(expected) && bytes.Equal(part, expected[at:at+len(part)])
		at += len(part)
	})
	switch {
	case problem != nil:
		return c.failed(problem, outcomeCut)
	case c.answer.status != 200:
		return strconv.Itoa(c.answer.status)
	case !right || at != len(expected):
		return outcomeBody
	}
	return outcomeOk
}

func (c *aClient) failed(problem error, otherwise string) string {
	c.problem = problem
	return outcomeOf(problem, otherwise)
}

func (c *aClient) request(k int64) []byte {
	if c.kind == 'P' {
		return []byte(fmt.Sprintf("POST /post/%d-%d HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}", c.number, k, c.plan.to))
	}
	closing := ""
	if c.fresh {
		closing = "Connection: close\r\n"
	}
	return []byte("GET " + c.plan.path + " HTTP/1.1\r\nHost: " + c.plan.to + "\r\n" + closing + "\r\n")
}

func (c *aClient) close() {
	if c.connection != nil {
		c.connection.Close()
		c.connection = nil
	}
}

func outcomeOf(problem error, otherwise string) string {
	var late net.Error
	switch {
	case errors.As(problem, &late) && late.Timeout():
		return outcomeTimeout
	case errors.Is(problem, errMalformed), errors.Is(problem, bufio.ErrBufferFull):
		return outcomeGarbled
	}
	return otherwise
}

// exactly is outcomeOf where it matters how a connection came to its end.
func exactly(problem error, otherwise string) string {
	switch {
	case errors.Is(problem, syscall.ECONNREFUSED):
		return outcomeRefused
	case errors.Is(problem, syscall.ECONNRESET), errors.Is(problem, syscall.EPIPE):
		return outcomeReset
	case errors.Is(problem, syscall.EADDRNOTAVAIL):
		return outcomePorts
	}
	return outcomeOf(problem, otherwise)
}

// remember adds what happened, and when, unless there are enough.
func remember(first []string, what string) []string {
	if len(first) < firstProblems {
		first = append(first, time.Now().Format("15:04:05.000 ")+what)
	}
	return first
}
