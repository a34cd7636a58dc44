package main

import (
	"bufio"
	"io"
	"net"
	"time"
)

// aLine is what messages go there and back on: a WebSocket, a session of TCP, a stream of gRPC.
type aLine interface {
	// open connects, within so long; what follows has to be over by then, too, until there is another limit.
	open(within time.Duration) error
	send(message []byte) error
	// receive returns the next message, which should be so long. It is valid until the next call.
	receive(length int) ([]byte, error)
	// leave says that it is over, and waits until the other end says so.
	leave() error
	// limit says how long from now on it may all take, 0: for ever.
	limit(length time.Duration)
	close()
}

// newLine is nil where there is no such kind.
func newLine(t *aTalk, number int) aLine {
	to := t.to[number%len(t.to)]
	switch t.kind {
	case "websocket":
		return &aWebSocket{aSocket: aSocket{to: to}, path: t.path}
	case "tcp":
		return &aSession{aSocket: aSocket{to: to}}
	case "grpc":
		return newStream(to, t.path, number)
	}
	return nil
}

// aSocket is what lines with a connection of their own have in common.
type aSocket struct {
	to         string
	connection net.Conn
	reader     *bufio.Reader
}

func (s *aSocket) dial(within time.Duration) error {
	connection, problem := net.DialTimeout("tcp", s.to, within)
	if problem != nil {
		return problem
	}
	s.connection, s.reader = connection, bufio.NewReaderSize(connection, 1024)
	s.limit(within)
	return nil
}

func (s *aSocket) limit(length time.Duration) {
	var at time.Time
	if length > 0 {
		at = time.Now().Add(length)
	}
	s.connection.SetDeadline(at)
}

func (s *aSocket) close() {
	if s.connection != nil {
		s.connection.Close()
	}
}

type aWebSocket struct {
	aSocket
	path  string
	frame aFrame
	out   []byte
}

func (w *aWebSocket) open(within time.Duration) error {
	if problem := w.dial(within); problem != nil {
		return problem
	}
	head := "GET " + w.path + " HTTP/1.1\r\nHost: " + w.to + "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: " + clientKey +
		"\r\nSec-WebSocket-Version: 13\r\n\r\n"
	_, problem := io.WriteString(w.connection, head)
	var accept string
	if problem == nil {
		accept, problem = readUpgrade(w.reader, "sec-websocket-accept")
	}
	if problem == nil && accept != acceptFor(clientKey) {
		problem = errFrame
	}
	if problem != nil {
		w.close()
	}
	return problem
}

func (w *aWebSocket) send(message []byte) error {
	w.out = appendFrame(w.out[:0], opText, message, true)
	_, problem := w.connection.Write(w.out)
	return problem
}

func (w *aWebSocket) receive(int) ([]byte, error) {
	if problem := w.frame.read(w.reader, false); problem != nil {
		return nil, problem
	}
	if w.frame.op != opText {
		return nil, errFrame
	}
	return w.frame.payload, nil
}

// leave sends a close frame and waits for the answer to it.
func (w *aWebSocket) leave() error {
	w.out = appendFrame(w.out[:0], opClose, []byte{0x03, 0xe8}, true)
	if _, problem := w.connection.Write(w.out); problem != nil {
		return problem
	}
	if problem := w.frame.read(w.reader, false); problem != nil {
		return problem
	}
	if w.frame.op != opClose {
		return errFrame
	}
	return nil
}

type aSession struct {
	aSocket
	in []byte
}

func (s *aSession) open(within time.Duration) error {
	return s.dial(within)
}

func (s *aSession) send(message []byte) error {
	_, problem := s.connection.Write(message)
	return problem
}

func (s *aSession) receive(length int) ([]byte, error) {
	if len(s.in) != length {
		s.in = make([]byte, length)
	}
	_, problem := io.ReadFull(s.reader, s.in)
	return s.in, problem
}

// leave ends its own side, and the other end has to say nothing more before it ends its own.
func (s *aSession) leave() error {
	if problem := s.connection.(*net.TCPConn).CloseWrite(); problem != nil {
		return problem
	}
	switch _, problem := s.reader.ReadByte(); problem {
	case io.EOF:
		return nil
	case nil:
		return errFrame
	default:
		return problem
	}
}
