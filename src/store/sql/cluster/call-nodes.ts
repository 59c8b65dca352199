import type { Kysely } from "kysely";
import type { CallId, NodeName } from "../../../core/ids.ts";
import type { CallNodes } from "../../cluster/call-nodes.ts";
import type { Tables } from "../tables.ts";

/** See `CallNodes`. */
export class SqlCallNodes implements CallNodes {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async nodeOf(callId: CallId): Promise<NodeName | undefined> {
    // A call that waits for its stream has a node, too, at which nothing of it is yet.
    const call = await this.#db
      .selectFrom("calls")
      .select("node")
      .where("id", "=", callId)
      .where("status", "=", "active")
      .where("node_incarnation", "is not", null)
      .executeTakeFirst();
    return call?.node ?? undefined;
  }
}
