import { asCorpusId, asDocumentId } from "../../src/core/ids.ts";
import type { Chunk } from "../../src/core/knowledge/chunks.ts";
import { type Random, seededRandom } from "../../src/core/seeded-random.ts";

/** The corpus of the speed measurement. */
export const SPEED_CORPUS = asCorpusId("cor_00000000-0000-7000-8000-00000000bec1");

/** The commonest English words, most of them function words, by frequency: they take the first ranks of the vocabulary. */
const FUNCTION_WORDS = (
  "the of and to a in is it you that he was for on are with as I his they be at one have this from or had by not but what some we can out " +
  "other were all there when up use your how said an each she which do their time if will way about many then them would like so these her"
).split(" ");
const VOCABULARY = 60_000;
/** Zipf's law: the word of rank r is about 1 / r as frequent as the first. */
const EXPONENT = 1.05;
const SYLLABLES =
  "ba be bi bo ca ce co da de di do fa fe fi ga go ka ke ki la le li lo ma me mi mo na ne ni no pa pe pi po ra re ri ro sa se si so ta te ti to va ve vi vo".split(
    " ",
  );
const CHUNK_WORDS = 80;
const CHUNKS_PER_DOCUMENT = 100;
const QUESTION_WORDS = 12;
const QUESTION_FUNCTION_WORDS = 5;

/** Words drawn by rank. */
class Vocabulary {
  readonly #cumulative: Float64Array;

  constructor() {
    this.#cumulative = new Float64Array(VOCABULARY);
    let sum = 0;
    for (let rank = 1; rank <= VOCABULARY; rank++) {
      sum += 1 / rank ** EXPONENT;
      this.#cumulative[rank - 1] = sum;
    }
  }

  draw(random: Random, fromRank = 0): string {
    const floor = fromRank === 0 ? 0 : (this.#cumulative[fromRank - 1] ?? 0);
    const wanted = floor + random() * ((this.#cumulative[VOCABULARY - 1] ?? 0) - floor);
    let [low, high] = [fromRank, VOCABULARY - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#cumulative[middle] ?? 0) < wanted) low = middle + 1;
      else high = middle;
    }
    return FUNCTION_WORDS[low] ?? madeWord(low);
  }
}

/** A word of a rank, always the same. */
function madeWord(rank: number): string {
  let word = "";
  for (let rest = rank; rest > 0 || word.length < 4; rest = Math.floor(rest / SYLLABLES.length)) {
    word += SYLLABLES[rest % SYLLABLES.length];
  }
  return word;
}

const vocabulary = new Vocabulary();

/** The documents of a corpus of so many chunks of 80 words. The same number gives the same document. */
export const documentCount = (chunks: number): number => Math.ceil(chunks / CHUNKS_PER_DOCUMENT);

export function spokenDocument(number: number): { document: ReturnType<typeof documentOf>; chunks: Chunk[] } {
  const random = seededRandom(number + 1);
  const chunks = Array.from({ length: CHUNKS_PER_DOCUMENT }, (_, ordinal) => ({
    ordinal,
    headings: [],
    page: undefined,
    text: Array.from({ length: CHUNK_WORDS }, () => vocabulary.draw(random)).join(" "),
  }));
  return { document: documentOf(number), chunks };
}

const documentOf = (number: number) => ({ id: asDocumentId(`doc_${number}`), name: `Document ${number}`, version: 1 });

/** Questions of twelve words as they are spoken: five function words, and seven of the words with a meaning. */
export function spokenQuestions(count: number, seed: number): string[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () =>
    Array.from({ length: QUESTION_WORDS }, (_, at) =>
      at < QUESTION_FUNCTION_WORDS
        ? (FUNCTION_WORDS[Math.floor(random() * FUNCTION_WORDS.length)] ?? "")
        : vocabulary.draw(random, FUNCTION_WORDS.length),
    )
      .sort(() => random() - 0.5)
      .join(" "),
  );
}
