import { expect, test } from "vitest";
import { A_LAW, MU_LAW } from "../../../src/media/g711.ts";
import { TELEPHONE } from "../../../src/simulator/audio/format.ts";
import { Caller, type CallerEvent, type Step } from "../../../src/simulator/callers/caller.ts";
import type { Utterance } from "../../../src/simulator/callers/utterance.ts";

const VOICE = new Uint8Array(160).fill(MU_LAW.encodeTable[8_000] as number);
const SILENCE = new Uint8Array(160).fill(MU_LAW.silenceByte);

/** 100 ms of speech for each word; every utterance has different frames, so that they can be distinguished. */
function utterance(text: string, code: number): Utterance {
  const words = text.split(" ").map((word, i) => ({ text: word, startMs: i * 100, endMs: i * 100 + 80 }));
  return {
    text,
    format: TELEPHONE,
    words,
    frames: words.flatMap(() => Array.from({ length: 5 }, () => new Uint8Array(160).fill(code))),
  };
}

const QUESTION = utterance("what do you sell", 1);
const OTHER = utterance("no wait how much", 2);

/** A caller on a transport that ticks every 20 ms from 1,000 ms on; the test gives the agent's audio for each tick. */
class Line {
  readonly events: CallerEvent[] = [];
  readonly caller: Caller;
  /** The first byte of the microphone's frame at each tick. */
  readonly spoken: number[] = [];
  listened = 0;
  hungUp = 0;
  readonly pressed: string[] = [];
  readonly typed: string[] = [];
  nowMs = 1_000;

  constructor(script: readonly Step[], hangUpAfterMs = 60_000) {
    this.caller = new Caller({
      script,
      formats: { inbound: TELEPHONE, outbound: TELEPHONE },
      hangUpAfterMs,
      listen: (samples) => {
        this.listened += samples.length;
      },
      hangUp: () => {
        this.hungUp += 1;
      },
      press: (key) => {
        this.pressed.push(`${key} ${this.nowMs}`);
      },
      type: (text) => {
        this.typed.push(`${text} ${this.nowMs}`);
      },
      onEvent: (event) => this.events.push(event),
    });
  }

  beat(frame: Uint8Array): void {
    this.caller.played(frame, this.nowMs);
    this.spoken.push(this.caller.frame()[0] as number);
    this.nowMs += 20;
  }

  quiet(ms: number): void {
    for (let i = 0; i < ms / 20; i += 1) this.beat(SILENCE);
  }

  /**
   * The agent says `words`, 100 ms each, and the STT recognises each as it ends; with `final`, all of them at the
   * end.
   */
  agentSays(words: string, final = true): void {
    let text = "";
    for (const word of words.split(" ")) {
      for (let i = 0; i < 5; i += 1) this.beat(VOICE);
      text = `${text} ${word}`.trim();
      this.caller.onTranscript({ kind: "interim", text });
    }
    if (final) this.caller.onTranscript({ kind: "final", text });
  }

  get isSpeaking(): boolean {
    return this.spoken.at(-1) !== SILENCE[0];
  }

  noticed<K extends CallerEvent["kind"]>(kind: K): Extract<CallerEvent, { kind: K }>[] {
    return this.events.filter((event): event is Extract<CallerEvent, { kind: K }> => event.kind === kind);
  }
}

test("it speaks only after the agent has been silent for a while", () => {
  const line = new Line([{ do: "listen" }, { do: "say", utterance: QUESTION }, { do: "await-hang-up" }]);
  line.quiet(3_000);
  line.agentSays("hello there");
  line.quiet(800);
  expect(line.isSpeaking).toBe(false);
  line.quiet(20);
  expect(line.isSpeaking).toBe(true);
  line.quiet(1_000);
  expect(line.spoken.filter((code) => code === 1)).toHaveLength(20);
  expect(line.caller.report().said).toEqual([
    { text: "what do you sell", startMs: 5_000, endMs: 5_380, overAgent: false },
  ]);
});

test("the background of a recording goes on after its speech, under a reply that has begun, and then there is silence", () => {
  const tail = Array.from({ length: 15 }, () => new Uint8Array(160).fill(9));
  const line = new Line([{ do: "say", utterance: { ...QUESTION, tail } }, { do: "listen" }]);
  line.quiet(500);
  expect(line.spoken.filter((code) => code === 9)).toHaveLength(5);
  line.agentSays("bread");
  line.quiet(1_000);
  expect(line.spoken.slice(0, 36)).toEqual([...new Array(20).fill(1), ...new Array(15).fill(9), SILENCE[0]]);
  const { said, heard } = line.caller.report();
  expect(said).toMatchObject([{ startMs: 1_000, endMs: 1_380, overAgent: false }]);
  expect(heard).toMatchObject([{ text: "bread", latencyMs: 120 }]);
});

test("a pause inside the agent's turn is not its end", () => {
  const line = new Line([{ do: "listen" }, { do: "say", utterance: QUESTION }]);
  line.agentSays("hello");
  line.quiet(700);
  line.agentSays("how can I help");
  line.quiet(700);
  expect(line.caller.report().said).toEqual([]);
  expect(line.caller.report().heard.map(({ text }) => text)).toEqual(["hello how can I help"]);
});

test("it waits for an unfinished transcript for a limited time", () => {
  const line = new Line([{ do: "listen" }, { do: "say", utterance: QUESTION }, { do: "await-hang-up" }]);
  line.agentSays("hello there", false);
  line.quiet(2_400);
  expect(line.caller.report().said).toEqual([]);
  line.quiet(200);
  expect(line.caller.report().said).toHaveLength(1);
});

test("the latency runs from the last frame it sent to the first voiced sample it heard", () => {
  const line = new Line([{ do: "say", utterance: QUESTION }, { do: "listen" }]);
  line.quiet(1_000);
  const late = SILENCE.slice();
  late.set(VOICE.subarray(80), 80);
  line.beat(late);
  // Speech from 1,000 to 1,380; the reply begins in the middle of the frame of 2,000.
  expect(line.caller.report().heard[0]).toMatchObject({ startMs: 2_010, latencyMs: 630 });
  expect(line.noticed("agent-began")).toEqual([{ kind: "agent-began", atMs: 2_010, latencyMs: 630 }]);
});

test("an agent that opens has no latency", () => {
  const line = new Line([{ do: "listen" }]);
  line.agentSays("hello");
  expect(line.caller.report().heard[0]).not.toHaveProperty("latencyMs");
});

test("it interrupts after the given number of words, and reports how soon the agent fell silent", () => {
  const line = new Line([{ do: "interrupt", afterWords: 4, utterance: OTHER }, { do: "await-hang-up" }]);
  line.agentSays("we are");
  line.agentSays("open every", false);
  expect(line.isSpeaking).toBe(false);
  line.beat(VOICE);
  expect(line.isSpeaking).toBe(true);
  line.beat(VOICE);
  line.beat(VOICE);
  line.caller.onTranscript({ kind: "final", text: "open every day" });
  line.quiet(2_000);
  const { said, heard } = line.caller.report();
  expect(said).toEqual([{ text: "no wait how much", startMs: 1_400, endMs: 1_780, overAgent: true }]);
  expect(heard).toEqual([{ text: "we are open every day", startMs: 1_000, endMs: 1_459.875, stoppedAfterMs: 59.875 }]);
  expect(line.noticed("agent-silenced")).toEqual([{ kind: "agent-silenced", atMs: 1_800, stoppedAfterMs: 59.875 }]);
});

test("an agent that falls silent before that many words is answered, not interrupted", () => {
  const line = new Line([{ do: "interrupt", afterWords: 9, utterance: OTHER }, { do: "await-hang-up" }]);
  line.agentSays("we are closed");
  line.quiet(2_000);
  expect(line.caller.report().said.map(({ overAgent }) => overAgent)).toEqual([false]);
  expect(line.caller.report().heard[0]).not.toHaveProperty("stoppedAfterMs");
});

test("words said before the interruption began do not count towards it", () => {
  const script: Step[] = [
    { do: "listen" },
    { do: "say", utterance: QUESTION },
    { do: "interrupt", afterWords: 3, utterance: OTHER },
  ];
  const line = new Line(script);
  line.agentSays("a greeting of many words");
  line.quiet(2_000);
  line.agentSays("we sell", false);
  line.quiet(20);
  expect(line.caller.report().said).toHaveLength(1);
});

test("a late final transcript belongs to the turn in which it began", () => {
  const line = new Line([
    { do: "interrupt", afterWords: 2, utterance: OTHER },
    { do: "listen" },
    { do: "await-hang-up" },
  ]);
  line.agentSays("we sell", false);
  line.quiet(1_000);
  line.beat(VOICE);
  line.caller.onTranscript({ kind: "final", text: "we sell roses" });
  line.agentSays("two pounds");
  const { heard } = line.caller.report();
  expect(heard.map(({ text }) => text)).toEqual(["we sell roses", "two pounds"]);
});

test("words of both sides are reported one by one, each once", () => {
  const line = new Line([{ do: "listen" }, { do: "say", utterance: QUESTION }, { do: "await-hang-up" }]);
  line.agentSays("hello there");
  line.quiet(2_000);
  expect(line.noticed("word").map(({ who, atMs, word }) => `${who} ${atMs} ${word}`)).toEqual([
    "agent 1080 hello",
    "agent 1180 there",
    "caller 2000 what",
    "caller 2100 do",
    "caller 2200 you",
    "caller 2300 sell",
  ]);
});

test("the agent's hang-up ends a script that waits for it; the STT gets silence to finish", () => {
  const line = new Line([{ do: "say", utterance: QUESTION }, { do: "await-hang-up" }]);
  line.quiet(1_000);
  line.agentSays("good", false);
  const before = line.listened;
  line.caller.onClosed();
  expect(line.listened - before).toBe(2 * 8_000);
  line.caller.onTranscript({ kind: "final", text: "goodbye" });
  expect(line.caller.report()).toMatchObject({ finished: true, heard: [{ text: "goodbye" }] });
  expect(line.hungUp).toBe(0);
});

test("a stream that closes in the middle of the script leaves it unfinished", () => {
  const line = new Line([{ do: "listen" }, { do: "await-hang-up" }]);
  line.agentSays("hello", false);
  line.caller.onClosed();
  expect(line.caller.report()).toMatchObject({ finished: false, heard: [{ text: "hello" }] });
});

test("after its last step the caller hangs up, and has finished", () => {
  const line = new Line([{ do: "say", utterance: QUESTION }]);
  line.quiet(2_000);
  expect(line.hungUp).toBe(1);
  line.caller.onClosed();
  expect(line.caller.report().finished).toBe(true);
});

test("a caller hangs up at the timeout, and has not finished", () => {
  const line = new Line([{ do: "listen" }, { do: "await-hang-up" }], 5_000);
  line.quiet(5_020);
  expect(line.hungUp).toBe(0);
  line.quiet(5_000);
  expect(line.hungUp).toBe(1);
  line.caller.onClosed();
  expect(line.caller.report().finished).toBe(false);
});

test("DTMF digits are sent one by one, 200 ms apart, and later speech of the agent is a reply", () => {
  const line = new Line([{ do: "listen" }, { do: "press", digits: "12#" }, { do: "listen" }]);
  line.agentSays("press a key");
  line.quiet(2_000);
  expect(line.pressed).toEqual(["1 2120", "2 2320", "# 2520"]);
  line.agentSays("thank you");
  line.quiet(1_000);
  expect(line.caller.report()).toMatchObject({
    heard: [{ text: "press a key" }, { text: "thank you" }],
    finished: true,
  });
  expect(line.noticed("word").flatMap(({ who, word }) => (who === "caller" ? [word] : []))).toEqual([
    "[1]",
    "[2]",
    "[#]",
  ]);
});

test("a caller without a greeting speaks first after a while, if the script says so", () => {
  const line = new Line([
    { do: "listen", atMostMs: 6_000 },
    { do: "say", utterance: QUESTION },
    { do: "await-hang-up" },
  ]);
  line.quiet(6_000);
  expect(line.isSpeaking).toBe(false);
  line.quiet(40);
  expect(line.isSpeaking).toBe(true);
});

test("a greeting that has begun is awaited, however long it is", () => {
  const line = new Line([
    { do: "listen", atMostMs: 500 },
    { do: "say", utterance: QUESTION },
  ]);
  line.quiet(300);
  line.agentSays("one two three four five six seven eight nine ten");
  expect(line.caller.report().said).toEqual([]);
});

test.each([5_000, 4_990])("a caller stays until the given time with this timeout: %d ms", (untilMs) => {
  const script: Step[] = [
    { do: "say", utterance: QUESTION },
    { do: "stay", untilMs },
  ];
  const line = new Line(script, untilMs);
  line.quiet(5_000);
  expect(line.hungUp).toBe(0);
  line.quiet(20);
  expect(line.hungUp).toBe(1);
  expect(line.caller.report().finished).toBe(true);
});

test.each<Step>([
  { do: "stay", untilMs: 60_000 },
  { do: "listen" },
])("the other end's hang-up finishes a script whose last step waits: %j", (last) => {
  const line = new Line([{ do: "say", utterance: QUESTION }, last]);
  line.quiet(1_000);
  line.caller.onClosed();
  expect(line.caller.report().finished).toBe(true);
});

test("the other end may hang up on the last DTMF digit before its release, but not on an earlier one", () => {
  const script: Step[] = [{ do: "press", digits: "1#" }, { do: "listen" }];
  const closedAfter = (ms: number): boolean => {
    const line = new Line(script);
    line.quiet(ms);
    line.caller.onClosed();
    return line.caller.report().finished;
  };
  expect([closedAfter(100), closedAfter(300)]).toEqual([false, true]);
});

test("a caller with A-law outbound and mu-law inbound uses each codec", () => {
  let heard = 0;
  const caller = new Caller({
    script: [{ do: "await-hang-up" }],
    formats: { inbound: TELEPHONE, outbound: { codec: "alaw", rateHz: 8_000 } },
    hangUpAfterMs: 1_000,
    listen: (samples) => {
      heard = samples[0] as number;
    },
    hangUp: () => {},
    press: () => {},
    type: () => {},
    onEvent: () => {},
  });
  caller.played(new Uint8Array(160).fill(A_LAW.encodeTable[8_000] as number), 0);
  expect(heard).toBe(A_LAW.decodeTable[A_LAW.encodeTable[8_000] as number]);
  expect(caller.frame()).toEqual(SILENCE);
});

test("a caller uses the rates of the transport, and measures time by them", () => {
  const heard: Int16Array[] = [];
  const events: CallerEvent[] = [];
  const caller = new Caller({
    script: [{ do: "await-hang-up" }],
    formats: { inbound: { codec: "pcm_s16le", rateHz: 48_000 }, outbound: { codec: "pcm_s16le", rateHz: 24_000 } },
    hangUpAfterMs: 1_000,
    listen: (samples) => heard.push(samples.slice()),
    hangUp: () => {},
    press: () => {},
    type: () => {},
    onEvent: (notice) => events.push(notice),
  });
  const samples = new Int16Array(480).fill(-8_000, 240);
  // At an odd offset, as in a message.
  const message = new Uint8Array(961);
  message.set(new Uint8Array(samples.buffer), 1);
  caller.played(message.subarray(1), 100);
  expect(heard).toEqual([samples]);
  expect(events).toEqual([{ kind: "agent-began", atMs: 110, latencyMs: undefined }]);
  expect(caller.frame()).toEqual(new Uint8Array(1_920));
});

test("a message is typed at once, and later speech of the agent is a reply", () => {
  const line = new Line([{ do: "listen" }, { do: "type", text: "what do you sell" }, { do: "listen" }]);
  line.agentSays("hello");
  line.quiet(1_000);
  line.agentSays("roses");
  line.quiet(1_000);
  expect(line.typed).toEqual(["what do you sell 1900"]);
  expect(line.isSpeaking).toBe(false);
  expect(line.caller.report()).toMatchObject({
    said: [{ text: "what do you sell", startMs: 1_900, endMs: 1_900, overAgent: false }],
    heard: [{ text: "hello" }, { text: "roses", startMs: 2_100, latencyMs: 200 }],
    finished: true,
  });
  expect(line.noticed("word").map(({ who, word }) => `${who} ${word}`)).toEqual([
    "agent hello",
    "caller [types: what do you sell]",
    "agent roses",
  ]);
});

test("words that the STT recognises in silence change nothing", () => {
  const line = new Line([{ do: "listen" }]);
  line.quiet(100);
  line.caller.onTranscript({ kind: "final", text: "ghost" });
  expect(line.caller.report().heard).toEqual([]);
});
