import { randomBytes } from "node:crypto";
import { afterEach, describe, expect, test } from "vitest";
import { asCallId, type CallId } from "../../../src/core/ids.ts";
import { mintToken as mintTokenWith } from "../../../src/core/stream-token.ts";
import type { MediaServerName } from "../../../src/gateway/server/media-server.ts";
import { RawWs } from "../../support/network/raw-ws.ts";
import { type MediaService, type MediaServiceOptions, mediaService } from "../../support/services/media-service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";
import { mintToken } from "../../support/tokens.ts";

export function admissionContract(mediaServer: MediaServerName): void {
  let service: MediaService | undefined;
  afterEach(async () => {
    await service?.close();
    service = undefined;
  });

  async function start(options?: MediaServiceOptions): Promise<MediaService> {
    service = await mediaService({ mediaServer, ...options });
    return service;
  }

  async function upgrade(url: string, token: string): Promise<{ ws: RawWs; status: number | undefined; body: string }> {
    const ws = await RawWs.connect(url);
    const answer = await ws.upgrade(`/stream/${token}`);
    return { ws, status: answer?.status, body: answer?.body ?? "" };
  }

  describe("admission", () => {
    test("T1, ADV-M5: unknown, malformed, unsigned, expired and used tokens get the same 401 with the same body", async () => {
      const { url, create, ended, stores } = await start({ tokenTtlMs: 5 });
      const expired = await create();
      await new Promise((resolve) => setTimeout(resolve, 10));
      await stores.calls.expire();
      const used = await create();
      // Redeemed before it expires, by the first client.
      const first = await upgrade(url, used.token);
      const invented = ["short", "x".repeat(64), "x".repeat(65), `${"x".repeat(63)}!`, "%00".repeat(21)];
      const tokens = [...invented, mintTokenWith(Buffer.alloc(32, 1)), mintToken(), expired.token];
      const answers = await Promise.all([...tokens, used.token].map((token) => upgrade(url, token)));
      first.ws.destroy();
      if (first.status === 101) await ended(used.callId);
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
      const errors = answers.map(({ body }) => (JSON.parse(body) as { error: Record<string, unknown> }).error);
      expect(new Set(errors.map(({ requestId }) => requestId)).size).toBe(answers.length);
      for (const error of errors) {
        expect(error).toEqual({
          code: "unauthorized",
          message: "the stream token is not valid",
          details: [],
          requestId: expect.stringMatching(/^req_[0-9a-f-]{36}$/),
        });
      }
    });

    test("ADV-M5: none of 500 invented tokens reaches the control process or the store, and a valid one is redeemed", async () => {
      let redemptions = 0;
      const { url, create } = await start({
        async beforeRedeem() {
          redemptions += 1;
        },
      });
      const { token } = await create();
      const otherKey = Buffer.alloc(32, 1);
      for (let sent = 0; sent < 500; sent += 50) {
        const answers = await Promise.all(
          Array.from({ length: 50 }, (_, index) =>
            upgrade(url, index % 2 === 0 ? randomBytes(48).toString("base64url") : mintTokenWith(otherKey)),
          ),
        );
        expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
        for (const { ws } of answers) ws.destroy();
      }
      expect(redemptions).toBe(0);
      const good = await upgrade(url, token);
      expect([good.status, redemptions]).toEqual([101, 1]);
      good.ws.destroy();
    });

    test("T1: a token of 64 KiB is refused, and the server continues", async () => {
      const { url, create } = await start();
      const ws = await RawWs.connect(url);
      const answer = await ws.upgrade(`/stream/${"x".repeat(65_536)}`);
      expect(answer?.status ?? 0).not.toBe(101);
      const { token } = await create();
      const good = await upgrade(url, token);
      expect(good.status).toBe(101);
      good.ws.destroy();
    });

    // A redemption waits a second for the answer, which a machine that stands still does not give.
    test("T2: exactly one of 100 simultaneous upgrades with one token succeeds, 25 times", {
      retry: ifMachineStalled,
      timeout: 120_000,
    }, async () => {
      const { url, create, ended } = await start();
      for (let round = 0; round < 25; round += 1) {
        const { callId, token } = await create();
        const sockets = await Promise.all(Array.from({ length: 100 }, () => RawWs.connect(url)));
        const answers = await Promise.all(sockets.map((ws) => ws.upgrade(`/stream/${token}`)));
        const statuses = answers.map((answer) => answer?.status);
        expect(statuses.filter((status) => status === 101)).toHaveLength(1);
        expect(statuses.filter((status) => status === 401)).toHaveLength(99);
        for (const ws of sockets) ws.destroy();
        expect((await ended(callId)).endReason).toBe("caller_hangup");
      }
    });

    test("a plain GET of the stream path gets 426, and any other path 404", async () => {
      const { port } = await start();
      const plain = await fetch(`http://127.0.0.1:${port}/stream/${"x".repeat(64)}`);
      expect([plain.status, plain.headers.get("upgrade")]).toEqual([426, "websocket"]);
      expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404);
      for (const method of ["POST", "PUT", "DELETE", "OPTIONS", "HEAD"]) {
        const answer = await fetch(`http://127.0.0.1:${port}/stream/x`, { method });
        expect([method, answer.status]).toEqual([method, 426]);
      }
    });

    test("B12: an upgrade with another version, or without a valid key, is refused and does not spend the token", async () => {
      const { url, create } = await start();
      const { token } = await create();
      for (const headers of [
        { "Sec-WebSocket-Version": "8" },
        { "Sec-WebSocket-Version": undefined },
        { "Sec-WebSocket-Key": undefined },
        { "Sec-WebSocket-Key": "c2hvcnQ=" },
      ]) {
        const ws = await RawWs.connect(url);
        const answer = await ws.upgrade(`/stream/${token}`, headers);
        expect(answer?.status).toBe(426);
        ws.destroy();
      }
      const good = await upgrade(url, token);
      expect(good.status).toBe(101);
      good.ws.destroy();
    });

    test("an offered subprotocol is accepted and not selected", async () => {
      const { url, create } = await start();
      const { token } = await create();
      const ws = await RawWs.connect(url);
      const answer = await ws.upgrade(`/stream/${token}`, { "Sec-WebSocket-Protocol": "audio.example" });
      expect([answer?.status, answer?.headers["sec-websocket-protocol"]]).toEqual([101, undefined]);
      ws.destroy();
    });

    test("B10: a peer that disconnects before its refusal causes no error", async () => {
      let letGo = (): void => {};
      const left = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      const { url, logged } = await start({ beforeRedeem: () => left });
      const leaving = await Promise.all(Array.from({ length: 10 }, () => RawWs.connect(url)));
      for (const ws of leaving) ws.sendUpgrade(`/stream/${mintToken()}`);
      // What cannot be a token is refused without the store: the others have come, and then gone, before this answer.
      expect((await upgrade(url, "short")).status).toBe(401);
      for (const ws of leaving) ws.reset();
      expect((await upgrade(url, "short")).status).toBe(401);
      letGo();
      expect((await upgrade(url, "y".repeat(64))).status).toBe(401);
      expect(logged.filter((line) => line.includes("socket handler failed"))).toEqual([]);
    });

    test("B10, T3: a peer that disconnects during the redemption spends its token, and its call gets a record", async () => {
      const { url, create, ended, gateway } = await start({
        beforeRedeem: () => new Promise((resolve) => setTimeout(resolve, 25)),
      });
      const calls = await Promise.all(Array.from({ length: 60 }, () => create()));
      await Promise.all(
        calls.map(async ({ token }, index) => {
          const ws = await RawWs.connect(url);
          ws.sendUpgrade(`/stream/${token}`);
          await new Promise((resolve) => setTimeout(resolve, index % 50));
          if (index % 2 === 0) ws.reset();
          else ws.destroy();
        }),
      );
      const records = await Promise.all(calls.map(({ callId }) => settledRecord(callId)));
      for (const record of records) expect(["caller_hangup", undefined]).toContain(record?.endReason);
      expect(gateway.callIds()).toEqual([]);
      // A token is spent or still good, never both: what was not redeemed can be redeemed now.
      for (const [index, record] of records.entries()) {
        if (record?.status === "created") {
          const { ws, status } = await upgrade(url, calls[index]?.token ?? "");
          expect(status).toBe(101);
          ws.destroy();
          await ended(calls[index]?.callId ?? asCallId(""));
        } else {
          const { status } = await upgrade(url, calls[index]?.token ?? "");
          expect(status).toBe(401);
        }
      }

      /** A request that was cut off before it could be read leaves its call as it was. */
      async function settledRecord(callId: CallId) {
        for (let waited = 0; waited < 40; waited += 1) {
          const record = await service?.stores.calls.get(service.accountId, callId);
          if (record?.status === "ended" || record?.status === "failed") return record;
          await new Promise((resolve) => setTimeout(resolve, 25));
        }
        return await service?.stores.calls.get(service.accountId, callId);
      }
    });

    test("T8: when the control process does not answer, the upgrade gets 503 and a Retry-After, and no call begins", async () => {
      const { url, create, gateway } = await start({
        beforeRedeem: () => new Promise((resolve) => setTimeout(resolve, 1_300)),
      });
      const { token } = await create();
      const ws = await RawWs.connect(url);
      const answer = await ws.upgrade(`/stream/${token}`);
      expect([answer?.status, answer?.headers["retry-after"]]).toEqual([503, "1"]);
      expect(gateway.callIds()).toEqual([]);
    });

    test("B2, B7: a peer that breaks the framing, or sends what the library refuses, ends its call with protocol_error", async () => {
      const { url, create, ended } = await start();
      for (const breakIt of [
        (ws: RawWs) => ws.sendText("x".repeat(131_073)),
        (ws: RawWs) => ws.sendFrame({ opcode: 0x3, payload: "" }),
        (ws: RawWs) => ws.sendFrame({ opcode: 0x1, payload: "{}", rsv: 4 }),
      ]) {
        const { callId, token } = await create();
        const { ws } = await upgrade(url, token);
        breakIt(ws);
        expect((await ended(callId)).endReason).toBe("protocol_error");
        ws.destroy();
      }
    });

    test("a draining gateway refuses with 503 and spends no token", async () => {
      const { url, create, gateway, stores, accountId } = await start();
      const { callId, token } = await create();
      await gateway.drain();
      expect((await upgrade(url, token)).status).toBe(503);
      expect((await stores.calls.get(accountId, callId))?.status).toBe("created");
    });

    test("K7: a drain waits for a token that is being redeemed, and a call that begins after its deadline ends at once", async () => {
      let answer = (): void => {};
      const asked = new Promise<void>((resolve) => {
        answer = resolve;
      });
      let noteRedeeming = (): void => {};
      const redeeming = new Promise<void>((resolve) => {
        noteRedeeming = resolve;
      });
      const beforeRedeem = (): Promise<void> => {
        noteRedeeming();
        return asked;
      };
      const { url, create, ended, gateway } = await start({ beforeRedeem });
      const { callId, token } = await create();
      const ws = await RawWs.connect(url);
      ws.sendUpgrade(`/stream/${token}`);
      await redeeming;
      let empty = false;
      const drained = gateway.drain().then(() => {
        empty = true;
      });
      gateway.endAllWithGoodbye();
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(empty).toBe(false);
      answer();
      await drained;
      expect((await ended(callId)).endReason).toBe("drain_timeout");
      ws.destroy();
    });

    test("T12: no token, valid or not, reaches a log line or a file", async () => {
      const { url, create, ended, logged, directory } = await start();
      const { callId, token } = await create();
      const bad = mintToken();
      await upgrade(url, bad);
      const good = await upgrade(url, token);
      good.ws.sendText(JSON.stringify({ event: "connected", protocol: "Call", version: "1.0.0" }));
      good.ws.destroy();
      await ended(callId);
      const { allBytes } = await import("../../support/temporary-directory.ts");
      for (const text of [logged.join("\n"), allBytes(directory)]) {
        expect(text).not.toContain(token);
        expect(text).not.toContain(bad);
      }
    });
  });
}
