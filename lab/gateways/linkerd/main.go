// What linkerd2-proxy wants of a control plane before it serves: an identity. All else it asks for is let wait, so that it stays with its default policy,
// which lets everybody in. Speaks HTTP/2 without TLS, as the proxy does on the loopback.
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/binary"
	"encoding/pem"
	"flag"
	"log"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

const (
	certify  = "/io.linkerd.proxy.identity.Identity/Certify"
	lifetime = 24 * time.Hour
	readable = 0o600
	// Fields of CertifyResponse, and of the Timestamp in it, with their types.
	leafField, untilField, secondsField = 0x0a, 0x1a, 0x08
	grpcPrefix                          = 5 // whether it is compressed, and its length
)

func main() {
	listen := flag.String("listen", "", "address")
	folder := flag.String("folder", "", "where the proxy finds its documents")
	name := flag.String("name", "", "of the proxy")
	flag.Parse()
	answer := grpc(answerOf(documents(*folder, *name)))
	http.HandleFunc(certify, func(out http.ResponseWriter, _ *http.Request) {
		out.Header().Set("Content-Type", "application/grpc")
		out.Header().Set("Trailer", "Grpc-Status")
		must(out.Write(answer))
		out.Header().Set("Grpc-Status", "0")
	})
	http.HandleFunc("/", func(_ http.ResponseWriter, request *http.Request) { <-request.Context().Done() })
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	log.Fatal((&http.Server{Addr: *listen, Protocols: &protocols}).ListenAndServe())
}

// documents writes what the proxy reads: trust anchors, its key, its request for a certificate, and a token. It returns the certificate.
func documents(folder, name string) []byte {
	authorityKey, key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)), must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	now := time.Now()
	authority := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "lab"}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(lifetime),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name}, NotBefore: authority.NotBefore, NotAfter: authority.NotAfter,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	write := func(file string, content []byte) {
		if err := os.WriteFile(filepath.Join(folder, file), content, readable); err != nil {
			log.Fatal(err)
		}
	}
	anchor := must(x509.CreateCertificate(rand.Reader, authority, authority, &authorityKey.PublicKey, authorityKey))
	write("anchors.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: anchor}))
	write("key.p8", must(x509.MarshalPKCS8PrivateKey(key)))
	write("csr.der", must(x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{DNSNames: leaf.DNSNames}, key)))
	write("token", []byte("lab"))
	return must(x509.CreateCertificate(rand.Reader, leaf, authority, &key.PublicKey, authorityKey))
}

func answerOf(leaf []byte) []byte {
	until := binary.AppendUvarint([]byte{secondsField}, uint64(time.Now().Add(lifetime).Unix()))
	answer := append(binary.AppendUvarint([]byte{leafField}, uint64(len(leaf))), leaf...)
	return append(binary.AppendUvarint(append(answer, untilField), uint64(len(until))), until...)
}

func grpc(message []byte) []byte {
	framed := make([]byte, grpcPrefix, grpcPrefix+len(message))
	binary.BigEndian.PutUint32(framed[1:], uint32(len(message)))
	return append(framed, message...)
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
