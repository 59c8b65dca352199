import { describe, expect, test } from "vitest";
import { redactedResult } from "../../../src/core/transcriptions/redacted-result.ts";
import type { TranscriptionResult } from "../../../src/core/transcriptions/result.ts";

/** Each utterance is a second per word, one after the other. */
function resultOf(utterances: readonly (readonly [channel: number, text: string])[]): TranscriptionResult {
  let atMs = 0;
  const words = utterances.flatMap(([channel, text]) =>
    text.split(" ").map((word) => {
      atMs += 1_000;
      return { text: word, startMs: atMs - 1_000, endMs: atMs, channel };
    }),
  );
  return {
    text: utterances.map(([, text]) => text).join(" "),
    language: "en-US",
    durationMs: atMs,
    channels: 2,
    utterances: utterances.map(([channel, text]) => ({ text, startMs: 0, endMs: 1_000, channel })),
    words,
    hasEstimatedTimes: false,
    parts: [],
  };
}

describe("a result without what must not be kept", () => {
  test("has one label in place of the words, over all of their time", () => {
    const result = redactedResult(resultOf([[0, "it is 4111 1111 1111 1111 thanks"]]), ["card_number"]);
    expect(result.text).toBe("it is [card number] thanks");
    expect(result.utterances).toMatchObject([{ text: "it is [card number] thanks" }]);
    expect(result.words.map(({ text, startMs, endMs }) => [text, startMs, endMs])).toEqual([
      ["it", 0, 1_000],
      ["is", 1_000, 2_000],
      ["[card number]", 2_000, 6_000],
      ["thanks", 6_000, 7_000],
    ]);
  });

  test("has none of a number that two utterances of a channel divide between them", () => {
    const spoken = [
      [0, "it is 4111 1111"],
      [1, "go on"],
      [0, "1111 1111 please"],
    ] as const;
    const result = redactedResult(resultOf(spoken), ["card_number"]);
    expect(result.utterances.map(({ text }) => text)).toEqual(["it is [card number]", "go on", "[card number] please"]);
    expect(JSON.stringify(result)).not.toContain("1111");
  });

  test("is the same where nothing is found", () => {
    const result = resultOf([[0, "two loaves of bread"]]);
    expect(redactedResult(result, ["card_number", "email"])).toEqual(result);
  });
});
