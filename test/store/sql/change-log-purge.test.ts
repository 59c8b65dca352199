import { describe, expect, test } from "vitest";
import { ChangeLogPurge } from "../../../src/store/sql/change-log-purge.ts";

/** A purge of a database that answers one after another as given, and then that it is done. */
function scene(...answers: (boolean | Error)[]) {
  let purges = 0;
  const purgeChangeLog = async (): Promise<boolean> => {
    purges += 1;
    const answer = answers.shift() ?? true;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { changeLog: new ChangeLogPurge({ purgeChangeLog }), purges: () => purges };
}

describe("the purge of the change log", () => {
  test("is done at the first retry, for what an earlier process left, and not again until something is removed", async () => {
    const { changeLog, purges } = scene();
    await changeLog.retry();
    await changeLog.retry();
    expect(purges()).toBe(1);
    await changeLog.purge();
    await changeLog.retry();
    expect(purges()).toBe(2);
    changeLog.markPending();
    await changeLog.retry();
    expect(purges()).toBe(3);
  });

  test("that a reader prevents is done by a later retry", async () => {
    const { changeLog, purges } = scene(false, false);
    await changeLog.purge();
    await changeLog.retry();
    await changeLog.retry();
    await changeLog.retry();
    expect(purges()).toBe(3);
  });

  test("that fails does not fail the deletion; the retry says what is wrong, and the next one is done", async () => {
    const { changeLog, purges } = scene(new Error("disk I/O error"), new Error("disk I/O error"));
    await changeLog.purge();
    await expect(changeLog.retry()).rejects.toThrow("disk I/O error");
    await changeLog.retry();
    await changeLog.retry();
    expect(purges()).toBe(3);
  });

  test("is done again for what is removed while it is in progress", async () => {
    let release = (_: boolean): void => {};
    let purges = 0;
    const changeLog = new ChangeLogPurge({
      purgeChangeLog: () => {
        purges += 1;
        return new Promise((resolve) => {
          release = resolve;
        });
      },
    });
    const first = changeLog.retry();
    changeLog.markPending();
    release(true);
    await first;
    const second = changeLog.retry();
    release(true);
    await second;
    expect(purges).toBe(2);
  });
});
