import type { AccountTables } from "./tables/accounts.ts";
import type { AgentTables } from "./tables/agents.ts";
import type { CallTables } from "./tables/calls.ts";
import type { CorpusTables } from "./tables/corpora.ts";
import type { ServiceTables } from "./tables/service.ts";
import type { TelephonyTables } from "./tables/telephony.ts";
import type { TranscriptionTables } from "./tables/transcriptions.ts";
import type { WebhookTables } from "./tables/webhooks.ts";

/**
 * The tables for Kysely. Times are integers of ms; booleans are 0 or 1; JSON columns hold only what this
 * service wrote.
 */
export interface Tables
  extends AccountTables,
    AgentTables,
    CallTables,
    CorpusTables,
    ServiceTables,
    TelephonyTables,
    TranscriptionTables,
    WebhookTables {}
