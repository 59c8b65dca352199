import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { asDocumentId, type DocumentId } from "../../../../src/core/ids.ts";
import { DOCUMENT_FILES_COMPARE_MS, DOCUMENT_FILES_COMPARED } from "../../../../src/core/limits/knowledge/corpora.ts";
import { DocumentEnds } from "../../../../src/process/control/corpora/document-ends.ts";
import type { Document } from "../../../../src/store/corpora/document-store.ts";
import { DocumentFiles } from "../../../../src/store/data-dir/document-files.ts";
import { ManualClock } from "../../../support/manual-clock.ts";
import { memoryLog } from "../../../support/memory-log.ts";
import { eventually } from "../../../support/providers/stt/stt-kit.ts";
import { temporaryDirectory } from "../../../support/temporary-directory.ts";

const id = (number: number): DocumentId =>
  asDocumentId(`doc_0197a000-0000-7000-8000-${String(number).padStart(12, "0")}`);

/** Those of documents with these numbers cannot be removed. */
class SomeStuck extends DocumentFiles {
  readonly stuck = new Set<DocumentId>();
  readonly tried: DocumentId[] = [];

  override async removeHere(documentId: DocumentId, version: number): Promise<void> {
    this.tried.push(documentId);
    if (this.stuck.has(documentId)) throw new Error("the file cannot be removed");
    await super.removeHere(documentId, version);
  }
}

function scene({ failures = 0 } = {}) {
  const files = new SomeStuck(temporaryDirectory());
  const clock = new ManualClock();
  const { log } = memoryLog();
  const known = new Map<DocumentId, Document>();
  const state = { found: 0, failures };
  const ends = new DocumentEnds({
    documents: {
      onEnded: () => {},
      fileDeleted: async () => {},
      find: async (wanted) => {
        if (state.failures-- > 0) throw new Error("the store does not answer");
        state.found += 1;
        return known.get(wanted);
      },
    },
    files,
    encryptsMedia: false,
    metrics: { documentEnded: () => {} },
    clock,
    log,
  });
  const add = async (number: number, fileVersion?: number): Promise<string> => {
    await (await files.create(id(number), 1)).close();
    if (fileVersion !== undefined) known.set(id(number), { id: id(number), fileVersion } as Document);
    return files.path(id(number), 1);
  };
  return { ends, files, clock, state, add };
}

describe("files that an earlier process has left", () => {
  test("those of no document, or of an earlier version, are deleted after the start; others stay", async () => {
    const { ends, clock, state, add } = scene();
    const [kept, replaced, orphan] = [await add(1, 1), await add(2, 2), await add(3)];
    await ends.start();
    expect(state.found).toBe(0);
    const later = await add(4);
    await clock.play(DOCUMENT_FILES_COMPARE_MS);
    await eventually(() => existsSync(orphan)).toBe(false);
    expect([kept, replaced, orphan, later].map((path) => existsSync(path))).toEqual([true, false, false, true]);
  });

  test("are compared some at a time, however many there are", async () => {
    const { ends, clock, state, add } = scene();
    for (let number = 0; number < DOCUMENT_FILES_COMPARED + 10; number++) await add(number, 1);
    await ends.start();
    await clock.play(DOCUMENT_FILES_COMPARE_MS);
    await eventually(() => state.found).toBe(DOCUMENT_FILES_COMPARED);
    await clock.play(DOCUMENT_FILES_COMPARE_MS);
    await eventually(() => state.found).toBe(DOCUMENT_FILES_COMPARED + 10);
    await clock.play(10 * DOCUMENT_FILES_COMPARE_MS);
    expect([state.found, clock.pending]).toEqual([DOCUMENT_FILES_COMPARED + 10, 0]);
  });

  test("that cannot be removed come last, and are given up when no other is left", async () => {
    const { ends, files, clock, add } = scene();
    const count = 2 * DOCUMENT_FILES_COMPARED;
    const paths: string[] = [];
    for (let number = 0; number < count; number++) paths.push(await add(number));
    files.stuck.add(id(0)).add(id(1));
    await ends.start();
    for (let round = 0; round < 3; round++) {
      // The round before has ended.
      await eventually(() => clock.pending).toBe(1);
      await clock.play(DOCUMENT_FILES_COMPARE_MS);
      await eventually(() => files.tried.length).toBe(Math.min((round + 1) * DOCUMENT_FILES_COMPARED, count + 2));
    }
    await clock.play(10 * DOCUMENT_FILES_COMPARE_MS);
    expect(paths.filter((path) => existsSync(path))).toHaveLength(2);
    expect([files.tried.length <= count + 4, clock.pending]).toEqual([true, 0]);
  });

  test("are compared later where the store does not answer", async () => {
    const { ends, clock, add } = scene({ failures: 2 });
    const orphan = await add(1);
    await ends.start();
    await clock.play(2 * DOCUMENT_FILES_COMPARE_MS);
    expect(existsSync(orphan)).toBe(true);
    await clock.play(DOCUMENT_FILES_COMPARE_MS);
    await eventually(() => existsSync(orphan)).toBe(false);
  });
});
