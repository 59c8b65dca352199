import { describe, expect, test } from "vitest";
import type { AccountSpend, Spend } from "../../../src/core/billing/spend.ts";
import { asAccountId, asNodeName, asWorkerId } from "../../../src/core/ids.ts";
import { AccountSpends } from "../../../src/gateway/spend/account.ts";
import { AccountSpendTotals } from "../../../src/store/admission/account-spend.ts";
import { ManualClock } from "../../support/manual-clock.ts";

const LIMITS: Spend = { llm_requests: 10, input_tokens: 1_000, output_tokens: 1_000, tts_characters: 1_000 };
const REQUEST = { llm_requests: 1, input_tokens: 10 };

/** A control process and its workers, without the sockets between them. */
function service(workerCount: number) {
  const clock = new ManualClock();
  const totals = new AccountSpendTotals({ limits: LIMITS, clock });
  const workers = Array.from({ length: workerCount }, () => new AccountSpends({ limits: LIMITS, clock }));
  return {
    clock,
    totals,
    workers,
    /** What every worker does each LOAD_REPORT_MS, and the effects. */
    report(all = false): AccountSpend[] {
      const reported = workers.flatMap((worker, index) => {
        const spends = worker.takeChanged(all);
        totals.reported(asWorkerId(`worker-${index}`), spends, all);
        return spends;
      });
      for (const worker of workers) worker.setExceeded(totals.allOverLimit());
      return reported;
    },
    /** Makes as many requests as a worker allows. */
    spend(worker: AccountSpends, count: number): number {
      let made = 0;
      for (; made < count && worker.refusal(asAccountId("a"), REQUEST) === undefined; made += 1)
        worker.add(asAccountId("a"), REQUEST);
      return made;
    },
  };
}

describe("ADV-H3: what the accounts of several workers have spent", () => {
  test("is summed, and no worker allows more once the sum has reached the limit", () => {
    const { workers, report, spend, totals } = service(2);
    const [one, two] = workers as [AccountSpends, AccountSpends];
    expect([spend(one, 6), spend(two, 4)]).toEqual([6, 4]);
    report();
    expect([totals.overLimit(asAccountId("a")), totals.overLimit(asAccountId("b"))]).toEqual([
      "llm_requests",
      undefined,
    ]);
    expect([spend(one, 1), spend(two, 1)]).toEqual([0, 0]);
  });

  test("exceeds the limit by no more than each worker allows between two reports", () => {
    const { workers, report, spend } = service(4);
    const made = workers.map((worker) => spend(worker, 100));
    expect(made).toEqual([10, 10, 10, 10]);
    report();
    expect(workers.map((worker) => spend(worker, 100))).toEqual([0, 0, 0, 0]);
  });

  test("is dropped after a minute, and not before, with all state of the account", () => {
    const { clock, workers, report, spend, totals } = service(1);
    const [worker] = workers as [AccountSpends];
    spend(worker, 10);
    report();
    clock.advance(59_999);
    report();
    expect(totals.overLimit(asAccountId("a"))).toBe("llm_requests");
    clock.advance(1_001);
    expect(report()).toEqual([
      { accountId: "a", spend: { llm_requests: 0, input_tokens: 0, output_tokens: 0, tts_characters: 0 } },
    ]);
    expect([totals.overLimit(asAccountId("a")), totals.allOverLimit(), worker.takeChanged(true)]).toEqual([
      undefined,
      [],
      [],
    ]);
  });

  test("is reported only where it has changed, and completely to a new control process", () => {
    const { workers, report, spend } = service(1);
    spend(workers[0] as AccountSpends, 2);
    expect(report()).toHaveLength(1);
    expect(report()).toHaveLength(0);
    expect(report(true)).toHaveLength(1);
  });

  test("counts for a minute after its worker is gone", () => {
    const { clock, workers, report, spend, totals } = service(1);
    spend(workers[0] as AccountSpends, 10);
    report();
    totals.workerDisconnected(asWorkerId("worker-0"));
    expect(totals.overLimit(asAccountId("a"))).toBe("llm_requests");
    clock.advance(60_001);
    expect(totals.overLimit(asAccountId("a"))).toBeUndefined();
  });

  test("refuses only the exceeded unit: the last reply is still spoken", () => {
    const { workers, report, spend } = service(1);
    const [worker] = workers as [AccountSpends];
    spend(worker, 10);
    report();
    expect(worker.refusal(asAccountId("a"), { tts_characters: 100 })).toBeUndefined();
    expect(worker.refusal(asAccountId("a"), REQUEST)).toBe("llm_requests");
  });

  describe("at several nodes", () => {
    const spent = (llm_requests: number): Spend => ({
      ...LIMITS,
      input_tokens: 0,
      output_tokens: 0,
      tts_characters: 0,
      llm_requests,
    });
    const [A, B] = [asAccountId("a"), asAccountId("b")];

    test("is added up, also of accounts that have spent nothing here", () => {
      const { workers, report, spend, totals } = service(2);
      spend(workers[0] as AccountSpends, 2);
      spend(workers[1] as AccountSpends, 1);
      report();
      expect(totals.ofThisNode()).toMatchObject([{ accountId: A, spend: { llm_requests: 3 } }]);
      totals.reportedByNode(asNodeName("two"), [
        { accountId: A, spend: spent(6) },
        { accountId: B, spend: spent(10) },
      ]);
      expect(totals.allOverLimit()).toEqual([{ accountId: B, limit: "llm_requests" }]);
      totals.reportedByNode(asNodeName("three"), [{ accountId: A, spend: spent(1) }]);
      expect(totals.overLimit(A)).toBe("llm_requests");
      // What others say is not said again.
      expect(totals.ofThisNode()).toMatchObject([{ accountId: A, spend: { llm_requests: 3 } }]);
      totals.reportedByNode(asNodeName("two"), [{ accountId: A, spend: spent(0) }]);
      expect(totals.overLimit(A)).toBeUndefined();
    });

    test("counts for a minute after a node was heard of last", () => {
      const { clock, totals } = service(1);
      totals.reportedByNode(asNodeName("two"), [{ accountId: A, spend: spent(10) }]);
      clock.advance(60_000);
      expect(totals.overLimit(A)).toBe("llm_requests");
      clock.advance(1);
      expect([totals.overLimit(A), totals.allOverLimit()]).toEqual([undefined, []]);
    });
  });
});
