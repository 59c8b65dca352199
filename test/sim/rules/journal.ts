import { isDeepStrictEqual } from "node:util";
import type { CallCommand } from "../../../src/call/events.ts";
import { storesWords } from "../../../src/core/calls/spec.ts";
import type { TranscriptTurn } from "../../../src/core/calls/transcript.ts";
import { withoutNames } from "../../../src/core/knowledge/call-knowledge.ts";
import { projectJournal } from "../../../src/record/finalization/projection.ts";
import { journaledCommand } from "../../../src/record/journal/redact.ts";
import { replayJournal } from "../../../src/record/replay/replay.ts";
import { wordsFound } from "../../support/audio/leaked-content.ts";
import type { Chronicle } from "../observer/chronicle.ts";
import type { Facts } from "../observer/facts.ts";
import { FIXED } from "../plan/plan.ts";
import { VOCABULARY } from "../plan/words.ts";
import { RESULT } from "../providers/tools.ts";

/** The journal of a call that is over, which stands at `path`. */
export interface WrittenJournal {
  path: string;
  bytes: Buffer;
  /** Frames whose audio was left out because the disk was too slow. */
  framesLeftOut: number;
}

/** A journal tells the same call again, and no word that it must not. */
export async function checkJournal(
  facts: Facts,
  chronicle: Chronicle,
  { path, bytes, framesLeftOut }: WrittenJournal,
): Promise<void> {
  const { spec, turns, commands, end } = facts;
  const hasWords = storesWords(spec);
  const wrong = (detail: string): void => chronicle.violated("the journal gives the same call again", detail);
  try {
    const projected = await projectJournal(path);
    const expected = hasWords ? turns : turns.map(withoutWords);
    if (!isDeepStrictEqual(projected.turns, throughJson(expected))) wrong("its transcript is another one");
    if (projected.endReason !== end?.reason) wrong(`it ends with ${projected.endReason}`);
    if (projected.complete !== (framesLeftOut === 0)) {
      wrong(`it is ${projected.complete ? "" : "not "}complete, and ${framesLeftOut} frames were left out of it`);
    }
    if (hasWords) await checkReplay(path, commands, wrong);
  } catch (error) {
    wrong(`it cannot be read: ${String(error)}`);
  }
  if (hasWords) return;
  const found = wordsFound(bytes.toString("latin1"), `${VOCABULARY} ${RESULT} ${FIXED.shop}`);
  if (found.length > 0) chronicle.violated("no word of a call without a transcript is written", found.join(" "));
}

/** Of passages their ids and scores stay. */
function withoutWords({ retrieval, ...turn }: TranscriptTurn): TranscriptTurn {
  const { tookMs = 0, passages } = retrieval ?? {};
  const found = passages === undefined ? {} : { retrieval: { tookMs, passages: passages.map(withoutNames) } };
  return { ...turn, text: "", ...found };
}

async function checkReplay(
  path: string,
  given: readonly CallCommand[],
  wrong: (detail: string) => void,
): Promise<void> {
  const { journaled, replayed } = await replayJournal(path);
  const written = journaled.map(({ command }) => command);
  const expected = given.map((command) => throughJson(journaledCommand(command, true)));
  if (!isDeepStrictEqual(written, expected)) wrong("its commands are not those that were given");
  const at = journaled.findIndex((command, index) => !isDeepStrictEqual(command, replayed[index]));
  if (at !== -1) wrong(`command ${at} was ${JSON.stringify(journaled[at])} and is now ${JSON.stringify(replayed[at])}`);
  if (replayed.length > journaled.length)
    wrong(`replayed it gives ${replayed.length} commands, not ${journaled.length}`);
}

const throughJson = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
