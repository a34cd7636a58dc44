package main

import (
	"bufio"
	"flag"
	"io"
	"net"
	"time"
)

// echo is a node that sends every message back, until it is ended.
func echo(words []string) {
	options := flag.NewFlagSet("echo", flag.ExitOnError)
	kind := options.String("kind", "websocket", "websocket, tcp, grpc or udp")
	listen := options.String("listen", "", "address")
	options.Parse(words)
	if *kind == "udp" {
		sendDatagramsBack(*listen)
	}
	listener, problem := net.Listen("tcp", *listen)
	if problem != nil {
		fail("listen: %v", problem)
	}
	if *kind == "grpc" {
		serveStreams(listener)
	}
	for {
		connection, problem := listener.Accept()
		if problem != nil {
			// No file descriptor left, for instance: the next one may find one.
			time.Sleep(time.Millisecond)
			continue
		}
		if *kind == "tcp" {
			go sendBytesBack(connection)
		} else {
			go sendBack(connection)
		}
	}
}

// sendBytesBack ends its side once the client has ended its own.
func sendBytesBack(connection net.Conn) {
	defer connection.Close()
	io.Copy(connection, connection)
}

func sendDatagramsBack(listen string) {
	socket, problem := net.ListenPacket("udp", listen)
	if problem != nil {
		fail("listen: %v", problem)
	}
	buffer := make([]byte, frameMax)
	for {
		length, from, problem := socket.ReadFrom(buffer)
		if problem == nil {
			socket.WriteTo(buffer[:length], from)
		}
	}
}

func sendBack(connection net.Conn) {
	defer connection.Close()
	reader := bufio.NewReaderSize(connection, 1024)
	key, problem := readUpgrade(reader, "sec-websocket-key")
	if problem != nil {
		io.WriteString(connection, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		return
	}
	head := "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " + acceptFor(key) + "\r\n\r\n"
	if _, problem = io.WriteString(connection, head); problem != nil {
		return
	}
	var frame aFrame
	var answer []byte
	for frame.op != opClose {
		answer = answer[:0]
		// What came together goes together.
		for more := true; more; more = frame.op != opClose && reader.Buffered() >= 2 && len(answer) < frameMax {
			if frame.read(reader, true) != nil {
				return
			}
			op := frame.op
			if op == opPing {
				op = opPong
			}
			answer = appendFrame(answer, op, frame.payload, false)
		}
		if _, problem = connection.Write(answer); problem != nil {
			return
		}
	}
}
