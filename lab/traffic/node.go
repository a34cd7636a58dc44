package main

import (
	"bufio"
	"bytes"
	"flag"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// What a node does with requests. `fine` answers as it should.
const (
	fine = int32(iota)
	slowly
	failing
	closing
	garbling
	cutting
)

var modes = map[string]int32{"fine": fine, "slow": slowly, "500": failing, "close": closing, "garbage": garbling, "cut": cutting}

const (
	slowFor = 5 * time.Second
	// So that what was sent before is on its way to the client when the reset comes.
	cutAfter       = 3 * time.Millisecond
	largeBytes     = 64 << 10
	veryLargeBytes = 10 << 20
	bigSendBuffer  = 64 << 10
)

var (
	smallBody   = []byte(`{"code":200,"msg":"success","data":null}`)
	filler      = bytes.Repeat([]byte("x"), largeBytes)
	smallAnswer = answer(200, "OK", smallBody)
	largeAnswer = answer(200, "OK", filler)
	failAnswer  = answer(500, "Internal Server Error", []byte("out of order"))
	garbage     = []byte("\x16\x03\x01\x00\xa5 no HTTP at all \xff\xfe\r\n:::\r\n\r\n")
	hugeHead    = []byte("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " + strconv.Itoa(veryLargeBytes) + "\r\n\r\n")
)

func answer(status int, reason string, body []byte) []byte {
	head := "HTTP/1.1 " + strconv.Itoa(status) + " " + reason + "\r\nContent-Type: application/json\r\nContent-Length: " +
		strconv.Itoa(len(body)) + "\r\n\r\n"
	return append([]byte(head), body...)
}

// aNode answers requests, counts them on its board and writes the path of each POST to its journal as soon as its head is there.
type aNode struct {
	board   *board
	journal *os.File
	delay   time.Duration
	mode    int32
	guard   sync.Mutex
	all     map[net.Conn]struct{}
}

func node(words []string) {
	options := flag.NewFlagSet("node", flag.ExitOnError)
	listen := options.String("listen", "", "address")
	control := options.String("control", "", "abstract Unix socket that takes the name of a mode")
	boardPath := options.String("board", "", "file of counts")
	journal := options.String("journal", "", "file that the paths of POSTs are added to")
	delay := options.Duration("delay", 0, "how long each answer takes")
	epoch := options.Int64("epoch", 0, "when the board's slices of time begin, in ns of the monotonic clock")
	options.Parse(words)

	n := &aNode{board: openBoard(*boardPath, *epoch), delay: *delay, all: map[net.Conn]struct{}{}}
	var problem error
	if n.journal, problem = os.OpenFile(*journal, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644); problem != nil {
		fail("journal: %v", problem)
	}
	steering, problem := net.Listen("unix", *control)
	if problem != nil {
		fail("control: %v", problem)
	}
	listener, problem := net.Listen("tcp", *listen)
	if problem != nil {
		fail("listen: %v", problem)
	}
	atomic.StoreInt64(n.board.readyNs, now())
	go n.obey(steering)
	for {
		connection, problem := listener.Accept()
		if problem != nil {
			// No file descriptor left, for instance: the next one may find one.
			time.Sleep(time.Millisecond)
			continue
		}
		n.board.opened()
		if atomic.LoadInt32(&n.mode) == closing {
			connection.Close()
			n.board.closed()
			continue
		}
		go n.serve(connection)
	}
}

// obey takes one mode with each connection, and answers "ok" once it holds; or `mark`, from which on maxima count anew.
func (n *aNode) obey(steering net.Listener) {
	for {
		connection, problem := steering.Accept()
		if problem != nil {
			fail("control: %v", problem)
		}
		line, _ := bufio.NewReader(connection).ReadString('\n')
		word := strings.TrimSpace(line)
		mode, known := modes[word]
		if word == "mark" {
			n.board.mark()
			io.WriteString(connection, "ok\n")
		} else if known {
			atomic.StoreInt32(&n.mode, mode)
			if mode == closing {
				n.closeAll()
			}
			io.WriteString(connection, "ok\n")
		} else {
			io.WriteString(connection, "unknown mode\n")
		}
		connection.Close()
	}
}

func (n *aNode) closeAll() {
	n.guard.Lock()
	defer n.guard.Unlock()
	for connection := range n.all {
		connection.Close()
	}
}

func (n *aNode) serve(connection net.Conn) {
	n.guard.Lock()
	n.all[connection] = struct{}{}
	n.guard.Unlock()
	defer func() {
		n.guard.Lock()
		delete(n.all, connection)
		n.guard.Unlock()
		connection.Close()
		n.board.closed()
	}()
	reader := bufio.NewReaderSize(connection, 4096)
	var request aRequest
	for request.read(reader) == nil {
		isLoad := n.count(&request)
		if isLoad {
			raise(n.board.inFlightMax, atomic.AddInt64(n.board.inFlight, 1))
		}
		open := request.skipBody(reader) == nil && n.answer(connection, &request)
		if isLoad {
			atomic.AddInt64(n.board.inFlight, -1)
		}
		if !open || request.closes {
			return
		}
	}
}

// count notes the request; says whether it is one of the paced load.
func (n *aNode) count(request *aRequest) bool {
	path := request.path
	switch {
	case bytes.HasPrefix(path, []byte("/load")):
		atomic.AddInt64(n.board.gets, 1)
		atomic.AddInt64(n.board.slice(n.board.getsPerSlice), 1)
		return true
	case bytes.HasPrefix(path, []byte("/post/")):
		atomic.AddInt64(n.board.posts, 1)
		n.journal.Write(append(append([]byte{}, path...), '\n'))
		return true
	case bytes.HasPrefix(path, []byte("/health")):
		atomic.AddInt64(n.board.checks, 1)
	default:
		atomic.AddInt64(n.board.others, 1)
	}
	return false
}

// answer returns whether the connection stays open.
func (n *aNode) answer(connection net.Conn, request *aRequest) bool {
	if n.delay > 0 {
		time.Sleep(n.delay)
	}
	body := smallAnswer
	if bytes.HasSuffix(request.path, []byte("/64k")) {
		body = largeAnswer
	}
	switch atomic.LoadInt32(&n.mode) {
	case slowly:
		time.Sleep(slowFor)
	case failing:
		body = failAnswer
	case closing:
		return false
	case garbling:
		connection.Write(garbage)
		return false
	case cutting:
		connection.Write(body[:len(body)-len(body)/3])
		time.Sleep(cutAfter)
		connection.(*net.TCPConn).SetLinger(0)
		return false
	}
	if bytes.HasSuffix(request.path, []byte("/10m")) {
		return sendHuge(connection)
	}
	if length, isLong := longLength(request.path); isLong {
		return sendLong(connection, length)
	}
	_, problem := connection.Write(body)
	return problem == nil
}

func sendHuge(connection net.Conn) bool {
	// What a client doesn't read is not to wait here in the kernel by the megabyte, a thousand times.
	connection.(*net.TCPConn).SetWriteBuffer(bigSendBuffer)
	_, problem := connection.Write(hugeHead)
	for sent := 0; problem == nil && sent < veryLargeBytes; sent += len(filler) {
		_, problem = connection.Write(filler)
	}
	return problem == nil
}
