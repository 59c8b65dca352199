import { expect, test } from "vitest";
import { prepareStream } from "../../../bench/generator/prepared-stream.ts";
import { BENCH_TRANSPORTS } from "../../../bench/rig/transports.ts";
import { frameBytes } from "../../../src/simulator/audio/format.ts";
import { formatsOf, SIMULATED_WIRES, type SimulatedWire } from "../../../src/simulator/transports.ts";

/** The payloads of consecutive masked frames, with their opcodes. */
function unmasked(bytes: Buffer): { opcode: number; payload: Buffer }[] {
  const messages: { opcode: number; payload: Buffer }[] = [];
  for (let at = 0; at < bytes.length; ) {
    const opcode = (bytes[at] as number) & 0x0f;
    const short = (bytes[at + 1] as number) & 0x7f;
    const head = short < 126 ? 2 : 4;
    const length = short < 126 ? short : bytes.readUInt16BE(at + 2);
    const mask = bytes.subarray(at + head, at + head + 4);
    const payload = Buffer.from(bytes.subarray(at + head + 4, at + head + 4 + length));
    for (const [n, byte] of payload.entries()) payload[n] = byte ^ (mask[n & 3] as number);
    messages.push({ opcode, payload });
    at += head + 4 + length;
  }
  return messages;
}

const MARKS: Readonly<Record<SimulatedWire, (opening: string) => string>> = {
  carrier_a: (opening) => {
    const streamSid = /"streamSid":"(MZ[0-9a-f]{32})"/.exec(opening)?.[1];
    return JSON.stringify({ event: "mark", streamSid, mark: { name: "one" } });
  },
  carrier_b: () => JSON.stringify({ event: "mark", mark: { name: "one" } }),
  carrier_c: (opening) => {
    const streamId = /"streamId":"([^"]+)"/.exec(opening)?.[1];
    return JSON.stringify({ event: "checkpoint", streamId, name: "one" });
  },
  websocket: () => JSON.stringify({ type: "mark", name: "one" }),
};

test.each(SIMULATED_WIRES)("a prepared stream of %s opens, repeats its audio, and returns marks", (wire) => {
  const bytes = frameBytes(formatsOf(BENCH_TRANSPORTS[wire]).inbound);
  const audio = Uint8Array.from({ length: 3 * bytes }, (_, at) => Math.floor(at / bytes) + 1);
  const line = prepareStream(wire, audio, 4, 1);
  const opening = unmasked(line.opening).map(({ payload }) => payload.toString());
  if (wire === "websocket") expect(opening).toEqual([]);
  else expect(opening.at(-1)).toContain('"event":"start"');
  expect(line.media).toHaveLength(4);
  const said = line.media.map((message) => {
    const [frame] = unmasked(message);
    const { payload } = frame as { payload: Buffer };
    if (wire === "websocket") return payload;
    return Buffer.from(JSON.parse(payload.toString()).media.payload, "base64");
  });
  expect(said.map((frame) => [frame.length, frame[0]])).toEqual([2, 3, 1, 2].map((value) => [bytes, value]));
  const [answer] = unmasked(line.playedMark(MARKS[wire](opening.join())));
  expect(answer?.payload.toString()).toContain('"name":"one"');
});
