//go:build tools

// Names what is built from here beside the clients, so that `go mod tidy` keeps it.
package main

import _ "github.com/summerwind/h2spec/cmd/h2spec"
