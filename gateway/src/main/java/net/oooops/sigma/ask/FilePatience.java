package net.oooops.sigma.ask;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** For how long whoever asks a file waits for it. */
public interface FilePatience {
    /** As long as it takes: where nobody is served yet, a mount or a disk may still be on its way. */
    FilePatience ENDLESS = new FilePatience() {
        @Override
        public <T extends @Nullable Object> T ask(Path file, FileAnswers.Question<T> question) throws IOException {
            return question.ask(FileAnswers.Reading.UNHURRIED);
        }
    };

    /** As {@link FileAnswers} do. */
    FilePatience BOUNDED = new FilePatience() {
        @Override
        public <T extends @Nullable Object> T ask(Path file, FileAnswers.Question<T> question) throws IOException {
            return FileAnswers.of(file, question);
        }
    };

    /** The answer. */
    <T extends @Nullable Object> T ask(Path file, FileAnswers.Question<T> question) throws IOException;
}
