package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// flood has each client ask again as soon as it is answered, or after a pause, until its time is over or SIGTERM comes. It counts how requests ended, and
// prints one line of JSON at its end. A client that is told that its connection ends opens another one; with `-fresh` each request has one of its own.
func flood(words []string) {
	options := flag.NewFlagSet("flood", flag.ExitOnError)
	to := options.String("to", "", "address")
	clients := options.Int("clients", 20, "how many")
	path := options.String("path", "/load", "what is asked for")
	fresh := options.Bool("fresh", false, "a connection for each request")
	pause := options.Duration("pause", 0, "of each client between an answer and the next request")
	length := options.Duration("for", 24*time.Hour, "how long")
	patience := options.Duration("patience", 10*time.Second, "how long an answer may take")
	options.Parse(words)

	var isOver atomicFlag
	ending := make(chan os.Signal, 1)
	signal.Notify(ending, syscall.SIGTERM)
	go func() {
		select {
		case <-ending:
		case <-time.After(*length):
		}
		isOver.set()
	}()
	plan := &aPlan{to: *to, path: *path, patience: *patience, expected: smallBody}
	floods := make([]aFlood, *clients)
	began := now()
	var everyone sync.WaitGroup
	for i := range floods {
		everyone.Add(1)
		floods[i] = aFlood{client: aClient{plan: plan, number: i, kind: 'G', fresh: *fresh}, outcomes: map[string]int{}}
		go func(f *aFlood) {
			defer everyone.Done()
			f.run(*pause, &isOver)
		}(&floods[i])
	}
	everyone.Wait()
	tell(floods, now()-began)
}

type atomicFlag struct{ value int32 }

func (f *atomicFlag) set()      { atomic.StoreInt32(&f.value, 1) }
func (f *atomicFlag) get() bool { return atomic.LoadInt32(&f.value) != 0 }

type aFlood struct {
	client      aClient
	latencies   aHistogram
	outcomes    map[string]int
	connections int
	first       []string
}

func (f *aFlood) run(pause time.Duration, isOver *atomicFlag) {
	c := &f.client
	defer c.close()
	for k := int64(0); !isOver.get(); k++ {
		if c.connection == nil {
			f.connections++
		}
		from := now()
		outcome := c.ask(k)
		if outcome == outcomeOk {
			f.latencies.add((now() - from) / 1000)
		} else {
			if c.problem != nil {
				outcome = exactly(c.problem, outcome)
				f.first = remember(f.first, c.problem.Error())
			}
			time.Sleep(time.Millisecond)
		}
		f.outcomes[outcome]++
		if pause > 0 {
			time.Sleep(pause)
		}
	}
}

func tell(floods []aFlood, tookNs int64) {
	outcomes, latencies, connections := map[string]int{}, map[int]int64{}, 0
	var first []string
	for i := range floods {
		for outcome, count := range floods[i].outcomes {
			outcomes[outcome] += count
		}
		floods[i].latencies.addTo(latencies)
		connections += floods[i].connections
		first = append(first, floods[i].first...)
	}
	line, _ := json.Marshal(map[string]any{
		"when": "end", "took_ns": tookNs, "outcomes": outcomes, "connections": connections, "latencies": latencies, "first": first,
	})
	fmt.Println(string(line))
}
