import { z } from "zod";

/** A vocabulary of the form of LLaMA's, which Moonshine uses: words and their parts, and single bytes. */
export interface Vocabulary {
  /** The text of each token by its number. */
  readonly texts: readonly (string | undefined)[];
  /** Tokens that are marks of the model and no text. */
  readonly special: ReadonlySet<number>;
}

const WORD_START = "▁";
const BYTE = /^<0x([0-9A-F]{2})>$/;

/** The text of `tokens`, without marks of the model, unknown tokens, and the space before the first word. */
export function textOfTokens(tokens: readonly number[], { texts, special }: Vocabulary): string {
  const bytes: Buffer[] = [];
  for (const token of tokens) {
    const text = special.has(token) ? undefined : texts[token];
    if (text === undefined) continue;
    const byte = BYTE.exec(text)?.[1];
    // A character that is no token is spelled in bytes, several for one character.
    bytes.push(byte === undefined ? Buffer.from(text.replaceAll(WORD_START, " ")) : Buffer.from(byte, "hex"));
  }
  return Buffer.concat(bytes).toString("utf8").trim();
}

/** The first tokens of LLaMA's vocabulary: unknown, beginning, end. */
const LLAMA_SPECIAL: ReadonlySet<number> = new Set([0, 1, 2]);

/** LLaMA's vocabulary, from the package that Moonshine's package uses. */
export async function llamaVocabulary(): Promise<Vocabulary> {
  const { default: tokenizer } = await import("llama-tokenizer-js");
  const vocabulary = { texts: tokenizer.vocabById, special: LLAMA_SPECIAL };
  // Decoding needs none of the tables for encoding, which take 20 MB.
  tokenizer.vocabByString.clear();
  tokenizer.merges.clear();
  return vocabulary;
}

const TokenizerFile = z.object({
  model: z.object({ vocab: z.record(z.string(), z.int().nonnegative()) }),
  added_tokens: z.array(z.object({ id: z.int().nonnegative() })).default([]),
});

/** The vocabulary in the text of a `tokenizer.json`, as Hugging Face's tokenizers write it. Throws where it has another form. */
export function readVocabulary(json: string): Vocabulary {
  const { model, added_tokens: added } = TokenizerFile.parse(JSON.parse(json));
  const texts: string[] = [];
  for (const [text, token] of Object.entries(model.vocab)) texts[token] = text;
  return { texts, special: new Set(added.map(({ id }) => id)) };
}
