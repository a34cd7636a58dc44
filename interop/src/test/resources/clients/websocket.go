package main

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/gorilla/websocket"
)

var webSocketTests = []test{
	{"text", func() error { return echoed(false, websocket.TextMessage, []byte("höi")) }},
	{"binary", func() error { return echoed(false, websocket.BinaryMessage, random(1<<20)) }},
	{"deflate", func() error { return echoed(true, websocket.TextMessage, bytes.Repeat([]byte("sigma "), 20_000)) }},
	{"closed-by-node", closedByNode},
	{"closed-by-client", closedByClient},
}

func random(size int) []byte {
	made := make([]byte, size)
	if _, err := rand.Read(made); err != nil {
		panic(err)
	}
	return made
}

func dial(deflate bool, query string) (*websocket.Conn, *http.Response, error) {
	dialer := websocket.Dialer{TLSClientConfig: trust(), EnableCompression: deflate, HandshakeTimeout: deadline}
	socket, answer, err := dialer.Dial(url+query, nil)
	if err == nil {
		err = socket.SetReadDeadline(time.Now().Add(deadline))
	}
	return socket, answer, err
}

func echoed(deflate bool, kind int, message []byte) error {
	socket, answer, err := dial(deflate, "")
	if err != nil {
		return err
	}
	defer socket.Close()
	if deflate && !strings.Contains(answer.Header.Get("Sec-Websocket-Extensions"), "permessage-deflate") {
		return same("extensions", "permessage-deflate", answer.Header.Get("Sec-Websocket-Extensions"))
	}
	if err := socket.WriteMessage(kind, message); err != nil {
		return err
	}
	gotKind, got, err := socket.ReadMessage()
	if err != nil {
		return err
	}
	if err := same("kind", kind, gotKind); err != nil {
		return err
	}
	return same("equal", true, bytes.Equal(message, got))
}

func closedByNode() error {
	socket, _, err := dial(false, "")
	if err != nil {
		return err
	}
	defer socket.Close()
	if err := socket.WriteMessage(websocket.TextMessage, []byte("close 4321 bye")); err != nil {
		return err
	}
	_, _, err = socket.ReadMessage()
	closed, is := err.(*websocket.CloseError)
	if !is {
		return err
	}
	return same("close", "4321 bye", fmt.Sprint(closed.Code, " ", closed.Text))
}

func closedByClient() error {
	socket, _, err := dial(false, "?id="+runID)
	if err != nil {
		return err
	}
	defer socket.Close()
	if err := socket.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(4001, "enough")); err != nil {
		return err
	}
	if _, _, err = socket.ReadMessage(); !websocket.IsCloseError(err, 4001) {
		return err
	}
	asking, _, err := dial(false, "")
	if err != nil {
		return err
	}
	defer asking.Close()
	if err := asking.WriteMessage(websocket.TextMessage, []byte("closed "+runID)); err != nil {
		return err
	}
	_, said, err := asking.ReadMessage()
	if err != nil {
		return err
	}
	return same("the node's view", "4001 enough", string(said))
}
