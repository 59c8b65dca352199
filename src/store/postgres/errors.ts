import pg from "pg";
import { TrunklineError, unavailable } from "../../core/errors.ts";

/**
 * Classes of SQLSTATE that a retry or an operator resolves: 08 connection, 25006 read-only (a standby), 40 transaction
 * rollback, 53 lack of resources, 55P03 lock not available, 57 operator intervention, 58 system error. All others are
 * bugs. See the Postgres manual, appendix A.
 */
const TRANSIENT_STATES = /^(08|25006|40|53|55P03|57|58)/;

/** Serialization failure and deadlock: the transaction had no effect and may be run again. */
const CONFLICT_STATES: readonly unknown[] = ["40001", "40P01"];

const UNIQUE_VIOLATION = "23505";

/** Maps what may be over later to `unavailable`: errors of the connection, and temporary ones of the server. */
export function translated(error: unknown): unknown {
  if (error instanceof TrunklineError) return error;
  if (!(error instanceof pg.DatabaseError)) {
    const reason = error instanceof Error ? error.message : String(error);
    return unavailable(`the database cannot be reached: ${reason}`, error);
  }
  const state = error.code ?? "";
  return TRANSIENT_STATES.test(state) ? unavailable(`the database is unavailable: SQLSTATE ${state}`, error) : error;
}

/** Whether an error or its cause is that the transaction conflicted with another one. */
export const isConflict = (error: unknown): boolean => hasState(error, CONFLICT_STATES);

/**
 * Whether an error or its cause is that a key is taken. In a serializable transaction, which has looked whether its keys are free, that
 * may be a conflict: another has taken one since then, and Postgres does not always report that as a serialization failure. It may also
 * be a defect of ours: the error does not say which. See the Postgres manual, 13.5.
 */
export const isTakenKey = (error: unknown): boolean => hasState(error, [UNIQUE_VIOLATION]);

const hasState = (error: unknown, states: readonly unknown[]): boolean =>
  error instanceof Error && (("code" in error && states.includes(error.code)) || hasState(error.cause, states));
