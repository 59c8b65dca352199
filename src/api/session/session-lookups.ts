import type { SessionPrincipal, SessionStore } from "../../store/users/session-store.ts";

interface Lookup {
  secrets: Set<string>;
  found: Promise<ReadonlyMap<string, SessionPrincipal>>;
}

/**
 * Looks up sessions for many that ask in the same step, such as all open streams of events: the store gets one query for all of
 * them. Nothing is remembered: who asks in a later step gets a later answer.
 */
export class SessionLookups {
  readonly #sessions: Pick<SessionStore, "authenticateAll">;
  /** The secrets that are asked for in this step, and the answer to them. */
  #next: Lookup | undefined;

  constructor(sessions: Pick<SessionStore, "authenticateAll">) {
    this.#sessions = sessions;
  }

  /** See `SessionStore.authenticate`. Rejects with the store's errors. */
  async authenticate(secret: string): Promise<SessionPrincipal | undefined> {
    this.#next ??= this.#begin();
    const { secrets, found } = this.#next;
    secrets.add(secret);
    return (await found).get(secret);
  }

  #begin(): Lookup {
    const secrets = new Set<string>();
    const found = Promise.resolve().then(() => {
      this.#next = undefined;
      return this.#sessions.authenticateAll([...secrets]);
    });
    return { secrets, found };
  }
}
