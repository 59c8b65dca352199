import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from "node:tls";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { MediaServerName } from "../../../src/gateway/server/media-server.ts";
import { RawCaller } from "../../callers/raw-caller.ts";
import { memoryLog } from "../../support/memory-log.ts";
import {
  hasOpenssl,
  makeCertificate,
  replaceCertificate,
  type TestCertificate,
} from "../../support/network/certificates.ts";
import { type Frame, OPCODE, RawWs } from "../../support/network/raw-ws.ts";
import { createMediaServer } from "../../support/services/media-servers.ts";
import { type MediaService, mediaService } from "../../support/services/media-service.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

export function tlsContract(mediaServer: MediaServerName): void {
  let first: TestCertificate;
  let second: TestCertificate;
  let tls: { certFile: string; keyFile: string };
  let service: MediaService;
  beforeEach(async () => {
    if (!hasOpenssl) return;
    const directory = temporaryDirectory();
    [first, second] = [makeCertificate(directory, "first"), makeCertificate(directory, "second")];
    tls = { certFile: join(directory, "tls.crt"), keyFile: join(directory, "tls.key") };
    replaceCertificate(tls, first);
    service = await mediaService({ mediaServer, tls });
  });
  afterEach(async () => {
    if (hasOpenssl) await service.close();
  });

  /** What the watch does when it finds another certificate in the files. */
  function reload(certificate: TestCertificate): void {
    replaceCertificate(tls, certificate);
    service.server.prepareCertificate()();
  }

  /** Resolves when the handshake is over. */
  async function shakeHands(options: ConnectionOptions): Promise<TLSSocket> {
    const socket = connectTls({ rejectUnauthorized: false, ...options });
    await once(socket, "secureConnect");
    return socket;
  }

  async function serialNow(): Promise<string> {
    const socket = await shakeHands({ port: service.port });
    const { serialNumber } = socket.getPeerCertificate();
    socket.destroy();
    return serialNumber;
  }

  describe.skipIf(!hasOpenssl)("the media server with a certificate (only where openssl is installed)", () => {
    test("opens and refuses streams over TLS as without it", async () => {
      const { token } = await service.create();
      const good = await RawWs.connect(service.url);
      expect((await good.upgrade(`/stream/${token}`))?.status).toBe(101);
      good.destroy();
      const again = await RawWs.connect(service.url);
      expect((await again.upgrade(`/stream/${token}`))?.status).toBe(401);
    });

    test("accepts TLS 1.2 and 1.3, but no older version and no plain text", async () => {
      const { port } = service;
      for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
        const socket = await shakeHands({ port, minVersion: version, maxVersion: version });
        expect(socket.getProtocol()).toBe(version);
        socket.destroy();
      }
      const old = shakeHands({ port, minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" });
      await expect(old).rejects.toThrow(/alert protocol version/);
      const plain = await RawWs.connect(`ws://127.0.0.1:${port}`);
      expect(await plain.upgrade(`/stream/${"x".repeat(64)}`)).toBeUndefined();
    });

    test("cannot be created with unusable files", () => {
      const files = { certFile: first.certFile, keyFile: second.keyFile };
      const { log } = memoryLog();
      const admit = async () => ({ kind: "refused", status: 401 }) as const;
      expect(() => createMediaServer(mediaServer, { admit, tls: files, log })).toThrow(
        `TLS cannot be served with ${first.certFile} and ${second.keyFile}`,
      );
      replaceCertificate(tls, files);
      expect(() => service.server.prepareCertificate()).toThrow("TLS cannot be served");
    });
  });

  describe.skipIf(!hasOpenssl)("a certificate that is reloaded (only where openssl is installed)", () => {
    test("is used for every new connection, and may be reloaded repeatedly", async () => {
      expect(await serialNow()).toBe(first.serial);
      for (const certificate of [second, first, second]) {
        reload(certificate);
        for (let n = 0; n < 5; n += 1) expect(await serialNow()).toBe(certificate.serial);
      }
    });

    test("is checked before it is used", async () => {
      replaceCertificate(tls, second);
      const use = service.server.prepareCertificate();
      expect(await serialNow()).toBe(first.serial);
      use();
      expect(await serialNow()).toBe(second.serial);
    });

    test("costs live calls no frame in either direction", async () => {
      const { callId, token } = await service.create({ greeting: "A greeting that is long enough. ".repeat(5) });
      const caller = await RawCaller.start(`${service.url}/stream/${token}`);
      let heard = 0;
      const hear = (frame: Frame | undefined): void => {
        if (frame?.payload.includes('"media"')) heard += 1;
      };
      // One frame for each message that comes: in real time, since that is how the agent's come.
      for (let sent = 1; sent <= 90; sent += 1) {
        caller.sendFrames(1);
        if (sent === 30) reload(second);
        if (sent === 60) reload(first);
        hear(await caller.ws.readFrame());
      }
      caller.hangUp();
      for (
        let frame = await caller.ws.readFrame();
        frame?.opcode === OPCODE.text;
        frame = await caller.ws.readFrame()
      ) {
        hear(frame);
      }
      const record = await service.ended(callId);
      expect(record).toMatchObject({ endReason: "caller_hangup", counters: { framesIn: 90 } });
      expect(heard).toBeGreaterThan(80);
      expect(heard).toBe(record.counters?.framesOut);
    });

    test("lets a handshake in progress finish with the previous certificate", async () => {
      const { token } = await service.create();
      const socket = connect({ port: service.port, host: "127.0.0.1" });
      await once(socket, "connect");
      // The server has accepted what connected before another that it has answered.
      await serialNow();
      reload(second);
      const secured = await shakeHands({ socket });
      expect(secured.getPeerCertificate().serialNumber).toBe(first.serial);
      secured.write(`GET /stream/${token} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n`);
      secured.write("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n");
      let answer = "";
      for await (const chunk of secured) {
        answer += chunk;
        if (answer.endsWith("\r\n\r\n")) break;
      }
      expect(answer).toMatch(/^HTTP\/1\.1 101 /);
      secured.destroy();
      expect(await serialNow()).toBe(second.serial);
    });

    test("refuses no client that connects meanwhile", async () => {
      const seen = new Set<string>();
      let isOver = false;
      const callers = Array.from({ length: 8 }, async () => {
        let connections = 0;
        for (; !isOver; connections += 1) seen.add(await serialNow());
        return connections;
      });
      for (let reloads = 0; reloads < 40; reloads += 1) {
        reload(reloads % 2 === 0 ? second : first);
        await serialNow();
      }
      isOver = true;
      const connections = (await Promise.all(callers)).reduce((sum, count) => sum + count);
      expect(connections).toBeGreaterThan(40);
      expect(seen).toEqual(new Set([first.serial, second.serial]));
    });
  });
}
