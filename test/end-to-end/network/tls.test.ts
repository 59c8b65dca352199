import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { afterAll, describe, expect, test } from "vitest";
import { isoTime } from "../../../src/core/clock.ts";
import { CERTIFICATE_POLL_MS } from "../../../src/core/limits/streams/connections.ts";
import { RawCaller } from "../../callers/raw-caller.ts";
import { hasOpenssl, makeCertificate, replaceCertificate } from "../../support/network/certificates.ts";
import { MEDIA_SERVERS_HERE } from "../../support/services/media-servers.ts";
import { Service, until } from "../../support/services/service.ts";

const directory = mkdtempSync(join(tmpdir(), "trunkline-tls-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

async function serialAt(mediaUrl: string): Promise<string> {
  const { port } = new URL(mediaUrl);
  const socket = connect({ port: Number(port), host: "127.0.0.1", rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}

describe.each(MEDIA_SERVERS_HERE)("with the media server %s", (mediaServer) => {
  test.skipIf(!hasOpenssl)(
    "a service with its own certificate loads another one during a call, and rejects a bad one (only where openssl is installed)",
    { timeout: 60_000 },
    async () => {
      const [first, second] = [
        makeCertificate(directory, `${mediaServer}-first`),
        makeCertificate(directory, `${mediaServer}-second`),
      ];
      const files = { certFile: join(directory, `${mediaServer}.crt`), keyFile: join(directory, `${mediaServer}.key`) };
      replaceCertificate(files, first);
      const service = await Service.start({
        env: { MEDIA_SERVER: mediaServer, MEDIA_TLS_CERT_FILE: files.certFile, MEDIA_TLS_KEY_FILE: files.keyFile },
      });
      const { id, websocketUrl } = await service.createCall({ firstSpeaker: "user" });
      expect(websocketUrl).toMatch(/^wss:\/\/127\.0\.0\.1:\d+\/stream\//);
      expect(await serialAt(service.mediaUrl)).toBe(first.serial);
      const caller = await RawCaller.start(websocketUrl);
      caller.sendFrames(10);

      replaceCertificate(files, second);
      await until("the certificate to be seen", 4 * CERTIFICATE_POLL_MS, () => {
        return service.logged("certificate reloaded").length > 0;
      });
      expect(service.logged("certificate reloaded")).toMatchObject([
        { process: "worker", notAfter: isoTime(second.notAfterMs) },
      ]);
      expect(await serialAt(service.mediaUrl)).toBe(second.serial);

      // No part of the service falls over a pair that does not fit: the one that has no use for it least of all.
      cpSync(first.keyFile, files.keyFile);
      await service.killChild("control");
      await until("the control process to be back", 10_000, async () => {
        const answer = await service.api("GET", "/voices").catch(() => undefined);
        return answer?.status === 200;
      });
      expect(await serialAt(service.mediaUrl)).toBe(second.serial);

      caller.sendFrames(10);
      caller.hangUp();
      expect(await service.ended(id)).toMatchObject({ endReason: "caller_hangup", counters: { framesIn: 20 } });

      // A worker that dies now cannot be replaced before the files are right, and says why in the log.
      await service.killChild("worker");
      const failures = () => service.logged("process failed");
      await until("the reason to be logged", 10_000, () => failures().length > 0);
      expect((failures()[0]?.err as Error).message).toMatch(
        /MEDIA_TLS_KEY_FILE .* does not match the first certificate/,
      );
      cpSync(second.keyFile, files.keyFile);
      await until(
        "the service to take calls",
        15_000,
        async () => (await service.fetch("GET", "/readyz")).status === 200,
      );
      // The port is open by then, also where the supervisor opens it for the worker.
      expect(await serialAt(service.mediaUrl)).toBe(second.serial);
      expect(await service.stop()).toBe(0);
    },
  );
});
