import { readdirSync } from "node:fs";
import { join } from "node:path";
import { systemErrorCodeOf } from "../../core/errors.ts";
import { asCorpusId, type CorpusId } from "../../core/ids.ts";

const SUFFIX = ".db";
const CORPUS_ID = /^cor_[0-9a-f-]{1,64}$/;

/** Whether a text can be the id of a corpus, and the name of a file. */
export const isCorpusId = (text: string): text is CorpusId => CORPUS_ID.test(text);

/** The file of a corpus in the folder of the index. */
export const corpusPath = (folder: string, corpusId: CorpusId): string => join(folder, `${corpusId}${SUFFIX}`);

/** The corpora that have a file. Throws the system's error. */
export function corporaIn(folder: string): readonly CorpusId[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith(SUFFIX));
    return names.map((name) => asCorpusId(name.slice(0, -SUFFIX.length))).filter(isCorpusId);
  } catch (error) {
    if (systemErrorCodeOf(error) === "ENOENT") return [];
    throw error;
  }
}
