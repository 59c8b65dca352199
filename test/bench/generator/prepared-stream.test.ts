import { expect, test } from "vitest";
import { prepareStream } from "../../../bench/generator/prepared-stream.ts";
import { benchLine } from "../../../bench/rig/lines.ts";
import { carrierOf } from "../../../src/carriers/list.ts";
import { frameBytes } from "../../../src/simulator/audio/format.ts";
import { formatsOf, SIMULATED_WIRES, type SimulatedWire } from "../../../src/simulator/lines.ts";
import { inboundAudio } from "../../support/audio/inbound-audio.ts";

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

/** A mark as the service writes it on a stream that began with `opening`. */
function markOf(wire: SimulatedWire, opening: readonly string[]): string {
  const service = carrierOf(wire)?.createWire({ outboundCodec: "mulaw" });
  if (service === undefined) return JSON.stringify({ type: "mark", name: "one" });
  for (const text of opening) service.decode(Buffer.from(text), inboundAudio());
  return service.encodeMark("one");
}

test.each(SIMULATED_WIRES)("a prepared stream of %s opens, repeats its audio, and returns marks", (wire) => {
  const bytes = frameBytes(formatsOf(benchLine(wire)).inbound);
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
  const [answer] = unmasked(line.playedMark(markOf(wire, opening)));
  expect(answer?.payload.toString()).toContain('"name":"one"');
});
