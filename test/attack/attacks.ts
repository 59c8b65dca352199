import { CARRIER_MESSAGE_BYTES_MAX, FRAME_MS, SOCKET_PAYLOAD_BYTES_MAX } from "../../src/core/limits.ts";
import { TEXTS_PER_SECOND_MAX } from "../../src/core/message-limits.ts";
import { differentKeys } from "../support/costly-json.ts";
import { head } from "../support/raw-http.ts";
import { encodeFrame, OPCODE } from "../support/raw-ws.ts";
import { API_ATTACKS } from "./api-attacks.ts";
import { Crowd, type Door, pause } from "./crowd.ts";
import { unknownTokens } from "./redemption-attacks.ts";
import { SCHEMA_ATTACKS } from "./schema-attacks.ts";
import { outcome, streams, upgrade } from "./streams.ts";

/** What strangers know of the service. */
export interface Target {
  media: Door;
  api: Door;
  metrics: Door;
  /** An API key of the attackers' own account. */
  key: string;
  /** Paths of streams, one for each attacker, where the attack needs them. */
  paths: readonly string[];
}

export interface Size {
  attackers: number;
  /** Of those attacks that go on. */
  seconds: number;
}

/** What came of it, as the attackers saw it. */
export interface Outcome {
  attackers: number;
  /** How many of them the service closed, and how long the longest of them was borne. */
  closed: number;
  longestMs: number;
  /** HTTP statuses, or what else there is to tell. */
  answers: Readonly<Record<string, number>>;
}

export interface Attack {
  /** The row of the fault catalogue. */
  id: string;
  name: string;
  /** At full size, and as the tests run it. */
  full: Size;
  small: Size;
  /** By then the service must have closed every attacker. */
  closedMsMax: number;
  /** Each attacker has the token of such a call. */
  call?: Readonly<Record<string, unknown>>;
  /** How each of those calls must end. */
  endReason?: string | readonly string[];
  /** What each of those calls may ask of LLMs at most, as long as it lasts, which must be less than a minute. */
  spendMax?: { llmRequests: number; inputTokens: number };
  /** Its tokens are invented: none of them may reach the control process. */
  inventsTokens?: boolean;
  /** How long the opening of a good stream may take meanwhile, at p99; 500 ms by default. */
  upgradeMsMax?: number;
  /** What the worker grows by for each such call while it goes on, where its peer does nothing wrong. */
  callBytes?: number;
  /** Calls `ready` when all attackers stand where they mean to, and begins when that resolves. */
  run(target: Target, size: Size, ready: Ready): Promise<Outcome>;
}

export type Ready = () => Promise<void>;

/** uWebSockets.js closes what asks for nothing after 10 s, and looks every four. */
const SILENT_MS_MAX = 15_000;
/** What is closed at once: on a machine that has other things to do. */
const SOON_MS_MAX = 5_000;
/** A line is dead 15 s after its last sign of life, or 30 s where it never answered a ping. */
const DEAD_MS_MAX = 45_000;
const DRIP_MS = 500;
const SPEAKING_MS = 20_000;
const SIGN_OF_LIFE_MS = 5_000;

/** A stream that begins with its socket, and whose agent waits. */
const QUIET = { connectionType: "websocket", firstSpeaker: "user" };

/** Everybody says the same at once, on a stream of its own. */
async function shout(target: Target, size: Size, ready: Ready, words: Uint8Array): Promise<Outcome> {
  const crowd = await streams(target, size, ready);
  for (const { socket } of crowd.members) socket.write(words);
  await crowd.end(SOON_MS_MAX);
  return outcome(crowd);
}

/** Everybody says the same again and again, until it is closed, or the time is over. */
async function repeat(target: Target, size: Size, ready: Ready, words: Uint8Array): Promise<Outcome> {
  return await repeatTo(await streams(target, size, ready), size, words);
}

async function repeatTo(crowd: Crowd, size: Size, words: Uint8Array): Promise<Outcome> {
  const untilMs = performance.now() + size.seconds * 1_000;
  while (performance.now() < untilMs && crowd.closed < crowd.members.length) {
    for (const { socket } of crowd.members) if (socket.writable) socket.write(words);
    await pause(FRAME_MS);
  }
  await crowd.end(SILENT_MS_MAX);
  return outcome(crowd);
}

/** Every attacker sends the messages in turn, `perSecond` of them, until it is closed or the time is over. */
async function pour(
  target: Target,
  size: Size,
  ready: Ready,
  messages: readonly Uint8Array[],
  perSecond: number,
): Promise<Outcome> {
  const crowd = await streams(target, size, ready);
  const startMs = performance.now();
  let sent = 0;
  for (let elapsedS = 0; elapsedS < size.seconds && crowd.closed < crowd.members.length; await pause(FRAME_MS)) {
    elapsedS = (performance.now() - startMs) / 1_000;
    for (; sent < elapsedS * perSecond; sent += 1) {
      const message = messages[sent % messages.length] ?? PONG;
      for (const { socket } of crowd.members) if (socket.writable) socket.write(message);
    }
  }
  await crowd.end(SOON_MS_MAX);
  return outcome(crowd);
}

/** Everybody says `words`, a byte now and then, and never comes to the end of them. */
async function drip(door: Door, { attackers }: Size, ready: Ready, words: string): Promise<Outcome> {
  await ready();
  const crowd = new Crowd(door);
  await crowd.gather(attackers, () => words.slice(0, 1));
  const untilMs = performance.now() + SILENT_MS_MAX;
  for (let at = 1; performance.now() < untilMs && crowd.closed < crowd.members.length; at += 1) {
    for (const { socket } of crowd.members) if (socket.writable) socket.write(words[at] ?? "x");
    await pause(DRIP_MS);
  }
  await crowd.end(0);
  return outcome(crowd);
}

const many = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`X-Header-${index}`, "value"]));

const UNKNOWN = `/stream/${"x".repeat(64)}`;
/** Heads that are none, and heads with something behind them. */
const HEADS = [
  upgrade(UNKNOWN, many(101)),
  upgrade(UNKNOWN, { "X-Big": "a".repeat(4_097) }),
  upgrade(UNKNOWN, { "Sec-WebSocket-Protocol": `${" ".repeat(16_384)}a` }),
  upgrade(UNKNOWN).replaceAll("\r\n", "\n"),
  upgrade(UNKNOWN) + upgrade(UNKNOWN),
  head(`POST ${UNKNOWN}`, { "Content-Length": "5", "Transfer-Encoding": "chunked" }),
];

const PAYLOAD = Buffer.alloc(SOCKET_PAYLOAD_BYTES_MAX + 1, "[");
/** A message that never ends, in fragments of a byte: as much of it as the server keeps, and one more. */
const FRAGMENTS = Buffer.concat([
  encodeFrame({ opcode: OPCODE.text, payload: "[", fin: false }),
  ...Array<Buffer>(PAYLOAD.length - 2).fill(encodeFrame({ opcode: OPCODE.continuation, payload: "[", fin: false })),
]);
const ONE_MORE = encodeFrame({ opcode: OPCODE.continuation, payload: "[[", fin: false });
/** A message that never ends, in fragments without a byte: 60 kB each 20 ms are 500,000 fragments a second of each attacker. */
const BEGIN = encodeFrame({ opcode: OPCODE.binary, payload: "", fin: false });
const EMPTY_FRAGMENTS = Buffer.concat(
  Array<Buffer>(10_000).fill(encodeFrame({ opcode: OPCODE.continuation, payload: "", fin: false })),
);
const PINGS = Buffer.concat(Array<Buffer>(1_000).fill(encodeFrame({ opcode: OPCODE.ping, payload: "flood" })));
const PONG = encodeFrame({ opcode: OPCODE.pong, payload: "flood" });
const PONGS = Buffer.concat(Array<Buffer>(1_000).fill(PONG));
const MESSAGES = Buffer.concat(
  Array<Buffer>(1_000).fill(encodeFrame({ opcode: OPCODE.text, payload: '{"type":"weather"}' })),
);
/** A second of audio of `QUIET`, as long as a message may be. */
const SECOND = encodeFrame({ opcode: OPCODE.binary, payload: Buffer.alloc(32_000) });
const typed = (text: string): Buffer =>
  encodeFrame({ opcode: OPCODE.text, payload: JSON.stringify({ type: "text", text }) });
/** Long ones as often as a caller may type them, and then as many short ones a second as may come without end. */
const STORY = typed(`And what about this? ${"It is a very long story. ".repeat(80)}`);
const STORIES = 8;
const QUESTION = typed("And then?");
/** Messages that are slow to parse, each with keys of its own: of keys that are known the parser is faster. */
const costlyTexts = (members: string): Buffer[] =>
  Array.from({ length: 40 }, (_, seed) =>
    encodeFrame({ opcode: OPCODE.text, payload: differentKeys(CARRIER_MESSAGE_BYTES_MAX, seed, members) }),
  );
const LENGTHS = [2n ** 63n, 2n ** 53n + 1n, 2n ** 32n, BigInt(SOCKET_PAYLOAD_BYTES_MAX + 1)];

/** Everybody types as often as it may, texts that make the prompt longer and longer. */
async function typing(target: Target, size: Size, ready: Ready): Promise<Outcome> {
  const crowd = await streams(target, size, ready);
  const untilMs = performance.now() + size.seconds * 1_000;
  for (let count = 0; performance.now() < untilMs && crowd.closed < crowd.members.length; count += 1) {
    const words = count < STORIES ? STORY : QUESTION;
    for (const { socket } of crowd.members) if (socket.writable) socket.write(words);
    await pause(1_000 / TEXTS_PER_SECOND_MAX);
  }
  await crowd.end(SILENT_MS_MAX);
  return outcome(crowd);
}

async function slowReaders(target: Target, size: Size, ready: Ready): Promise<Outcome> {
  // The agents speak by then: what that takes is not what slow readers take.
  const speaking = async (): Promise<void> => {
    await pause(SPEAKING_MS);
    await ready();
  };
  const crowd = await streams(target, size, speaking);
  for (const { socket } of crowd.members) socket.pause();
  // Of whom nothing is heard for half a minute is closed for that; these are there, and do not read.
  for (let waitedMs = 0; waitedMs < size.seconds * 1_000; waitedMs += SIGN_OF_LIFE_MS) {
    for (const { socket } of crowd.members) if (socket.writable) socket.write(PONG);
    await pause(SIGN_OF_LIFE_MS);
  }
  for (const { socket } of crowd.members) socket.resume();
  await crowd.end(SILENT_MS_MAX);
  return outcome(crowd);
}

async function fragments(target: Target, size: Size, ready: Ready): Promise<Outcome> {
  const crowd = await streams(target, size, ready);
  for (const { socket } of crowd.members) {
    await new Promise((resolve) => socket.write(FRAGMENTS, resolve));
  }
  // All of it is there by now, and stays for a while: what it takes of the worker's memory is looked at meanwhile.
  await pause(size.seconds * 1_000);
  for (const { socket } of crowd.members) socket.write(ONE_MORE);
  await crowd.end(SOON_MS_MAX);
  return outcome(crowd);
}

/** Streams whose peers answered a ping once, and are gone without a FIN: nothing comes from them, and nobody answers. */
async function deadLines(target: Target, size: Size, ready: Ready): Promise<Outcome> {
  const crowd = await streams(target, size, ready);
  // They have been pinged by then.
  await pause(DRIP_MS);
  for (const { socket } of crowd.members) socket.write(PONG);
  await crowd.end(DEAD_MS_MAX);
  return outcome(crowd);
}

const silence = async (crowd: Crowd): Promise<Outcome> => {
  await crowd.end(SILENT_MS_MAX);
  return outcome(crowd);
};

/** The attacks of the fault catalogue, each with what the service owes the others meanwhile. */
export const ATTACKS: readonly Attack[] = [
  ...API_ATTACKS,
  {
    id: "D1",
    name: "connections that say nothing",
    full: { attackers: 10_000, seconds: 0 },
    small: { attackers: 300, seconds: 0 },
    closedMsMax: SILENT_MS_MAX,
    async run({ media }, { attackers }, ready) {
      await ready();
      const crowd = new Crowd(media);
      await crowd.gather(attackers);
      return await silence(crowd);
    },
  },
  {
    id: "D1",
    name: "streams that never start",
    full: { attackers: 200, seconds: 0 },
    small: { attackers: 10, seconds: 0 },
    closedMsMax: SILENT_MS_MAX,
    call: {},
    endReason: "protocol_error",
    run: async (target, size, ready) => await silence(await streams(target, size, ready)),
  },
  {
    id: "T9",
    name: "upgrades with unknown tokens, a second",
    full: { attackers: 10_000, seconds: 10 },
    small: { attackers: 500, seconds: 1 },
    closedMsMax: SOON_MS_MAX,
    inventsTokens: true,
    run: (target, size, ready) => unknownTokens(target, size, ready, upgrade),
  },
  {
    id: "ADV-M5",
    name: "1,733 random tokens a second",
    full: { attackers: 1_733, seconds: 10 },
    small: { attackers: 300, seconds: 1 },
    closedMsMax: SOON_MS_MAX,
    inventsTokens: true,
    run: (target, size, ready) => unknownTokens(target, size, ready, upgrade),
  },
  {
    id: "B9",
    name: "heads that are none",
    full: { attackers: 3_000, seconds: 0 },
    small: { attackers: 60, seconds: 0 },
    closedMsMax: SOON_MS_MAX,
    async run({ media }, { attackers }, ready) {
      await ready();
      const crowd = new Crowd(media);
      await crowd.gather(attackers, (index) => HEADS[index % HEADS.length] ?? "");
      return await silence(crowd);
    },
  },
  {
    id: "D2",
    name: "heads that come byte by byte",
    full: { attackers: 1_000, seconds: 0 },
    small: { attackers: 50, seconds: 0 },
    closedMsMax: SILENT_MS_MAX,
    run: ({ media }, size, ready) => drip(media, size, ready, upgrade(UNKNOWN, { "X-Long": "a".repeat(1_000) })),
  },
  {
    id: "D2",
    name: "bodies that come byte by byte, to the API",
    full: { attackers: 1_000, seconds: 0 },
    small: { attackers: 50, seconds: 0 },
    closedMsMax: SILENT_MS_MAX,
    run: ({ api }, size, ready) =>
      drip(
        api,
        size,
        ready,
        head("POST /api/v1/calls", { "Content-Type": "application/json", "Content-Length": "9999" }),
      ),
  },
  {
    id: "D3, B17",
    name: "streams that nobody reads",
    // More voices than that are another attack.
    full: { attackers: 20, seconds: 65 },
    small: { attackers: 0, seconds: 0 },
    closedMsMax: 100_000,
    call: {
      connectionType: "websocket",
      websocket: { codec: "pcm_s16le", inputSampleRate: 16_000, outputSampleRate: 48_000 },
      greeting: "This takes a very long time, and nobody listens to any of it. ".repeat(40),
      interruptible: false,
      recordingEnabled: false,
    },
    endReason: "slow_consumer",
    // Measured with peers that read: most of it is garbage of the voices.
    callBytes: 966 * 1_024,
    run: slowReaders,
  },
  {
    id: "B5",
    name: "messages in fragments of a byte",
    full: { attackers: 200, seconds: 2 },
    small: { attackers: 10, seconds: 0.5 },
    closedMsMax: 30_000,
    call: QUIET,
    endReason: "protocol_error",
    run: fragments,
  },
  {
    id: "B6",
    name: "lengths beyond all measure",
    full: { attackers: 200, seconds: 0 },
    small: { attackers: 12, seconds: 0 },
    closedMsMax: SOON_MS_MAX,
    call: QUIET,
    endReason: "protocol_error",
    async run(target, size, ready) {
      const crowd = await streams(target, size, ready);
      for (const [index, { socket }] of crowd.members.entries()) {
        const claimedBytes = LENGTHS[index % LENGTHS.length] ?? 0n;
        socket.write(encodeFrame({ opcode: OPCODE.binary, claimedBytes }));
      }
      return await silence(crowd);
    },
  },
  {
    id: "B18",
    name: "pings, 50,000 a second and more",
    full: { attackers: 200, seconds: 5 },
    small: { attackers: 10, seconds: 2 },
    closedMsMax: SILENT_MS_MAX,
    call: QUIET,
    endReason: "protocol_error",
    run: (target, size, ready) => repeat(target, size, ready, PINGS),
  },
  {
    id: "B18",
    name: "pongs that nobody asked for",
    full: { attackers: 200, seconds: 5 },
    small: { attackers: 10, seconds: 2 },
    closedMsMax: SILENT_MS_MAX,
    call: QUIET,
    endReason: "protocol_error",
    run: (target, size, ready) => repeat(target, size, ready, PONGS),
  },
  {
    id: "ADV-M3",
    name: "lines that are dead, while the agent speaks",
    full: { attackers: 40, seconds: 0 },
    small: { attackers: 0, seconds: 0 },
    closedMsMax: DEAD_MS_MAX,
    call: {
      connectionType: "websocket",
      greeting: "This takes a very long time, and nobody hears any of it. ".repeat(40),
      recordingEnabled: false,
    },
    endReason: "connection_lost",
    run: deadLines,
  },
  {
    id: "ADV-L8",
    name: "fragments without a byte, without end",
    full: { attackers: 10, seconds: 35 },
    small: { attackers: 0, seconds: 0 },
    closedMsMax: DEAD_MS_MAX,
    call: QUIET,
    // uWebSockets.js tells nobody of fragments: there it is a peer that shows no sign of life.
    endReason: ["connection_lost", "protocol_error"],
    async run(target, size, ready) {
      const crowd = await streams(target, size, ready);
      for (const { socket } of crowd.members) socket.write(BEGIN);
      return await repeatTo(crowd, size, EMPTY_FRAGMENTS);
    },
  },
  {
    id: "M4",
    name: "a minute of audio within a second",
    full: { attackers: 200, seconds: 0 },
    small: { attackers: 10, seconds: 0 },
    closedMsMax: SILENT_MS_MAX,
    call: QUIET,
    endReason: "audio_flood",
    run: (target, size, ready) => shout(target, size, ready, Buffer.concat(Array<Buffer>(60).fill(SECOND))),
  },
  {
    id: "ADV-H1",
    name: "64 KiB of different keys, 180 a second, raw",
    full: { attackers: 20, seconds: 10 },
    small: { attackers: 2, seconds: 2 },
    closedMsMax: SILENT_MS_MAX,
    call: QUIET,
    endReason: "message_flood",
    run: (target, size, ready) => pour(target, size, ready, costlyTexts('"type":"toolResult","id":"1"'), 180),
  },
  {
    id: "ADV-H1",
    name: "64 KiB of different keys, 180 a second, to a carrier",
    full: { attackers: 20, seconds: 10 },
    small: { attackers: 2, seconds: 2 },
    closedMsMax: SILENT_MS_MAX,
    call: { firstSpeaker: "user" },
    endReason: "message_flood",
    run: (target, size, ready) => pour(target, size, ready, costlyTexts('"event":"weather"'), 180),
  },
  {
    id: "M5",
    name: "messages that mean nothing, without end",
    full: { attackers: 200, seconds: 5 },
    small: { attackers: 10, seconds: 2 },
    closedMsMax: SILENT_MS_MAX,
    call: QUIET,
    endReason: "protocol_error",
    run: (target, size, ready) => repeat(target, size, ready, MESSAGES),
  },
  {
    id: "ADV-H3",
    name: "texts without end, each of which asks the LLM",
    full: { attackers: 10, seconds: 50 },
    small: { attackers: 2, seconds: 20 },
    closedMsMax: 50_000,
    call: {
      ...QUIET,
      interruptible: true,
      systemPrompt: "The bakery is closed on Monday. ".repeat(60),
      inactivityTimeout: 300,
    },
    endReason: "spend_limit",
    // Most of it is garbage of the voices and of the reference LLM.
    callBytes: 8 * 1_024 * 1_024,
    spendMax: { llmRequests: 19, inputTokens: 100_000 },
    run: typing,
  },
  ...SCHEMA_ATTACKS,
];
