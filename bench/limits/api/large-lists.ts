import { METADATA_BYTES_MAX } from "../../../src/core/limits/calls/calls.ts";
import { LIST_BYTES_MAX } from "../../../src/core/limits/control-api/api.ts";
import { type BenchService, sendRequest } from "../../rig/service.ts";

// Lists at their bound: pages that end early, because their calls have all the metadata that calls may have.

const CALLS = 70;
export const LARGE_LIST = "/api/v1/calls?limit=100";
const LARGE_CALL = JSON.stringify({
  ...{ systemPrompt: "x", voice: "reference/gmw/en-US", language: "en-US" },
  ...{ connectionType: "websocket", firstSpeaker: "user" },
  metadata: { notes: "x".repeat(METADATA_BYTES_MAX - '{"notes":""}'.length) },
});

/** Gives the account more calls than fit on a page. Rejects where a page is then not as large as it may be. */
export async function makeLargeCalls({ apiUrl }: BenchService, key: string): Promise<void> {
  for (let made = 0; made < CALLS; made += 1)
    await sendRequest({ apiUrl, key }, "POST", "/api/v1/calls", 201, LARGE_CALL);
  const { length } = await sendRequest({ apiUrl, key }, "GET", LARGE_LIST, 200);
  if (length < 0.9 * LIST_BYTES_MAX || length > 1.1 * LIST_BYTES_MAX) {
    throw new Error(`a page of the largest calls has ${length} bytes`);
  }
}
