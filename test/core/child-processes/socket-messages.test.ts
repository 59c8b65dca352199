import { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { encodeMessage, MessageReader, readMessages } from "../../../src/core/child-processes/socket-messages.ts";

describe("messages over a socket", () => {
  const messages = [
    { kind: "samples", samples: Int16Array.of(1, -2, 3) },
    { kind: "empty" },
    { kind: "text", text: "ä" },
  ];
  const bytes = Buffer.concat(messages.map(encodeMessage));

  test.each([1, 2, 3, 7, 1_000])("arrive as they were sent, typed arrays included, in chunks of %i bytes", (size) => {
    const reader = new MessageReader(1_000);
    const read: unknown[] = [];
    for (let at = 0; at < bytes.length; at += size) read.push(...reader.push(bytes.subarray(at, at + size)));
    expect(read).toEqual(messages);
  });

  test("that are longer than the maximum are refused before they are read", () => {
    const head = Buffer.alloc(4);
    head.writeUInt32LE(1_001);
    expect(() => [...new MessageReader(1_000).push(head)]).toThrow(
      "a message of 1001 bytes exceeds the maximum of 1000",
    );
  });

  const framed = (body: Buffer): Buffer => {
    const head = Buffer.alloc(4);
    head.writeUInt32LE(body.length);
    return Buffer.concat([head, body]);
  };
  const whole = encodeMessage({ kind: "text", text: "whole" });
  const tooLong = Buffer.from(whole);
  tooLong.writeUInt32LE(2_000_000_000);

  test.each([
    ["no length", Buffer.from("GET / HTTP/1.1\r\n\r\n")],
    ["a length beyond the maximum", tooLong],
    ["an empty body", framed(Buffer.alloc(0))],
    ["a body that is no value", framed(Buffer.from("{}"))],
    ["a body that is cut off", framed(whole.subarray(4, -3))],
  ])("%s closes the socket, and nothing is thrown", (_name, nearMiss) => {
    const socket = new Socket();
    const read: unknown[] = [];
    readMessages(socket, 1_000, (message) => read.push(message));
    socket.emit("data", whole);
    socket.emit("data", nearMiss);
    expect(read).toEqual([{ kind: "text", text: "whole" }]);
    expect(socket.destroyed).toBe(true);
  });

  test("without the last byte of a message the socket stays open, and the next byte completes it", () => {
    const socket = new Socket();
    const read: unknown[] = [];
    readMessages(socket, 1_000, (message) => read.push(message));
    socket.emit("data", whole.subarray(0, -1));
    expect([read, socket.destroyed]).toEqual([[], false]);
    socket.emit("data", whole.subarray(-1));
    expect(read).toHaveLength(1);
    socket.destroy();
  });
});
