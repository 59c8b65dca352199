import Libsql from "libsql";
import { onTestFinished, vi } from "vitest";

/**
 * What the connections of this process do from now on, until the test ends: the rows that each transaction has changed, in the order
 * of the commits, how many were begun, and the statements that were prepared. Counted by SQLite itself, whatever wrote them.
 */
export function watchTransactions() {
  const rows: number[] = [];
  const statements: string[] = [];
  const watched = { rows, statements, begun: 0 };
  const { exec, prepare } = Libsql.prototype;
  const changesOf = (database: Libsql.Database): number => {
    const { changes } = prepare.call(database, "SELECT total_changes() AS changes").get([]) as { changes: number };
    return changes;
  };
  const before = new WeakMap<Libsql.Database, number>();
  const spies = [
    vi.spyOn(Libsql.prototype, "exec").mockImplementation(function (this: Libsql.Database, sql) {
      const result = exec.call(this, sql);
      if (sql === "BEGIN IMMEDIATE") {
        before.set(this, changesOf(this));
        watched.begun += 1;
      }
      if (sql === "COMMIT") rows.push(changesOf(this) - (before.get(this) ?? Number.NaN));
      return result;
    }),
    vi.spyOn(Libsql.prototype, "prepare").mockImplementation(function (this: Libsql.Database, sql) {
      statements.push(sql);
      return prepare.call(this, sql);
    }),
  ];
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
  });
  return watched;
}
