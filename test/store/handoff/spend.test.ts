import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Spend } from "../../../src/core/billing/spend.ts";
import { asAccountId, asWorkerId } from "../../../src/core/ids.ts";
import { LOAD_REPORT_MS } from "../../../src/core/limits/service/admission.ts";
import { AccountSpends } from "../../../src/gateway/spend/account.ts";
import { AccountSpendTotals } from "../../../src/store/admission/account-spend.ts";
import { HandoffServer } from "../../../src/store/handoff/control-server.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { handoffClient } from "../../support/services/handoff-client.ts";
import { handoffServer } from "../../support/services/handoff-server.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const LIMITS: Spend = { llm_requests: 4, input_tokens: 1_000, output_tokens: 1_000, tts_characters: 1_000 };
const REQUEST = { llm_requests: 1, input_tokens: 10 };

test("ADV-H3: two workers report an account's spend with their load, and both are informed when it reaches its limit and when it is below again", async () => {
  const path = join(temporaryDirectory(), "control.sock");
  const clock = new ManualClock();
  const totals = new AccountSpendTotals({ limits: LIMITS, clock });
  const server = new HandoffServer(
    handoffServer(path, {
      onSpendReported(workerId, spends, all) {
        totals.reported(workerId, spends, all);
        server.sendAccountsOverLimit(totals.allOverLimit());
      },
    }),
  );
  await server.listen();
  onTestFinished(() => server.close());
  const workers = ["a", "b"].map((workerId) => {
    const accounts = new AccountSpends({ limits: LIMITS, clock });
    const handoff = handoffClient(path, {
      workerId: asWorkerId(workerId),
      takeSpendReports: (all) => accounts.takeChanged(all),
      onAccountsOverLimit: (over) => accounts.setExceeded(over),
      clock,
    });
    onTestFinished(() => handoff.close());
    return { accounts, handoff };
  });
  await Promise.all(workers.map(({ handoff }) => handoff.firstAttempt));
  const refusals = () => workers.map(({ accounts }) => accounts.refusal(asAccountId("account_1"), REQUEST));
  for (const { accounts } of workers)
    for (let count = 0; count < 2; count += 1) accounts.add(asAccountId("account_1"), REQUEST);
  expect(refusals()).toEqual([undefined, undefined]);
  clock.advance(LOAD_REPORT_MS);
  await expect.poll(refusals, { timeout: 10_000 }).toEqual(["llm_requests", "llm_requests"]);
  expect(totals.overLimit(asAccountId("account_1"))).toBe("llm_requests");
  clock.advance(61_000);
  await expect.poll(refusals, { timeout: 10_000 }).toEqual([undefined, undefined]);
});
