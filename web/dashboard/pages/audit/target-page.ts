import { ROOT } from "../../app/addresses.ts";
import type { AuditEvent } from "./choices.ts";

/** The pages of things, by their kinds as the log has them. */
const PAGE_OF: Readonly<Record<string, string>> = {
  call: "calls",
  agent: "agents",
  tool: "tools",
  corpus: "corpora",
  transcription: "transcriptions",
  webhook: "webhooks",
};

/** What ends a thing: it has no page any more. */
const ENDS = /\.(?:deleted|revoked|removed)$/;

/** The address of what was acted upon; undefined where it has no page, or none any more. */
export function targetPage({ action, target }: Pick<AuditEvent, "action" | "target">): string | undefined {
  const folder = PAGE_OF[target.kind];
  if (folder === undefined || ENDS.test(action)) return undefined;
  return `${ROOT}/${folder}/${encodeURIComponent(target.id)}`;
}
