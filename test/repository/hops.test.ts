import { expect, test } from "vitest";
import { type Hops, measureHops } from "../support/repository/hops.ts";

declare module "vitest" {
  interface TaskMeta {
    /** `npm run counts` reads it from the report of this test. */
    hops?: Hops;
  }
}

/** More than there are today, because what happens to run beside a frame may count on a busy machine. */
const FRAME_IN_FILES_MAX = 54;
const CHUNK_FILES_MAX = 40;
const FRAME_OUT_FILES_MAX = 50;
/** Those of today. */
const CHUNK_GENERATORS_MAX = 3;

test("a frame and a chunk of audio pass through no more files and generators than is known", async ({ task }) => {
  const hops = await measureHops();
  task.meta.hops = hops;
  const { frameIn, chunk, frameOut, chunkGenerators } = hops;
  for (const files of [frameIn, chunk, frameOut]) expect(files.length).toBeGreaterThan(5);
  expect(frameIn.length).toBeLessThanOrEqual(FRAME_IN_FILES_MAX);
  expect(chunk.length).toBeLessThanOrEqual(CHUNK_FILES_MAX);
  expect(frameOut.length).toBeLessThanOrEqual(FRAME_OUT_FILES_MAX);
  expect(chunkGenerators).toBeGreaterThan(0);
  expect(chunkGenerators).toBeLessThanOrEqual(CHUNK_GENERATORS_MAX);
});
