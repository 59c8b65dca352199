import { describe, expect, test } from "vitest";
import {
  llamaVocabulary,
  readVocabulary,
  textOfTokens,
  type Vocabulary,
} from "../../../../src/speech/local/engine/sentence-tokens.ts";

const VOCABULARY: Vocabulary = {
  texts: ["<unk>", "<s>", "</s>", "▁Good", "▁morn", "ing", ".", "<0xC3>", "<0xA9>", "▁caf"],
  special: new Set([0, 1, 2]),
};

describe("tokens become text", () => {
  test("words are divided where a token begins one, and the first has no space", () => {
    expect(textOfTokens([1, 3, 4, 5, 6, 2], VOCABULARY)).toBe("Good morning.");
  });

  test("characters that are no tokens are spelled in bytes", () => {
    expect(textOfTokens([9, 7, 8], VOCABULARY)).toBe("café");
  });

  test("marks of the model and unknown tokens are no text", () => {
    expect(textOfTokens([0, 3, 999], VOCABULARY)).toBe("Good");
    expect(textOfTokens([], VOCABULARY)).toBe("");
  });
});

describe("vocabularies", () => {
  test("LLaMA's is the installed model's", async () => {
    expect(textOfTokens([1, 15_043, 3_186, 2], await llamaVocabulary())).toBe("Hello world");
  });

  test("another model brings its own in tokenizer.json", () => {
    const json = { added_tokens: [{ id: 0 }], model: { vocab: { "<s>": 0, "▁ciao": 1, "!": 2 } } };
    expect(textOfTokens([0, 1, 2], readVocabulary(JSON.stringify(json)))).toBe("ciao!");
  });

  test("a tokenizer.json of another form is refused", () => {
    expect(() => readVocabulary(JSON.stringify({ model: { vocab: [["a", -1]] } }))).toThrow(/vocab/);
  });
});
