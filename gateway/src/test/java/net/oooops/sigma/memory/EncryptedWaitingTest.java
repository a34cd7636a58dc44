package net.oooops.sigma.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.pkitesting.X509Bundle;
import java.nio.file.Path;
import javax.net.ssl.SSLException;
import net.oooops.sigma.Needed;
import net.oooops.sigma.tls.Certificates;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is written to an encrypted connection, and isn't flushed, is no channel's yet: the channel's buffer knows of it all the same. */
class EncryptedWaitingTest {
    private static final int BYTES = 100_000;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    private SslHandler server(SslProvider provider, EmbeddedChannel of) throws SSLException {
        X509Bundle shown = new Certificates(dir).issued("a.example");
        return SslContextBuilder.forServer(shown.getKeyPair().getPrivate(), shown.getCertificatePath())
                .sslProvider(provider)
                .build()
                .newHandler(of.alloc());
    }

    private static SslHandler client(EmbeddedChannel of) throws SSLException {
        return SslContextBuilder.forClient()
                .sslProvider(SslProvider.JDK)
                .trustManager(InsecureTrustManagerFactory.INSTANCE)
                .endpointIdentificationAlgorithm(null)
                .build()
                .newHandler(of.alloc());
    }

    /** Whether anything went from the one to the other. */
    private static boolean pass(EmbeddedChannel from, EmbeddedChannel to) {
        from.runPendingTasks();
        boolean any = false;
        for (ByteBuf sent = from.readOutbound(); sent != null; sent = from.readOutbound()) {
            any = true;
            to.writeInbound(sent);
        }
        return any;
    }

    @ParameterizedTest
    @EnumSource(
            value = SslProvider.class,
            names = {"JDK", "OPENSSL"})
    void itWaits(SslProvider provider) throws Exception {
        Needed.here(provider == SslProvider.JDK || OpenSsl.isAvailable(), "BoringSSL encrypts");
        EmbeddedChannel server = new EmbeddedChannel();
        SslHandler encrypting = server(provider, server);
        server.pipeline().addFirst(encrypting);
        EmbeddedChannel client = new EmbeddedChannel();
        client.pipeline().addFirst(client(client));
        boolean passes = true;
        while (passes) {
            boolean asked = pass(client, server);
            passes = pass(server, client) || asked;
        }
        assertThat(encrypting.handshakeFuture().isSuccess()).isTrue();

        long before = RelayMemory.waitingOn(server);
        server.write(Unpooled.buffer(BYTES).writeZero(BYTES), server.voidPromise());
        assertThat(RelayMemory.waitingOn(server)).isEqualTo(before + BYTES);
        assertThat(server.isWritable()).isFalse();
        server.flush();
        assertThat(RelayMemory.waitingOn(server)).isZero();
        server.finishAndReleaseAll();
        client.finishAndReleaseAll();
    }
}
