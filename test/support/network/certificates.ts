import { execFileSync, spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type EpochMs, epochMs } from "../../../src/core/clocks.ts";
import type { CertificateFiles } from "../../../src/gateway/server/certificate.ts";

/** Whether certificates can be made here. */
export const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

/** Of every certificate made here. */
export const VALID_DAYS = 30;

export interface TestCertificate extends CertificateFiles {
  serial: string;
  notAfterMs: EpochMs;
}

/** Makes a self-signed certificate for `localhost` and 127.0.0.1, and its key, in a directory. */
export function makeCertificate(directory: string, name: string): TestCertificate {
  const [certFile, keyFile] = [join(directory, `${name}.crt`), join(directory, `${name}.key`)];
  const request = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const names = ["-subj", `/CN=${name}.test`, "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
  const files = ["-keyout", keyFile, "-out", certFile, "-days", String(VALID_DAYS)];
  execFileSync("openssl", [...request, ...names, ...files], { stdio: "ignore" });
  const certificate = new X509Certificate(readFileSync(certFile));
  return { certFile, keyFile, serial: certificate.serialNumber, notAfterMs: epochMs(Date.parse(certificate.validTo)) };
}

/** Overwrites a pair with another. */
export function replaceCertificate(files: CertificateFiles, by: CertificateFiles): void {
  cpSync(by.certFile, files.certFile);
  cpSync(by.keyFile, files.keyFile);
}
