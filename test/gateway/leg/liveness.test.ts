import { describe, expect, test } from "vitest";
import { SILENT_PEER_MS_MAX } from "../../../src/core/limits/streams/connections.ts";
import { leg } from "../../callers/leg.ts";
import { websocketLeg } from "../../callers/websocket-leg.ts";
import { DEFAULT_LIVENESS } from "../../support/configuration/liveness.ts";

const { pingIntervalMs, pingTimeoutMs } = DEFAULT_LIVENESS;
const LONG = { spec: { greeting: "one sentence of many words. ".repeat(100), maxDurationMs: 600_000 } };
const QUIET = { spec: { firstSpeaker: "user" as const, maxDurationMs: 600_000, inactivityTimeoutMs: 300_000 } };

describe("a peer", () => {
  test("is pinged as its stream begins, and then at every interval", async () => {
    const call = leg(QUIET);
    call.start();
    await call.listen(20);
    expect(call.socket.pings).toBe(1);
    await call.listen(4 * pingIntervalMs);
    expect(call.socket.pings).toBe(5);
  });

  test("ADV-M3: that sends no media and answers pings is not lost, however long", async () => {
    const call = leg(QUIET);
    call.start();
    await call.clock.play(20 * pingTimeoutMs);
    expect(call.ends()).toEqual([]);
  });

  test("ADV-M3: that stops answering is lost after the ping timeout, with its own end reason", async () => {
    let answers = true;
    const call = leg({ ...QUIET, answersPings: () => answers });
    call.start();
    await call.clock.play(3 * pingTimeoutMs);
    answers = false;
    await call.clock.play(pingIntervalMs + pingTimeoutMs + 100);
    expect(call.ends()).toMatchObject([{ reason: "connection_lost" }]);
    expect(call.socket.ended).toEqual({ code: 1_008, reason: "connection_lost" });
  });

  test("ADV-M3: that never answered a ping lives as long as its media flows, and SILENT_PEER_MS_MAX without any", async () => {
    const call = leg({ ...QUIET, answersPings: () => false });
    call.start();
    await call.listen(3 * SILENT_PEER_MS_MAX);
    expect(call.ends()).toEqual([]);
    await call.clock.play(SILENT_PEER_MS_MAX - 100);
    expect(call.ends()).toEqual([]);
    await call.clock.play(200);
    expect(call.ends()).toMatchObject([{ reason: "connection_lost" }]);
  });

  test("whose audio comes another way than its texts is lost when its connection answers no ping, though audio flows", async () => {
    let answers = true;
    const call = websocketLeg({
      ...QUIET,
      answersPings: () => answers,
      tamper: ({ socket }) => Object.assign(socket, { hasAudioApart: true }),
    });
    const listen = async (forMs: number): Promise<void> => {
      for (let atMs = 0; atMs < forMs; atMs += 20) {
        call.audio(new Uint8Array(640));
        await call.clock.play(20);
      }
    };
    await listen(2 * pingIntervalMs);
    answers = false;
    await listen(pingIntervalMs + pingTimeoutMs + 100);
    expect(call.ends()).toMatchObject([{ reason: "connection_lost" }]);
  });

  test("ADV-M3: is pinged each second while the agent speaks and nothing is received", async () => {
    const call = leg(LONG);
    call.start();
    await call.clock.play(10_000);
    expect(call.socket.pings).toBeGreaterThanOrEqual(8);
    expect(call.socket.pings).toBeLessThanOrEqual(11);
  });

  test("whose messages are unread because this process was stalled is not lost", async () => {
    let answers = true;
    const call = leg({ ...QUIET, answersPings: () => answers });
    call.start();
    await call.clock.play(1_000);
    answers = false;
    call.clock.stall(10 * pingTimeoutMs);
    call.connection.tick();
    expect(call.ends()).toEqual([]);
  });

  test("that sends unrequested pongs is alive, and the journal gets one event per ping", async () => {
    const call = leg(QUIET);
    call.start();
    await call.clock.play(100);
    for (let pongs = 0; pongs < 50; pongs += 1) call.connection.ponged();
    call.connection.end("api_hangup");
    expect(call.ends()).toMatchObject([{ pings: 1, pongs: 1 }]);
  });

  test("without audio is lost after MEDIA_TIMEOUT_S where that is set, though it answers pings", async () => {
    const call = leg({ ...QUIET, liveness: { mediaTimeoutMs: 20_000 } });
    call.start();
    await call.listen(30_000);
    expect(call.ends()).toEqual([]);
    await call.clock.play(20_100);
    expect(call.ends()).toMatchObject([{ reason: "connection_lost" }]);
  });
});
