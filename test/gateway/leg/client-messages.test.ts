import { describe, expect, test } from "vitest";
import type { CallCommand } from "../../../src/call/events.ts";
import { createTwilioWire } from "../../../src/carriers/twilio/wire.ts";
import { callMs } from "../../../src/core/clocks.ts";
import { ClientMessages } from "../../../src/gateway/leg/client-messages.ts";
import type { ClientMessage, Wire } from "../../../src/wire/wire.ts";

/** A wire that encodes every kind of message, and what was sent on it. */
function recordedPeer() {
  const received: ClientMessage[] = [];
  const wire: Wire = Object.assign(createTwilioWire(), {
    encodeClientMessage(message: ClientMessage): string {
      received.push(message);
      return message.kind;
    },
  });
  const sent: string[] = [];
  return { peer: new ClientMessages(wire, "en", (message) => sent.push(message)), received, sent };
}

const userTurn = (text: string): CallCommand => ({
  kind: "turn",
  turn: { role: "user", text, startMs: callMs(0), endMs: callMs(1), interrupted: false },
});
const agentTurn = (text: string, interrupted = false): CallCommand => ({
  kind: "turn",
  turn: { role: "agent", text, startMs: callMs(0), endMs: callMs(1), interrupted },
});
const speak = (turnId: number, segment: number, text: string): CallCommand => ({
  kind: "speak",
  turnId,
  segment,
  text,
});
const transcripts = (received: readonly ClientMessage[]) =>
  received.flatMap((message) =>
    message.kind === "transcript"
      ? [`${message.turnId} ${message.role}: ${message.text}${message.final ? "." : " ..."}`]
      : [],
  );

describe("what a peer is sent", () => {
  test("the caller's turn as it is transcribed, whole each time, and once more when it is final", () => {
    const { peer, received } = recordedPeer();
    peer.onEvent({ kind: "stt-interim", text: "one" });
    peer.onEvent({ kind: "stt-interim", text: "one loaf" });
    peer.onEvent({ kind: "stt-final", text: "one loaf" });
    peer.onEvent({ kind: "stt-interim", text: "and" });
    peer.onEvent({ kind: "stt-final", text: "and a roll" });
    peer.onCommand(userTurn("one loaf and a roll"));
    expect(transcripts(received)).toEqual([
      "1 user: one ...",
      "1 user: one loaf ...",
      "1 user: one loaf and ...",
      "1 user: one loaf and a roll ...",
      "1 user: one loaf and a roll.",
    ]);
  });

  test("the agent's turn before it is heard, and finally what was heard of it", () => {
    const { peer, received } = recordedPeer();
    peer.onCommand(speak(1, 0, "Good morning."));
    peer.flush();
    peer.onCommand(speak(1, 1, "How can I help?"));
    peer.onCommand({ kind: "state", state: "speaking" });
    peer.onCommand(agentTurn("Good morning. How", true));
    peer.onCommand({ kind: "state", state: "listening" });
    expect(transcripts(received)).toEqual([
      "1 agent: Good morning. ...",
      "1 agent: Good morning. How can I help? ...",
      "1 agent: Good morning. How.",
    ]);
  });

  test("segments of one step are sent together, once, and before any other message", () => {
    const { peer, sent, received } = recordedPeer();
    for (const segment of [0, 1, 2]) peer.onCommand(speak(1, segment, `Segment ${segment}.`));
    peer.error("wire_malformed", "digit is missing");
    peer.onCommand(speak(1, 3, "Segment 3."));
    peer.flush();
    peer.flush();
    expect(transcripts(received)).toEqual([
      "1 agent: Segment 0. Segment 1. Segment 2. ...",
      "1 agent: Segment 0. Segment 1. Segment 2. Segment 3. ...",
    ]);
    expect(sent).toEqual(["transcript", "error", "transcript"]);
  });

  test("of a turn that does not end only a limited text is sent, and only while it changes", () => {
    const { peer, received } = recordedPeer();
    for (let count = 0; count < 10; count += 1) {
      peer.onEvent({ kind: "typed", text: "u".repeat(10_000) });
      peer.onCommand(speak(1, count, "a".repeat(10_000)));
      peer.flush();
    }
    const lengths = (role: string) =>
      received.flatMap((message) =>
        message.kind === "transcript" && message.role === role ? [message.text.length] : [],
      );
    expect([lengths("user"), lengths("agent")]).toEqual([
      [10_000, 16_384],
      [10_000, 16_384],
    ]);
  });

  test("a reply of which nothing was heard ends empty, whether another follows or the call is over", () => {
    const { peer, received } = recordedPeer();
    peer.onCommand(speak(1, 0, "Never heard."));
    peer.onCommand(speak(2, 0, "Nor this."));
    peer.onCommand({ kind: "state", state: "listening" });
    peer.onCommand(speak(3, 0, "Nor that."));
    peer.onCommand({ kind: "end", reason: "caller_hangup" });
    expect(transcripts(received)).toEqual([
      "1 agent: Never heard. ...",
      "1 agent: .",
      "2 agent: Nor this. ...",
      "2 agent: .",
      "3 agent: Nor that. ...",
      "3 agent: .",
    ]);
  });

  test("turns of both sides are numbered as they begin, and typed words are the caller's", () => {
    const { peer, received } = recordedPeer();
    peer.onCommand(speak(1, 0, "Hello."));
    peer.flush();
    peer.onEvent({ kind: "typed", text: "hi" });
    peer.onCommand(agentTurn("Hello."));
    peer.onCommand(userTurn("hi"));
    peer.onCommand(speak(2, 0, "Yes?"));
    peer.flush();
    expect(transcripts(received)).toEqual([
      "1 agent: Hello. ...",
      "2 user: hi ...",
      "1 agent: Hello..",
      "2 user: hi.",
      "3 agent: Yes? ...",
    ]);
  });

  test("a paused reply is still open, and resumes as the same turn", () => {
    const { peer, received } = recordedPeer();
    peer.onCommand(speak(1, 0, "Good morning."));
    peer.onCommand({ kind: "state", state: "speaking" });
    peer.onCommand({ kind: "pause", turnId: 1 });
    peer.onCommand({ kind: "state", state: "listening" });
    peer.onCommand({ kind: "resume", turnId: 1, reason: "no_words" });
    peer.onCommand({ kind: "state", state: "speaking" });
    peer.onCommand(speak(1, 1, "How can I help?"));
    peer.onCommand(agentTurn("Good morning. How can I help?"));
    peer.onCommand({ kind: "state", state: "listening" });
    expect(transcripts(received)).toEqual([
      "1 agent: Good morning. ...",
      "1 agent: Good morning. How can I help? ...",
      "1 agent: Good morning. How can I help?.",
    ]);
    expect(received.flatMap((message) => (message.kind === "state" ? [message.state] : []))).toEqual([
      "speaking",
      "listening",
      "speaking",
      "listening",
    ]);
  });

  test("a paused reply that is then interrupted ends with what was heard of it, which may be nothing", () => {
    for (const heardText of ["Good", ""]) {
      const { peer, received } = recordedPeer();
      peer.onCommand(speak(1, 0, "Good morning."));
      peer.onCommand({ kind: "state", state: "speaking" });
      peer.onCommand({ kind: "pause", turnId: 1 });
      peer.onCommand({ kind: "state", state: "listening" });
      peer.onCommand({ kind: "cancel-reply", turnId: 1, clear: true, reason: "words", speechMs: 200, heardText });
      if (heardText !== "") peer.onCommand(agentTurn(heardText, true));
      expect(transcripts(received)).toEqual(["1 agent: Good morning. ...", `1 agent: ${heardText}.`]);
    }
  });

  test("words that come after the LLM request belong to the next turn, and those of the request only to their own", () => {
    const { peer, received } = recordedPeer();
    const ask = (turnId: number, text: string): CallCommand => ({
      kind: "generate-reply",
      turnId,
      messages: [{ role: "user", text }],
      tools: [],
      language: "en",
    });
    peer.onEvent({ kind: "stt-interim", text: "do you" });
    peer.onCommand(ask(1, "do you"));
    peer.onEvent({ kind: "typed", text: "two rolls" });
    peer.onCommand(userTurn("do you"));
    peer.onEvent({ kind: "stt-final", text: "do you sell" });
    peer.onCommand(ask(2, "two rolls sell"));
    peer.onCommand(userTurn("two rolls sell"));
    expect(transcripts(received)).toEqual([
      "1 user: do you ...",
      "1 user: do you two rolls ...",
      "1 user: do you.",
      "2 user: two rolls sell ...",
      "2 user: two rolls sell.",
    ]);
  });

  test("F14-1: words that the STT has changed since they were answered are sent whole", () => {
    const { peer, received } = recordedPeer();
    const messages = [{ role: "user", text: "I need for" }] as const;
    peer.onEvent({ kind: "stt-interim", text: "I need for" });
    peer.onCommand({ kind: "generate-reply", turnId: 1, messages, tools: [], language: "en" });
    peer.onCommand(userTurn("I need for"));
    peer.onEvent({ kind: "stt-final", text: "I need forty rolls" });
    expect(transcripts(received).slice(-1)).toEqual(["2 user: I need forty rolls ..."]);
  });

  test("typed text follows the open interim transcript, as in the turn", () => {
    const { peer, received } = recordedPeer();
    peer.onEvent({ kind: "stt-interim", text: "my name is" });
    peer.onEvent({ kind: "typed", text: "Siobhán" });
    peer.onEvent({ kind: "stt-final", text: "my name is" });
    peer.onCommand(userTurn("my name is Siobhán"));
    expect(transcripts(received)).toEqual([
      "1 user: my name is ...",
      "1 user: my name is Siobhán ...",
      "1 user: my name is Siobhán.",
    ]);
  });

  test("ignored speech is no turn, and the next one does not begin with it", () => {
    const { peer, received } = recordedPeer();
    const ignored: CallCommand = { kind: "ignore", text: "yeah", startMs: callMs(0), endMs: callMs(1) };
    peer.onEvent({ kind: "stt-final", text: "yeah" });
    peer.onCommand(ignored);
    peer.onEvent({ kind: "stt-final", text: "two rolls" });
    const messages = [{ role: "user", text: "two rolls" }] as const;
    peer.onCommand({ kind: "generate-reply", turnId: 1, messages, tools: [], language: "en" });
    peer.onEvent({ kind: "stt-final", text: "okay" });
    peer.onCommand(ignored);
    peer.onCommand(userTurn("two rolls"));
    expect(transcripts(received)).toEqual([
      "1 user: yeah ...",
      "1 user: .",
      "2 user: two rolls ...",
      "2 user: two rolls okay ...",
      "2 user: two rolls ...",
      "2 user: two rolls.",
    ]);
  });

  test("states, errors, the beginning and the end", () => {
    const { peer, received, sent } = recordedPeer();
    peer.ready("call_1");
    peer.onCommand({ kind: "state", state: "thinking" });
    peer.error("wire_malformed", "digit is missing");
    peer.ended("api_hangup");
    expect(received).toEqual([
      { kind: "ready", callId: "call_1" },
      { kind: "state", state: "thinking" },
      { kind: "error", code: "wire_malformed", message: "digit is missing" },
      { kind: "ended", reason: "api_hangup" },
    ]);
    expect(sent).toEqual(["ready", "state", "error", "ended"]);
  });

  test("nothing at all on a wire without such messages", () => {
    const sent: string[] = [];
    const carrier = new ClientMessages(createTwilioWire(), "en", (message) => sent.push(message));
    carrier.ready("call_1");
    carrier.onEvent({ kind: "stt-interim", text: "one" });
    carrier.onCommand(speak(1, 0, "Hello."));
    carrier.onCommand({ kind: "state", state: "speaking" });
    carrier.error("wire_malformed", "no JSON");
    carrier.ended("caller_hangup");
    expect(sent).toEqual([]);
  });
});
