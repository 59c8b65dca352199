import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { HandoffServer } from "../../../src/store/handoff/control-server.ts";
import { handoffClient } from "../../support/services/handoff-client.ts";
import { handoffServer, NO_REDEMPTIONS } from "../../support/services/handoff-server.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

test("what a stream shows of its sender reaches the store with its token, as it is", async () => {
  const path = join(temporaryDirectory(), "control.sock");
  const given: unknown[] = [];
  const server = new HandoffServer(
    handoffServer(path, {
      redemptions: {
        ...NO_REDEMPTIONS,
        async redeem(tokenHash, _redeemer, only, proof) {
          given.push([tokenHash, only, proof]);
          return undefined;
        },
      },
    }),
  );
  await server.listen();
  onTestFinished(() => server.close());
  const worker = handoffClient(path);
  onTestFinished(() => void worker.close());
  await worker.firstAttempt;
  const proof = { url: "wss://media.example/stream/token", headers: { "x-twilio-signature": "é\n" } };
  expect(await worker.redeem("hash", ["carrier_a"], proof)).toBeUndefined();
  expect(await worker.redeem("hash")).toBeUndefined();
  expect(given).toEqual([
    ["hash", ["carrier_a"], proof],
    ["hash", undefined, undefined],
  ]);
});
