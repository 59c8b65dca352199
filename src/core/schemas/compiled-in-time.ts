import type { Clock } from "../clock.ts";
import { elapsedMs, type MonotonicMs } from "../clocks.ts";
import type { AccountId } from "../ids.ts";
import type { SchemaChecks, SchemaResult } from "./checker.ts";

export interface InTime {
  readonly schemas: Pick<SchemaChecks, "compile">;
  readonly clock: Clock;
  readonly accountId: AccountId;
  /** That of all schemas of a request, or of a server's list, together. */
  readonly schemasDeadlineMs: MonotonicMs;
}

/** Compiles a schema, as JSON. Undefined after the deadline: each schema may wait for seconds after those of others. */
export async function compiledInTime(
  json: string,
  { schemas, clock, accountId, schemasDeadlineMs }: InTime,
): Promise<SchemaResult | undefined> {
  let cancel = (): void => {};
  const late = new Promise<undefined>((resolve) => {
    cancel = clock.after(elapsedMs(clock.nowMs(), schemasDeadlineMs), () => resolve(undefined));
  });
  try {
    return await Promise.race([schemas.compile(accountId, json), late]);
  } finally {
    cancel();
  }
}
