module net.oooops.sigma/lab/gateways/linkerd

go 1.24
