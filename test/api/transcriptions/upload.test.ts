import { readdirSync, statSync } from "node:fs";
import { type AddressInfo, connect, type Socket } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  UPLOAD_BYTES_PER_SECOND_MIN,
  UPLOAD_WINDOW_MS,
} from "../../../src/core/limits/transcriptions/transcriptions.ts";
import { type ApiUnderTest, apiUnderTest } from "../../support/api/harness.ts";

let api: ApiUnderTest;
let socket: Socket | undefined;
beforeEach(async () => {
  api = await apiUnderTest(undefined, { requestMsMax: 300 });
});
afterEach(async () => {
  socket?.destroy();
  await api.close();
});

const HEAD = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n';
const files = (): string[] => {
  try {
    return readdirSync(join(api.directory, "transcriptions"));
  } catch {
    return [];
  }
};

const bytesOnDisk = (): number =>
  files().reduce((sum, name) => sum + statSync(join(api.directory, "transcriptions", name)).size, 0);

/** Opens an upload of these bytes, of which `length` are announced, and returns what is answered. */
async function open(length: number, bytes: string, key = api.key): Promise<{ socket: Socket; answer: () => string }> {
  if (api.app.server.address() === null) await api.app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = api.app.server.address() as AddressInfo;
  const opened = connect(port, "127.0.0.1");
  socket = opened;
  opened.on("error", () => {});
  let received = "";
  opened.on("data", (chunk) => {
    received += chunk;
  });
  opened.write(
    `POST /api/v1/transcriptions HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n` +
      `Content-Type: multipart/form-data; boundary=x\r\nContent-Length: ${length}\r\n\r\n${bytes}`,
  );
  return { socket: opened, answer: () => received };
}

test("an upload may take longer than other requests, and one that is broken off leaves no file", async () => {
  const { socket: opened } = await open(1_000_000, `${HEAD}some audio`);
  await vi.waitFor(() => expect(files()).toHaveLength(1));
  await new Promise((resolve) => setTimeout(resolve, 600));
  expect([opened.destroyed, files().length]).toEqual([false, 1]);
  opened.destroy();
  await vi.waitFor(() => expect(files()).toEqual([]));
});

test("an upload below the least speed is 408, and leaves no file", async () => {
  const { socket: opened, answer } = await open(10_000_000, HEAD);
  await vi.waitFor(() => expect(files()).toHaveLength(1));
  const send = async (bytes: number, total: number): Promise<void> => {
    opened.write("x".repeat(bytes));
    await vi.waitFor(() => expect(bytesOnDisk()).toBeGreaterThan(total - 100));
    api.clock.advance(UPLOAD_WINDOW_MS);
  };
  const enough = (UPLOAD_BYTES_PER_SECOND_MIN * UPLOAD_WINDOW_MS) / 1_000;
  await send(enough, enough);
  expect(files()).toHaveLength(1);
  await send(1_000, enough + 1_000);
  await vi.waitFor(() => expect(answer()).toMatch(/^HTTP\/1\.1 408 /));
  expect(answer()).toContain("the upload is too slow");
  await vi.waitFor(() => expect(files()).toEqual([]));
});

test("a refused upload is answered while its client sends on, and a body that is not read has the time of any request", async () => {
  const refused = await open(
    10_000_000,
    `--x\r\nContent-Disposition: form-data; name="nonsense"\r\n\r\n1\r\n${HEAD}audio`,
  );
  await vi.waitFor(() => expect(refused.answer()).toMatch(/^HTTP\/1\.1 400 /));
  expect(files()).toEqual([]);
  refused.socket.destroy();
  const unauthorized = await open(10_000_000, HEAD, "no key");
  await vi.waitFor(() => expect(unauthorized.answer()).toMatch(/^HTTP\/1\.1 401 /));
  await vi.waitFor(() => expect(unauthorized.socket.destroyed || unauthorized.socket.readableEnded).toBe(true));
});
