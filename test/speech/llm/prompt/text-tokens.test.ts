import { describe, expect, test } from "vitest";
import { promptTokens } from "../../../../src/speech/llm/prompt/prompt-tokens.ts";
import { textTokens } from "../../../../src/speech/llm/prompt/text-tokens.ts";
import { CODE, HOSTILE, PROSE, RARER_SCRIPTS, type TokenizedText } from "../../../support/calls/tokenized-texts.ts";

const ratioOf = ({ text, tokens }: TokenizedText): number => textTokens(text) / tokens;

describe("ADV-H3: the estimated tokens of a text", () => {
  test.each([...PROSE, ...CODE])("are between the true count and 1.6 times it: $name", (text) => {
    expect(ratioOf(text)).toBeGreaterThan(0.9);
    expect(ratioOf(text)).toBeLessThan(1.6);
  });

  test.each(
    RARER_SCRIPTS,
  )("are up to 2.1 times the true count in scripts that tokenizers treat differently: $name", (text) => {
    expect(ratioOf(text)).toBeGreaterThan(0.9);
    expect(ratioOf(text)).toBeLessThan(2.1);
  });

  test.each(HOSTILE)("are at most a third below the true count, however badly the text tokenizes: $name", (text) => {
    expect(ratioOf(text)).toBeGreaterThan(2 / 3);
    expect(ratioOf(text)).toBeLessThan(2);
  });

  test("are defined for the empty text, punctuation, lone surrogates and every UTF-16 unit", () => {
    expect(textTokens("")).toBe(0);
    expect(textTokens("\ud800")).toBe(2);
    for (let unit = 0; unit < 0x10000; unit += 1) {
      const tokens = textTokens(String.fromCharCode(unit).repeat(100));
      expect(tokens, `U+${unit.toString(16)}`).toBeGreaterThan(5);
      expect(tokens, `U+${unit.toString(16)}`).toBeLessThanOrEqual(300);
    }
  });

  test("are the same for the estimated cost and for the trimming of the history", () => {
    const messages = [{ role: "user" as const, text: "营业时间 and q7" }];
    expect(promptTokens({ messages, tools: [] })).toBe(8 + textTokens("营业时间 and q7"));
  });
});
