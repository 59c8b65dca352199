import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { UPLOAD_WINDOW_MS } from "../../../src/core/limits/transcriptions/transcriptions.ts";
import { GuardedHttp } from "../../../src/core/network/guarded-http.ts";
import { fetchAudio } from "../../../src/transcription/source/fetch-audio.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { freePort } from "../../support/network/free-port.ts";

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const http = new GuardedHttp({ allowLoopback: true });

async function read(
  url: string,
  {
    clock = new ManualClock(),
    bytesMax = 1_000,
    isDiskLow = (): boolean => false,
    signal = new AbortController().signal,
  } = {},
): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of fetchAudio(url, { http, clock, bytesMax, isDiskLow }, signal)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const refused = (message: RegExp | string) => ({ code: "audio_unavailable", message: expect.stringMatching(message) });
/** Another attempt may succeed. */
const unreachable = (message: RegExp | string) => ({
  code: "audio_unreachable",
  message: expect.stringMatching(message),
});

test("audio is fetched, also over redirects", async () => {
  const url = await serve(({ url: path }, response) => {
    if (path === "/a") response.writeHead(302, { location: "/b" }).end();
    else if (path === "/b") response.writeHead(307, { location: "c?d=e" }).end();
    else response.writeHead(200, { "content-type": "audio/wav" }).end("RIFF");
  });
  expect(await read(`${url}/a`)).toBe("RIFF");
});

describe("the address is refused", () => {
  test("where it redirects in a circle", async () => {
    const url = await serve((_, response) => void response.writeHead(302, { location: "/" }).end());
    await expect(read(url)).rejects.toMatchObject(refused("redirects more than 3 times"));
  });

  test("where it redirects to one that is not of the public internet, or is none", async () => {
    const guarded = new GuardedHttp({ allowLoopback: true, resolve: async () => ["10.1.2.3"] });
    const to = (location: string) => serve((_, response) => void response.writeHead(302, { location }).end());
    for (const location of [
      "http://internal.example/",
      "http://169.254.169.254/latest",
      "http://[::ffff:10.0.0.1]/",
      "file:///etc/passwd",
    ]) {
      const audio = fetchAudio(
        await to(location),
        { http: guarded, clock: new ManualClock(), bytesMax: 9, isDiskLow: () => false },
        new AbortController().signal,
      );
      await expect(audio.next(), location).rejects.toMatchObject(refused("not one of the public internet"));
    }
    await expect(read(await to("http://"))).rejects.toMatchObject(refused("no address"));
  });

  test.each([
    [404, {}, /status 404/],
    [204, {}, /status 204/],
    [200, { "content-type": "text/html; charset=utf-8" }, /has text\/html, not audio/],
    [200, { "content-type": "application/vnd.apple.mpegurl" }, /mpegurl, not audio/],
    [200, { "content-encoding": "gzip" }, /compressed/],
    [200, { "content-length": "1000000000" }, /more than 1000 bytes/],
  ])("for status %i with %o", async (status, headers, message) => {
    const url = await serve((_, response) => void response.writeHead(status, headers).end());
    await expect(read(url)).rejects.toMatchObject(refused(message));
  });

  test("where it sends more than is allowed without saying so", async () => {
    const url = await serve((_, response) => {
      const write = (): void => void response.write(Buffer.alloc(300), () => setImmediate(write));
      write();
    });
    await expect(read(url)).rejects.toMatchObject(refused("more than 1000 bytes"));
  });

  test("where it breaks off, or sends less than it said", async () => {
    const url = await serve((_, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("RIFF", () => response.destroy());
    });
    await expect(read(url)).rejects.toMatchObject(unreachable(/broke off|could not be reached/));
  });

  test("where nothing comes for too long", async () => {
    const clock = new ManualClock();
    const url = await serve((_, response) => {
      response.writeHead(200);
      response.write("RIFF", () => setImmediate(() => clock.advance(UPLOAD_WINDOW_MS)));
    });
    await expect(read(url, { clock })).rejects.toMatchObject(unreachable("too slowly"));
  });

  test("for now where its server says so, and where there is no room for it", async () => {
    for (const status of [500, 503, 429]) {
      const url = await serve((_, response) => void response.writeHead(status).end());
      await expect(read(url)).rejects.toMatchObject(unreachable(`status ${status}`));
    }
    const url = await serve((_, response) => void response.end("RIFF"));
    await expect(read(url, { isDiskLow: () => true })).rejects.toMatchObject(unreachable("too little room"));
  });

  test("where nothing listens", async () => {
    await expect(read(`http://127.0.0.1:${await freePort()}/`)).rejects.toMatchObject(
      unreachable("could not be reached"),
    );
  });
});

test("an abort is the reason", async () => {
  const abort = new AbortController();
  const url = await serve((_, response) => {
    response.writeHead(200);
    response.write("RIFF", () => abort.abort(new Error("cancelled")));
  });
  await expect(read(url, { signal: abort.signal })).rejects.toThrow("cancelled");
});
