import { describe } from "vitest";
import type { StoreUnderTest } from "../../support/stores/every-store.ts";
import { accountSecretContract } from "./account-secrets.ts";
import { accountStoreContract } from "./accounts.ts";
import { agentStoreContract } from "./agents.ts";
import { analysisContract } from "./analyses.ts";
import { apiKeyStoreContract } from "./api-keys.ts";
import { auditStoreContract } from "./audit.ts";
import { bucketClaimContract } from "./bucket-claims.ts";
import { callEventContract } from "./call-events.ts";
import { callListContract } from "./call-list.ts";
import { callStoreContract } from "./calls.ts";
import { carrierStoreContract } from "./carriers.ts";
import { corpusContract } from "./corpora.ts";
import { documentContract } from "./documents.ts";
import { eventStreamContract } from "./event-streams.ts";
import { idempotentRequestContract } from "./idempotent-requests.ts";
import { jobStoreContract } from "./jobs.ts";
import { liveTranscriptionContract } from "./live-transcriptions.ts";
import { mediaKeyContract } from "./media-keys.ts";
import { ownerLinkContract } from "./owner-links.ts";
import { phoneCallContract } from "./phone-calls.ts";
import { phoneNumberContract } from "./phone-numbers.ts";
import { publishableKeyContract } from "./publishable-keys.ts";
import { redemptionContract } from "./redemptions.ts";
import { retentionStoreContract } from "./retention.ts";
import { sessionStoreContract } from "./sessions.ts";
import { toolStoreContract } from "./tools.ts";
import { transcriptionContract } from "./transcriptions.ts";
import { usageStoreContract } from "./usage.ts";
import { userStoreContract } from "./users.ts";
import { webhookStoreContract } from "./webhooks.ts";

const CONTRACTS = [
  callStoreContract,
  callListContract,
  callEventContract,
  analysisContract,
  idempotentRequestContract,
  redemptionContract,
  mediaKeyContract,
  accountStoreContract,
  accountSecretContract,
  apiKeyStoreContract,
  publishableKeyContract,
  ownerLinkContract,
  agentStoreContract,
  toolStoreContract,
  auditStoreContract,
  retentionStoreContract,
  jobStoreContract,
  webhookStoreContract,
  userStoreContract,
  sessionStoreContract,
  usageStoreContract,
  eventStreamContract,
  carrierStoreContract,
  phoneNumberContract,
  phoneCallContract,
  transcriptionContract,
  liveTranscriptionContract,
  corpusContract,
  documentContract,
  bucketClaimContract,
];

/** All contract suites of the stores. */
export function everyStoreContract({ name, isHere, make }: StoreUnderTest): void {
  describe.skipIf(!isHere)("the contract of the stores", () => {
    for (const contract of CONTRACTS) contract(name, make);
  });
}
