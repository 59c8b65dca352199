/** One document at the end. */
export interface DocumentEvidence {
  readonly id: string;
  readonly status: string;
  readonly failure: string | undefined;
  /** The reason for which it had to fail; undefined where it had to be ready. */
  readonly expectedFailure: string | undefined;
  /** How many of its stored passages have the word that it alone has. */
  readonly places: number;
  /** Its passages by what it says, and those that are stored. */
  readonly chunks: number;
  readonly storedChunks: number;
  /** The ids of the documents that a question with that word finds. */
  readonly foundIds: readonly string[];
  /** The ids of the webhook events of its end. */
  readonly eventIds: readonly string[];
}

export interface KillVerdict {
  /** It has another end than it had to have, its text is not stored, or the index does not find it. */
  readonly lost: readonly string[];
  /** Not over after all the time that there was. */
  readonly stuck: readonly string[];
  /** Its text is stored or found twice, or its end is two events. */
  readonly doubled: readonly string[];
  /** Over, without an event. */
  readonly unannounced: readonly string[];
}

/** What the evidence shows; `created` are the ids that the API has answered with, and `listed` those that it lists. */
export function verdictOf(
  documents: readonly DocumentEvidence[],
  created: readonly string[],
  listed: readonly string[],
): KillVerdict {
  const isOver = ({ status }: DocumentEvidence): boolean => status === "ready" || status === "failed";
  const isRight = ({ id, status, failure, expectedFailure, places, foundIds }: DocumentEvidence): boolean =>
    expectedFailure === undefined
      ? status === "ready" && places > 0 && foundIds.includes(id)
      : failure === expectedFailure;
  const missing = created.filter((id) => !listed.includes(id));
  const unknown = listed.filter((id) => !created.includes(id));
  return {
    lost: [
      ...missing.map((id) => `${id} missing`),
      ...documents
        .filter((one) => isOver(one) && !isRight(one))
        .map(({ id, status, failure }) => `${id} ${status} ${failure}`),
    ],
    stuck: documents.filter((one) => !isOver(one)).map(({ id, status }) => `${id} ${status}`),
    doubled: [
      ...unknown.map((id) => `${id} not asked for`),
      ...documents
        .filter(
          ({ places, chunks, storedChunks, foundIds, eventIds }) =>
            places > 1 || storedChunks > chunks || foundIds.length > 1 || new Set(eventIds).size > 1,
        )
        .map(({ id }) => id),
    ],
    unannounced: documents.filter((one) => isOver(one) && one.eventIds.length === 0).map(({ id }) => id),
  };
}
