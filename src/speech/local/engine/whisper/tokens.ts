import { z } from "zod";
import { languageCode } from "../../../languages.ts";
import { ByteTokens } from "./byte-tokens.ts";

const tokenId = z.number().int().min(0);

/** What is used of a Whisper model's `generation_config.json`. */
const generationSchema = z.object({
  decoder_start_token_id: tokenId,
  eos_token_id: tokenId,
  no_timestamps_token_id: tokenId,
  lang_to_id: z.record(z.string(), tokenId),
  task_to_id: z.object({ transcribe: tokenId }),
  suppress_tokens: z.array(tokenId),
  begin_suppress_tokens: z.array(tokenId),
});

/** Norwegian is one language to Whisper; our voices speak its Bokmål. All other codes are BCP 47, some of them by an older name. */
const OUR_CODES: Readonly<Record<string, string>> = { no: "nb" };

/** Our code of each of the model's languages, and its token. `generation` is the content of `generation_config.json`. */
export function whisperLanguages(generation: unknown): ReadonlyMap<string, number> {
  const languages = Object.entries(generationSchema.parse(generation).lang_to_id).flatMap(([token, id]) => {
    const code = languageCode(token.replaceAll(/[<|>]/g, ""));
    return code === undefined ? [] : [[OUR_CODES[code] ?? code, id] as const];
  });
  return new Map(languages.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The tokens of a Whisper model: what its decoder is asked with, and the text of what it answers. */
export class WhisperTokens {
  readonly endOfText: number;
  /** Never chosen: sounds in brackets, music notes, and marks of other tasks. */
  readonly suppressed: readonly number[];
  /** Not chosen as the first: a text that begins with its end, or with a space. */
  readonly suppressedFirst: readonly number[];
  /** Its probability as the first token is that of no speech. */
  readonly noSpeech: number;
  readonly #languages: ReadonlyMap<string, number>;
  readonly #start: number;
  readonly #task: readonly number[];
  readonly #text: ByteTokens;

  /** The contents of the model's `generation_config.json` and `vocab.json`. Throws a ZodError for others. */
  constructor(generation: unknown, vocabulary: unknown) {
    const config = generationSchema.parse(generation);
    this.endOfText = config.eos_token_id;
    this.suppressed = config.suppress_tokens;
    this.suppressedFirst = config.begin_suppress_tokens;
    this.noSpeech = config.no_timestamps_token_id - 1;
    this.#languages = whisperLanguages(generation);
    this.#start = config.decoder_start_token_id;
    this.#task = [config.task_to_id.transcribe, config.no_timestamps_token_id];
    this.#text = new ByteTokens(z.record(z.string(), tokenId).parse(vocabulary));
  }

  get languages(): readonly string[] {
    return [...this.#languages.keys()];
  }

  /** What the decoder continues, without times, in a language of `languages`; undefined for any other. */
  prompt(language: string): readonly number[] | undefined {
    const token = this.#languages.get(language);
    return token === undefined ? undefined : [this.#start, token, ...this.#task];
  }

  /** The letters of a token, in lower case; empty for punctuation. */
  letters(id: number): string {
    return this.#text.letters(id);
  }

  decode(ids: readonly number[]): string {
    return this.#text.decode(ids).trim();
  }
}
