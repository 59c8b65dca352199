import type { NodeMessageId, NodeName } from "../core/ids.ts";
import type { Keyring } from "../store/sealing/seal.ts";

/** What a node answers; `failed` instead of a value: the code of the error, and whether the kind of request is unknown to it. */
export type NodeAnswer = { value?: unknown } | { failed: string; message?: string };

/** What is said to all nodes. */
export interface Announcement {
  from: NodeName;
  kind: string;
  payload: unknown;
}

/**
 * Messages as the database has them: sealed, because they have secrets such as addresses of streams, and words of calls, which no disk
 * has in plain text where media are encrypted. All nodes have the same keys.
 */
export class SealedMessages {
  readonly #keys: Pick<Keyring, "seal" | "open">;

  constructor(keys: Pick<Keyring, "seal" | "open">) {
    this.#keys = keys;
  }

  sealBody(id: NodeMessageId, json: string): string {
    return this.#keys.seal(json, placeOf(id, "body"));
  }

  /** Throws `unsealable`, as the others that open. */
  openBody(id: NodeMessageId, sealed: string): unknown {
    return JSON.parse(this.#keys.open(sealed, placeOf(id, "body"))).payload;
  }

  sealAnswer(id: NodeMessageId, json: string): string {
    return this.#keys.seal(json, placeOf(id, "answer"));
  }

  openAnswer(id: NodeMessageId, sealed: string): NodeAnswer {
    return JSON.parse(this.#keys.open(sealed, placeOf(id, "answer")));
  }

  sealAnnouncement(announcement: Announcement): string {
    return this.#keys.seal(JSON.stringify(announcement), ANNOUNCEMENT);
  }

  openAnnouncement(sealed: string): Announcement {
    return JSON.parse(this.#keys.open(sealed, ANNOUNCEMENT));
  }
}

const placeOf = (rowId: NodeMessageId, column: "body" | "answer") => ({ table: "node_messages", rowId, column });
const ANNOUNCEMENT = { table: "node_messages", rowId: "all", column: "announcement" };
