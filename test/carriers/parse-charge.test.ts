import { expect, test } from "vitest";
import { parseChargeBytes } from "../../src/carriers/parse-charge.ts";
import { MESSAGE_PART_BYTES, MESSAGE_PARTS_FREE } from "../../src/core/limits/streams/messages.ts";
import { heapBytesPerRun } from "../support/heap.ts";
import { carriersUnderTest } from "../support/wires/carriers.ts";

const charge = (text: string): number => parseChargeBytes(Buffer.from(text));

test.each([
  ["a payload", '{"media":{"payload":"AAAA"}}', 4],
  ["a payload after white space", '{"media":{"payload" : "AAAA"}}', 4],
  ["the first of two payloads", '{"payload":"AAAA","media":{"payload":"AAAAAAAA"}}', 4],
  ["no payload that is no string", '{"payload":{"a":"AAAA"}}', 0],
  ["no payload with an escape", '{"payload":"AA\\u0041A"}', 0],
  ["no value of another member", '{"payloads":"AAAA","Payload":"AAAA","pay\\u006coad":"AAAA"}', 0],
  ["no name within a string", '{"a":"\\"payload\\":\\"AAAA\\""}', 0],
  ["no item of a list", '["payload","AAAA"]', 0],
  ["nothing of a text that never ends", '{"a":"payload', 0],
  ["a payload that never ends", '{"payload":"AAAA', 4],
])("%s is free", (_, text, freeBytes) => {
  expect(charge(text)).toBe(Buffer.byteLength(text) - freeBytes);
});

test("members and brackets beyond the free ones are charged, except in strings", () => {
  for (const [part, count] of [
    ["[", 1],
    ["{}", 2],
    ['"a":1,', 2],
    ['"[{,:}]",', 1],
  ] as const) {
    const times = 2 * MESSAGE_PARTS_FREE;
    const charged = part.length * times + MESSAGE_PART_BYTES * (count * times - MESSAGE_PARTS_FREE);
    expect([part, charge(part.repeat(times))]).toEqual([part, charged]);
  }
});

test("the audio messages that carriers really send are free", () => {
  for (const { lines, name } of carriersUnderTest()) {
    const media = lines.filter((line) => /"payload": ?"/.test(line));
    expect(media.length).toBeGreaterThan(5);
    for (const line of media) expect([name, charge(line) < Buffer.byteLength(line)]).toEqual([name, true]);
  }
});

test("computing the charge allocates nothing", () => {
  const messages = carriersUnderTest().flatMap(({ lines }) => lines.map((line) => Buffer.from(line)));
  // A run reads all messages, so a few runs are enough to be warm and to see an object.
  const bytes = heapBytesPerRun(
    () => {
      for (let i = 0; i < messages.length; i += 1) parseChargeBytes(messages[i] as Buffer);
    },
    20,
    1_000,
  );
  expect(bytes / messages.length).toBeLessThan(1);
});
