import type { JournalNames } from "./names.ts";
import { VERSION_2_NAMES } from "./version-2-names.ts";

/** The version of the journals that this build writes. Version 1, which was never released, cannot be read. */
export const JOURNAL_VERSION = 14;

/** Since this version the call emits `transcript` commands. */
export const TRANSCRIPTS_SINCE_VERSION = 4;

/** Since this version `attached` records separate the streams of a call. */
export const ATTACHMENTS_SINCE_VERSION = 4;

/** The version of a reader, and by which names it reads older journals. */
export interface JournalVersions {
  readonly current: number;
  /** By version, the names of the version after it. A version without an entry before `current` cannot be read. */
  readonly renames: Readonly<Record<number, JournalNames>>;
}

/**
 * A change that renames a kind or a member, adds a command, or means something else by a header, increments JOURNAL_VERSION and adds an entry here under
 * the previous version. A replay leaves out commands that the journal's version did not have.
 */
export const JOURNAL_VERSIONS: JournalVersions = {
  current: JOURNAL_VERSION,
  renames: { 2: VERSION_2_NAMES, 3: {}, 4: {}, 5: {}, 6: {}, 7: {}, 8: {}, 9: {}, 10: {}, 11: {}, 12: {}, 13: {} },
};

/** The renames that lead from `version` to the current one, in order; undefined where it cannot be read. */
export function renamesFrom(version: number, { current, renames }: JournalVersions): JournalNames[] | undefined {
  if (version > current) return undefined;
  const steps = Array.from({ length: current - version }, (_, step) => renames[version + step]);
  return steps.every((names) => names !== undefined) ? steps : undefined;
}
