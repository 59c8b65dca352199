import { existsSync } from "node:fs";
import type { CallId } from "../../core/ids.ts";
import { journalPath } from "./reader.ts";

/**
 * Brings the journal of a call to the disk of this node, where another node has written it. It is read there from then on: by the
 * record, the recording, the events and the replay of the call.
 */
export interface JournalSource {
  /**
   * Resolves with whether the journal is on this disk now; false where it is nowhere. A journal that is here already is not touched, and
   * one that is fetched is there as a whole or not at all. Rejects with `unavailable` while that cannot be found out.
   */
  fetch(callId: CallId): Promise<boolean>;
}

/** The journals of this disk alone. */
export const localJournals = (dataDir: string): JournalSource => ({
  fetch: async (callId) => existsSync(journalPath(dataDir, callId)),
});
