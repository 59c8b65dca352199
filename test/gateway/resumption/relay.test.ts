import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  RELAYED_CONNECTIONS_MAX,
  SOCKET_BACKPRESSURE_BYTES_MAX,
} from "../../../src/core/limits/streams/connections.ts";
import { OtherWorkers } from "../../../src/gateway/resumption/other-workers.ts";
import { encodeFrame } from "../../../src/gateway/resumption/relay-frames.ts";
import { RelayServer } from "../../../src/gateway/resumption/relay-server.ts";
import type { Transport, TransportListener } from "../../../src/gateway/transport/transport.ts";
import type { UpgradeHeaders } from "../../../src/wire/upgrade.ts";
import { DEFAULT_LIVENESS } from "../../support/configuration/liveness.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const TAG = "0123456789abcdef";
const TOKEN = "the token of a call";
const HEADERS = { "x-signature": "of the upgrade\nwith a line" };

/** A client's connection to the worker that does not have its call. */
class ClientTransport implements Transport {
  readonly liveness = DEFAULT_LIVENESS;
  readonly bufferedBytes = 0;
  readonly sent: unknown[] = [];
  readonly closes: [number, string][] = [];
  pings = 0;
  takes = true;

  send(message: Uint8Array | string, isBinary = false): boolean {
    this.sent.push(isBinary ? [...(message as Uint8Array)] : message);
    return this.takes;
  }

  ping(): void {
    this.pings += 1;
  }

  close(code: number, reason: string): void {
    this.closes.push([code, reason]);
  }
}

/** The call, in its own worker. */
class Call implements TransportListener {
  readonly events: unknown[] = [];
  transport: Transport | undefined;
  /** Of the upgrade that asked for it. */
  headers: UpgradeHeaders | undefined;

  message(bytes: Uint8Array, isBinary: boolean): void {
    this.events.push(isBinary ? [...bytes] : Buffer.from(bytes).toString());
  }

  pinged(): void {
    this.events.push("pinged");
  }

  ponged(): void {
    this.events.push("ponged");
  }

  closed(code: number, violated: boolean): void {
    this.events.push({ code, violated });
  }
}

let path: string;
let clock: ManualClock;
let call: Call;
let server: RelayServer;
let workers: OtherWorkers;
let sockets: Socket[];

beforeEach(async () => {
  path = join(temporaryDirectory(), "worker.sock");
  clock = new ManualClock();
  call = new Call();
  sockets = [];
  server = new RelayServer({
    liveness: DEFAULT_LIVENESS,
    resume: async (token, headers) => {
      call.headers = headers;
      return token !== TOKEN
        ? undefined
        : {
            kind: "admitted",
            open: (transport) => {
              call.transport = transport;
              return call;
            },
          };
    },
  });
  await server.listen((listening) => listening.listen(path));
  workers = new OtherWorkers({
    clock,
    connect: (socket, tag) => {
      expect(tag).toBe(TAG);
      sockets.push(socket);
      socket.connect(path);
    },
  });
});
afterEach(() => {
  server.close();
  for (const socket of sockets) socket.destroy();
});

async function relayed(): Promise<{ client: ClientTransport; listener: TransportListener }> {
  const accepted = await workers.ask(TAG, TOKEN, HEADERS);
  if (accepted === undefined) throw new Error("the call was not found");
  const client = new ClientTransport();
  const listener = accepted.open(client);
  await expect.poll(() => call.transport).toBeDefined();
  return { client, listener };
}

describe("a connection that reaches another worker than that of its call", () => {
  test("carries texts, audio, pings and pongs both ways, in order", async () => {
    const { client, listener } = await relayed();
    expect(call.headers).toEqual(HEADERS);
    listener.message(Buffer.from("a text"), false);
    listener.message(Uint8Array.of(1, 2, 3), true);
    listener.message(new Uint8Array(), true);
    listener.pinged();
    listener.ponged();
    await expect.poll(() => call.events).toEqual(["a text", [1, 2, 3], [], "pinged", "ponged"]);
    expect(call.transport?.send("ä text")).toBe(true);
    expect(call.transport?.send(Uint8Array.of(4, 5), true)).toBe(true);
    call.transport?.ping();
    await expect.poll(() => client.pings).toBe(1);
    expect(client.sent).toEqual(["ä text", [4, 5]]);
  });

  test("is closed with the code and the reason of the call", async () => {
    const { client, listener } = await relayed();
    call.transport?.close(1_008, "connection_lost");
    await expect.poll(() => client.closes).toEqual([[1_008, "connection_lost"]]);
    listener.closed(1_008, false);
    await expect.poll(() => call.events).toEqual([{ code: 1_008, violated: false }]);
  });

  test.each([
    { code: 1_000, violated: false },
    { code: 1_006, violated: false },
    { code: 1_002, violated: true },
  ])("that its client closes is closed for the call: %j", async ({ code, violated }) => {
    const { listener } = await relayed();
    listener.message(Buffer.from("the last text"), false);
    listener.closed(code, violated);
    await expect.poll(() => call.events).toEqual(["the last text", { code, violated }]);
  });

  test("is closed when the worker of the call dies, and lost for the call when this one does", async () => {
    const { client } = await relayed();
    server.close();
    await expect.poll(() => client.closes).toEqual([[1_011, "worker_lost"]]);
    await expect.poll(() => call.events).toEqual([{ code: 1_006, violated: false }]);
  });

  test("whose client does not read is given up, so that it comes back", async () => {
    const { client } = await relayed();
    client.takes = false;
    call.transport?.send("more");
    await expect.poll(() => client.closes).toEqual([[1_000, "detached"]]);
    await expect.poll(() => call.events).toEqual([{ code: 1_006, violated: false }]);
  });

  test("waits within a limit where the other worker does not read", async () => {
    const { client, listener } = await relayed();
    sockets[0]?.cork();
    const message = new Uint8Array(32_768);
    for (let sent = 0; sent <= SOCKET_BACKPRESSURE_BYTES_MAX + message.length; sent += message.length) {
      listener.message(message, true);
    }
    expect(client.closes).toEqual([[1_000, "detached"]]);
  });

  test("that fails before it is open is reported to the call", async () => {
    expect(await workers.ask(TAG, TOKEN, HEADERS)).toBeDefined();
    sockets[0]?.destroy();
    await expect.poll(() => call.events).toEqual([{ code: 1_006, violated: false }]);
  });
});

describe("a resumption is refused", () => {
  test("where the other worker has no such call", async () => {
    expect(await workers.ask(TAG, "another token", HEADERS)).toBeUndefined();
    expect(call.transport).toBeUndefined();
  });

  test("where the other worker is gone", async () => {
    server.close();
    expect(await workers.ask(TAG, TOKEN, HEADERS)).toBeUndefined();
  });

  test("where it does not answer in time", async () => {
    const silentPath = join(temporaryDirectory(), "silent.sock");
    const silent = createServer().listen(silentPath);
    await once(silent, "listening");
    const patient = new OtherWorkers({ clock, connect: (socket) => void socket.connect(silentPath) });
    const answer = patient.ask(TAG, TOKEN, HEADERS);
    clock.advance(2_000);
    expect(await answer).toBeUndefined();
    silent.close();
  });

  test("where there are too many of other workers, until one ends", async () => {
    const first = await relayed();
    for (let count = 1; count < RELAYED_CONNECTIONS_MAX; count += 1)
      expect(await workers.ask(TAG, TOKEN, HEADERS)).toBeDefined();
    expect(await workers.ask(TAG, TOKEN, HEADERS)).toBeUndefined();
    first.listener.closed(1_000, false);
    await expect.poll(async () => await workers.ask(TAG, TOKEN, HEADERS)).toBeDefined();
  });
});

test.each([
  ["an unknown kind", Uint8Array.of(1, 0, 0, 0, 99)],
  ["no kind", Uint8Array.of(0, 0, 0, 0, 0)],
  ["a length beyond the largest message", Uint8Array.of(255, 255, 255, 127, 4)],
])("a socket that sends %s is closed, and the worker goes on", async (_, bytes) => {
  const unknown = connect(path);
  unknown.on("error", () => {});
  unknown.write(bytes);
  await once(unknown, "close");
  const parts = connect(path);
  parts.on("error", () => {});
  const ask = encodeFrame("ask", TOKEN);
  for (const byte of ask) parts.write(Uint8Array.of(byte));
  const [answer] = (await once(parts, "data")) as [Buffer];
  expect(answer).toEqual(encodeFrame("accepted"));
  // As from a worker of an older version.
  expect(call.headers).toEqual({});
  parts.destroy();
});
