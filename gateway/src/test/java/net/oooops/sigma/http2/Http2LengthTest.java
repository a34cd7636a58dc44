package net.oooops.sigma.http2;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.http2.Http2Client.Frame;
import net.oooops.sigma.http2.Http2Client.Response;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A body that is longer or shorter than its Content-Length makes its request malformed (RFC 9113 section 8.1.1). A node of HTTP/1.1 takes a
 * request for complete with its last byte: it doesn't get that before the client has ended its stream.
 */
class Http2LengthTest {
    private static final String SAID = "hello";
    private static final byte[] LONGER = "hello!".getBytes(ISO_8859_1);

    private final RawServer nodes = RawServer.start();

    @AfterEach
    void stop() {
        nodes.close();
    }

    /** Where five bytes are announced. */
    private enum Wrong {
        LONGER_IN_ONE_FRAME {
            @Override
            void by(Http2Client client) throws IOException {
                client.data(1, true, LONGER);
            }
        },
        LONGER_IN_ONE_FRAME_THAT_IS_NO_END {
            @Override
            void by(Http2Client client) throws IOException {
                client.data(1, false, LONGER).data(1, true, "");
            }
        },
        LONGER_IN_ONE_FRAME_THAT_COMES_IN_PIECES {
            @Override
            void by(Http2Client client) throws IOException {
                byte[] frame = Http2Client.bytesOf(Http2Client.DATA, Http2Client.END_STREAM, 1, LONGER);
                // Nothing may be asked in the middle of a frame: the node sees when these are read.
                client.raw(Arrays.copyOf(frame, frame.length - 2));
                client.raw(Arrays.copyOfRange(frame, frame.length - 2, frame.length - 1));
                client.raw(Arrays.copyOfRange(frame, frame.length - 1, frame.length));
            }
        },
        LONGER_BY_THE_LAST_FRAME {
            @Override
            void by(Http2Client client) throws IOException {
                taken(client.data(1, false, SAID)).data(1, true, "!");
            }
        },
        LONGER_BY_A_FRAME_THAT_IS_NO_END {
            @Override
            void by(Http2Client client) throws IOException {
                taken(client.data(1, false, SAID)).data(1, false, "!").data(1, true, "");
            }
        },
        LONGER_BY_A_FRAME_OF_MANY {
            @Override
            void by(Http2Client client) throws IOException {
                taken(client.data(1, false, "he").data(1, false, "").data(1, false, "llo"))
                        .data(1, true, "!");
            }
        },
        LONGER_BEFORE_TRAILERS {
            @Override
            void by(Http2Client client) throws IOException {
                taken(client.data(1, false, SAID)).data(1, false, "!").headers(1, true, "x-end", "0");
            }
        },
        SHORTER_IN_ONE_FRAME {
            @Override
            void by(Http2Client client) throws IOException {
                client.data(1, true, "hell");
            }
        },
        SHORTER_WITH_ITS_END_LATER {
            @Override
            void by(Http2Client client) throws IOException {
                taken(client.data(1, false, "hell")).data(1, true, "");
            }
        },
        SHORTER_BEFORE_TRAILERS {
            @Override
            void by(Http2Client client) throws IOException {
                taken(client.data(1, false, "hell")).headers(1, true, "x-end", "0");
            }
        };

        abstract void by(Http2Client client) throws IOException;

        /** The gateway has read, and passed on, what was sent by now. */
        private static Http2Client taken(Http2Client client) throws IOException {
            client.ping(1, false).await(Http2Client.PING);
            return client;
        }
    }

    private static Http2Client ask(GatewayFixture gateway, int length) throws IOException {
        return Http2Client.connect(gateway)
                .request(1, false, "POST", "/", "content-length", String.valueOf(length))
                .settled();
    }

    private static void assertMalformed(GatewayFixture gateway, Http2Client client) throws IOException {
        Response response = client.response(1);
        assertThat(response.status()).isEqualTo(400);
        assertThat(response.reset()).isEqualTo(Http2Error.PROTOCOL_ERROR.code());
        assertThat(gateway.faults(Fault.BAD_REQUEST)).isEqualTo(1);
        assertThat(gateway.faults(Fault.INTERNAL)).isZero();
    }

    /** Reads the head of a request. */
    private static String head(RawClient node) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            head.append(new String(node.readExactly(1), ISO_8859_1));
        }
        return head.toString();
    }

    @ParameterizedTest
    @EnumSource(Wrong.class)
    void aNodeOfHttp11NeverGetsItWhole(Wrong body) throws IOException {
        try (GatewayFixture gateway = GatewayFixture.toPorts(nodes.port()).start();
                Http2Client client = ask(gateway, SAID.length());
                RawClient node = nodes.accept()) {
            assertThat(head(node)).containsIgnoringCase("content-length: 5\r\n");
            body.by(client);
            assertMalformed(gateway, client);
            assertThat(new String(node.readUntilClose(), ISO_8859_1))
                    .as("what is less than the whole")
                    .isIn("", "h", "he", "hel", "hell");
        }
    }

    @ParameterizedTest
    @EnumSource(Wrong.class)
    void aNodeOfHttp2IsToldThatItIsGivenUp(Wrong body) throws IOException {
        try (GatewayFixture gateway =
                        GatewayFixture.toPorts(nodes.port()).http2Nodes().start();
                Http2Client client = ask(gateway, SAID.length());
                Http2Client node = Http2Client.node(nodes)) {
            assertThat(node.fields(node.await(Http2Client.HEADERS))).containsEntry("content-length", "5");
            body.by(client);
            assertMalformed(gateway, client);
            StringBuilder got = new StringBuilder();
            Frame frame = node.next();
            while (frame.type() != Http2Client.RST_STREAM) {
                if (frame.type() == Http2Client.DATA || frame.type() == Http2Client.HEADERS) {
                    assertThat(frame.has(Http2Client.END_STREAM)).isFalse();
                    got.append(new String(frame.payload(), ISO_8859_1));
                }
                frame = node.next();
            }
            assertThat(got.toString()).isIn("", "h", "he", "hel", "hell");
        }
    }

    /** The end is a frame of its own with many clients. */
    @Test
    void whatIsAsLongAsItSaidGoesOnWithItsEnd() throws IOException {
        try (GatewayFixture gateway = GatewayFixture.toPorts(nodes.port()).start();
                Http2Client client = ask(gateway, SAID.length());
                RawClient node = nodes.accept()) {
            head(node);
            client.data(1, false, SAID);
            assertThat(new String(node.readExactly(4), ISO_8859_1)).isEqualTo("hell");
            client.data(1, true, "");
            assertThat(new String(node.readExactly(1), ISO_8859_1)).isEqualTo("o");
            node.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
            assertThat(client.response(1).text()).isEqualTo("ok");

            client.request(3, false, "POST", "/", "content-length", "1").data(3, false, "a");
            head(node);
            client.headers(3, true, "x-end", "0");
            assertThat(new String(node.readExactly(1), ISO_8859_1)).isEqualTo("a");
            node.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
            assertThat(client.response(3).reset()).isEqualTo(-1);
        }
    }

    /** What ends with its frame goes on at once, and what is padded when the padding is there. */
    @Test
    void whatEndsWithItsFrameIsWhole() throws IOException {
        try (GatewayFixture gateway = GatewayFixture.toPorts(nodes.port()).start();
                Http2Client client = ask(gateway, SAID.length());
                RawClient node = nodes.accept()) {
            head(node);
            byte[] padded = ("\3" + SAID + "\0\0\0").getBytes(ISO_8859_1);
            client.frame(Http2Client.DATA, Http2Client.END_STREAM | Http2Client.PADDED, 1, padded);
            assertThat(new String(node.readExactly(5), ISO_8859_1)).isEqualTo(SAID);
            node.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
            assertThat(client.response(1).text()).isEqualTo("ok");
        }
    }
}
