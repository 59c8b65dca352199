import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { readConfig } from "../../../src/config/config.ts";
import { isoTime, systemClock } from "../../../src/core/clock.ts";
import { addMs, type EpochMs, epochMs } from "../../../src/core/clocks.ts";
import { CERTIFICATE_POLL_MS } from "../../../src/core/limits/streams/connections.ts";
import {
  type CertificateFiles,
  CertificateReloader,
  certificateProblems,
} from "../../../src/gateway/server/certificate.ts";
import { ManualClock, settled } from "../../support/manual-clock.ts";
import { memoryLog } from "../../support/memory-log.ts";
import {
  hasOpenssl,
  makeCertificate,
  replaceCertificate,
  type TestCertificate,
  VALID_DAYS,
} from "../../support/network/certificates.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const DAY_MS = 86_400_000;

let directory: string;
let first: TestCertificate;
let second: TestCertificate;
let files: CertificateFiles;
beforeEach(() => {
  if (!hasOpenssl) return;
  directory = temporaryDirectory();
  [first, second] = [makeCertificate(directory, "first"), makeCertificate(directory, "second")];
  files = { certFile: join(directory, "tls.crt"), keyFile: join(directory, "tls.key") };
  replaceCertificate(files, first);
});

/** A reloader whose server only counts; `prepare` may do what happens while a server reads the files. */
function watching({ prepare = () => {}, atMs = systemClock.epochMs() }: { prepare?: () => void; atMs?: EpochMs } = {}) {
  const clock = new ManualClock(atMs);
  const { log, lines } = memoryLog();
  let used = 0;
  const watch = new CertificateReloader({
    files,
    prepare() {
      prepare();
      return () => {
        used += 1;
      };
    },
    clock,
    log,
  });
  return {
    ...{ clock, watch },
    used: () => used,
    logged: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>),
    messages: () => lines.map((line) => (JSON.parse(line) as { msg: string }).msg),
  };
}

describe.skipIf(!hasOpenssl)("what a certificate's files may not be (only where openssl is installed)", () => {
  test("a certificate with its key is no problem, also when followed by its chain", () => {
    expect(certificateProblems(files)).toEqual([]);
    writeFileSync(files.certFile, Buffer.concat([readFileSync(first.certFile), readFileSync(second.certFile)]));
    expect(certificateProblems(files)).toEqual([]);
  });

  test("each problem is described, and those of both files together", () => {
    const locked = join(directory, "locked.key");
    execFileSync("openssl", ["ec", "-in", first.keyFile, "-aes256", "-passout", "pass:x", "-out", locked], {
      stdio: "ignore",
    });
    const der = join(directory, "first.der");
    execFileSync("openssl", ["x509", "-in", first.certFile, "-outform", "der", "-out", der]);
    const gone = join(directory, "gone");
    const half = join(directory, "half.crt");
    writeFileSync(half, Buffer.concat([readFileSync(first.certFile), readFileSync(second.certFile).subarray(0, -60)]));
    const { certFile, keyFile } = files;
    for (const [pair, problems] of [
      [
        { certFile: gone, keyFile: directory },
        [
          `MEDIA_TLS_CERT_FILE ${gone} cannot be read: there is no such file`,
          `MEDIA_TLS_KEY_FILE ${directory} cannot be read: it is a directory`,
        ],
      ],
      [
        { certFile: keyFile, keyFile: certFile },
        [
          `MEDIA_TLS_CERT_FILE ${keyFile} holds no certificate in PEM`,
          `MEDIA_TLS_KEY_FILE ${certFile} holds no private key in PEM`,
        ],
      ],
      [{ certFile: der, keyFile }, [`MEDIA_TLS_CERT_FILE ${der} holds no certificate in PEM`]],
      [
        { certFile: half, keyFile },
        [`MEDIA_TLS_CERT_FILE ${half} holds an unreadable certificate after the first one`],
      ],
      [{ certFile, keyFile: locked }, [`MEDIA_TLS_KEY_FILE ${locked} must not have a passphrase`]],
      [
        { certFile, keyFile: second.keyFile },
        [
          `MEDIA_TLS_KEY_FILE ${second.keyFile} does not match the first certificate in MEDIA_TLS_CERT_FILE ${certFile}`,
        ],
      ],
    ] as const) {
      expect(certificateProblems(pair)).toEqual(problems);
    }
  });

  test("a service rejects such files, or only one of the two, and reports that with all other problems", () => {
    const env = { API_PORT: "x", MEDIA_TLS_CERT_FILE: second.certFile, MEDIA_TLS_KEY_FILE: first.keyFile };
    expect(() => readConfig(env)).toThrow(/MEDIA_TLS_KEY_FILE .* does not match .*\n {2}API_PORT must be/);
    for (const one of [{ MEDIA_TLS_CERT_FILE: first.certFile }, { MEDIA_TLS_KEY_FILE: first.keyFile }]) {
      expect(() => readConfig(one)).toThrow("MEDIA_TLS_CERT_FILE and MEDIA_TLS_KEY_FILE must be set together");
    }
    const { API_PORT: _, ...pair } = { ...env, MEDIA_TLS_KEY_FILE: second.keyFile };
    expect(readConfig(pair).mediaTls).toEqual({ certFile: second.certFile, keyFile: second.keyFile });
  });

  test("a process that does not use the files starts, whatever they contain", () => {
    const env = { MEDIA_TLS_CERT_FILE: second.certFile, MEDIA_TLS_KEY_FILE: first.keyFile };
    expect(() => readConfig(env, { checksFiles: false })).not.toThrow();
  });
});

describe.skipIf(!hasOpenssl)("a certificate that is replaced (only where openssl is installed)", () => {
  test("is used from the next check on, within seconds, and that is logged with its expiry date", async () => {
    const { clock, watch, used, logged } = watching();
    watch.start();
    replaceCertificate(files, second);
    clock.advance(CERTIFICATE_POLL_MS - 1);
    await settled();
    expect([used(), watch.notAfterMs]).toEqual([0, first.notAfterMs]);
    clock.advance(1);
    // Files are read in real time, which no clock can hurry; the next check is scheduled when this one is complete.
    while (clock.pending === 0) await settled();
    expect([used(), watch.notAfterMs]).toEqual([1, second.notAfterMs]);
    const notAfter = isoTime(second.notAfterMs);
    expect(logged()).toMatchObject([{ level: 30, msg: "certificate reloaded", notAfter }]);
    clock.advance(CERTIFICATE_POLL_MS);
    while (clock.pending === 0) await settled();
    expect(used()).toBe(1);
  });

  test("is found where a symbolic link changes its target, as with Kubernetes and certbot", async () => {
    const link = join(directory, "..data");
    for (const [name, certificate] of [
      ["1", first],
      ["2", second],
    ] as const) {
      mkdirSync(join(directory, name));
      cpSync(certificate.certFile, join(directory, name, "tls.crt"));
      cpSync(certificate.keyFile, join(directory, name, "tls.key"));
    }
    symlinkSync("1", link);
    for (const path of Object.values(files)) rmSync(path);
    symlinkSync("..data/tls.crt", files.certFile);
    symlinkSync("..data/tls.key", files.keyFile);
    const { watch, used } = watching();
    await watch.check();
    expect(used()).toBe(0);
    symlinkSync("2", `${link}-new`);
    renameSync(`${link}-new`, link);
    await watch.check();
    expect([used(), watch.notAfterMs]).toEqual([1, second.notAfterMs]);
  });

  test("is not used while only half of it is there, and no alarm is raised", async () => {
    const { watch, used, messages } = watching();
    cpSync(second.certFile, files.certFile);
    await watch.check();
    expect(used()).toBe(0);
    cpSync(second.keyFile, files.keyFile);
    await watch.check();
    expect([used(), messages()]).toEqual([1, ["certificate reloaded"]]);
  });

  test("is not used when it is invalid; that is logged once, and again when another problem appears", async () => {
    const { watch, used, logged } = watching();
    cpSync(second.keyFile, files.keyFile);
    for (let looks = 0; looks < 5; looks += 1) await watch.check();
    rmSync(files.keyFile);
    for (let looks = 0; looks < 5; looks += 1) await watch.check();
    expect(logged()).toMatchObject([
      {
        level: 40,
        msg: "certificate rejected; the one in use stays",
        problem: expect.stringMatching(/does not match the first certificate/),
      },
      {
        level: 40,
        msg: "certificate rejected; the one in use stays",
        problem: expect.stringMatching(/cannot be read: there is no such file/),
      },
    ]);
    expect([used(), watch.notAfterMs]).toEqual([0, first.notAfterMs]);
    replaceCertificate(files, second);
    await watch.check();
    expect([used(), logged().at(-1)?.msg]).toEqual([1, "certificate reloaded"]);
  });

  test("may be put back: the one in use is not logged, and the same mistake made later is logged again", async () => {
    const { watch, used, messages } = watching();
    for (let round = 0; round < 2; round += 1) {
      rmSync(files.certFile);
      for (let looks = 0; looks < 3; looks += 1) await watch.check();
      replaceCertificate(files, first);
      for (let looks = 0; looks < 3; looks += 1) await watch.check();
    }
    expect([used(), messages()]).toEqual([
      0,
      ["certificate rejected; the one in use stays", "certificate rejected; the one in use stays"],
    ]);
  });

  test("is not used when the TLS library cannot use it", async () => {
    const { watch, used, logged } = watching({
      prepare: () => {
        throw new Error("App construction failed");
      },
    });
    replaceCertificate(files, second);
    for (let looks = 0; looks < 3; looks += 1) await watch.check();
    expect(used()).toBe(0);
    const problem = `the TLS library cannot use ${files.certFile} with ${files.keyFile}`;
    expect(logged()).toMatchObject([{ msg: "certificate rejected; the one in use stays", problem }]);
  });

  test("is checked once more when it changed while the TLS library read it", async () => {
    const third = makeCertificate(directory, "third");
    const changes = [third];
    const { watch, used } = watching({
      prepare: () => {
        const change = changes.shift();
        if (change) replaceCertificate(files, change);
      },
    });
    replaceCertificate(files, second);
    await watch.check();
    expect([used(), watch.notAfterMs]).toEqual([0, first.notAfterMs]);
    await watch.check();
    expect([used(), watch.notAfterMs]).toEqual([1, third.notAfterMs]);
  });

  test("is used when it becomes valid, and not before", async () => {
    const notBeforeMs = epochMs(Date.parse(new X509Certificate(readFileSync(second.certFile)).validFrom));
    const { clock, watch, used, logged } = watching({ atMs: addMs(notBeforeMs, -DAY_MS) });
    replaceCertificate(files, second);
    for (let looks = 0; looks < 3; looks += 1) await watch.check();
    expect(used()).toBe(0);
    expect(logged()).toMatchObject([
      {
        msg: "certificate rejected; the one in use stays",
        problem: `${files.certFile} is not valid before ${isoTime(notBeforeMs)}`,
      },
    ]);
    clock.advance(DAY_MS);
    await watch.check();
    expect([used(), logged().at(-1)?.msg]).toEqual([1, "certificate reloaded"]);
  });

  test("is not used when it has expired", async () => {
    const { watch, used, logged } = watching({ atMs: addMs(second.notAfterMs, 1) });
    replaceCertificate(files, second);
    for (let looks = 0; looks < 3; looks += 1) await watch.check();
    expect(used()).toBe(0);
    expect(logged().filter(({ msg }) => msg === "certificate rejected; the one in use stays")).toMatchObject([
      { problem: `${files.certFile} expired at ${isoTime(second.notAfterMs)}` },
    ]);
  });
});

describe.skipIf(!hasOpenssl)("a certificate that expires (only where openssl is installed)", () => {
  test("is warned of once a day in its last fourteen days, and is an error once it has expired", async () => {
    const { clock, watch, messages } = watching({ atMs: addMs(first.notAfterMs, -15 * DAY_MS) });
    const days: number[] = [];
    for (let day = 0; day < 17; day += 1) {
      const before = messages().length;
      for (let looks = 0; looks < 24; looks += 1) {
        await watch.check();
        clock.advance(DAY_MS / 24);
      }
      days.push(messages().length - before);
    }
    expect(days).toEqual([0, ...Array.from({ length: 16 }, () => 1)]);
    const said = messages();
    expect(said.slice(0, 14)).toEqual(Array.from({ length: 14 }, () => "certificate expires soon"));
    expect(said.slice(14)).toEqual(["certificate has expired", "certificate has expired"]);
  });

  test("is warned of at the start already, and no more when another has replaced it", async () => {
    const soon = watching({ atMs: addMs(first.notAfterMs, -DAY_MS) });
    soon.watch.start();
    expect(soon.messages()).toEqual(["certificate expires soon"]);
    const fresh = watching({ atMs: addMs(first.notAfterMs, -(VALID_DAYS - 1) * DAY_MS) });
    fresh.watch.start();
    await fresh.watch.check();
    expect(fresh.messages()).toEqual([]);
  });
});
