import { type AccountSpend, SPEND_UNITS } from "../core/billing/spend.ts";
import type { Clock } from "../core/clock.ts";
import { elapsedMs, type MonotonicMs } from "../core/clocks.ts";
import type { AccountId, NodeName } from "../core/ids.ts";
import {
  NODE_SPEND_ANNOUNCED_MS,
  NODE_SPEND_REPEATED_MS,
  SPENDS_PER_ANNOUNCEMENT,
} from "../core/limits/cluster/node-messages.ts";
import type { NodeMessages } from "./node-messages.ts";

/** What accounts have spent within the last minute at this node, and what they have at others. */
export interface SpendTotals {
  /** At this node; of very many accounts those that are nearest to a limit. */
  ofThisNode(): readonly AccountSpend[];
  reportedByNode(node: NodeName, spends: readonly AccountSpend[]): void;
}

export interface NodeSpendOptions {
  totals: SpendTotals;
  messages: Pick<NodeMessages, "announce" | "onAnnouncement">;
  /** What accounts have spent at another node has changed. */
  onChanged: () => void;
  clock: Pick<Clock, "nowMs" | "after">;
}

/**
 * Announces to the other nodes what accounts spend here, so that spend limits hold over all nodes: what has changed each second, and all
 * of it now and then, because an announcement may be lost.
 */
export class NodeSpend {
  readonly #options: NodeSpendOptions;
  /** As it was announced last. */
  #announced: ReadonlyMap<AccountId, AccountSpend> = new Map();
  #repeatedMs: MonotonicMs | undefined;

  constructor(options: NodeSpendOptions) {
    this.#options = options;
  }

  start(): void {
    const { messages, totals, onChanged } = this.#options;
    messages.onAnnouncement("spend", ({ spends }, node) => {
      totals.reportedByNode(node, spends);
      onChanged();
    });
    this.#announceLater();
  }

  #announceLater(): void {
    this.#options.clock.after(NODE_SPEND_ANNOUNCED_MS, () => {
      this.#announce();
      this.#announceLater();
    });
  }

  #announce(): void {
    const { totals, messages, clock } = this.#options;
    const nowMs = clock.nowMs();
    const before = this.#announced;
    const spends = new Map(totals.ofThisNode().map((one) => [one.accountId, one]));
    const isRepeated = this.#repeatedMs === undefined || elapsedMs(this.#repeatedMs, nowMs) >= NODE_SPEND_REPEATED_MS;
    if (isRepeated) this.#repeatedMs = nowMs;
    const changed = [...spends.values()].filter((one) => isRepeated || !isSame(one, before.get(one.accountId)));
    for (const accountId of before.keys()) if (!spends.has(accountId)) changed.push({ accountId, spend: NOTHING });
    this.#announced = spends;
    for (let from = 0; from < changed.length; from += SPENDS_PER_ANNOUNCEMENT)
      messages.announce("spend", { spends: changed.slice(from, from + SPENDS_PER_ANNOUNCEMENT) });
  }
}

const NOTHING = { llm_requests: 0, input_tokens: 0, output_tokens: 0, tts_characters: 0 };

const isSame = ({ spend }: AccountSpend, before: AccountSpend | undefined): boolean =>
  before !== undefined && SPEND_UNITS.every((unit) => spend[unit] === before.spend[unit]);
