package net.oooops.sigma.http2;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import net.oooops.sigma.Allocation;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** RFC 7541: its own examples, and everything that it calls an error. */
class HpackDecoderTest {
    private static final int TABLE_BYTES = 4096;
    private static final String SHORTER = "21 Oct 2013 20:13:2";
    private static final String DATE_21 = "date: Mon, " + SHORTER + "1 GMT";
    private static final String DATE_22 = "date: Mon, " + SHORTER + "2 GMT";
    private static final String LOCATION = "location: https://www.example.com";
    private static final String PRIVATE = "cache-control: private";
    private static final String COOKIE = "set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1";
    private static final String AUTHORITY = ":authority: www.example.com";
    private static final String NO_CACHE = "cache-control: no-cache";
    private static final String CUSTOM = "custom-key: custom-value";

    private final HpackDecoder decoder = new HpackDecoder(TABLE_BYTES, new HpackRoom());

    private static byte[] hex(String digits) {
        return HexFormat.of().parseHex(digits.replace(" ", ""));
    }

    private static List<String> decode(HpackDecoder decoder, byte[] block) {
        DecodedFields fields = new DecodedFields();
        assertThat(decoder.decode(block, 0, block.length, fields)).isTrue();
        return fields.lines();
    }

    private List<String> decode(String block) {
        return decode(decoder, hex(block));
    }

    private static boolean isTaken(HpackDecoder decoder, byte[] block) {
        return decoder.decode(block, 0, block.length, new DecodedFields());
    }

    private boolean isTaken(String block) {
        return isTaken(decoder, hex(block));
    }

    /** What the table has, the newest first: each index by itself, until there are no more. */
    private static List<String> table(HpackDecoder decoder) {
        List<String> entries = new ArrayList<>();
        for (int index = HpackStatic.COUNT + 1; isTaken(decoder, new byte[] {(byte) (0x80 | index)}); index++) {
            entries.addAll(decode(decoder, new byte[] {(byte) (0x80 | index)}));
        }
        return entries;
    }

    /** As RFC 7541 section 4.1 counts it. */
    private static int size(List<String> table) {
        return table.stream()
                .mapToInt(line -> line.length() - ": ".length() + HpackTable.ENTRY_BYTES)
                .sum();
    }

    private static WeakReference<byte[]> decoded(HpackDecoder decoder) {
        byte[] block = literal(0, "x-large", "v".repeat(100));
        assertThat(isTaken(decoder, block)).isTrue();
        return new WeakReference<>(block);
    }

    /** While nothing comes: a connection may be idle for long. */
    @Test
    void nothingOfABlockIsHeld() {
        WeakReference<byte[]> block = decoded(decoder);
        Await.until("collected", () -> {
            System.gc();
            return block.refersTo(null);
        });
        assertThat(isTaken("82")).isTrue();
    }

    /** A literal without indexing, its name and value as they are. */
    private static byte[] literal(int kind, String name, String value) {
        byte[] block = new byte[3 + name.length() + value.length()];
        block[0] = (byte) kind;
        block[1] = (byte) name.length();
        System.arraycopy(name.getBytes(US_ASCII), 0, block, 2, name.length());
        block[2 + name.length()] = (byte) value.length();
        System.arraycopy(value.getBytes(US_ASCII), 0, block, 3 + name.length(), value.length());
        return block;
    }

    // Appendix C

    /** C.2. */
    @Test
    void literalsAndIndices() {
        assertThat(decode("400a637573746f6d2d6b65790d637573746f6d2d686561646572"))
                .containsExactly("custom-key: custom-header");
        assertThat(table(decoder)).containsExactly("custom-key: custom-header");
        assertThat(decode("040c2f73616d706c652f70617468")).containsExactly(":path: /sample/path");
        assertThat(decode("100870617373776f726406736563726574")).containsExactly("password: secret");
        assertThat(decode("82")).containsExactly(":method: GET");
        assertThat(table(decoder)).hasSize(1);
    }

    /** C.3 and C.4: the same requests, plain and in Huffman code. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void requests(boolean coded) {
        assertThat(decode(coded ? "828684418cf1e3c2e5f23a6ba0ab90f4ff" : "828684410f7777772e6578616d706c652e636f6d"))
                .containsExactly(":method: GET", ":scheme: http", ":path: /", AUTHORITY);
        assertThat(table(decoder)).containsExactly(AUTHORITY);
        assertThat(size(table(decoder))).isEqualTo(57);
        assertThat(decode(coded ? "828684be5886a8eb10649cbf" : "828684be58086e6f2d6361636865"))
                .containsExactly(":method: GET", ":scheme: http", ":path: /", AUTHORITY, NO_CACHE);
        assertThat(table(decoder)).containsExactly(NO_CACHE, AUTHORITY);
        assertThat(size(table(decoder))).isEqualTo(110);
        assertThat(decode(
                        coded
                                ? "828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf"
                                : "828785bf400a637573746f6d2d6b65790c637573746f6d2d76616c7565"))
                .containsExactly(":method: GET", ":scheme: https", ":path: /index.html", AUTHORITY, CUSTOM);
        assertThat(table(decoder)).containsExactly(CUSTOM, NO_CACHE, AUTHORITY);
        assertThat(size(table(decoder))).isEqualTo(164);
    }

    /** C.5 and C.6: responses, plain and in Huffman code, with a table of 256 bytes that entries have to leave. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void responses(boolean coded) {
        HpackDecoder small = new HpackDecoder(256, new HpackRoom());
        assertThat(
                        decode(
                                small,
                                hex(
                                        coded
                                                ? "488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff"
                                                        + "6e919d29ad171863c78f0b97c8e9ae82ae43d3"
                                                : "4803333032580770726976617465611d4d6f6e2c203231204f637420323031332032"
                                                        + "303a31333a323120474d546e1768747470733a2f2f7777772e6578616d706c652e636f6d")))
                .containsExactly(":status: 302", PRIVATE, DATE_21, LOCATION);
        assertThat(table(small)).containsExactly(LOCATION, DATE_21, PRIVATE, ":status: 302");
        assertThat(size(table(small))).isEqualTo(222);
        assertThat(decode(small, hex(coded ? "4883640effc1c0bf" : "4803333037c1c0bf")))
                .containsExactly(":status: 307", PRIVATE, DATE_21, LOCATION);
        assertThat(table(small)).containsExactly(":status: 307", LOCATION, DATE_21, PRIVATE);
        assertThat(size(table(small))).isEqualTo(222);
        assertThat(decode(
                        small,
                        hex(
                                coded
                                        ? "88c16196d07abe941054d444a8200595040b8166e084a62d1bffc05a839bd9ab77ad"
                                                + "94e7821dd7f2e6c7b335dfdfcd5b3960d5af27087f3672c1ab270fb5291f9587316065c0"
                                                + "03ed4ee5b1063d5007"
                                        : "88c1611d4d6f6e2c203231204f637420323031332032303a31333a323220474d54c05a"
                                                + "04677a69707738666f6f3d4153444a4b48514b425a584f5157454f50495541585157454f"
                                                + "49553b206d61782d6167653d333630303b2076657273696f6e3d31")))
                .containsExactly(":status: 200", PRIVATE, DATE_22, LOCATION, "content-encoding: gzip", COOKIE);
        assertThat(table(small)).containsExactly(COOKIE, "content-encoding: gzip", DATE_22);
        assertThat(size(table(small))).isEqualTo(215);
    }

    // Errors

    @Test
    void indicesThatThereAreNot() {
        assertThat(isTaken("80")).as("0").isFalse();
        assertThat(isTaken("bd")).as("the last static one").isTrue();
        assertThat(isTaken("be")).as("an empty table's first").isFalse();
        decode("400161" + "0162");
        assertThat(isTaken("be")).isTrue();
        assertThat(isTaken("bf")).isFalse();
        assertThat(isTaken("7e" + "0162")).as("name of the first").isTrue();
        assertThat(isTaken("7f01" + "0162")).as("name of one too far").isFalse();
        assertThat(isTaken("0f2f" + "0162")).as("name of the first, not added").isTrue();
        assertThat(isTaken("0f3f" + "0162"))
                .as("name of one too far, not added")
                .isFalse();
        assertThat(isTaken("ffffffff07")).as("2^31 - 1 and more").isFalse();
    }

    /** The largest number that is read is 2³¹ - 1, in five bytes behind the first. */
    @Test
    void numbersThatAreTooLarge() {
        assertThat(isTaken("3fe11f")).as("4096").isTrue();
        assertThat(isTaken("3fe19f00")).as("4096, with a zero more").isTrue();
        assertThat(isTaken("3fe19f808000")).as("4096, as long as may be").isTrue();
        assertThat(isTaken("3fe19f80808000")).as("longer").isFalse();
        assertThat(isTaken("3fffffffff0f")).as("more than 32 bits").isFalse();
        assertThat(isTaken("00" + "7f80ffffff07" + "61"))
                .as("a length of nearly 2^31")
                .isFalse();
        assertThat(isTaken("00" + "7fffffffff7f" + "61"))
                .as("a length of 35 bits")
                .isFalse();
        assertThat(isTaken("00" + "ffffffffff7f" + "61"))
                .as("the same in Huffman code")
                .isFalse();
    }

    @Test
    void tableSizes() {
        assertThat(isTaken("3fe21f")).as("larger than was said").isFalse();
        assertThat(decode("20" + "3fe11f" + "82")).containsExactly(":method: GET");
        assertThat(isTaken("82" + "20")).as("behind a field").isFalse();
        assertThat(isTaken("400161016220")).as("behind a literal").isFalse();
        decode("4001610162");
        assertThat(decode("be")).containsExactly("a: b");
        assertThat(isTaken("20" + "be")).as("emptied").isFalse();
        // 34 bytes: one such entry, and no other.
        assertThat(decode("3f03" + "4001610162" + "be")).containsExactly("a: b", "a: b");
        decode("4001630164");
        assertThat(table(decoder)).containsExactly("c: d");
        decode("40016302" + "6465");
        assertThat(table(decoder)).as("one byte too large").isEmpty();
    }

    @Test
    void huffmanCodeThatIsWrong() {
        assertThat(decode("00" + "811f" + "811f"))
                .as("one a each, three bits left")
                .containsExactly("a: a");
        assertThat(isTaken("00" + "811e" + "00")).as("not filled up with ones").isFalse();
        assertThat(isTaken("00" + "821fff" + "00")).as("eleven bits left").isFalse();
        assertThat(isTaken("00" + "81ff" + "00")).as("eight bits left").isFalse();
        assertThat(isTaken("00" + "84ffffffff" + "00")).as("the end's own code").isFalse();
        assertThat(isTaken("00" + "851fffffffff" + "00")).as("behind an a").isFalse();
        assertThat(decode("00" + "80" + "80")).as("nothing at all").containsExactly(": ");
        // 0, with five bits, three times: one bit is left.
        assertThat(decode("00" + "820001" + "00")).containsExactly("000: ");
    }

    /** Whatever is missing of a field, the block isn't taken; what came before it is told. */
    @Test
    void blocksThatEndTooSoon() {
        List<byte[]> fields = List.of(
                hex("400a637573746f6d2d6b65790d637573746f6d2d686561646572"),
                hex("408825a849e95ba97d7f8925a849e95bb8e8b4bf"),
                hex("418cf1e3c2e5f23a6ba0ab90f4ff"),
                hex("0f2f0162"),
                hex("1f80800000"),
                hex("3fe11f"));
        for (byte[] field : fields) {
            HpackDecoder whole = new HpackDecoder(TABLE_BYTES, new HpackRoom());
            decode(whole, hex("4001610162"));
            for (int cut = 1; cut < field.length; cut++) {
                assertThat(isTaken(whole, Arrays.copyOf(field, cut)))
                        .as("%s, %s bytes", HexFormat.of().formatHex(field), cut)
                        .isFalse();
            }
        }
    }

    // The table

    @Test
    void anEntryLargerThanTheTableEmptiesIt() {
        HpackDecoder small = new HpackDecoder(64, new HpackRoom());
        assertThat(decode(small, literal(0x40, "a", "b"))).containsExactly("a: b");
        assertThat(table(small)).containsExactly("a: b");
        String large = "v".repeat(32);
        assertThat(decode(small, literal(0x40, "c", large))).containsExactly("c: " + large);
        assertThat(table(small)).isEmpty();
        String just = "v".repeat(31);
        decode(small, literal(0x40, "c", just));
        assertThat(table(small)).containsExactly("c: " + just);
    }

    /** Section 4.1: a field without name and value takes 32 bytes. The table's last place is taken by one, too. */
    @Test
    void aTableFullOfTheSmallestFields() {
        HpackDecoder small = new HpackDecoder(64, new HpackRoom());
        decode(small, literal(0x40, "", ""));
        decode(small, literal(0x40, "", ""));
        assertThat(decode(small, hex("be" + "bf" + "0f2f" + "00"))).containsExactly(": ", ": ", ": ");
        decode(small, literal(0x40, "", ""));
        assertThat(table(small)).containsExactly(": ", ": ");
    }

    /** Section 4.4: the name of the new entry may be that of one that has to leave for it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aNameOutlivesTheEntryItIsTakenFrom(boolean coded) {
        HpackDecoder small = new HpackDecoder(72, new HpackRoom());
        for (int i = 0; i < 500; i++) {
            String name = "name" + i;
            decode(small, literal(0x40, name, "v".repeat(i % 20)));
            for (int again = 0; again < 3; again++) {
                // A value in Huffman code is decoded into the same room that the name is kept in.
                byte[] block = hex(coded ? "7e" + "88" + "000000000000000f" : "7e" + "05" + "3132333435");
                List<String> seen = decode(small, block);
                assertThat(seen).containsExactly(name + ": " + (coded ? "0".repeat(12) : "12345"));
                assertThat(table(small)).isEqualTo(seen);
            }
        }
    }

    /** However often entries come and go, each index has what was put there. */
    @Test
    void entriesStayWhatTheyAreWhileTheTableMoves() {
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 5000; i++) {
            String name = "n" + i;
            String value = "v".repeat(i * 7 % 120);
            decode(decoder, literal(0x40, name, value));
            expected.addFirst(name + ": " + value);
            while (size(expected) > TABLE_BYTES) {
                expected.removeLast();
            }
            if (i % 50 == 0) {
                for (int entry = 0; entry < expected.size(); entry++) {
                    byte[] index = entry < 65
                            ? new byte[] {(byte) (0x80 | 62 + entry)}
                            : new byte[] {(byte) 0xFF, (byte) (entry - 65)};
                    assertThat(decode(decoder, index)).containsExactly(expected.get(entry));
                }
            }
        }
    }

    @Test
    void nothingIsAllocated() {
        byte[] first = hex(
                "828684418cf1e3c2e5f23a6ba0ab90f4ff" + "5886a8eb10649cbf" + "408825a849e95ba97d7f8925a849e95bb8e8b4bf");
        byte[] next = hex("828684be" + "7f00" + "8925a849e95bb8e8b4bf" + "0f2f" + "03313233" + "c0");
        HpackSink nobody = field -> {};
        assertThat(decoder.decode(first, 0, first.length, nobody)).isTrue();
        assertThat(decoder.decode(next, 0, next.length, nobody)).isTrue();
        assertThat(Allocation.bytes(() -> {
                    decoder.decode(first, 0, first.length, nobody);
                    decoder.decode(next, 0, next.length, nobody);
                }))
                .isZero();
    }
}
