import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { Readable } from "node:stream";
import { afterEach, describe, expect, test } from "vitest";
import { KEEP_ALIVE_MS, KEEP_ALIVE_SCARCE_MS, UNREAD_MS_MIN } from "../../../../src/core/limits/control-api/api.ts";
import { type ConnectionCloseReason, HttpConnections } from "../../../../src/process/control/http/http-connections.ts";
import { ManualClock } from "../../../support/manual-clock.ts";
import { head } from "../../../support/network/raw-http.ts";

const MAX = 8;
/** One in eight is kept free. */
const ROOM = 7;

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

interface Bounded {
  server: Server;
  clock: ManualClock;
  closed: ConnectionCloseReason[];
  open(): Promise<Client>;
}

interface Client {
  socket: Socket;
  isClosed: boolean;
  /** Resolves with the status of its answer; undefined where the connection was closed instead. */
  ask(request?: string): Promise<number | undefined>;
}

async function bounded(answer: RequestListener, prepare: (server: Server) => void = () => {}): Promise<Bounded> {
  const [clock, closed]: [ManualClock, ConnectionCloseReason[]] = [new ManualClock(), []];
  const server = createServer(answer);
  prepare(server);
  new HttpConnections(server, { max: MAX, clock, onClosed: (why) => closed.push(why) });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  const { port } = server.address() as AddressInfo;
  const open = async (): Promise<Client> => {
    const socket = connect(port, "127.0.0.1");
    closers.push(() => socket.destroy());
    const accepted = once(server, "connection");
    await once(socket, "connect");
    await accepted;
    return clientOf(socket);
  };
  return { server, clock, closed, open };
}

function clientOf(socket: Socket): Client {
  const client: Client = {
    socket,
    isClosed: false,
    ask: (request = head("GET /")) =>
      new Promise((resolve) => {
        if (client.isClosed) resolve(undefined);
        socket.once("data", (bytes) => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(bytes.toString("latin1"))?.[1])));
        socket.once("close", () => resolve(undefined));
        socket.write(request);
      }),
  };
  socket.on("error", () => {});
  socket.once("close", () => {
    client.isClosed = true;
  });
  return client;
}

const ok: RequestListener = (request, response) => {
  request.resume();
  response.end("ok");
};

/** More than the kernel takes for a client that does not read. */
const STREAM_BYTES = 32 * 1024 * 1024;

/** A stream of so many bytes that does not end by itself. */
function unendingStream(): Readable {
  const stream = new Readable({ read: () => {} });
  stream.push(Buffer.alloc(STREAM_BYTES));
  return stream;
}

/** Resolves when so many bytes have come. */
function received(socket: Socket | undefined, bytes: number): Promise<void> {
  return new Promise((resolve) => {
    let left = bytes;
    socket?.on("data", (chunk: Buffer) => {
      left -= chunk.length;
      if (left <= 0) resolve();
    });
  });
}

async function opened({ open }: Bounded, count: number): Promise<Client[]> {
  const clients: Client[] = [];
  for (let index = 0; index < count; index++) clients.push(await open());
  return clients;
}

describe("the connections of an HTTP server", () => {
  test("ADV-M6: at the limit of idle keep-alive connections a new request is answered, and the oldest idle connection is closed", async () => {
    const server = await bounded(ok);
    const idle = await opened(server, ROOM);
    for (const client of idle) expect(await client.ask()).toBe(200);
    // Asked once more: now the second has been idle longest.
    expect(await idle[0]?.ask()).toBe(200);
    const newcomer = await server.open();
    expect(await newcomer.ask()).toBe(200);
    expect(server.closed).toEqual(["idle"]);
    expect([await idle[1]?.ask(), await idle[0]?.ask()]).toEqual([undefined, 200]);
  });

  test("ADV-M6: hundreds of connections without a request leave room for each new request", async () => {
    const server = await bounded(ok);
    for (let index = 0; index < 40; index++) {
      await opened(server, ROOM);
      expect(await (await server.open()).ask()).toBe(200);
    }
    expect(new Set(server.closed)).toEqual(new Set(["idle"]));
  });

  test("ADV-M6: a connection with an endless request counts as idle", async () => {
    const server = await bounded(ok);
    const drips = await opened(server, ROOM);
    for (const { socket } of drips) {
      const arrived = once(server.server, "request");
      socket.write(`${head("POST /", { "Content-Length": "9" })}x`);
      await arrived;
    }
    // They were answered before they were whole; half a head is not even a request.
    const halves = await opened(server, ROOM);
    for (const { socket } of halves) socket.write("GET / HT");
    expect(await (await server.open()).ask()).toBe(200);
  });

  test("ADV-M6: a request in progress is never closed; the new connection is", async () => {
    const answers: (() => void)[] = [];
    const server = await bounded((_request, response) => answers.push(() => response.end("ok")));
    const busy = await opened(server, ROOM);
    const responses = [];
    for (const client of busy) {
      const arrived = once(server.server, "request");
      responses.push(client.ask());
      await arrived;
    }
    expect(await (await server.open()).ask()).toBe(undefined);
    expect(server.closed).toEqual(["refused"]);
    for (const answer of answers) answer();
    expect(await Promise.all(responses)).toEqual(Array(ROOM).fill(200));
  });

  test("ADV-M6: an unread response is aborted for a new request", async () => {
    const large = Buffer.alloc(32 * 1024 * 1024);
    const server = await bounded((request, response) => {
      response.end(request.url === "/large" ? large : "ok");
    });
    const slow = await opened(server, ROOM);
    for (const { socket } of slow) {
      socket.pause();
      const arrived = once(server.server, "request");
      socket.write(head("GET /large"));
      await arrived;
    }
    server.clock.advance(UNREAD_MS_MIN);
    expect(await (await server.open()).ask()).toBe(200);
    expect(server.closed).toEqual(["unread"]);
  });

  test("ADV-M6: an unread streamed response is aborted for a new request, and one that is read is not", async () => {
    const server = await bounded((request, response) => {
      if (request.url === "/stream") unendingStream().pipe(response);
      else response.end("ok");
    });
    const [reader, ...slow] = await opened(server, ROOM);
    const read = received(reader?.socket, STREAM_BYTES);
    reader?.socket.write(head("GET /stream"));
    for (const { socket } of slow) {
      socket.pause();
      const arrived = once(server.server, "request");
      socket.write(head("GET /stream"));
      await arrived;
    }
    await read;
    expect(await (await server.open()).ask()).toBe(undefined);
    server.clock.advance(UNREAD_MS_MIN);
    expect(await (await server.open()).ask()).toBe(200);
    expect(server.closed).toEqual(["refused", "unread"]);
    expect(reader?.isClosed).toBe(false);
  });

  test("ADV-M6: a streamed response that has nothing to send is not closed for a new request, however long it is quiet", async () => {
    const streams: Readable[] = [];
    const server = await bounded((_request, response) => {
      const stream = new Readable({ read: () => {} });
      stream.push(": no event\n\n");
      streams.push(stream);
      stream.pipe(response);
    });
    const quiet = await opened(server, ROOM);
    for (const client of quiet) expect(await client.ask()).toBe(200);
    server.clock.advance(2 * KEEP_ALIVE_MS);
    expect(await (await server.open()).ask()).toBe(undefined);
    expect(server.closed).toEqual(["refused"]);
    const next = quiet.map(({ socket }) => received(socket, 1));
    for (const stream of streams) stream.push(": no event\n\n");
    await Promise.all(next);
    expect(quiet.map(({ isClosed }) => isClosed)).toEqual(Array(ROOM).fill(false));
  });

  test("ADV-M6: the second of two pipelined streamed responses counts as unread like the first", async () => {
    const streams: Readable[] = [];
    const server = await bounded((request, response) => {
      if (request.url !== "/stream") return void response.end("ok");
      const stream = unendingStream();
      streams.push(stream);
      stream.pipe(response);
    });
    const slow = await opened(server, ROOM);
    for (const { socket } of slow) {
      const next = streams.length;
      const first = received(socket, STREAM_BYTES);
      socket.write(head("GET /stream").repeat(2));
      await first;
      socket.pause();
      while (streams.length < next + 2) await new Promise((resolve) => setImmediate(resolve));
      streams[next]?.push(null);
      await new Promise((resolve) => setImmediate(resolve));
    }
    server.clock.advance(UNREAD_MS_MIN);
    expect(await (await server.open()).ask()).toBe(200);
    expect(server.closed).toEqual(["unread"]);
  });

  test("ADV-M6: a request with an unknown Expect header counts as a request if the server answers it", async () => {
    const answers: (() => void)[] = [];
    const answer: RequestListener = (_request, response) => answers.push(() => response.end("ok"));
    const server = await bounded(answer, (made) => made.on("checkExpectation", answer));
    const busy = await opened(server, ROOM);
    const responses = busy.map((client) => client.ask(head("GET /", { Expect: "the unexpected" })));
    while (answers.length < ROOM) await new Promise((resolve) => setImmediate(resolve));
    expect(await (await server.open()).ask()).toBe(undefined);
    expect(server.closed).toEqual(["refused"]);
    for (const end of answers) end();
    expect(await Promise.all(responses)).toEqual(Array(ROOM).fill(200));
  });

  test("ADV-M6: a server that does not answer unknown expectations still refuses them", async () => {
    const client = await (await bounded(ok)).open();
    expect(await client.ask(head("GET /", { Expect: "the unexpected" }))).toBe(417);
  });

  test("ADV-M6: idle connections are closed after a second while more than half of the limit is in use", async () => {
    const server = await bounded(ok);
    expect(server.server.keepAliveTimeout).toBe(KEEP_ALIVE_MS);
    const clients = await opened(server, MAX / 2 + 1);
    expect(server.server.keepAliveTimeout).toBe(KEEP_ALIVE_SCARCE_MS);
    for (const { socket } of clients) socket.destroy();
    while (server.server.keepAliveTimeout !== KEEP_ALIVE_MS) await new Promise((resolve) => setImmediate(resolve));
  });
});
