package net.oooops.sigma.interop;

/** What a node that speaks SOFARPC does. */
public interface Greeter {
    /** Answers with the node's name and the text. */
    String greet(String text);

    /** Does so after a while, in which a thread of the node is taken. */
    String greetAfter(int millis, String text);

    /**
     * Never answers.
     *
     * @throws GreetingRefused always, with the text as its message
     */
    String refuse(String text) throws GreetingRefused;
}
