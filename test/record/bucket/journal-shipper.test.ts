import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { asCallId, type CallId } from "../../../src/core/ids.ts";
import {
  BUCKET_BEGINNING_MS,
  BUCKET_LATE_MS,
  SEGMENT_BYTES_MAX,
  SHIPMENTS_CONCURRENT_MAX,
} from "../../../src/core/limits/storage/bucket.ts";
import type { Logger } from "../../../src/core/log/logger.ts";
import { type CallOwnership, JournalShipper } from "../../../src/record/bucket/journal-shipper.ts";
import type { BucketDeletion } from "../../../src/record/bucket/late-deletions.ts";
import { SharedJournals } from "../../../src/record/bucket/shared-journals.ts";
import { noKey } from "../../../src/record/finalization/journal-processor.ts";
import { JournalEncoder } from "../../../src/record/journal/format.ts";
import { journalPath } from "../../../src/record/journal/reader.ts";
import { journalHeader } from "../../../src/record/journal/redact.ts";
import { FaultyBucket } from "../../support/bucket/faulty-bucket.ts";
import { START } from "../../support/journals/example-call.ts";
import { ManualClock, settled } from "../../support/manual-clock.ts";
import { memoryLog } from "../../support/memory-log.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const CALL = asCallId("call_1");
const OTHER = asCallId("call_2");
const INTERVAL_MS = 5_000;
const MANIFEST = "journals/call_1/journal.json";

describe("the shipper of journals", () => {
  let bucket: FaultyBucket;
  let journals: SharedJournals;
  let clock: ManualClock;
  let log: Logger;
  let lines: string[];
  let dataDir: string;
  let live: Set<CallId>;
  let failures: number;
  let planned: BucketDeletion[];
  let ownership: CallOwnership;
  let shipper: JournalShipper;

  const shipperOn = (folder: string): JournalShipper =>
    new JournalShipper({
      dataDir: folder,
      journals,
      liveCalls: () => live,
      ownershipOf: () => ownership,
      findKey: noKey,
      lateDeletions: { plan: async (deletion) => void planned.push(deletion) },
      intervalMs: INTERVAL_MS,
      clock,
      log,
      onShipped: () => {},
      onFailed: () => {
        failures += 1;
      },
    });
  const start = (): void => {
    shipper = shipperOn(dataDir);
  };

  beforeEach(() => {
    bucket = new FaultyBucket();
    journals = new SharedJournals(bucket);
    clock = new ManualClock();
    ({ log, lines } = memoryLog());
    dataDir = temporaryDirectory();
    mkdirSync(dirname(journalPath(dataDir, CALL)), { recursive: true });
    live = new Set([CALL, OTHER]);
    failures = 0;
    planned = [];
    ownership = "certain";
    start();
  });
  afterEach(() => shipper.close());

  const write = (text: string | Uint8Array, callId = CALL): void => appendFileSync(journalPath(dataDir, callId), text);
  const shipped = async (callId = CALL): Promise<string> => {
    const path = `${dataDir}/read`;
    rmSync(path, { force: true });
    const isThere = await journals.fetch(callId, path, await journals.manifest(callId));
    return isThere ? readFileSync(path, "utf8") : "";
  };
  /** A journal that begins with a header, as redaction leaves it. */
  const redactedJournal = (): Uint8Array => {
    const encoder = new JournalEncoder();
    const { spec: _, ...header } = journalHeader("trunkline test", START);
    encoder.header({ ...header, redaction: { found: {} } });
    return Uint8Array.from(encoder.written());
  };

  test("ships what live calls have written, in segments that follow one another", async () => {
    write("one");
    await shipper.shipNow();
    write("two");
    write("of another", OTHER);
    await shipper.shipNow();
    await shipper.shipNow();
    expect(bucket.puts.toSorted()).toEqual([
      "journals/call_1/live/000000000000000",
      "journals/call_1/live/000000000000003",
      "journals/call_2/live/000000000000000",
    ]);
    expect(await shipped()).toBe("onetwo");
  });

  /** Time passes for the shipper, which reads what it ships from a disk: an interval is over once both of its timers are set again. */
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await expect.poll(() => clock.pending).toBe(2);
  };

  test("ships with every interval, and not between them", async () => {
    write("one");
    await shipper.shipNow();
    shipper.start();
    write("two");
    await pass(INTERVAL_MS - 1);
    expect(await shipped()).toBe("one");
    await pass(1);
    expect(await shipped()).toBe("onetwo");
    write("three");
    await pass(INTERVAL_MS - 1);
    await pass(1);
    expect(await shipped()).toBe("onetwothree");
  });

  test("the beginning of a new journal is shipped within a second, and the rest with the interval", async () => {
    const second = (): Promise<void> => pass(BUCKET_BEGINNING_MS);
    shipper.start();
    write("one");
    await second();
    await expect.poll(() => shipped()).toBe("one");
    write(" two");
    for (let seconds = 1; seconds < INTERVAL_MS / BUCKET_BEGINNING_MS - 1; seconds += 1) await second();
    expect(await shipped()).toBe("one");
    await second();
    expect(await shipped()).toBe("one two");
  });

  describe("while the bucket is slow", () => {
    let held: (() => void)[];
    const BEGINNING = `journals/${CALL}/live/000000000000000`;

    /** Twice as many journals as are shipped at once have something new; each put is held. */
    beforeEach(async () => {
      held = [];
      const many = Array.from({ length: 2 * SHIPMENTS_CONCURRENT_MAX }, (_, n) => asCallId(`call_many${n}`));
      for (const callId of many) {
        live.add(callId);
        write("begun", callId);
      }
      await shipper.shipNow();
      for (const callId of many) write(" and gone on", callId);
      bucket.puts.length = 0;
      const put = bucket.put.bind(bucket);
      bucket.put = async (key, bytes) => {
        await new Promise<void>((resolve) => held.push(resolve));
        await put(key, bytes);
      };
    });
    afterEach(async () => {
      let released = 0;
      await expect
        .poll(() => {
          for (; released < held.length; released += 1) held[released]?.();
          return bucket.puts.length;
        })
        .toBe(2 * SHIPMENTS_CONCURRENT_MAX + 1);
    });

    test("the beginning of a journal that is new during an interval goes before what other journals wait for", async () => {
      shipper.start();
      clock.advance(INTERVAL_MS);
      await expect.poll(() => held.length).toBe(SHIPMENTS_CONCURRENT_MAX);
      write("new");
      clock.advance(BUCKET_BEGINNING_MS);
      await settled();
      held[0]?.();
      await expect.poll(() => held.length).toBe(SHIPMENTS_CONCURRENT_MAX + 1);
      held.at(-1)?.();
      await expect.poll(() => bucket.puts).toContain(BEGINNING);
    });

    test("so does that of a journal which the interval finds", async () => {
      write("new");
      shipper.start();
      clock.advance(INTERVAL_MS);
      await expect.poll(() => held.length).toBe(SHIPMENTS_CONCURRENT_MAX);
      for (const release of held.splice(0)) release();
      await expect.poll(() => bucket.puts).toContain(BEGINNING);
      expect(bucket.puts.length).toBeLessThanOrEqual(SHIPMENTS_CONCURRENT_MAX);
    });
  });

  test("nothing is listed for the beginning of a new journal", async () => {
    const lists: string[] = [];
    const list = bucket.list.bind(bucket);
    bucket.list = (prefix) => {
      lists.push(prefix);
      return list(prefix);
    };
    write("one");
    await shipper.shipNow();
    expect(bucket.puts).toHaveLength(1);
    expect(lists).toEqual([]);
  });

  test("a long stretch becomes segments of a bounded length", async () => {
    write(new Uint8Array(SEGMENT_BYTES_MAX + 10));
    await shipper.shipNow();
    expect(bucket.puts.map((key) => Number(key.split("/").at(-1)))).toEqual([0, SEGMENT_BYTES_MAX]);
  });

  test("a journal that is not a live call's is not shipped", async () => {
    live.delete(CALL);
    write("recovered from elsewhere");
    await shipper.shipNow();
    expect(bucket.puts).toEqual([]);
    expect(shipper.reading).toEqual({ bytesWaiting: 0, oldestMs: 0 });
  });

  test("the end of a call ships the rest, and says that the journal is complete", async () => {
    write("one");
    await shipper.shipNow();
    write("two");
    expect(await shipper.finish(CALL, false)).toBe(true);
    expect(await journals.manifest(CALL)).toEqual({ edition: "live", bytes: 6 });
    expect(shipper.isComplete(CALL)).toBe(true);
    expect(await shipped()).toBe("onetwo");
    const puts = bucket.puts.length;
    expect(await shipper.finish(CALL, false)).toBe(true);
    await shipper.shipNow();
    expect(bucket.puts).toHaveLength(puts);
  });

  test("a call without a journal ends without one", async () => {
    expect(await shipper.finish(CALL, false)).toBe(false);
    await shipper.shipNow();
    expect({ keys: await bucket.keys(), failures }).toEqual({ keys: [], failures: 0 });
  });

  test("another process goes on where the last one was, whatever lists show", async () => {
    write("one");
    await shipper.shipNow();
    bucket.listsLag = true;
    write("two");
    await shipper.shipNow();
    await shipper.close();
    start();
    write("three");
    await shipper.shipNow();
    expect(bucket.puts.at(-1)).toBe("journals/call_1/live/000000000000006");
    expect(await shipped()).toBe("onetwothree");
  });

  test("a bucket that was away for a minute gets everything afterwards, also of calls that ended meanwhile", async () => {
    write("one");
    await shipper.shipNow();
    bucket.isAway = true;
    for (let at = 0; at < 12; at += 1) {
      write("+");
      write("-", OTHER);
      await shipper.shipNow();
      clock.advance(INTERVAL_MS);
    }
    expect(await shipper.finish(CALL, false)).toBe(false);
    expect(shipper.reading).toEqual({ bytesWaiting: 12 + 12, oldestMs: 12 * INTERVAL_MS });
    // One line, and one request with each interval.
    expect(lines.filter((line) => line.includes("cannot be shipped"))).toHaveLength(1);
    expect(failures).toBeLessThanOrEqual(14);
    bucket.isAway = false;
    await shipper.shipNow();
    expect(await shipped()).toBe(`one${"+".repeat(12)}`);
    expect(await shipped(OTHER)).toBe("-".repeat(12));
    expect(await journals.manifest(CALL)).toEqual({ edition: "live", bytes: 15 });
    expect(shipper.reading).toEqual({ bytesWaiting: 0, oldestMs: 0 });
    expect(lines.at(-1)).toContain("journals are shipped to the bucket again");
  });

  test("a call that no worker of this node carries is not shipped, and does not keep others from it", async () => {
    live.delete(OTHER);
    write("one");
    write("new", OTHER);
    await shipper.shipNow();
    expect(await shipped()).toBe("one");
    expect(await shipped(OTHER)).toBe("");
    live.add(OTHER);
    await shipper.shipNow();
    expect(await shipped(OTHER)).toBe("new");
    expect(lines).toEqual([]);
  });

  test("a redacted journal replaces all segments, also one that was on its way", async () => {
    write("my name is Kim");
    await shipper.shipNow();
    write(" Miller");
    let release = (): void => {};
    bucket.hold = new Promise((resolve) => {
      release = resolve;
    });
    const late = shipper.shipNow();
    await expect.poll(() => shipper.reading.bytesWaiting).toBe(7);
    // As redaction replaces it.
    writeFileSync(`${dataDir}/redacted`, redactedJournal());
    renameSync(`${dataDir}/redacted`, journalPath(dataDir, CALL));
    const finished = shipper.finish(CALL, true);
    release();
    await late;
    expect(await finished).toBe(true);
    const manifest = await journals.manifest(CALL);
    expect(manifest).toMatchObject({ edition: expect.stringMatching(/^redacted-/), bytes: redactedJournal().length });
    expect(await bucket.keys()).toEqual([MANIFEST, `journals/call_1/${manifest?.edition}/000000000000000`]);
  });

  test("the deletion of an original is planned once more, for what arrives late", async () => {
    writeFileSync(journalPath(dataDir, CALL), redactedJournal());
    await shipper.finish(CALL, true);
    expect(planned).toEqual([{ callId: CALL, kept: (await journals.manifest(CALL))?.edition }]);
  });

  test("a node that dies as it completes a redacted journal has planned the deletion of the original before", async () => {
    write("my name is Kim");
    await shipper.shipNow();
    writeFileSync(`${dataDir}/redacted`, redactedJournal());
    renameSync(`${dataDir}/redacted`, journalPath(dataDir, CALL));
    const complete = journals.complete.bind(journals);
    journals.complete = async (callId, manifest) => {
      await complete(callId, manifest);
      // From here on nothing of this node reaches the bucket or the store.
      bucket.isAway = true;
      throw new Error("the node has died");
    };
    expect(await shipper.finish(CALL, true)).toBe(false);
    bucket.isAway = false;
    expect(await bucket.keys("journals/call_1/live/")).toHaveLength(1);
    for (const deletion of planned) if ("kept" in deletion) await journals.removeOthers(CALL, deletion.kept);
    expect(await bucket.keys("journals/call_1/live/")).toEqual([]);
    expect((await shipped()).length).toBeGreaterThan(0);
  });

  test("a redacted journal that is complete in the bucket is that of each further end, and every late deletion leaves it", async () => {
    writeFileSync(journalPath(dataDir, CALL), redactedJournal());
    await shipper.finish(CALL, true);
    const [manifest, keys] = [await journals.manifest(CALL), await bucket.keys()];
    await shipper.close();
    start();
    expect(await shipper.finish(CALL, true)).toBe(true);
    expect(await journals.manifest(CALL)).toEqual(manifest);
    for (const deletion of planned) if ("kept" in deletion) await journals.removeOthers(CALL, deletion.kept);
    expect(await bucket.keys()).toEqual(keys);
  });

  test("a redacted journal of which a part is missing in the bucket is shipped again", async () => {
    writeFileSync(journalPath(dataDir, CALL), redactedJournal());
    await journals.complete(CALL, { edition: "redacted-1", bytes: redactedJournal().length });
    expect(await shipper.finish(CALL, true)).toBe(true);
    expect((await shipped()).length).toBeGreaterThan(0);
  });

  test("a redacted journal that another node deletes while it is shipped is shipped again", async () => {
    writeFileSync(journalPath(dataDir, CALL), redactedJournal());
    const complete = journals.complete.bind(journals);
    journals.complete = async (callId, manifest) => {
      journals.complete = complete;
      // The other node has completed its own in between, and not seen this manifest.
      await bucket.delete(await bucket.keys("journals/call_1/redacted-"));
      await complete(callId, manifest);
    };
    expect(await shipper.finish(CALL, true)).toBe(false);
    await shipper.shipNow();
    expect(shipper.isComplete(CALL)).toBe(true);
    expect((await shipped()).length).toBeGreaterThan(0);
  });

  test("an original that comes back after another node has redacted it is never shipped", async () => {
    const encoder = new JournalEncoder();
    encoder.header(journalHeader("trunkline test", START));
    write(encoder.written());
    // The slot of the call is still that of a worker.
    expect(live).toContain(CALL);
    expect(await shipper.finish(CALL, true)).toBe(false);
    await shipper.shipNow();
    expect(await bucket.keys()).toEqual([]);
  });

  /** Another node has taken the call, and has made its record. */
  const redactElsewhere = async (): Promise<void> => {
    const folder = temporaryDirectory();
    mkdirSync(dirname(journalPath(folder, CALL)), { recursive: true });
    writeFileSync(journalPath(folder, CALL), redactedJournal());
    const other = shipperOn(folder);
    expect(await other.finish(CALL, true)).toBe(true);
    await other.close();
  };
  const originals = (): Promise<readonly string[]> => bucket.keys("journals/call_1/live/");

  test("a node that is cut off from the store goes on shipping the calls that no other node has taken", async () => {
    write("one");
    await shipper.shipNow();
    ownership = "possible";
    write("two");
    await shipper.shipNow();
    expect(await shipped()).toBe("onetwo");
  });

  test("of a call that another node has taken and redacted, a node that is cut off ships nothing any more", async () => {
    write("my name");
    await shipper.shipNow();
    ownership = "possible";
    await redactElsewhere();
    write(" is Kim Miller");
    await shipper.shipNow();
    expect(await originals()).toEqual([]);
    write(", born in May");
    await shipper.shipNow();
    expect(await originals()).toEqual([]);
    expect(lines.at(-1)).toContain("another node has deleted what was shipped of a journal");
  });

  test("a node that is cut off deletes what the lists did not show to the node that redacted", async () => {
    write("my name");
    await shipper.shipNow();
    ownership = "possible";
    write(" is Kim");
    bucket.listsLag = true;
    // The other node has seen the end of the journal before this was there.
    const bytesOf = bucket.bytesOf.bind(bucket);
    bucket.bytesOf = async (key) => (key.endsWith("live/000000000000007") ? undefined : await bytesOf(key));
    await shipper.shipNow();
    await redactElsewhere();
    expect(await originals()).toEqual(["journals/call_1/live/000000000000007"]);
    write(" Miller");
    await shipper.shipNow();
    expect(await originals()).toEqual([]);
  });

  test("a segment of a process that stood still before it was put does not stay where the journal was redacted meanwhile", async () => {
    write("my name");
    await shipper.shipNow();
    write(" is Kim");
    let release = (): void => {};
    bucket.hold = new Promise((resolve) => {
      release = resolve;
    });
    const late = shipper.shipNow();
    await expect.poll(() => shipper.reading.bytesWaiting).toBe(7);
    bucket.hold = undefined;
    await redactElsewhere();
    clock.advance(BUCKET_LATE_MS);
    ownership = "possible";
    release();
    await late;
    expect(await originals()).toEqual([]);
  });

  test("the first segment waits until it is certain that the call is this node's", async () => {
    ownership = "possible";
    write("one");
    await shipper.shipNow();
    expect(bucket.puts).toEqual([]);
    expect(shipper.reading.bytesWaiting).toBe(3);
    ownership = "certain";
    await shipper.shipNow();
    expect(await shipped()).toBe("one");
  });

  test("a call from before the start is not shipped until the store has said that it is this node's", async () => {
    ownership = "unknown";
    write("one");
    await shipper.shipNow();
    expect(bucket.puts).toEqual([]);
    ownership = "certain";
    await shipper.shipNow();
    expect(await shipped()).toBe("one");
  });

  test("a journal that was replaced before a restart is not appended to what was shipped of it", async () => {
    write("my name is Kim");
    await shipper.shipNow();
    await shipper.close();
    writeFileSync(`${dataDir}/redacted`, redactedJournal());
    renameSync(`${dataDir}/redacted`, journalPath(dataDir, CALL));
    start();
    await shipper.shipNow();
    expect(bucket.puts).toHaveLength(1);
    expect(await shipper.finish(CALL, true)).toBe(true);
    expect(await bucket.keys("journals/call_1/live/")).toEqual([]);
  });
});
