//go:build !go1.24

package main

import "net"

func kinds() []string {
	return []string{"websocket", "tcp"}
}

func newStream(string, string, int) aLine {
	return nil
}

func serveStreams(net.Listener) {
	fail("grpc: needs Go 1.24")
}
