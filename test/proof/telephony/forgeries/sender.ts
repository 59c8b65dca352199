import { setTimeout as delay } from "node:timers/promises";
import { serve } from "../../../../bench/rig/child-process.ts";
import type { ForgedWebhook } from "./forgeries.ts";

// Sends forged webhooks at a fixed rate, from a process of its own.

export interface ForgeryResult {
  readonly sent: number;
  /** Those that were answered as the carrier's own are, each in words. */
  readonly accepted: readonly string[];
  /** How many were answered with which status. */
  readonly statuses: Readonly<Record<string, number>>;
}

export type SenderQuestions = {
  send: { ask: { webhooks: readonly ForgedWebhook[]; perSecond: number }; answer: ForgeryResult };
};

serve<SenderQuestions>({
  send: async ({ webhooks, perSecond }) => {
    const accepted: string[] = [];
    const statuses: Record<string, number> = {};
    const sendOne = async (webhook: ForgedWebhook): Promise<void> => {
      const status = await statusOf(webhook);
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (status < 400) accepted.push(`${webhook.name}: ${status}`);
    };
    const sending: Promise<void>[] = [];
    const startMs = performance.now();
    for (const [index, webhook] of webhooks.entries()) {
      await delay(startMs + (index * 1_000) / perSecond - performance.now());
      sending.push(sendOne(webhook));
    }
    await Promise.all(sending);
    return { sent: webhooks.length, accepted, statuses };
  },
});

async function statusOf({ url, method, headers, body }: ForgedWebhook): Promise<number> {
  const response = await fetch(url, { method, headers, body });
  await response.arrayBuffer();
  return response.status;
}
