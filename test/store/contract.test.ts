import { describe } from "vitest";
import { agentStoreContract } from "../contract/store/agents.ts";
import { apiKeyStoreContract } from "../contract/store/api-keys.ts";
import { callEventContract } from "../contract/store/call-events.ts";
import { callListContract } from "../contract/store/call-list.ts";
import { callStoreContract } from "../contract/store/calls.ts";
import { idempotentRequestContract } from "../contract/store/idempotent-requests.ts";
import { jobStoreContract } from "../contract/store/jobs.ts";
import { redemptionContract } from "../contract/store/redemptions.ts";
import { retentionStoreContract } from "../contract/store/retention.ts";
import { webhookStoreContract } from "../contract/store/webhooks.ts";
import { EVERY_STORE } from "../support/stores/every-store.ts";

const CONTRACTS = [
  callStoreContract,
  callListContract,
  callEventContract,
  idempotentRequestContract,
  redemptionContract,
  apiKeyStoreContract,
  agentStoreContract,
  retentionStoreContract,
  jobStoreContract,
  webhookStoreContract,
];

for (const { name, isHere, make } of EVERY_STORE) {
  describe.skipIf(!isHere)("the contract of the stores", () => {
    for (const contract of CONTRACTS) contract(name, make);
  });
}
