import type { BatchCapabilities } from "../../../src/api/transcriptions/capabilities.ts";

/** A provider that can everything. */
export const ANY_BATCH_PROVIDER: BatchCapabilities = {
  speakers: true,
  detectsLanguage: true,
  servesLanguage: () => true,
  able: { speakers: ["deepgram"], detectsLanguage: ["deepgram"], language: () => ["deepgram"] },
};
