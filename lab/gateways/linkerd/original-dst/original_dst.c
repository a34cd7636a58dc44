/* Preloaded into linkerd2-proxy: says that every connection was meant for ORIGINAL_DST_PORT of 127.0.0.1, which otherwise takes rules of iptables and root. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define SO_ORIGINAL_DST 80

int getsockopt(int socket, int level, int name, void *value, socklen_t *length) {
    static int (*real)(int, int, int, void *, socklen_t *);
    if (level == SOL_IP && name == SO_ORIGINAL_DST && *length >= sizeof(struct sockaddr_in)) {
        struct sockaddr_in meant = {.sin_family = AF_INET, .sin_port = htons(atoi(getenv("ORIGINAL_DST_PORT")))};
        meant.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        memcpy(value, &meant, sizeof meant);
        *length = sizeof meant;
        return 0;
    }
    if (!real) {
        real = (int (*)(int, int, int, void *, socklen_t *))dlsym(RTLD_NEXT, "getsockopt");
    }
    return real(socket, level, name, value, length);
}
