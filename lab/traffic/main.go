// The lab's traffic: a node that can be told to misbehave, loads, slow clients, long downloads, datagrams, and nodes and clients that send messages there
// and back over WebSocket, TCP and gRPC. `lab/sigma_lab/traffic.py` builds and starts it.
//
// Only the standard library, one goroutine for each connection. A thousand and some requests a second take some percent of a core, so that
// nodes and load together are not what is measured.
package main

import (
	"fmt"
	"os"
	"strings"
)

func main() {
	if len(os.Args) < 2 {
		fail("usage: traffic node|load|flood|slow|long|echo|talk|datagrams|kinds OPTIONS")
	}
	words := os.Args[2:]
	switch os.Args[1] {
	case "node":
		node(words)
	case "load":
		load(words)
	case "flood":
		flood(words)
	case "long":
		long(words)
	case "datagrams":
		datagrams(words)
	case "kinds":
		fmt.Println(strings.Join(kinds(), " "))
	case "slow":
		slow(words)
	case "echo":
		echo(words)
	case "talk":
		talk(words)
	default:
		fail("traffic: %s (expected: node, load, flood, slow, long, echo, talk, datagrams or kinds)", os.Args[1])
	}
}

func fail(format string, values ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", values...)
	os.Exit(1)
}
