import { expect, onTestFinished, test } from "vitest";
import { REFUSAL_MS_MIN } from "../../../src/core/limits/service/admission.ts";
import { mintToken as mintTokenWith } from "../../../src/core/stream-token.ts";
import { hashSecret } from "../../../src/store/secrets.ts";
import { ManualClock, settled } from "../../support/manual-clock.ts";
import { mediaService } from "../../support/services/media-service.ts";
import { mintToken, redeemedBy } from "../../support/tokens.ts";

test("ADV-M5: malformed, unsigned, unknown and used tokens are refused after the same time, however early they are recognized", async () => {
  const clock = new ManualClock();
  const media = await mediaService({ clock });
  onTestFinished(() => media.close());
  const { token: used } = await media.create();
  await media.stores.redemptions.redeem(hashSecret(used), redeemedBy("worker-1"));
  const tokens = ["short", "x".repeat(64), mintTokenWith(Buffer.alloc(32, 1)), mintToken(), used];
  const answered: string[] = [];
  const answers = tokens.map(async (token) => {
    const admission = await media.gateway.admit(token, {});
    answered.push(token);
    return admission;
  });
  while (clock.pending < tokens.length) await settled();
  clock.advance(REFUSAL_MS_MIN - 1);
  await settled();
  expect(answered).toEqual([]);
  clock.advance(1);
  expect(await Promise.all(answers)).toEqual(tokens.map(() => ({ kind: "refused", status: 401 })));
});
