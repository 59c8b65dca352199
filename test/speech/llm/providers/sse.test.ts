// @module-tag llm

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LLM_EVENT_CHARS_MAX } from "../../../../src/core/limits/speech-providers/llm.ts";
import { type SseEvent, SseEventTooLong, SseReader } from "../../../../src/speech/llm/providers/sse.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The events of `bytes`, which arrive in chunks that end at `chunkEnds`. */
function eventsOf(bytes: Uint8Array, chunkEnds: readonly number[] = []): SseEvent[] {
  const reader = new SseReader();
  const ends = [...chunkEnds.filter((end) => end < bytes.length).sort((a, b) => a - b), bytes.length];
  let from = 0;
  const events = ends.flatMap((end) => {
    const chunk = bytes.subarray(from, end);
    from = end;
    return reader.push(chunk);
  });
  return [...events, ...reader.end()];
}

describe("P7: server-sent events", () => {
  test("are parsed by the rules of the standard", () => {
    const text =
      "\uFEFF: comment\nevent: one\ndata: a\ndata:b\nid: 7\n\nevent: unused\n\ndata\n\ndata: : c\r\n\r\ndata: d\r\rdata: last";
    expect(eventsOf(bytesOf(text))).toEqual([
      { name: "one", data: "a\nb" },
      { name: "", data: "" },
      { name: "", data: ": c" },
      { name: "", data: "d" },
      { name: "", data: "last" },
    ]);
  });

  test("are the same for any chunks, also where a chunk ends within a character", () => {
    const breaker = fc.constantFrom("data: Grüße €🎉", "data:", "event: x", ": comment", "id: 1", "nonsense", "");
    const ending = fc.constantFrom("\n", "\r\n", "\r");
    const lines = fc.array(fc.tuple(breaker, ending), { maxLength: 20 });
    fc.assert(
      fc.property(lines, fc.array(fc.nat(400), { maxLength: 20 }), (parts, chunkEnds) => {
        const bytes = bytesOf(parts.map(([text, end]) => text + end).join(""));
        expect(eventsOf(bytes, chunkEnds)).toEqual(eventsOf(bytes));
      }),
    );
  });

  test("tolerate invalid UTF-8", () => {
    const bytes = new Uint8Array([...bytesOf("data: a"), 0xff, 0xc3, ...bytesOf("\n\ndata: b\n\n")]);
    expect(eventsOf(bytes).map(({ data }) => data)).toEqual(["a\uFFFD\uFFFD", "b"]);
  });

  test("are bounded in size, in one line and in many; comments are not", () => {
    const kilobyte = "x".repeat(1_024);
    const times = LLM_EVENT_CHARS_MAX / 1_024 + 1;
    const push = (chunk: string) => () => {
      const reader = new SseReader();
      for (let count = 0; count < times; count += 1) reader.push(bytesOf(chunk));
    };
    expect(push(kilobyte)).toThrow(SseEventTooLong);
    expect(push(`data: ${kilobyte}\n`)).toThrow(SseEventTooLong);
    expect(push(`: ${kilobyte}\n`)).not.toThrow();
    expect(push(`data: ${kilobyte}\n\n`)).not.toThrow();
  });
});
