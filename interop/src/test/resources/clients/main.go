// The cases over net/http of Go, and those of WebSocket over gorilla/websocket: clients WIRE URL
package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"golang.org/x/net/http2"
)

const deadline = 20 * time.Second

var (
	wire   = os.Args[1]
	url    = os.Args[2]
	runID  = fmt.Sprint(os.Getpid())
	cookie = "big=" + strings.Repeat("x", 6144) + "; a=1; b=2; c=3"
	client = &http.Client{Timeout: deadline}
)

type cannot string

func (why cannot) Error() string { return string(why) }

type test struct {
	name string
	run  func() error
}

func main() {
	tests := []test{
		{"json", answersJSON}, {"echo", echoes}, {"empty", empty}, {"missing", missing}, {"events", events}, {"many", many},
		{"head", head}, {"cookies", cookies}, {"trailers", trailers},
	}
	if strings.HasPrefix(url, "ws") {
		tests = webSocketTests
	} else {
		client.Transport = transport()
	}
	for _, each := range tests {
		tell(each.name, each.run())
	}
}

func trust() *tls.Config {
	pem, err := os.ReadFile(os.Getenv("SIGMA_CA"))
	if err != nil {
		panic(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	return &tls.Config{RootCAs: roots}
}

func transport() http.RoundTripper {
	if wire == "h2c" {
		dial := func(ctx context.Context, network, address string, _ *tls.Config) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, address)
		}
		return &http2.Transport{AllowHTTP: true, DialTLSContext: dial}
	}
	made := &http.Transport{TLSClientConfig: trust(), ForceAttemptHTTP2: wire == "h2-tls"}
	if wire == "http1-tls" {
		made.TLSNextProto = map[string]func(string, *tls.Conn) http.RoundTripper{}
	}
	return made
}

func tell(name string, err error) {
	ok, said := "true", ""
	if err != nil {
		said = strings.Join(strings.Fields(strings.NewReplacer("\\", "/", "\"", "'").Replace(err.Error())), " ")
		ok = "false"
		if _, is := err.(cannot); is {
			ok = "null"
		}
	}
	fmt.Printf("{\"case\": \"%s\", \"ok\": %s, \"said\": \"%.600s\"}\n", name, ok, said)
}

func same(what string, expected, found interface{}) error {
	if fmt.Sprint(expected) == fmt.Sprint(found) {
		return nil
	}
	return fmt.Errorf("%s: %.200s (expected: %.200s)", what, fmt.Sprint(found), fmt.Sprint(expected))
}

func ask(method, path string, body io.Reader, fields ...string) (*http.Response, error) {
	request, err := http.NewRequest(method, url+path, body)
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(fields); i += 2 {
		request.Header.Add(fields[i], fields[i+1])
	}
	return client.Do(request)
}

func askWhole(method, path string, body io.Reader, fields ...string) (*http.Response, string, error) {
	answer, err := ask(method, path, body, fields...)
	if err != nil {
		return nil, "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return answer, string(text), err
}

func answersJSON() error {
	answer, text, err := askWhole("GET", "/json", nil)
	if err != nil {
		return err
	}
	var value struct{ Name string }
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		return err
	}
	major := 1
	if strings.HasPrefix(wire, "h2") {
		major = 2
	}
	return same("answer", []interface{}{200, "sigma", major}, []interface{}{answer.StatusCode, value.Name, answer.ProtoMajor})
}

func echoes() error {
	body := make([]byte, 1<<20)
	if _, err := rand.Read(body); err != nil {
		return err
	}
	_, text, err := askWhole("POST", "/echo", bytes.NewReader(body))
	if err != nil {
		return err
	}
	return same("hash", sha256.Sum256(body), sha256.Sum256([]byte(text)))
}

func expect(path string, status int, body string) error {
	answer, text, err := askWhole("GET", path, nil)
	if err != nil {
		return err
	}
	return same("answer", fmt.Sprint(status, body), fmt.Sprint(answer.StatusCode, text))
}

func empty() error   { return expect("/empty", 204, "") }
func missing() error { return expect("/missing", 404, "missing") }

func events() error {
	answer, err := ask("GET", "/events/"+runID, nil)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	first := make([]byte, len("data: first\n\n"))
	if _, err := io.ReadFull(answer.Body, first); err != nil {
		return err
	}
	if err := expect("/go/"+runID, 204, ""); err != nil {
		return err
	}
	rest, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	return same("events", "data: first\n\ndata: last\n\n", string(first)+string(rest))
}

func many() error {
	outcomes := make(chan error, 50)
	for i := 0; i < 50; i++ {
		path := fmt.Sprintf("/gather/%s?i=%d", runID, i)
		go func() { outcomes <- expect(path, 200, "all") }()
	}
	for i := 0; i < 50; i++ {
		if err := <-outcomes; err != nil {
			return err
		}
	}
	return nil
}

func head() error {
	answer, text, err := askWhole("HEAD", "/json", nil)
	if err != nil {
		return err
	}
	return same("answer", "200 17", fmt.Sprint(answer.StatusCode, answer.ContentLength, text))
}

func cookies() error {
	answer, text, err := askWhole("GET", "/cookies", nil, "Cookie", cookie)
	if err != nil {
		return err
	}
	if err := same("cookie", "1\n"+cookie, text); err != nil {
		return err
	}
	return same("set-cookie", 2, len(answer.Header.Values("Set-Cookie")))
}

func trailers() error {
	answer, text, err := askWhole("GET", "/trailers", nil, "TE", "trailers")
	if err != nil {
		return err
	}
	return same("answer", "with trailers 1234", text+" "+answer.Trailer.Get("X-Checksum"))
}
