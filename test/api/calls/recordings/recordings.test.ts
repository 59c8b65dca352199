import { spawnSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ApiUnderTest, apiUnderTest, errorOf } from "../../../support/api/harness.ts";
import { filesClosedIn, openFilesOf, recordedIn } from "../../../support/api/recorded-calls.ts";
import { ifMachineStalled } from "../../../support/stalled-machine.ts";

const WAV = Buffer.from("RIFF and so on, as long as it is the same bytes \u0000\u0001\u00ff", "latin1");
const SIZE = WAV.length;

let api: ApiUnderTest;
beforeEach(async () => {
  api = await apiUnderTest();
});
afterEach(() => api.close());

const recorded = (bytes = WAV): Promise<string> => recordedIn(api, bytes);
const openFiles = (id: string): number => openFilesOf(api, id);
const closedIn = (id: string, ms: number): Promise<boolean> => filesClosedIn(api, id, ms);

async function ask(method: "GET" | "HEAD", id: string, headers: Record<string, string> = {}) {
  const url = `/api/v1/calls/${id}/recording`;
  const answer = await api.app.inject({ method, url, headers: { "x-api-key": api.key, ...headers } });
  return { status: answer.statusCode, headers: answer.headers, bytes: answer.rawPayload, text: answer.body };
}

const whole = (id: string) => ({
  "content-type": "audio/wav",
  "content-length": String(SIZE),
  "content-disposition": `attachment; filename="${id}.wav"`,
  "accept-ranges": "bytes",
  etag: expect.stringMatching(/^"[0-9a-z]+-[0-9a-z]+-[0-9a-z]+"$/),
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
});

describe("GET /calls/{id}/recording", () => {
  test("streams the WAV", async () => {
    const id = await recorded();
    const answer = await ask("GET", id);
    expect([answer.status, answer.bytes]).toEqual([200, WAV]);
    expect(answer.headers).toMatchObject(whole(id));
    expect(answer.headers).not.toHaveProperty("content-range");
  });

  test.each([
    ["bytes=0-0", 0, 0],
    ["bytes=0-9", 0, 9],
    ["bytes=10-19", 10, 19],
    ["bytes=10-", 10, SIZE - 1],
    ["bytes=0-", 0, SIZE - 1],
    [`bytes=${SIZE - 1}-`, SIZE - 1, SIZE - 1],
    ["bytes=-1", SIZE - 1, SIZE - 1],
    ["bytes=-10", SIZE - 10, SIZE - 1],
    // An end after the file's end means its end.
    [`bytes=10-${SIZE}`, 10, SIZE - 1],
    ["bytes=10-99999999999999999999999999", 10, SIZE - 1],
    [`bytes=-${SIZE}`, 0, SIZE - 1],
    [`bytes=-${SIZE + 1}`, 0, SIZE - 1],
    ["bytes=-99999999999999999999999999", 0, SIZE - 1],
    ["BYTES=3-4", 3, 4],
  ])("%s returns exactly these bytes", async (range, start, end) => {
    const id = await recorded();
    const answer = await ask("GET", id, { range });
    expect([answer.status, answer.bytes]).toEqual([206, WAV.subarray(start, end + 1)]);
    expect(answer.headers).toMatchObject({
      ...whole(id),
      "content-length": String(end - start + 1),
      "content-range": `bytes ${start}-${end}/${SIZE}`,
    });
  });

  test.each([
    [`bytes=${SIZE}-`],
    [`bytes=${SIZE}-${SIZE + 1}`],
    ["bytes=99999999999999999999999999-"],
    ["bytes=-0"],
    ["bytes=5-2"],
  ])("%s is a range outside of the file", async (range) => {
    const id = await recorded();
    const answer = await ask("GET", id, { range });
    expect(answer.status).toBe(416);
    expect(answer.headers).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "content-range": `bytes */${SIZE}`,
      "accept-ranges": "bytes",
    });
    expect(answer.headers).not.toHaveProperty("content-disposition");
    expect(JSON.parse(answer.text)).toEqual({
      error: {
        code: "range_not_satisfiable",
        message: `the range is outside the ${SIZE} bytes of the file`,
        details: [],
        requestId: answer.headers["x-request-id"],
      },
    });
    expect(openFiles(id)).toBe(0);
  });

  test.each([
    ["bytes=0-1,3-4"],
    ["bytes=0-1, 3-4"],
    [`bytes=0-1,${SIZE}-`],
    ["bytes="],
    ["bytes=-"],
    ["bytes"],
    ["bytes=a-b"],
    ["bytes=1-2x"],
    ["bytes=--1"],
    ["bytes=1--2"],
    ["bytes=+1-2"],
    ["bytes=1.5-2"],
    ["bytes=0x1-2"],
    ["bytes 0-1"],
    ["bytes=0-1;q=1"],
    ["seconds=0-1"],
    ["seconds=99999-"],
    ["none"],
    [""],
    ["bytes=0-1".repeat(1_000)],
  ])("%# malformed, or several, or of another unit: the whole file", async (range) => {
    const id = await recorded();
    const answer = await ask("GET", id, { range });
    expect([answer.status, answer.bytes]).toEqual([200, WAV]);
    expect(answer.headers).toMatchObject(whole(id));
  });

  test("an empty file has no range, and its content is empty", async () => {
    const id = await recorded(Buffer.alloc(0));
    expect(await ask("GET", id)).toMatchObject({ status: 200, text: "", headers: { "content-length": "0" } });
    for (const range of ["bytes=0-", "bytes=-1"]) {
      expect(await ask("GET", id, { range })).toMatchObject({ status: 416, headers: { "content-range": "bytes */0" } });
    }
  });

  test("If-Range returns the range of the same recording, and all of another one", async () => {
    const id = await recorded();
    const etag = String((await ask("GET", id)).headers.etag);
    const range = "bytes=0-3";
    expect((await ask("GET", id, { range, "if-range": etag })).status).toBe(206);
    for (const other of [
      '"other"',
      `W/${etag}`,
      etag.slice(1, -1),
      "Thu, 01 Jan 2026 00:00:00 GMT",
      `${etag}, "other"`,
    ]) {
      const answer = await ask("GET", id, { range, "if-range": other });
      expect([other, answer.status, answer.bytes]).toEqual([other, 200, WAV]);
    }
    // The condition is checked before a range outside the file.
    expect((await ask("GET", id, { range: `bytes=${SIZE}-`, "if-range": '"other"' })).status).toBe(200);
  });

  test("If-None-Match is 304 for the same recording with any range, and has no effect for another one", async () => {
    const id = await recorded();
    const etag = String((await ask("GET", id)).headers.etag);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, `"a" ,W/${etag},"b"`, "*"]) {
      for (const range of ["bytes=0-3", `bytes=${SIZE}-`]) {
        const answer = await ask("GET", id, { "if-none-match": known, range });
        expect([known, answer.status, answer.text]).toEqual([known, 304, ""]);
        expect(answer.headers).toMatchObject({ etag, "cache-control": "no-store" });
        expect(answer.headers).not.toHaveProperty("content-length");
        expect(answer.headers).not.toHaveProperty("content-type");
      }
    }
    for (const other of ['"other"', "", etag.slice(1, -1)]) {
      expect([other, (await ask("GET", id, { "if-none-match": other })).status]).toEqual([other, 200]);
    }
    expect(await closedIn(id, 5_000)).toBe(true);
  });

  test("a recording that was rendered again has another ETag, even with the same length", async () => {
    const id = await recorded();
    const etag = (await ask("GET", id)).headers.etag;
    expect((await ask("GET", id)).headers.etag).toBe(etag);
    const path = api.recordingPath(id);
    await delay(10);
    writeFileSync(`${path}.unfinished`, Buffer.from(WAV).reverse());
    renameSync(`${path}.unfinished`, path);
    expect((await ask("GET", id)).headers.etag).not.toBe(etag);
  });
});

describe("HEAD /calls/{id}/recording", () => {
  test("has the headers of GET and no body, leaves no file open, and ignores a range", async () => {
    const id = await recorded();
    const { headers } = await ask("GET", id);
    for (const range of ["bytes=0-3", `bytes=${SIZE}-`, "bytes=0-"]) {
      const answer = await ask("HEAD", id, { range });
      expect([answer.status, answer.text]).toEqual([200, ""]);
      expect(answer.headers).toMatchObject(whole(id));
      const varying = { "x-request-id": "", date: "", ratelimit: "" };
      expect({ ...answer.headers, ...varying }).toEqual({ ...headers, ...varying });
    }
    expect(await closedIn(id, 5_000)).toBe(true);
  });

  test("is 304 for a known recording, and 404 for a missing one", async () => {
    const id = await recorded();
    const etag = String((await ask("HEAD", id)).headers.etag);
    const answer = await ask("HEAD", id, { "if-none-match": etag });
    expect([answer.status, answer.headers.etag]).toEqual([304, etag]);
    rmSync(api.recordingPath(id));
    expect(await ask("HEAD", id)).toMatchObject({ status: 404, text: "" });
  });
});

describe("a missing recording", () => {
  const notFound = { code: "not_found", message: "no such recording", details: [] };

  test("a call that has not ended has no recording", async () => {
    const created = await api.post({ systemPrompt: "You book tables.", voice: "Alice", language: "en-US" });
    const { id } = created.body as { id: string };
    const none = await api.get(`/api/v1/calls/${id}/recording`);
    expect([none.status, errorOf(none)]).toEqual([404, { ...notFound, requestId: none.headers["x-request-id"] }]);
  });

  const inPlace: Record<string, (path: string) => void> = {
    nothing: () => {},
    "a link": (path) => {
      writeFileSync(join(api.directory, "secret.txt"), "secret");
      symlinkSync(join(api.directory, "secret.txt"), path);
    },
    "a link to itself": (path) => symlinkSync(path, path),
    "a folder": (path) => mkdirSync(path),
    "a pipe": (path) => expect(spawnSync("mkfifo", [path]).status).toBe(0),
  };
  test.each(Object.keys(inPlace))("K6: %s in the recording's place is 404, and no path is shown", async (what) => {
    const id = await recorded();
    const path = api.recordingPath(id);
    rmSync(path);
    inPlace[what]?.(path);
    const answer = await api.get(`/api/v1/calls/${id}/recording`);
    expect([answer.status, errorOf(answer)]).toEqual([404, { ...notFound, requestId: answer.headers["x-request-id"] }]);
    expect(answer.text).not.toContain(api.directory);
    expect((await ask("HEAD", id)).status).toBe(404);
    expect(openFiles(id)).toBe(0);
    expect(api.logged.some((line) => line.includes("recording could not be opened") && line.includes(id))).toBe(true);
  });

  test("K6: a file that cannot be read is 404, and no path is shown", async () => {
    await api.close();
    // A regular file whose first page cannot be read.
    const recordingPath = () => "/proc/self/mem";
    api = await apiUnderTest(undefined, { recordingPath });
    const id = await recorded();
    const answer = await api.get(`/api/v1/calls/${id}/recording`);
    expect([answer.status, errorOf(answer)]).toEqual([404, { ...notFound, requestId: answer.headers["x-request-id"] }]);
    expect(answer.headers).not.toHaveProperty("content-disposition");
    expect(api.logged.some((line) => line.includes("EIO"))).toBe(true);
  });

  test.each([
    "EMFILE",
    "ENFILE",
    "ENOMEM",
  ])("while the process has no file descriptors or memory (%s) it is 503", async (code) => {
    await api.close();
    const recordingPath = () => {
      throw Object.assign(new Error(`${code}: open '/data/recordings'`), { code });
    };
    api = await apiUnderTest(undefined, { recordingPath });
    const answer = await api.get(`/api/v1/calls/${await recorded()}/recording`);
    expect([answer.status, errorOf(answer).code, answer.headers["retry-after"]]).toEqual([503, "unavailable", "5"]);
    expect(answer.text).not.toContain("/data");
  });

  test("S5: an id that is a path, is very long, contains a NUL or is another account's is 404", async () => {
    const id = await recorded();
    writeFileSync(join(api.directory, "passwd.wav"), "secret");
    const ids = [
      ...["../passwd", "..%2fpasswd", "%2e%2e%2fpasswd", "..%5cpasswd", "%2e%2e", "..", ".", "%2fetc%2fpasswd"],
      ...["a%00b", `${id}%00`, `${id}%00.wav`, `${id}.wav`, `${id}%20`, id.toUpperCase(), `${id}%2f..%2f${id}`],
      ...["x".repeat(5_000), "%e2%98%83", encodeURIComponent("' OR 1=1 --"), "*", "%25"],
    ];
    const otherAccountId = await api.stores.accounts.ensure("second");
    const { key } = await api.stores.apiKeys.create({ accountId: otherAccountId, name: "other" });
    const theirs = await api.get(`/api/v1/calls/${id}/recording`, { "x-api-key": key });
    expect([theirs.status, errorOf(theirs).code]).toEqual([404, "not_found"]);
    for (const bad of ids) {
      for (const rest of ["", "/transcript", "/events", "/recording"]) {
        // The client resolves them: the requests are for the list, with a slash at its end, and for the events of the account.
        if ((bad === "." && rest === "") || (/^(\.|%2e){2}$/.test(bad) && rest === "/events")) continue;
        const answer = await api.get(`/api/v1/calls/${bad}${rest}`);
        const shown = `${bad.slice(0, 80)}${rest}`;
        expect([shown, answer.status, errorOf(answer).code]).toEqual([shown, 404, "not_found"]);
        expect(answer.text).not.toContain("secret");
      }
    }
  });
});

describe("over a socket", () => {
  /** More than the sockets of both sides buffer: a client that does not read keeps the file open. */
  const LARGE = Buffer.alloc(32 * 1024 * 1024, 0x55);

  async function request(id: string, more = ""): Promise<ReturnType<typeof connect>> {
    const address = api.app.server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    const socket = connect(address.port, "127.0.0.1");
    socket.write(`GET /api/v1/calls/${id}/recording HTTP/1.1\r\nHost: test\r\nX-API-Key: ${api.key}\r\n${more}\r\n`);
    return socket;
  }

  test("a client that disconnects in the middle leaves no file open", async () => {
    await api.app.listen({ host: "127.0.0.1", port: 0 });
    const id = await recorded(LARGE);
    for (const more of ["", "Range: bytes=100-\r\n"]) {
      const sockets = await Promise.all(Array.from({ length: 20 }, () => request(id, more)));
      await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once("data", resolve))));
      for (const socket of sockets) socket.pause();
      expect(openFiles(id)).toBe(20);
      for (const socket of sockets) socket.destroy();
      expect(await closedIn(id, 5_000)).toBe(true);
    }
  });

  test("a client that disconnects before the response leaves no file open", async () => {
    await api.app.listen({ host: "127.0.0.1", port: 0 });
    const id = await recorded(LARGE);
    for (let delayMs = 0; delayMs < 20; delayMs += 1) {
      const socket = await request(id);
      await new Promise((resolve) => socket.once("connect", resolve));
      if (delayMs > 0) await delay(delayMs / 4);
      socket.resetAndDestroy();
    }
    await delay(100);
    expect(await closedIn(id, 5_000)).toBe(true);
  });

  test("a download that is no longer read is aborted and its file closed; one that is read slowly is not", {
    retry: ifMachineStalled,
  }, async () => {
    await api.close();
    api = await apiUnderTest(undefined, { stallMsMax: 300 });
    await api.app.listen({ host: "127.0.0.1", port: 0 });
    const [id, slowId] = [await recorded(LARGE), await recorded(LARGE)];
    const [stalled, slow] = [await request(id), await request(slowId, "Connection: close\r\n")];
    stalled.once("data", () => stalled.pause());
    let bytes = 0;
    slow.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > LARGE.length / 4) return;
      slow.pause();
      setTimeout(() => slow.resume(), 10);
    });
    await new Promise((resolve) => slow.once("close", resolve));
    expect([bytes > LARGE.length, await closedIn(id, 5_000)]).toEqual([true, true]);
    stalled.destroy();
  });

  test("a download that is read to its end is complete, and closes the file", async () => {
    await api.app.listen({ host: "127.0.0.1", port: 0 });
    const id = await recorded(LARGE);
    const address = api.app.server.address();
    const port = address !== null && typeof address === "object" ? address.port : 0;
    const url = `http://127.0.0.1:${port}/api/v1/calls/${id}/recording`;
    const answer = await fetch(url, { headers: { "x-api-key": api.key } });
    expect(LARGE.equals(Buffer.from(await answer.arrayBuffer()))).toBe(true);
    expect(await closedIn(id, 5_000)).toBe(true);
  });
});
