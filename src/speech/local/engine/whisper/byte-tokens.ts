const NO_LETTER = /[\s\p{P}]/gu;
const DAMAGED = "\ufffd";
const BYTES: ReadonlyMap<string, number> = byteCharacters();

/**
 * The text of byte-level tokens, as GPT-2 and Whisper have them (byte-pair encoding): decoding only. `vocabulary` is the content of the
 * model's `vocab.json`, an object of token texts and their ids.
 */
export class ByteTokens {
  readonly #texts: string[] = [];

  constructor(vocabulary: Readonly<Record<string, number>>) {
    for (const [text, id] of Object.entries(vocabulary)) this.#texts[id] = text;
  }

  /** The letters of a token, in lower case: what remains the same where a text is repeated. Empty for punctuation. */
  letters(id: number): string {
    const text = this.#utf8([id]);
    // Part of a character has no text: its bytes stand for it.
    return text.includes(DAMAGED) ? (this.#texts[id] ?? "") : text.toLowerCase().replaceAll(NO_LETTER, "");
  }

  /** Ids that are not in the vocabulary, such as those that mark a language, have no text. */
  decode(ids: readonly number[]): string {
    // A character whose last bytes are missing is left out.
    return this.#utf8(ids).replaceAll(DAMAGED, "");
  }

  #utf8(ids: readonly number[]): string {
    const bytes = ids.flatMap((id) => [...(this.#texts[id] ?? "")].flatMap((character) => BYTES.get(character) ?? []));
    return Buffer.from(bytes).toString("utf8");
  }
}

/** A vocabulary writes each byte as one printable character: itself where it is printable, the others as U+0100, U+0101 and so on. */
function byteCharacters(): Map<string, number> {
  const bytes = new Map<string, number>();
  let next = 256;
  for (let byte = 0; byte < 256; byte += 1) {
    const isPrintable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte !== 0xad);
    bytes.set(String.fromCodePoint(isPrintable ? byte : next++), byte);
  }
  return bytes;
}
