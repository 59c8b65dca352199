import { type FileHandle, open } from "node:fs/promises";
import { unavailable } from "../../core/errors.ts";
import type { Bucket, ByteSource } from "./bucket.ts";

/** Stores a file of this disk as an object. Rejects with the file system's error where it is not here, and as `Bucket` does. */
export async function putFile(bucket: Pick<Bucket, "putLarge">, key: string, path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await bucket.putLarge(key, await sourceOf(file));
  } finally {
    await file.close();
  }
}

async function sourceOf(file: FileHandle): Promise<ByteSource> {
  const { size } = await file.stat();
  return {
    bytes: size,
    async read({ start, end }) {
      const bytes = Buffer.allocUnsafe(end - start + 1);
      const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
      if (bytesRead < bytes.length) throw unavailable("a file became shorter while it was sent to the bucket");
      return bytes;
    },
  };
}
