package main

import (
	"bufio"
	"bytes"
	"errors"
	"strconv"
)

var errMalformed = errors.New("not HTTP/1.1")

// aMessage is what requests and answers have in common, as far as the lab needs it.
type aMessage struct {
	length  int64 // -1 where there is none
	chunked bool
	closes  bool
}

// readFields reads up to the empty line.
func (m *aMessage) readFields(reader *bufio.Reader) error {
	m.length, m.chunked = -1, false
	for {
		line, problem := reader.ReadSlice('\n')
		if problem != nil {
			return problem
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			return nil
		}
		name, value, found := bytes.Cut(line, []byte{':'})
		if !found {
			return errMalformed
		}
		value = bytes.TrimSpace(value)
		switch {
		case bytes.EqualFold(name, []byte("content-length")):
			length, problem := strconv.ParseInt(string(value), 10, 64)
			if problem != nil {
				return errMalformed
			}
			m.length = length
		case bytes.EqualFold(name, []byte("transfer-encoding")):
			m.chunked = bytes.EqualFold(value, []byte("chunked"))
		case bytes.EqualFold(name, []byte("connection")):
			if bytes.EqualFold(value, []byte("close")) {
				m.closes = true
			} else if bytes.EqualFold(value, []byte("keep-alive")) {
				m.closes = false
			}
		}
	}
}

// body hands out the content, part by part.
func (m *aMessage) body(reader *bufio.Reader, take func([]byte)) error {
	if !m.chunked {
		return part(reader, m.length, take)
	}
	for {
		line, problem := reader.ReadSlice('\n')
		if problem != nil {
			return problem
		}
		size, _, _ := bytes.Cut(bytes.TrimSpace(line), []byte{';'})
		length, problem := strconv.ParseInt(string(size), 16, 64)
		if problem != nil {
			return errMalformed
		}
		if length == 0 {
			var trailers aMessage
			return trailers.readFields(reader)
		}
		if problem = part(reader, length, take); problem != nil {
			return problem
		}
		if _, problem = reader.Discard(2); problem != nil {
			return problem
		}
	}
}

func part(reader *bufio.Reader, length int64, take func([]byte)) error {
	for length > 0 {
		if reader.Buffered() == 0 {
			if _, problem := reader.Peek(1); problem != nil {
				return problem
			}
		}
		size := int64(reader.Buffered())
		if size > length {
			size = length
		}
		bytes, problem := reader.Peek(int(size))
		if problem != nil {
			return problem
		}
		take(bytes)
		reader.Discard(int(size))
		length -= size
	}
	return nil
}

type aRequest struct {
	aMessage
	path []byte
}

func (r *aRequest) read(reader *bufio.Reader) error {
	line, problem := reader.ReadSlice('\n')
	if problem != nil {
		return problem
	}
	words := bytes.Fields(line)
	if len(words) != 3 {
		return errMalformed
	}
	r.path = append(r.path[:0], words[1]...)
	r.closes = bytes.Equal(words[2], []byte("HTTP/1.0"))
	return r.readFields(reader)
}

func (r *aRequest) skipBody(reader *bufio.Reader) error {
	return r.body(reader, func([]byte) {})
}

type anAnswer struct {
	aMessage
	status int
}

func (a *anAnswer) read(reader *bufio.Reader) error {
	line, problem := reader.ReadSlice('\n')
	if problem != nil {
		return problem
	}
	words := bytes.Fields(line)
	if len(words) < 2 || !bytes.HasPrefix(words[0], []byte("HTTP/1.")) {
		return errMalformed
	}
	if a.status, problem = strconv.Atoi(string(words[1])); problem != nil {
		return errMalformed
	}
	a.closes = bytes.Equal(words[0], []byte("HTTP/1.0"))
	if problem = a.readFields(reader); problem != nil {
		return problem
	}
	if a.length < 0 && !a.chunked {
		return errMalformed
	}
	return nil
}
