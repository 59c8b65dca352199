import { execFileSync, spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type EpochMs, epochMs } from "../../../src/core/clocks.ts";
import type { CertificateFiles } from "../../../src/gateway/server/certificate.ts";

/** Whether certificates can be made here. */
export const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

/** Of every certificate made here. */
export const VALID_DAYS = 30;

const NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

export interface TestCertificate extends CertificateFiles {
  serial: string;
  notAfterMs: EpochMs;
}

/** Makes a self-signed certificate for `localhost` and 127.0.0.1, and its key, in a directory. */
export function makeCertificate(directory: string, name: string): TestCertificate {
  const [certFile, keyFile] = [join(directory, `${name}.crt`), join(directory, `${name}.key`)];
  const request = ["req", "-x509", ...NEW_KEY];
  const names = ["-subj", `/CN=${name}.test`, "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
  const files = ["-keyout", keyFile, "-out", certFile, "-days", String(VALID_DAYS)];
  execFileSync("openssl", [...request, ...names, ...files], { stdio: "ignore" });
  const certificate = new X509Certificate(readFileSync(certFile));
  return { certFile, keyFile, serial: certificate.serialNumber, notAfterMs: epochMs(Date.parse(certificate.validTo)) };
}

/** A certificate authority that signs certificates, in a directory. */
export class TestAuthority {
  readonly certFile: string;
  readonly #directory: string;
  readonly #keyFile: string;

  constructor(directory: string) {
    this.#directory = directory;
    this.certFile = join(directory, "authority.crt");
    this.#keyFile = join(directory, "authority.key");
    const files = ["-keyout", this.#keyFile, "-out", this.certFile, "-days", String(VALID_DAYS)];
    execFileSync("openssl", ["req", "-x509", ...NEW_KEY, "-subj", "/CN=authority.test", ...files], { stdio: "ignore" });
  }

  /** A certificate for what `names` says, as subjectAltName writes it, and its key. With negative days it has expired. */
  issue(name: string, names: string, days = VALID_DAYS): { cert: string; key: string } {
    const [request, certFile, keyFile, extensions] = ["csr", "crt", "key", "ext"].map((suffix) =>
      join(this.#directory, `${name}.${suffix}`),
    ) as [string, string, string, string];
    const silent = { stdio: "ignore" } as const;
    execFileSync(
      "openssl",
      ["req", ...NEW_KEY, "-subj", `/CN=${name}.test`, "-keyout", keyFile, "-out", request],
      silent,
    );
    writeFileSync(extensions, `subjectAltName=${names}\n`);
    const signer = ["-CA", this.certFile, "-CAkey", this.#keyFile, "-CAcreateserial", "-days", String(days)];
    execFileSync(
      "openssl",
      ["x509", "-req", "-in", request, ...signer, "-extfile", extensions, "-out", certFile],
      silent,
    );
    return { cert: readFileSync(certFile, "utf8"), key: readFileSync(keyFile, "utf8") };
  }
}

/** Overwrites a pair with another. */
export function replaceCertificate(files: CertificateFiles, by: CertificateFiles): void {
  cpSync(by.certFile, files.certFile);
  cpSync(by.keyFile, files.keyFile);
}
