import { SOCKET_PAYLOAD_BYTES_MAX } from "../../../src/core/limits/streams/connections.ts";
import { FRAME_MS } from "../../../src/core/limits/streams/media.ts";
import { encodeFrame, OPCODE } from "../../support/network/raw-ws.ts";
import { type AttackConnections, pause } from "../connections.ts";
import { type Attack, type Outcome, type Ready, SILENT_MS_MAX, type Size, SOON_MS_MAX, type Target } from "./attack.ts";
import { IDLE_CALL, outcome, SPOKEN_BYTES, silence, streams } from "./stream-helpers.ts";

/** Attacks by the frames of streams, and by streams that are silent. */

/** A line is dead 15 s after its last sign of life, or 30 s where it never answered a ping. */
const DEAD_MS_MAX = 45_000;
/** They have been pinged by then. */
const PINGED_MS = 500;
const SPEAKING_MS = 20_000;
const SIGN_OF_LIFE_MS = 5_000;

/** Every client sends the same at once, on a stream of its own. */
async function shout(target: Target, size: Size, ready: Ready, words: Uint8Array): Promise<Outcome> {
  const crowd = await streams(target, size, ready);
  for (const { socket } of crowd.members) socket.write(words);
  await crowd.end();
  return outcome(crowd);
}

/** Every client sends the same again and again, until it is closed or the time is over. */
async function repeat(target: Target, size: Size, ready: Ready, words: Uint8Array): Promise<Outcome> {
  return await repeatTo(await streams(target, size, ready), size, words);
}

async function repeatTo(crowd: AttackConnections, size: Size, words: Uint8Array): Promise<Outcome> {
  const untilMs = performance.now() + size.seconds * 1_000;
  while (performance.now() < untilMs && crowd.closed < crowd.members.length) {
    for (const { socket } of crowd.members) if (socket.writable) socket.write(words);
    await pause(FRAME_MS);
  }
  await crowd.end();
  return outcome(crowd);
}

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
const LENGTHS = [2n ** 63n, 2n ** 53n + 1n, 2n ** 32n, BigInt(SOCKET_PAYLOAD_BYTES_MAX + 1)];

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
  await crowd.end();
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
  await crowd.end();
  return outcome(crowd);
}

/** Streams whose peers answered a ping once, and are gone without a FIN: nothing comes from them, and nothing answers. */
async function deadLines(target: Target, size: Size, ready: Ready): Promise<Outcome> {
  const crowd = await streams(target, size, ready);
  await pause(PINGED_MS);
  for (const { socket } of crowd.members) socket.write(PONG);
  await crowd.end();
  return outcome(crowd);
}

export const STREAM_ATTACKS: readonly Attack[] = [
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
    id: "D3, B17",
    name: "streams that are not read",
    // More voices than that are another attack.
    full: { attackers: 20, seconds: 65 },
    small: { attackers: 0, seconds: 0 },
    closedMsMax: 100_000,
    call: {
      connectionType: "websocket",
      websocket: { codec: "pcm_s16le", inputSampleRate: 16_000, outputSampleRate: 48_000 },
      greeting: "This takes a very long time, and there is much more to come. ".repeat(40),
      interruptible: false,
      recordingEnabled: false,
    },
    endReason: "slow_consumer",
    callBytes: SPOKEN_BYTES,
    run: slowReaders,
  },
  {
    id: "B5",
    name: "messages in fragments of a byte",
    full: { attackers: 200, seconds: 2 },
    small: { attackers: 4, seconds: 0.5 },
    closedMsMax: 30_000,
    call: IDLE_CALL,
    endReason: "protocol_error",
    run: fragments,
  },
  {
    id: "B6",
    name: "lengths beyond all measure",
    full: { attackers: 200, seconds: 0 },
    small: { attackers: 12, seconds: 0 },
    closedMsMax: SOON_MS_MAX,
    call: IDLE_CALL,
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
    small: { attackers: 4, seconds: 2 },
    closedMsMax: SILENT_MS_MAX,
    call: IDLE_CALL,
    endReason: "protocol_error",
    run: (target, size, ready) => repeat(target, size, ready, PINGS),
  },
  {
    id: "B18",
    name: "unsolicited pongs",
    full: { attackers: 200, seconds: 5 },
    small: { attackers: 4, seconds: 2 },
    closedMsMax: SILENT_MS_MAX,
    call: IDLE_CALL,
    endReason: "protocol_error",
    run: (target, size, ready) => repeat(target, size, ready, PONGS),
  },
  {
    id: "ADV-M3",
    name: "lines that are dead, while the agent speaks",
    full: { attackers: 40, seconds: 0 },
    small: { attackers: 2, seconds: 0 },
    closedMsMax: DEAD_MS_MAX,
    call: {
      connectionType: "websocket",
      greeting: "This takes a very long time, and there is much more to come. ".repeat(40),
      recordingEnabled: false,
    },
    endReason: "connection_lost",
    callBytes: SPOKEN_BYTES,
    run: deadLines,
  },
  {
    id: "ADV-L8",
    name: "fragments without a byte, without end",
    full: { attackers: 10, seconds: 35 },
    small: { attackers: 1, seconds: 5 },
    closedMsMax: DEAD_MS_MAX,
    call: IDLE_CALL,
    // uWebSockets.js does not report fragments: with it the peer seems to have sent nothing.
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
    small: { attackers: 4, seconds: 0 },
    closedMsMax: SILENT_MS_MAX,
    call: IDLE_CALL,
    endReason: "audio_flood",
    run: (target, size, ready) => shout(target, size, ready, Buffer.concat(Array<Buffer>(60).fill(SECOND))),
  },
  {
    id: "M5",
    name: "messages that mean nothing, without end",
    full: { attackers: 200, seconds: 5 },
    small: { attackers: 4, seconds: 2 },
    closedMsMax: SILENT_MS_MAX,
    call: IDLE_CALL,
    endReason: "protocol_error",
    run: (target, size, ready) => repeat(target, size, ready, MESSAGES),
  },
];
