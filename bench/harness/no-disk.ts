import type { JournalFiles } from "../../src/gateway/journal/writer.ts";

/** Journal files on a disk that finishes every operation at once and stores nothing. */
export const NO_DISK: JournalFiles = {
  create: (_path, done) => done(null, 1),
  write: (_fd, bytes, done) => done(null, bytes.length),
  sync: (_fd, done) => done(null),
  close: (_fd, done) => done(null),
};
