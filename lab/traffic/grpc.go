//go:build go1.24

package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"
)

// Streams of gRPC over HTTP/2 without TLS, as far as the lab needs them: messages there and back in both directions, and the status as a trailer. The
// library that speaks HTTP/2 without TLS came with Go 1.24; grpc_none.go stands for it where Go is older.
const (
	grpcType      = "application/grpc"
	grpcPrefix    = 5 // whether it is compressed, and its length
	grpcStatus    = "Grpc-Status"
	streamsOfEach = 5 // connections share as many
)

func kinds() []string {
	return []string{"websocket", "tcp", "grpc"}
}

var (
	transportsGuard sync.Mutex
	transports      = map[int]*http.Transport{}
)

func transportOf(number int) *http.Transport {
	transportsGuard.Lock()
	defer transportsGuard.Unlock()
	key := number / streamsOfEach
	if transports[key] == nil {
		transports[key] = &http.Transport{Protocols: new(http.Protocols), DisableCompression: true}
		transports[key].Protocols.SetUnencryptedHTTP2(true)
	}
	return transports[key]
}

type aStream struct {
	url       string
	transport *http.Transport
	out       *io.PipeWriter
	answer    *http.Response
	reader    *bufio.Reader
	cancel    context.CancelFunc
	timer     *time.Timer
	in, whole []byte
}

func newStream(to, path string, number int) aLine {
	return &aStream{url: "http://" + to + path, transport: transportOf(number)}
}

func (s *aStream) open(within time.Duration) error {
	body, out := io.Pipe()
	reach, cancel := context.WithCancel(context.Background())
	s.out, s.cancel = out, cancel
	s.limit(within)
	request, problem := http.NewRequestWithContext(reach, "POST", s.url, body)
	if problem != nil {
		return problem
	}
	request.Header.Set("Content-Type", grpcType)
	request.Header.Set("Te", "trailers")
	if s.answer, problem = s.transport.RoundTrip(request); problem != nil {
		s.close()
		return s.named(problem)
	}
	if s.answer.StatusCode != 200 {
		s.close()
		return errors.New(strconv.Itoa(s.answer.StatusCode))
	}
	s.reader = bufio.NewReaderSize(s.answer.Body, 1024)
	return nil
}

func (s *aStream) send(message []byte) error {
	s.whole = append(s.whole[:0], 0, 0, 0, 0, 0)
	binary.BigEndian.PutUint32(s.whole[1:], uint32(len(message)))
	s.whole = append(s.whole, message...)
	_, problem := s.out.Write(s.whole)
	return s.named(problem)
}

func (s *aStream) receive(int) ([]byte, error) {
	message, problem := readMessage(s.reader, s.in)
	s.in = message
	if problem == io.EOF {
		problem = errors.New("the stream ended with status " + strconv.Quote(s.answer.Trailer.Get(grpcStatus)))
	}
	return message, s.named(problem)
}

// leave ends its own side; the other end has to say nothing more but that all went well.
func (s *aStream) leave() error {
	s.out.Close()
	switch _, problem := s.reader.ReadByte(); problem {
	case io.EOF:
	case nil:
		return errFrame
	default:
		return s.named(problem)
	}
	if status := s.answer.Trailer.Get(grpcStatus); status != "0" {
		return errors.New("the trailers have the status " + strconv.Quote(status))
	}
	return nil
}

func (s *aStream) limit(length time.Duration) {
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
	if length > 0 {
		s.timer = time.AfterFunc(length, s.cancel)
	}
}

func (s *aStream) close() {
	s.limit(0)
	s.cancel()
	if s.answer != nil {
		s.answer.Body.Close()
	}
}

// named: only the limit cancels.
func (s *aStream) named(problem error) error {
	if errors.Is(problem, context.Canceled) {
		return os.ErrDeadlineExceeded
	}
	return problem
}

func readMessage(reader io.Reader, into []byte) ([]byte, error) {
	var prefix [grpcPrefix]byte
	if _, problem := io.ReadFull(reader, prefix[:]); problem != nil {
		return into, problem
	}
	length := int(binary.BigEndian.Uint32(prefix[1:]))
	if prefix[0] != 0 || length > frameMax {
		return into, errFrame
	}
	if cap(into) < length {
		into = make([]byte, length)
	}
	_, problem := io.ReadFull(reader, into[:length])
	if problem == io.EOF {
		problem = io.ErrUnexpectedEOF
	}
	return into[:length], problem
}

// serveStreams is a node of gRPC that sends every message back.
func serveStreams(listener net.Listener) {
	server := &http.Server{Protocols: new(http.Protocols), Handler: http.HandlerFunc(sendStreamBack)}
	server.Protocols.SetUnencryptedHTTP2(true)
	fail("grpc: %v", server.Serve(listener))
}

func sendStreamBack(answer http.ResponseWriter, request *http.Request) {
	answer.Header().Set("Content-Type", grpcType)
	answer.WriteHeader(200)
	flusher := answer.(http.Flusher)
	flusher.Flush()
	reader := bufio.NewReaderSize(request.Body, 1024)
	var message, whole []byte
	for {
		var problem error
		if message, problem = readMessage(reader, message); problem != nil {
			if problem == io.EOF {
				answer.Header().Set(http.TrailerPrefix+grpcStatus, "0")
			} else {
				answer.Header().Set(http.TrailerPrefix+grpcStatus, "13")
			}
			return
		}
		whole = append(whole[:0], 0, 0, 0, 0, 0)
		binary.BigEndian.PutUint32(whole[1:], uint32(len(message)))
		if _, problem = answer.Write(append(whole, message...)); problem != nil {
			return
		}
		flusher.Flush()
	}
}
