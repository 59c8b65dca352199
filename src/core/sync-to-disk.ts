import { closeSync, fsyncSync, openSync } from "node:fs";

/** Returns when the content of a file, or the names in a folder, survive a power failure. Throws the system's error. */
export function syncToDisk(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
