package main

import (
	"bufio"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io"
	"strings"
)

// Frames of WebSocket (RFC 6455, section 5), as far as the lab needs them: messages of one frame, no extensions.
const (
	opText       = 0x1
	opClose      = 0x8
	opPing       = 0x9
	opPong       = 0xa
	final        = 0x80
	masked       = 0x80
	length16     = 126
	frameMax     = 64 << 10
	acceptSuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
	// The lab's clients need no secrets: a proxy doesn't look at either.
	clientKey = "bGFiL3RyYWZmaWMvMTIzNA=="
)

var clientMask = [4]byte{0x5a, 0xc3, 0x17, 0x88}

var errFrame = errors.New("not a frame that was expected")

// aFrame is read into the same memory again and again; its payload is no longer masked.
type aFrame struct {
	op      byte
	payload []byte
}

func (f *aFrame) read(reader *bufio.Reader, isMasked bool) error {
	head, problem := reader.Peek(2)
	if problem != nil {
		return problem
	}
	f.op = head[0] &^ final
	length := int(head[1] &^ masked)
	if head[0]&final == 0 || head[1]&masked != 0 != isMasked {
		return errFrame
	}
	reader.Discard(2)
	if length >= length16 {
		if length != length16 {
			return errFrame // more than frameMax
		}
		if head, problem = reader.Peek(2); problem != nil {
			return problem
		}
		length = int(binary.BigEndian.Uint16(head))
		reader.Discard(2)
	}
	var mask [4]byte
	if isMasked {
		if _, problem = io.ReadFull(reader, mask[:]); problem != nil {
			return problem
		}
	}
	if cap(f.payload) < length {
		f.payload = make([]byte, length)
	}
	f.payload = f.payload[:length]
	if _, problem = io.ReadFull(reader, f.payload); problem != nil {
		return problem
	}
	if isMasked {
		apply(mask, f.payload)
	}
	return nil
}

// appendFrame adds a whole message; a client's is masked.
func appendFrame(to []byte, op byte, payload []byte, isMasked bool) []byte {
	var flag byte
	if isMasked {
		flag = masked
	}
	to = append(to, final|op)
	if len(payload) < length16 {
		to = append(to, flag|byte(len(payload)))
	} else {
		to = append(to, flag|length16, byte(len(payload)>>8), byte(len(payload)))
	}
	if !isMasked {
		return append(to, payload...)
	}
	to = append(to, clientMask[:]...)
	from := len(to)
	to = append(to, payload...)
	apply(clientMask, to[from:])
	return to
}

func apply(mask [4]byte, to []byte) {
	for i := range to {
		to[i] ^= mask[i&3]
	}
}

func acceptFor(key string) string {
	sum := sha1.Sum([]byte(key + acceptSuffix))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// readUpgrade reads a request's or an answer's head that changes to WebSocket, and returns its field of that name. An answer other than 101 is an
// error that begins with its status.
func readUpgrade(reader *bufio.Reader, wanted string) (string, error) {
	line, problem := reader.ReadString('\n')
	if problem != nil {
		return "", problem
	}
	words := strings.Fields(line)
	if len(words) > 1 && strings.HasPrefix(words[0], "HTTP/") && words[1] != "101" {
		return "", errors.New(words[1])
	}
	value, changes := "", false
	for {
		if line, problem = reader.ReadString('\n'); problem != nil {
			return "", problem
		}
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			break
		}
		name, rest, _ := strings.Cut(line, ":")
		rest = strings.TrimSpace(rest)
		switch {
		case strings.EqualFold(name, wanted):
			value = rest
		case strings.EqualFold(name, "upgrade"):
			changes = strings.EqualFold(rest, "websocket")
		}
	}
	if !changes || value == "" {
		return "", errMalformed
	}
	return value, nil
}
