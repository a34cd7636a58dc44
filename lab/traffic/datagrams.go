package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

const datagramBytes = 64

// datagrams has clients send one and wait for its echo, again and again until SIGTERM; then it prints a line of JSON. One that isn't back in time is lost.
func datagrams(words []string) {
	options := flag.NewFlagSet("datagrams", flag.ExitOnError)
	to := options.String("to", "", "address")
	kept := options.Int("kept", 1, "clients that keep their socket")
	fresh := options.Int("fresh", 1, "clients that take another one for each datagram")
	pause := options.Duration("pause", 10*time.Millisecond, "of each client between an echo and its next datagram")
	patience := options.Duration("patience", 3*time.Second, "how long an echo may take")
	options.Parse(words)

	var isOver atomicFlag
	ending := make(chan os.Signal, 1)
	signal.Notify(ending, syscall.SIGTERM)
	d := &aDatagramLoad{to: *to, patience: *patience, outcomes: map[string]int{}}
	var everyone sync.WaitGroup
	for i := 0; i < *kept+*fresh; i++ {
		everyone.Add(1)
		go func(number int) {
			defer everyone.Done()
			d.run(number, number >= *kept, *pause, &isOver)
		}(i)
	}
	<-ending
	isOver.set()
	everyone.Wait()
	line, _ := json.Marshal(map[string]any{"when": "end", "outcomes": d.outcomes, "first": d.first})
	fmt.Println(string(line))
}

type aDatagramLoad struct {
	to       string
	patience time.Duration
	guard    sync.Mutex
	outcomes map[string]int
	first    []string
}

func (d *aDatagramLoad) run(number int, fresh bool, pause time.Duration, isOver *atomicFlag) {
	var socket net.Conn
	message, back := make([]byte, datagramBytes), make([]byte, 2*datagramBytes)
	for k := 0; !isOver.get(); k++ {
		var problem error
		if socket == nil {
			socket, problem = net.Dial("udp", d.to)
		}
		if problem == nil {
			binary.BigEndian.PutUint64(message, uint64(number)<<40|uint64(k))
			problem = exchange(socket, message, back, time.Now().Add(d.patience))
		}
		d.note(problem)
		if socket != nil && (fresh || problem != nil) {
			socket.Close()
			socket = nil
		}
		time.Sleep(pause)
	}
}

// exchange waits for that datagram and no other one.
func exchange(socket net.Conn, message, back []byte, deadline time.Time) error {
	socket.SetDeadline(deadline)
	if _, problem := socket.Write(message); problem != nil {
		return problem
	}
	length, problem := socket.Read(back)
	if problem == nil && !bytes.Equal(back[:length], message) {
		return errFrame
	}
	return problem
}

func (d *aDatagramLoad) note(problem error) {
	outcome := outcomeOk
	if problem != nil {
		outcome = exactly(problem, outcomeGarbled)
	}
	d.guard.Lock()
	defer d.guard.Unlock()
	d.outcomes[outcome]++
	if problem != nil {
		d.first = remember(d.first, problem.Error())
	}
}
