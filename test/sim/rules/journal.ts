import { isDeepStrictEqual } from "node:util";
import { projectJournal } from "../../../src/record/projection.ts";
import { journaledCommand } from "../../../src/record/redact.ts";
import { replayJournal } from "../../../src/record/replay.ts";
import { wordsFound } from "../../support/traces.ts";
import type { Chronicle } from "../chronicle.ts";
import type { Facts } from "../facts.ts";
import { VOCABULARY } from "../words.ts";

/** The journal of a call that is over, which stands at `path` as `bytes`: it tells the same call, and no word that it must not. */
export async function checkJournal(facts: Facts, chronicle: Chronicle, path: string, bytes: Buffer): Promise<void> {
  const wrong = (detail: string): void => chronicle.violated("the journal gives the same call again", detail);
  try {
    const { turns, endReason, complete } = await projectJournal(path);
    const recorded = facts.spec.recordingEnabled;
    const told = recorded ? facts.turns : facts.turns.map((turn) => ({ ...turn, text: "" }));
    if (!isDeepStrictEqual(turns, throughJson(told))) wrong("its transcript is another one");
    if (endReason !== facts.end?.reason) wrong(`it ends with ${endReason}`);
    if (!complete) wrong("it is not complete");
    if (recorded) {
      const { journaled, replayed } = await replayJournal(path);
      const given = facts.commands.map((command) => throughJson(journaledCommand(command, true)));
      if (
        !isDeepStrictEqual(
          journaled.map(({ command }) => command),
          given,
        )
      )
        wrong("commands are missing in it");
      const at = journaled.findIndex((command, index) => !isDeepStrictEqual(command, replayed[index]));
      if (at !== -1 || replayed.length !== journaled.length) {
        wrong(`replayed, command ${at} is ${JSON.stringify(replayed[at])}, and was ${JSON.stringify(journaled[at])}`);
      }
      return;
    }
  } catch (error) {
    wrong(`it cannot be read: ${String(error)}`);
    return;
  }
  const found = wordsFound(bytes.toString("latin1"), VOCABULARY);
  if (found.length > 0) chronicle.violated("no word of an unrecorded call is written", found.join(" "));
}

const throughJson = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
