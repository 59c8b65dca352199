import { copyFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { callMs } from "../../../src/core/clocks.ts";
import { asCallId } from "../../../src/core/ids.ts";
import { EVENT_CURSORS_MAX, LIST_BYTES_MAX } from "../../../src/core/limits/control-api/api.ts";
import type { ListedEvent } from "../../../src/record/events/event-list.ts";
import { type EventPage, EventPager } from "../../../src/record/events/event-pages.ts";
import { journalPath } from "../../../src/record/journal/reader.ts";
import { redactJournal } from "../../../src/record/redaction/redact-journal.ts";
import { START } from "../../support/journals/example-call.ts";
import { JournalFile } from "../../support/journals/journal-file.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const ID = START.callId;
const FRAME = new Uint8Array(160);
/** A limit above the number of all events: one page holds everything. */
const ALL = 1_000;

interface Journal {
  dataDir: string;
  path: string;
  file: JournalFile;
  events: EventPager;
}

function journal(callId = ID, dataDir = temporaryDirectory()): Journal {
  const path = journalPath(dataDir, callId);
  return { dataDir, path, file: new JournalFile({ ...START, callId }, path), events: new EventPager(dataDir) };
}

/** Marks with the numbers `from` to `to`, each after some frames, as in a call. */
function write(file: JournalFile, from: number, to: number): void {
  for (let number = from; number < to; number += 1) {
    const timeMs = 1_000 + number * 100;
    for (let frame = 0; frame < 5; frame += 1) {
      // The agent speaks in every other tenth of marks, so that derived events are among them.
      if (number % 20 < 10) file.frameOut(timeMs + frame * 20, FRAME);
      file.frameIn(timeMs + frame * 20, timeMs + frame * 20, FRAME);
    }
    file.add({ kind: "event", timeMs: callMs(timeMs + 90), event: { kind: "mark", name: `1.${number}` } });
  }
}

const names = (events: readonly ListedEvent[]): string[] =>
  events.flatMap((event) => (event.kind === "mark" ? [event.name] : []));
const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => `1.${from + index}`);

/** All pages from `from` on, until no more are available now. */
async function pages(events: EventPager, limit: () => number, from = 0): Promise<EventPage[]> {
  const found: EventPage[] = [];
  for (;;) {
    const page = await events.page(ID, from, limit());
    found.push(page);
    from = page.next;
    if (page.more !== "now") return found;
  }
}

const joined = (found: readonly EventPage[]): ListedEvent[] => found.flatMap(({ events }) => events);

describe("the pages of a call's events", () => {
  test("are together the whole list, without a gap or a repetition, however long each is", async () => {
    const { events, file, dataDir } = journal();
    write(file, 0, 60);
    file.end(10_000);
    const whole = await events.page(ID, 0, ALL);
    expect(names(whole.events)).toEqual(numbered(0, 60));
    expect(whole.events.some(({ kind }) => kind === "playout-ended")).toBe(true);
    expect(whole).toMatchObject({ more: "never", next: whole.events.length });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
        fc.boolean(),
        async (limits, warm) => {
          let turn = 0;
          const limit = () => limits[turn++ % limits.length] ?? 1;
          const pager = warm ? events : new EventPager(dataDir);
          const found = await pages(pager, limit);
          expect(joined(found)).toEqual(whole.events);
          turn = 0;
          for (const page of found) expect(page.events.length).toBeLessThanOrEqual(limit());
          // The last page says that it is the last, so that no empty page is requested.
          expect(found.every(({ events: { length } }) => length > 0)).toBe(true);
        },
      ),
      {
        numRuns: 50,
        // The last record yields several events, none of which pages of one may lose.
        examples: [
          [[1], false],
          [[1], true],
        ],
      },
    );
  });

  test("can be requested again, out of order, and from a process that has not returned earlier ones", async () => {
    const { events, file, dataDir } = journal();
    write(file, 0, 50);
    file.end(10_000);
    const whole = joined([await events.page(ID, 0, ALL)]);
    for (const from of [40, 10, 10, 0, 25, whole.length - 1, 3]) {
      expect((await events.page(ID, from, 5)).events).toEqual(whole.slice(from, from + 5));
      expect((await new EventPager(dataDir).page(ID, from, 5)).events).toEqual(whole.slice(from, from + 5));
    }
    const again = await Promise.all([events.page(ID, 8, 5), events.page(ID, 8, 5), events.page(ID, 8, 5)]);
    for (const page of again) expect(page.events).toEqual(whole.slice(8, 13));
    expect(await events.page(ID, whole.length + 10, 5)).toEqual({ events: [], next: whole.length + 10, more: "never" });
  });

  test("continue where the last one stopped, without reading earlier records again", async () => {
    const { events, file, path, dataDir } = journal();
    write(file, 0, 400);
    file.end(60_000);
    const first = await events.page(ID, 0, 100);
    // Reading from the beginning would now fail.
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0, 0, 20_000));
    const second = await events.page(ID, first.next, 100);
    expect(names([...first.events, ...second.events])).toEqual(
      numbered(0, names(first.events).length + names(second.events).length),
    );
    expect(second.events).toHaveLength(100);
    await expect(new EventPager(dataDir).page(ID, first.next, 100)).rejects.toThrow("it is not a journal");
  });

  test("of more calls than readers are cached are still right", async () => {
    const dataDir = temporaryDirectory();
    const calls = Array.from({ length: EVENT_CURSORS_MAX + 3 }, (_, index) => `${ID}${index}`);
    for (const callId of calls) write(journal(asCallId(callId), dataDir).file, 0, 4);
    const events = new EventPager(dataDir);
    for (const callId of calls)
      expect(names((await events.page(asCallId(callId), 0, 2)).events).length).toBeGreaterThan(0);
    for (const callId of calls) {
      const [first, second] = [await events.page(asCallId(callId), 0, 2), await events.page(asCallId(callId), 2, ALL)];
      expect(names([...first.events, ...second.events])).toEqual(numbered(0, 4));
    }
  });

  test("are read again for the calls that were not requested for the longest time", async () => {
    const dataDir = temporaryDirectory();
    const calls = Array.from({ length: EVENT_CURSORS_MAX + 1 }, (_, index) => `${ID}${index}`);
    const events = new EventPager(dataDir);
    for (const callId of calls) {
      const { file, path } = journal(asCallId(callId), dataDir);
      write(file, 0, 4);
      const { next } = await events.page(asCallId(callId), 0, 2);
      expect(next).toBe(2);
      // Reading from the beginning now fails.
      writeFileSync(path, readFileSync(path).fill(0, 0, 16));
    }
    const [forgotten = "", ...remembered] = calls;
    for (const callId of remembered)
      expect((await events.page(asCallId(callId), 2, 2)).events.length).toBeGreaterThan(0);
    await expect(events.page(asCallId(forgotten), 2, 2)).rejects.toThrow("it is not a journal");
  });

  test("are full when they are long, however few events they hold", async () => {
    const { events, file } = journal();
    // A record is longer than what is read at once.
    const text = "x".repeat(300_000);
    for (let timeMs = 1; timeMs <= 10; timeMs += 1)
      file.add({ kind: "event", timeMs: callMs(timeMs), event: { kind: "stt-interim", text } });
    file.end(100);
    const found = await pages(events, () => ALL);
    expect(joined(found)).toHaveLength(11);
    expect(found.length).toBeGreaterThan(1);
    for (const page of found) {
      expect(JSON.stringify(page.events).length).toBeLessThan(LIST_BYTES_MAX + 2 * text.length);
    }
  });
});

describe("a live call", () => {
  test("is listed as far as its journal has come, and the next page brings what happened since", async () => {
    const { events, file } = journal();
    expect(await events.page(ID, 0, 10)).toEqual({ events: [], next: 0, more: "later" });
    let next = 0;
    const seen: ListedEvent[] = [];
    for (let written = 0; written < 60; written += 7) {
      write(file, written, written + 7);
      for (const page of await pages(events, () => 5, next)) {
        seen.push(...page.events);
        next = page.next;
      }
      expect(await events.page(ID, next, 5)).toEqual({ events: [], next, more: "later" });
    }
    expect(names(seen)).toEqual(numbered(0, 63));
    file.end(20_000);
    const last = await events.page(ID, next, 5);
    expect([last.events.at(-1)?.kind, last.more]).toEqual(["end", "never"]);
    seen.push(...last.events);
    // The list is the same whenever it is requested.
    expect((await events.page(ID, 0, ALL)).events).toEqual(seen);
  });

  test("may end in the middle of a record, at any byte, and continues from there", async () => {
    const { events, file, path, dataDir } = journal();
    write(file, 0, 3);
    file.end(5_000);
    const whole = readFileSync(path);
    const list = (await events.page(ID, 0, ALL)).events;
    const torn = join(temporaryDirectory(), "whole.tlj");
    copyFileSync(path, torn);
    let next = 0;
    const seen: ListedEvent[] = [];
    const live = new EventPager(dataDir);
    for (let length = 0; length < whole.length; length += 61) {
      copyFileSync(torn, path);
      truncateSync(path, length);
      const page = await live.page(ID, next, ALL);
      expect(page.more).toBe("later");
      seen.push(...page.events);
      next = page.next;
      // From the beginning as well.
      expect((await events.page(ID, 0, ALL)).events).toEqual(seen);
    }
    copyFileSync(torn, path);
    const last = await live.page(ID, next, ALL);
    expect([...seen, ...last.events]).toEqual(list);
    expect(last.more).toBe("never");
  });
});

describe("a live call that is to be redacted", () => {
  test("is read on from where the last page stopped, and from its new journal once it is redacted", async () => {
    const dataDir = temporaryDirectory();
    const path = journalPath(dataDir, ID);
    const file = new JournalFile({ ...START, spec: { ...START.spec, redact: ["card_number"] } }, path);
    const events = new EventPager(dataDir);
    write(file, 0, 400);
    const first = await events.page(ID, 0, 100);
    const bytes = readFileSync(path);
    // Reading from the beginning would now fail.
    writeFileSync(path, Buffer.from(bytes).fill(0, 0, 20_000));
    const second = await events.page(ID, first.next, 100);
    expect(second.events).toHaveLength(100);
    writeFileSync(path, bytes);
    file.end(60_000);
    await redactJournal({ path, key: undefined });
    const rest = await pages(events, () => 100, second.next);
    const whole = await new EventPager(dataDir).page(ID, 0, ALL);
    expect(joined([first, second, ...rest])).toEqual(whole.events);
    expect(rest.at(-1)?.more).toBe("never");
  });
});

describe("a missing journal", () => {
  test("has no events, and lists them once it exists", async () => {
    const dataDir = temporaryDirectory();
    const events = new EventPager(dataDir);
    expect(await events.page(ID, 0, 10)).toEqual({ events: [], next: 0, more: "later" });
    write(new JournalFile(START, journalPath(dataDir, ID)), 0, 2);
    expect(names((await events.page(ID, 0, 10)).events)).toEqual(numbered(0, 2));
  });

  test("that is not a journal is an error, which does not quote it", async () => {
    const { events, path, file } = journal();
    write(file, 0, 2);
    const bytes = readFileSync(path);
    const unreadable = expect.objectContaining({ code: "journal_unreadable", fault: "service" });
    for (const broken of [Buffer.from("canary canary canary"), Buffer.concat([bytes, Buffer.alloc(100, "canary")])]) {
      writeFileSync(path, broken);
      const error = await events.page(ID, 0, ALL).catch((thrown: unknown) => thrown);
      expect(error).toEqual(unreadable);
      expect(String(error)).not.toContain("canary");
    }
    rmSync(path);
    mkdirSync(path);
    await expect(events.page(ID, 0, ALL)).rejects.toEqual(unreadable);
    rmSync(path, { recursive: true });
    writeFileSync(join(dirname(path), "other"), bytes);
    symlinkSync(join(dirname(path), "other"), path);
    await expect(events.page(ID, 0, ALL)).rejects.toEqual(unreadable);
  });
});
