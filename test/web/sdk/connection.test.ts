import { beforeEach, describe, expect, test } from "vitest";
import { millisecondsOf } from "../../../src/core/clocks.ts";
import { Connection, type ConnectionEnd, type Socket } from "../../../web/sdk/src/connection.ts";
import type { ServiceMessage } from "../../../web/sdk/src/messages.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { FakeSocket, LOST } from "../../support/web/fake-socket.ts";

let clock: ManualClock;
let sockets: FakeSocket[];
let messages: ServiceMessage[];
let audio: number[];
let losses: number;
let ends: ConnectionEnd[];
let connection: Connection;
const last = (): FakeSocket => sockets.at(-1) as FakeSocket;
const begin = (resume = true): FakeSocket => {
  connection = new Connection({
    resume,
    clock: { nowMs: () => millisecondsOf(clock.nowMs()), after: (delayMs, task) => clock.after(delayMs, task) },
    random: () => 0,
    openSocket(url) {
      sockets.push(new FakeSocket(url));
      return sockets.at(-1) as unknown as Socket;
    },
    onMessage: (message) => messages.push(message),
    onAudio: ({ byteLength }) => audio.push(byteLength),
    onLost: () => {
      losses += 1;
    },
    onEnd: (end) => ends.push(end),
  });
  connection.open("wss://voice.example/api/v1/stream/token");
  return last();
};

beforeEach(() => {
  clock = new ManualClock();
  sockets = [];
  messages = [];
  audio = [];
  losses = 0;
  ends = [];
});

describe("the connection of a call", () => {
  test("asks for an address to resume, unless that is not wanted", () => {
    expect(begin().url).toBe("wss://voice.example/api/v1/stream/token?resume=true");
    expect(begin(false).url).toBe("wss://voice.example/api/v1/stream/token");
  });

  test("reports messages and audio, and nothing that is no message", () => {
    const socket = begin().isReady();
    socket.onmessage?.({ data: new ArrayBuffer(640) });
    socket.tells({ type: "state", state: "speaking" });
    for (const data of ["no JSON", "[]", "null", "{}"]) socket.onmessage?.({ data });
    expect(messages.map(({ type }) => type)).toEqual(["ready", "state"]);
    expect([audio, socket.binaryType]).toEqual([[640], "arraybuffer"]);
  });

  test("keeps what belongs to the call until ready; what belongs to a socket that is not open is dropped", () => {
    const socket = begin();
    connection.send({ type: "mark", name: "a" });
    connection.sendToCall({ type: "text", text: "hello" });
    connection.sendAudio(new ArrayBuffer(640), 32_000);
    expect(socket.sent).toEqual([]);
    socket.isReady();
    connection.sendAudio(new ArrayBuffer(640), 32_000);
    expect(socket.sent).toEqual([{ type: "text", text: "hello" }, 640]);
  });

  test.each([
    ["refused", (socket: FakeSocket) => socket.isLost()],
    ["closed", (socket: FakeSocket) => socket.opens().isLost()],
    ["silent", () => clock.advance(10_000)],
  ])("ends as %s where there is no call", (how, happen) => {
    const socket = begin();
    happen(socket);
    expect(ends).toMatchObject([{ how }]);
    expect(socket.isClosed).toBe(true);
    clock.advance(60_000);
    expect([sockets.length, losses, clock.pending]).toEqual([1, 0, 0]);
  });

  test("ends as silent where no ready follows hello within 10 s, whatever else comes", () => {
    const socket = begin().opens();
    socket.tells({ type: "hello", iceServers: [] });
    clock.advance(9_000);
    socket.tells({ type: "answer", sdp: "" });
    clock.advance(999);
    expect(ends).toEqual([]);
    clock.advance(1);
    expect([ends, clock.pending]).toEqual([[{ how: "silent", ...LOST }], 0]);
  });

  test("waits for another 5 s where the page falls back on the socket, and for nothing after ready", () => {
    const socket = begin().opens();
    socket.tells({ type: "hello", iceServers: [] });
    clock.advance(9_000);
    connection.send({ type: "fallback", codec: "opus" });
    clock.advance(4_999);
    socket.isReady();
    clock.advance(60_000);
    expect(ends).toEqual([]);
  });

  test("ends as closed where a fallback in the call is not answered within 5 s and there is no address to resume", () => {
    begin().isReady();
    connection.send({ type: "fallback", codec: "opus" });
    clock.advance(4_999);
    last().tells({ type: "state", state: "listening" });
    expect(ends).toEqual([]);
    clock.advance(1);
    expect(ends).toEqual([{ how: "closed", ...LOST }]);
  });

  test("holds back at most 256 messages", () => {
    const socket = begin();
    const taken = Array.from({ length: 257 }, () => connection.sendToCall({ type: "dtmf", digit: "1" }));
    expect([taken.indexOf(false), taken.filter(Boolean).length]).toEqual([256, 256]);
    socket.isReady();
    expect(socket.sent.length).toBe(256);
  });

  test("ends when it is lost and there is no address to resume, or the service has ended the call", () => {
    begin().isReady().isLost();
    begin().isReady("wss://a").isLost({ code: 1_001, reason: "drain_timeout" });
    const socket = begin().isReady("wss://a");
    socket.tells({ type: "ended", reason: "agent_hangup" });
    socket.isLost({ code: 1_000, reason: "" });
    expect(ends).toEqual([
      { how: "closed", ...LOST },
      { how: "closed", code: 1_001, reason: "drain_timeout" },
      { how: "closed", code: 1_000, reason: "" },
    ]);
    expect(losses).toBe(0);
  });

  test("close says farewell, and no callback follows", () => {
    const socket = begin().isReady("wss://a");
    connection.close({ type: "end" });
    expect([socket.sent, socket.isClosed, socket.onclose]).toEqual([[{ type: "end" }], true, null]);
    clock.advance(60_000);
    expect([ends, losses, sockets.length]).toEqual([[], 0, 1]);
  });
});

describe("a connection that is lost", () => {
  test("is opened again at once by the address of the last ready, and sends what waited", () => {
    begin().isReady("wss://a/1").isLost();
    expect(losses).toBe(1);
    connection.sendToCall({ type: "toolResult", id: "t", result: 1 });
    connection.send({ type: "mark", name: "a" });
    clock.advance(0);
    expect(last().url).toBe("wss://a/1");
    last().isReady("wss://a/2");
    expect(last().sent).toEqual([{ type: "toolResult", id: "t", result: 1 }]);
    last().isLost();
    clock.advance(0);
    expect(last().url).toBe("wss://a/2");
    expect(ends).toEqual([]);
  });

  test("is tried with backoff for 15 s, then it is over", () => {
    begin().isReady("wss://a").isLost();
    const attemptsMs: number[] = [];
    for (let nowMs = 0; nowMs <= 20_000; nowMs += 50) {
      const before = sockets.length;
      clock.advance(nowMs === 0 ? 0 : 50);
      if (sockets.length > before) {
        attemptsMs.push(nowMs);
        last().isLost();
      }
    }
    expect(attemptsMs).toEqual([0, 250, 750, 1_750, 3_750, 6_750, 9_750, 12_750]);
    expect(ends).toEqual([{ how: "closed", ...LOST }]);
    expect([losses, clock.pending]).toEqual([1, 0]);
  });

  test("does not wait for a socket that says nothing", () => {
    begin().isReady("wss://a").isLost();
    clock.advance(0);
    const silent = last();
    clock.advance(5_250);
    expect([silent.isClosed, sockets.length]).toEqual([true, 3]);
    clock.advance(30_000);
    expect(ends.length).toBe(1);
  });

  test("begins anew with the backoff after it was ready", () => {
    begin().isReady("wss://a").isLost();
    clock.advance(0);
    last().isLost();
    clock.advance(250);
    last().isReady("wss://b");
    clock.advance(60_000);
    last().isLost();
    clock.advance(0);
    expect(last().url).toBe("wss://b");
    expect(sockets.length).toBe(4);
  });

  test("is tried at once when the network is back", () => {
    begin().isReady("wss://a").isLost();
    for (const waitMs of [0, 250, 500, 1_000]) {
      clock.advance(waitMs);
      last().isLost();
    }
    const before = sockets.length;
    connection.networkChanged();
    clock.advance(0);
    expect(sockets.length).toBe(before + 1);
    last().isReady("wss://b");
    expect(ends).toEqual([]);
  });

  test("is one whose network has changed, although its socket says nothing", () => {
    const socket = begin().isReady("wss://a");
    connection.networkChanged();
    clock.advance(0);
    expect([losses, socket.isClosed, last().url]).toEqual([1, true, "wss://a"]);
  });

  test("is opened once, although several events report the change of the network", () => {
    begin().isReady("wss://a");
    connection.networkChanged();
    clock.advance(100);
    const attempt = last();
    connection.networkChanged();
    clock.advance(100);
    expect([sockets.length, attempt.isClosed]).toEqual([2, false]);
    attempt.isReady("wss://b");
    clock.advance(60_000);
    expect([sockets.length, losses, ends]).toEqual([2, 1, []]);
  });

  test("is opened anew where its network changes after 2 s in which nothing came, or once it is ready again", () => {
    begin().isReady("wss://a");
    connection.networkChanged();
    clock.advance(0);
    clock.advance(1_999);
    connection.networkChanged();
    clock.advance(0);
    expect(sockets.length).toBe(2);
    clock.advance(1);
    connection.networkChanged();
    clock.advance(0);
    expect(sockets.length).toBe(3);
    last().isReady("wss://b");
    connection.networkChanged();
    clock.advance(0);
    expect([sockets.length, last().url]).toEqual([4, "wss://b"]);
  });

  test("is one that does not answer a fallback within 5 s", () => {
    const socket = begin().isReady("wss://a");
    connection.send({ type: "fallback", codec: "opus" });
    clock.advance(5_000);
    expect([losses, socket.isClosed, last().url]).toEqual([1, true, "wss://a"]);
    last().isReady("wss://b");
    clock.advance(60_000);
    expect([sockets.length, ends]).toEqual([2, []]);
  });

  test("without an address to resume a changed network changes nothing", () => {
    const socket = begin().isReady();
    connection.networkChanged();
    expect([losses, socket.isClosed, sockets.length]).toEqual([0, false, 1]);
  });

  test("is one that takes no audio for 5 s; until then audio beyond 2 s is dropped", () => {
    const socket = begin().isReady("wss://a");
    socket.bufferedAmount = 64_001;
    for (let sent = 0; sent < 249; sent += 1) {
      connection.sendAudio(new ArrayBuffer(640), 32_000);
      clock.advance(20);
    }
    expect([socket.sent, losses]).toEqual([[], 0]);
    clock.advance(40);
    connection.sendAudio(new ArrayBuffer(640), 32_000);
    expect(losses).toBe(1);
  });

  test("is one that takes no audio of a codec with fewer bytes, after as long", () => {
    const socket = begin().isReady("wss://a");
    socket.bufferedAmount = 8_001;
    connection.sendAudio(new ArrayBuffer(80), 4_000);
    clock.advance(5_000);
    connection.sendAudio(new ArrayBuffer(80), 4_000);
    expect([socket.sent, losses]).toEqual([[], 1]);
  });

  test("is not one whose network was only slow", () => {
    const socket = begin().isReady("wss://a");
    for (let round = 0; round < 5; round += 1) {
      socket.bufferedAmount = 64_001;
      connection.sendAudio(new ArrayBuffer(640), 32_000);
      clock.advance(3_000);
      socket.bufferedAmount = 0;
      connection.sendAudio(new ArrayBuffer(640), 32_000);
    }
    expect([losses, socket.sent.length]).toEqual([0, 5]);
  });
});
