import { describe, expect, test } from "vitest";
import { TrunklineError, unavailable } from "../../src/core/errors.ts";
import { JobFailure } from "../../src/jobs/handler.ts";
import { outcomeOf } from "../../src/jobs/retries.ts";

const PLAN = { retryDelaysMs: [1_000] };
const MIDDLE = 0.5;

const textOf = (error: unknown): string | undefined => {
  const outcome = outcomeOf(error, { attempt: 1 }, PLAN, MIDDLE);
  return outcome.kind === "retry" ? outcome.error : undefined;
};

describe("what a job's row says of a failed attempt", () => {
  test("has the words of the project's own errors", () => {
    expect(textOf(new JobFailure("status 500", "planned"))).toBe("status 500");
    expect(textOf(unavailable("the renderer is stopping"))).toBe("the renderer is stopping");
  });

  test("has no word of other errors, which may quote a secret or a caller, but their kind and code", () => {
    const quoting = (() => {
      try {
        return JSON.parse("my card number is 4111");
      } catch (error) {
        return error;
      }
    })();
    expect(String(quoting)).toContain("my card");
    expect(textOf(quoting)).toBe("SyntaxError");
    expect(textOf(Object.assign(new Error("write /srv/a b"), { code: "ENOSPC" }))).toBe("Error (ENOSPC)");
    expect(textOf(Object.assign(new Error("x"), { code: "my card number" }))).toBe("Error");
    expect(textOf("my card number")).toBe("string");
    const wrapped = new TrunklineError("unavailable", "service", "the database does not answer", { cause: quoting });
    expect(textOf(wrapped)).toBe("the database does not answer");
  });
});

describe("what becomes of a job whose attempt failed", () => {
  test("is another attempt after the planned delay, and death after the last one", () => {
    const failure = new JobFailure("no", "planned");
    expect(outcomeOf(failure, { attempt: 1 }, PLAN, MIDDLE)).toEqual({ kind: "retry", delayMs: 1_000, error: "no" });
    expect(outcomeOf(failure, { attempt: 2 }, PLAN, MIDDLE)).toEqual({ kind: "dead", error: "no" });
  });

  test("is death where its deadline comes before the next attempt", () => {
    const job = { attempt: 1, remainingMs: 999 };
    expect(outcomeOf(new JobFailure("no", "planned"), job, PLAN, MIDDLE)).toEqual({ kind: "dead", error: "no" });
    expect(outcomeOf(new JobFailure("no", { afterMs: 10 }), job, PLAN, MIDDLE)).toMatchObject({ kind: "retry" });
  });
});
