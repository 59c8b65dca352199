import { describe, expect, test } from "vitest";
import type { EndReason } from "../../../../src/core/calls/reasons.ts";
import { TEXTS_PER_SECOND_MAX } from "../../../../src/core/limits/streams/messages.ts";
import { Ticker } from "../../../../src/gateway/event-loop/ticker.ts";
import { WEBSOCKET_CALL_ID, type WebsocketLegOptions, websocketLeg } from "../../../callers/websocket-leg.ts";
import { ManualClock } from "../../../support/manual-clock.ts";
import { ScriptedLlm, textReply } from "../../../support/providers/scripted-llm.ts";
import { ScriptedStt, type SttStep } from "../../../support/providers/scripted-stt.ts";
import { ScriptedTts } from "../../../support/providers/scripted-tts.ts";

const SILENCE = Buffer.alloc(640);
const GREETING = "Hello, this is the bakery.";
const INTERRUPTIBLE = { interruptible: true };
const ASKED_ALONE = { firstSpeaker: "user" as const, inactivityTimeoutMs: 300_000 };

/** A leg with a scripted STT, whose providers use the leg's own clock. */
function talk(transcripts: readonly SttStep[], options: WebsocketLegOptions & { replies?: readonly string[] } = {}) {
  const clock = new ManualClock();
  const { replies = ["I see."], ...rest } = options;
  const llm = new ScriptedLlm(
    clock,
    replies.map((text) => textReply(text)),
  );
  const shared = { clock, ticker: new Ticker(clock) };
  const call = websocketLeg({ stt: new ScriptedStt(clock, transcripts), llm, shared, ...rest });
  return {
    ...call,
    llm,
    /** Time passes while the client sends silence, and returns each mark at once where it should. */
    async listen(forMs: number, { marks = false } = {}): Promise<void> {
      let answered = call.received("mark").length;
      for (let at = 0; at < forMs; at += 20) {
        await call.clock.play(20);
        call.audio(SILENCE);
        if (!marks) continue;
        for (const mark of call.received("mark").slice(answered)) call.json(mark);
        answered = call.received("mark").length;
      }
    },
    states: () => call.received("state").map(({ state }) => state),
    /** The latest prompt of the LLM. */
    lastMessage: () => llm.requests.at(-1)?.messages.at(-1),
  };
}

const heard = (atMs: number, kind: "interim" | "final", text: string): SttStep => ({ atMs, event: { kind, text } });

describe("the beginning of a stream", () => {
  test("ready is the first message, with the call and the negotiated format; it is sent once and unrequested", () => {
    const call = websocketLeg({ format: { codec: "pcm_s16le", inputRateHz: 48_000, outputRateHz: 24_000 } });
    expect(call.socket.messages).toEqual([
      {
        type: "ready",
        callId: WEBSOCKET_CALL_ID,
        input: { codec: "pcm_s16le", sampleRate: 48_000 },
        output: { codec: "pcm_s16le", sampleRate: 24_000 },
      },
      { type: "transcript", role: "agent", text: GREETING, final: false, turnId: 1 },
    ]);
    expect(call.hangUp()).toMatchObject({ reason: "caller_hangup", early: 0 });
  });

  test("D1: there is no start to wait for: a client that sends nothing is not closed after five seconds", async () => {
    const call = websocketLeg({ spec: ASKED_ALONE });
    await call.clock.play(60_000);
    expect(call.socket.ended).toBeUndefined();
    call.hangUp();
  });

  test.each([
    [8_000, 320],
    [16_000, 640],
    [24_000, 960],
    [48_000, 1_920],
  ] as const)("the greeting comes at %i Hz in binary messages of exactly 20 ms, %i bytes", async (outputRateHz, bytes) => {
    const order: string[] = [];
    const call = websocketLeg({
      format: { outputRateHz },
      tamper({ socket }) {
        const { send } = socket;
        socket.send = (message, isBinary) => {
          order.push(isBinary === true ? "audio" : (JSON.parse(String(message)) as { type: string }).type);
          return send.call(socket, message, isBinary);
        };
      },
    });
    await call.clock.play(3_000);
    expect(call.socket.audio.length).toBeGreaterThan(20);
    expect(new Set(call.socket.audio.map(({ length }) => length))).toEqual(new Set([bytes]));
    expect(call.received("mark")).toEqual([{ type: "mark", name: "1.0" }]);
    expect(order.lastIndexOf("audio")).toBe(order.indexOf("mark") - 1);
    expect(call.hangUp()).toMatchObject({ framesOut: call.socket.audio.length, agentTurns: 1 });
  });
});

describe("what a client is sent of the conversation", () => {
  test("a long greeting is sent once, not again for each of its segments, and overloads no client", async () => {
    const call = talk([], { spec: { greeting: "This sentence stands here many times. ".repeat(6_000) } });
    await call.listen(1_000);
    expect(call.received("transcript")).toHaveLength(1);
    expect(call.socket.sent.join("").length).toBeLessThan(32_000);
    expect(call.socket.ended).toBeUndefined();
    call.hangUp();
  });

  test("states and transcripts of a question and its answer, in the order in which they happen", async () => {
    const call = talk([heard(2_000, "interim", "are you"), heard(2_200, "final", "are you open")]);
    await call.listen(5_000, { marks: true });
    expect(call.transcripts()).toEqual([
      `1 agent: ${GREETING} ...`,
      `1 agent: ${GREETING} .`,
      "2 user: are you ...",
      "2 user: are you open ...",
      "3 agent: I see. ...",
      "2 user: are you open .",
      "3 agent: I see. .",
    ]);
    expect(call.states()).toEqual(["speaking", "listening", "thinking", "speaking", "listening"]);
    const kinds = call.socket.messages.map(({ type, state, role, final }) =>
      type === "state" ? state : type === "transcript" ? `${role}${final === true ? "." : ""}` : type,
    );
    expect(kinds).toEqual([
      "ready",
      "agent",
      "speaking",
      "mark",
      "agent.",
      "listening",
      "user",
      "user",
      "thinking",
      "agent",
      "user.",
      "speaking",
      "mark",
      "agent.",
      "listening",
    ]);
    expect(call.hangUp()).toMatchObject({ marksSent: 2, marksReturned: 2, agentTurns: 2, callerTurns: 1 });
  });

  test("C14: a word over the agent is answered with clear at once, no audio of the reply follows, and what was heard is final", async () => {
    const call = talk([heard(1_000, "interim", "stop")], {
      spec: INTERRUPTIBLE,
      tts: new ScriptedTts(new ManualClock(), { msPerChar: 100 }),
    });
    await call.listen(980);
    const before = call.socket.audio.length;
    await call.listen(20);
    expect(call.received("clear")).toHaveLength(1);
    await call.listen(400);
    expect(call.socket.audio.length - before).toBeLessThanOrEqual(1);
    // 900 ms were played of "Hello, this": the first word takes 600 and a pause of 20.
    expect(call.transcripts()).toEqual([`1 agent: ${GREETING} ...`, "2 user: stop ...", "1 agent: Hello, ."]);
    call.json({ type: "cleared", playedMs: 900 });
    call.json({ type: "cleared" });
    expect(call.hangUp()).toMatchObject({ cleared: 2, interrupted: 1, malformed: 0 });
  });

  test("a reply that is interrupted before a sample of it was sent ends as an empty turn, at once and without a clear", async () => {
    const call = talk([], { spec: INTERRUPTIBLE, tts: new ScriptedTts(new ManualClock(), { firstMs: 60_000 }) });
    call.type("wait");
    expect(call.received("clear")).toEqual([]);
    expect(call.transcripts()).toEqual([`1 agent: ${GREETING} ...`, "2 user: wait ...", "1 agent:  ."]);
    call.hangUp();
  });

  test("words that were answered before their final transcript are sent once, and what follows them is a new turn", async () => {
    const call = talk(
      [
        heard(300, "interim", "do you"),
        heard(6_000, "interim", "do you sell"),
        heard(6_200, "final", "do you sell rye bread"),
      ],
      { spec: ASKED_ALONE, replies: ["Yes?", "We do."] },
    );
    await call.listen(9_000, { marks: true });
    expect(call.transcripts().filter((line) => line.includes("user"))).toEqual([
      "1 user: do you ...",
      "1 user: do you .",
      "3 user: sell ...",
      "3 user: sell rye bread ...",
      "3 user: sell rye bread .",
    ]);
    call.hangUp();
  });
});

describe("what a client types", () => {
  test("is answered at once, without waiting for a pause", async () => {
    const call = talk([], { spec: ASKED_ALONE });
    await call.listen(1_000);
    call.type("are you open?");
    expect(call.lastMessage()).toEqual({ role: "user", text: "are you open?" });
    await call.listen(1_000, { marks: true });
    expect(call.transcripts()).toEqual([
      "1 user: are you open? ...",
      "2 agent: I see. ...",
      "1 user: are you open? .",
      "2 agent: I see. .",
    ]);
    call.hangUp();
  });

  test("interrupts an interruptible reply, as a word would", async () => {
    const call = talk([], { spec: INTERRUPTIBLE });
    await call.listen(500);
    call.type("and on Sunday?");
    expect(call.received("clear")).toHaveLength(1);
    expect(call.lastMessage()).toEqual({ role: "user", text: "and on Sunday?" });
    call.hangUp();
  });

  test("waits for the end of a reply that is not interruptible, and is answered when that was heard", async () => {
    const call = talk([], { spec: { interruptible: false } });
    await call.listen(300);
    call.type("and on Sunday?");
    call.type("or Monday?");
    await call.listen(300);
    expect(call.llm.requests).toEqual([]);
    expect(call.received("clear")).toEqual([]);
    await call.listen(2_000, { marks: true });
    expect(call.lastMessage()).toEqual({ role: "user", text: "and on Sunday? or Monday?" });
    expect(call.transcripts().slice(0, 4)).toEqual([
      `1 agent: ${GREETING} ...`,
      "2 user: and on Sunday? ...",
      "2 user: and on Sunday? or Monday? ...",
      `1 agent: ${GREETING} .`,
    ]);
    call.hangUp();
  });

  test.each([
    ["NUL", "one\u0000two"],
    ["a lone surrogate", "one \ud83d two"],
    ["a pair the wrong way round", "\udc00\ud83d"],
    ["right to left", "\u202eabc\u202c שלום"],
    ["a byte order mark, and spaces at its ends", "\ufeff  one \t"],
    ["quotes, line breaks and escapes", "\"\\u0041\\n'\r\n\u2028\u2029"],
    ["a name of the language's own", "__proto__"],
  ])("B13: with %s in it reaches the LLM exactly as it was typed, and is returned so in the transcript", async (_, text) => {
    const call = talk([], { spec: ASKED_ALONE });
    call.type(text);
    expect(call.lastMessage()).toEqual({ role: "user", text });
    expect(call.received("transcript")[0]).toMatchObject({ role: "user", text });
    await call.listen(1_000, { marks: true });
    expect(call.received("transcript")).toContainEqual({
      type: "transcript",
      role: "user",
      text,
      final: true,
      turnId: 1,
    });
    call.hangUp();
  });

  test("is answered with an error, without an LLM request, when it is blank, too long or no text at all", () => {
    const call = talk([], { spec: ASKED_ALONE });
    for (const text of ["", "  \n", "x".repeat(16_385), 5, null, ["a"], undefined]) call.json({ type: "text", text });
    expect(call.received("error").map(({ code }) => code)).toEqual(Array(7).fill("wire_malformed"));
    expect(call.llm.requests).toEqual([]);
    expect(call.hangUp()).toMatchObject({ malformed: 7, ignored: 0 });
  });

  test("is ignored, counted and answered with an error beyond the rate limit: each text would cause an LLM request", async () => {
    const call = talk([], { spec: { ...ASKED_ALONE, ...INTERRUPTIBLE } });
    for (let round = 0; round < 2; round += 1) {
      for (let i = 0; i < 50; i += 1) call.type("x".repeat(2_500));
      await call.clock.play(1_000);
    }
    expect(call.llm.requests).toHaveLength(2 * TEXTS_PER_SECOND_MAX);
    expect(call.received("error").map(({ code }) => code)).toEqual(Array(90).fill("rate_limited"));
    for (const { messages } of call.llm.requests) {
      for (const { text } of messages) expect(text.length).toBeLessThanOrEqual(16_384);
    }
    expect(call.hangUp()).toMatchObject({ ignored: 90 });
  });
});

test("D3: fills no memory when it never ends: beyond a burst only a limited part is answered", async () => {
  const call = talk([], { spec: { ...ASKED_ALONE, ...INTERRUPTIBLE } });
  const longest = "x".repeat(16_384);
  for (let second = 0; second < 600; second += 1) {
    call.type(longest);
    await call.clock.play(1_000);
  }
  // Four at once, and one more each 82 s.
  expect(call.llm.requests).toHaveLength(4 + 7);
  expect(new Set(call.received("error").map(({ code }) => code))).toEqual(new Set(["rate_limited"]));
  expect(call.hangUp()).toMatchObject({ ignored: 600 - 11 });
});

test("digits are delivered to the call in the order in which they arrive, and invalid ones are ignored", () => {
  const call = talk([], { spec: ASKED_ALONE });
  for (const digit of ["1", "*", "#", "D", "E", "", "12", 5, null]) call.json({ type: "dtmf", digit });
  expect(call.digits()).toBe("1*#D");
  expect(call.hangUp()).toMatchObject({ dtmfDigits: 4, ignored: 5, malformed: 0 });
});

test("F14-2: the transcript of an interrupted answer without word alignment says that its end is approximate", async () => {
  const greeting = "Hello, this is the bakery at the corner of the market.";
  for (const wordTimes of [false, true]) {
    const clock = new ManualClock();
    const transcripts = [heard(1_200, "interim", "wait"), heard(1_400, "final", "wait a moment")];
    const call = websocketLeg({
      shared: { clock, ticker: new Ticker(clock) },
      stt: new ScriptedStt(clock, transcripts),
      tts: new ScriptedTts(clock, { wordTimes }),
      spec: { ...INTERRUPTIBLE, greeting },
    });
    for (let atMs = 0; atMs < 2_000; atMs += 20) {
      await clock.play(20);
      call.audio(SILENCE);
    }
    const finals = call.received("transcript").filter(({ role, final }) => role === "agent" && final === true);
    expect(finals[0]).toMatchObject({ turnId: 1 });
    expect(finals.map(({ approximate }) => approximate)).toEqual([wordTimes ? undefined : true]);
    call.hangUp();
  }
});

test("F14-7: an entry of digits is announced before the answer to it, and turn ids grow in the order in which turns began", async () => {
  const call = talk([], { spec: ASKED_ALONE, replies: ["Order twelve.", "Order seven."] });
  for (const digit of "12#") call.json({ type: "dtmf", digit });
  await call.listen(4_000, { marks: true });
  for (const digit of "7#") call.json({ type: "dtmf", digit });
  await call.listen(4_000, { marks: true });
  expect(call.transcripts()).toEqual([
    "1 user: DTMF: 12 ...",
    "2 agent: Order twelve. ...",
    "1 user: DTMF: 12 .",
    "2 agent: Order twelve. .",
    "3 user: DTMF: 7 ...",
    "4 agent: Order seven. ...",
    "3 user: DTMF: 7 .",
    "4 agent: Order seven. .",
  ]);
  call.hangUp();
});

test("F14-7: digits after spoken words are announced with them, as one turn", async () => {
  const call = talk([heard(300, "final", "my number is")], { spec: ASKED_ALONE, replies: ["Thank you."] });
  await call.listen(400);
  for (const digit of "42#") call.json({ type: "dtmf", digit });
  await call.listen(4_000, { marks: true });
  expect(call.transcripts()).toEqual([
    "1 user: my number is ...",
    "1 user: my number is DTMF: 42 ...",
    "2 agent: Thank you. ...",
    "1 user: my number is DTMF: 42 .",
    "2 agent: Thank you. .",
  ]);
  call.hangUp();
});

test("C13: marks that never come, come twice or were never sent change nothing", async () => {
  for (const names of [[], ["1.0"], ["1.0", "1.0"], ["x", "1.0", "2.0", "__proto__"]]) {
    const call = talk([], {});
    await call.listen(3_000);
    for (const name of names) call.json({ type: "mark", name });
    await call.listen(3_000);
    expect(call.transcripts()).toEqual([`1 agent: ${GREETING} ...`, `1 agent: ${GREETING} .`]);
    expect(call.received("clear")).toEqual([]);
    expect(call.hangUp()).toMatchObject({ agentTurns: 1, marksReturned: names.length, interrupted: 0 });
  }
});

describe("the end of a stream", () => {
  const ENDS: readonly [string, EndReason, number, (call: ReturnType<typeof talk>) => void][] = [
    ["end of the client", "caller_hangup", 1_000, (call) => call.json({ type: "end" })],
    ["end by the API", "api_hangup", 1_000, (call) => call.connection.end("api_hangup")],
    ["drain's deadline", "drain_timeout", 1_001, (call) => call.connection.end("drain_timeout")],
    ["audio that is none of its codec's size", "protocol_error", 1_009, (call) => call.audio(Buffer.alloc(32_001))],
  ];

  test.each(ENDS)("the %s is sent as %s, closes with %i, and nothing follows it", async (_, reason, code, end) => {
    const call = talk([heard(700, "interim", "wait")], { spec: INTERRUPTIBLE });
    await call.listen(600);
    end(call);
    expect(call.socket.messages.at(-1)).toEqual({ type: "ended", reason });
    expect(call.transcripts().at(-1)).toMatch(/^1 agent: Hello, .*\.$/);
    expect(call.socket.ended).toEqual({ code, reason });
    const [texts, frames] = [call.socket.sent.length, call.socket.audio.length];
    await call.listen(2_000, { marks: true });
    call.type("anybody?");
    call.json({ type: "weather" });
    call.text("{");
    expect([call.socket.sent.length, call.socket.audio.length]).toEqual([texts, frames]);
    expect(call.ends()).toMatchObject([{ reason }]);
  });

  test("a caller whose socket is closed is sent nothing more", async () => {
    const call = talk([]);
    await call.listen(200);
    const before = call.socket.sent.length;
    call.hangUp();
    expect(call.socket.sent.length).toBe(before);
  });
});
