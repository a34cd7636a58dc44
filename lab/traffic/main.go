// The lab's traffic: a node that can be told to misbehave, a paced load, slow clients, and a node and clients of WebSocket. `lab/sigma_lab/traffic.py` builds and starts it.
//
// Only the standard library, one goroutine for each connection. A thousand and some requests a second take some percent of a core, so that
// nodes and load together are not what is measured.
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) < 2 {
		fail("usage: traffic node|load|slow|echo|talk OPTIONS")
	}
	words := os.Args[2:]
	switch os.Args[1] {
	case "node":
		node(words)
	case "load":
		load(words)
	case "slow":
		slow(words)
	case "echo":
		echo(words)
	case "talk":
		talk(words)
	default:
		fail("traffic: %s (expected: node, load, slow, echo or talk)", os.Args[1])
	}
}

func fail(format string, values ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", values...)
	os.Exit(1)
}
