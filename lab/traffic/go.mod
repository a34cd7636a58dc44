module net.oooops.sigma/lab/traffic

go 1.18
