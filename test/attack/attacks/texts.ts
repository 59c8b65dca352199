import { FRAME_MS } from "../../../src/core/limits/streams/media.ts";
import { CARRIER_MESSAGE_BYTES_MAX, TEXTS_PER_SECOND_MAX } from "../../../src/core/limits/streams/messages.ts";
import { encodeFrame, OPCODE } from "../../support/network/raw-ws.ts";
import { differentKeys } from "../../support/wires/costly-json.ts";
import { pause } from "../connections.ts";
import { type Attack, type Outcome, type Ready, SILENT_MS_MAX, type Size, type Target } from "./attack.ts";
import { IDLE_CALL, outcome, streams } from "./stream-helpers.ts";

/** Attacks by the text messages of streams. */

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
      const message = messages[sent % messages.length] ?? "";
      for (const { socket } of crowd.members) if (socket.writable) socket.write(message);
    }
  }
  await crowd.end();
  return outcome(crowd);
}

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

/** Every client types as often as the limits allow. Its texts make the prompt longer and longer. */
async function typing(target: Target, size: Size, ready: Ready): Promise<Outcome> {
  const crowd = await streams(target, size, ready);
  const untilMs = performance.now() + size.seconds * 1_000;
  for (let count = 0; performance.now() < untilMs && crowd.closed < crowd.members.length; count += 1) {
    const words = count < STORIES ? STORY : QUESTION;
    for (const { socket } of crowd.members) if (socket.writable) socket.write(words);
    await pause(1_000 / TEXTS_PER_SECOND_MAX);
  }
  await crowd.end();
  return outcome(crowd);
}

/** What is parsed before a flood is closed, 256 KiB at once, becomes values that are garbage until the next collection: measured, 2.5 MiB. */
const PARSED_BYTES = 3 * 1_024 * 1_024;

export const TEXT_ATTACKS: readonly Attack[] = [
  {
    id: "ADV-H1",
    name: "64 KiB of different keys, 180 a second, raw",
    full: { attackers: 20, seconds: 10 },
    small: { attackers: 2, seconds: 2 },
    closedMsMax: SILENT_MS_MAX,
    call: IDLE_CALL,
    endReason: "message_flood",
    callBytes: PARSED_BYTES,
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
    callBytes: PARSED_BYTES,
    run: (target, size, ready) => pour(target, size, ready, costlyTexts('"event":"weather"'), 180),
  },
  {
    id: "ADV-H3",
    name: "texts without end, each of which asks the LLM",
    full: { attackers: 10, seconds: 50 },
    small: { attackers: 2, seconds: 20 },
    closedMsMax: 50_000,
    call: {
      ...IDLE_CALL,
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
];
