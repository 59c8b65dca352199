import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { type Clock, isoTime } from "../../core/clock.ts";
import { addMs, type EpochMs, elapsedMs, epochMs, monotonicMs } from "../../core/clocks.ts";
import {
  CERTIFICATE_EXPIRES_SOON_MS,
  CERTIFICATE_POLL_MS,
  CERTIFICATE_WARN_MS,
} from "../../core/limits/streams/connections.ts";
import type { Logger } from "../../core/log/logger.ts";

/** PEM files: the server's certificate followed by its chain, and its private key, which has no passphrase. */
export interface CertificateFiles {
  certFile: string;
  keyFile: string;
}

/** The contents of the files, or why they could not be read. */
interface FileContents {
  cert: Buffer | Error;
  key: Buffer | Error;
}

/** What is wrong with the files, in sentences for the operator; empty when a server can use them. */
export const certificateProblems = (files: CertificateFiles): readonly string[] =>
  examine(files, readNow(files)).problems;

export interface CertificateReloaderOptions {
  files: CertificateFiles;
  /**
   * Prepares serving with the current files; throws when that fails. The function that it returns applies the
   * certificate to every connection from then on.
   */
  prepare(): () => void;
  clock: Clock;
  log: Logger;
}

/**
 * Keeps a server's certificate up to date with its files. It compares contents, not times or names, so it does not
 * matter whether files are overwritten, renamed, or replaced through a symbolic link. A pair that cannot be used never
 * replaces the one in use.
 */
export class CertificateReloader {
  readonly #options: CertificateReloaderOptions;
  #inUse: FileContents;
  #notAfterMs: EpochMs;
  /** The problem found by the latest check, and the one that was reported. */
  #lastProblem = "";
  #reportedProblem = "";
  #nextWarningMs = monotonicMs(Number.NEGATIVE_INFINITY);

  /** Reads the files. The server must read them after that, so that a change in between is seen by the first check. */
  constructor(options: CertificateReloaderOptions) {
    this.#options = options;
    this.#inUse = readNow(options.files);
    this.#notAfterMs = examine(options.files, this.#inUse).notAfterMs;
  }

  /** When the certificate in use expires. */
  get notAfterMs(): EpochMs {
    return this.#notAfterMs;
  }

  /** Checks every few seconds from now on. */
  start(): void {
    this.#warnOfExpiry();
    const checkLater = (): void => {
      this.#options.clock.after(CERTIFICATE_POLL_MS, () => void this.check().then(checkLater));
    };
    checkLater();
  }

  /** Checks once. Never rejects: problems are logged. */
  async check(): Promise<void> {
    const found = await read(this.#options.files);
    this.#reportProblems(isSame(found, this.#inUse) ? [] : await this.#apply(found));
    this.#warnOfExpiry();
  }

  /** Returns the problems of the files; none when they are in use now, or are just being replaced. */
  async #apply(found: FileContents): Promise<readonly string[]> {
    const { files, prepare, clock, log } = this.#options;
    const { problems, notBeforeMs, notAfterMs } = examine(files, found);
    if (problems.length > 0) return problems;
    if (notBeforeMs > clock.epochMs()) return [`${files.certFile} is not valid before ${isoTime(notBeforeMs)}`];
    const notAfter = isoTime(notAfterMs);
    if (notAfterMs <= clock.epochMs()) return [`${files.certFile} expired at ${notAfter}`];
    try {
      const use = prepare();
      // The library reads the files by itself, and may have read others than were examined.
      if (!isSame(found, await read(files))) return [];
      use();
    } catch {
      return [`the TLS library cannot use ${files.certFile} with ${files.keyFile}`];
    }
    this.#inUse = found;
    this.#notAfterMs = notAfterMs;
    this.#nextWarningMs = monotonicMs(Number.NEGATIVE_INFINITY);
    log.info({ notAfter }, "certificate reloaded");
    return [];
  }

  /**
   * Two files are never replaced at the same instant: a problem may be half of a change, and is reported only when it
   * persists.
   */
  #reportProblems(problems: readonly string[]): void {
    const problem = problems.join("; ");
    if (problem === this.#lastProblem && problem !== this.#reportedProblem) {
      if (problem !== "") this.#options.log.warn({ problem }, "certificate rejected; the one in use stays");
      this.#reportedProblem = problem;
    }
    this.#lastProblem = problem;
  }

  #warnOfExpiry(): void {
    const { clock, log } = this.#options;
    const leftMs = elapsedMs(clock.epochMs(), this.#notAfterMs);
    if (leftMs > CERTIFICATE_EXPIRES_SOON_MS || clock.nowMs() < this.#nextWarningMs) return;
    this.#nextWarningMs = addMs(clock.nowMs(), CERTIFICATE_WARN_MS);
    const notAfter = isoTime(this.#notAfterMs);
    if (leftMs > 0) log.warn({ notAfter }, "certificate expires soon");
    else log.error({ notAfter }, "certificate has expired");
  }
}

function examine({ certFile, keyFile }: CertificateFiles, { cert, key }: FileContents) {
  const problems: string[] = [];
  const certificates = cert instanceof Error ? [] : certificatesIn(cert);
  const [certificate] = certificates;
  if (cert instanceof Error) problems.push(`MEDIA_TLS_CERT_FILE ${certFile} cannot be read: ${reasonOf(cert)}`);
  else if (!certificate) problems.push(`MEDIA_TLS_CERT_FILE ${certFile} holds no certificate in PEM`);
  else if (certificates.includes(undefined)) {
    problems.push(`MEDIA_TLS_CERT_FILE ${certFile} holds an unreadable certificate after the first one`);
  }
  const privateKey = key instanceof Error ? undefined : parsed(() => createPrivateKey(key));
  if (key instanceof Error) problems.push(`MEDIA_TLS_KEY_FILE ${keyFile} cannot be read: ${reasonOf(key)}`);
  else if (key.includes("ENCRYPTED")) problems.push(`MEDIA_TLS_KEY_FILE ${keyFile} must not have a passphrase`);
  else if (!privateKey) problems.push(`MEDIA_TLS_KEY_FILE ${keyFile} holds no private key in PEM`);
  if (certificate && privateKey && !belongTogether(certificate, privateKey)) {
    problems.push(
      `MEDIA_TLS_KEY_FILE ${keyFile} does not match the first certificate in MEDIA_TLS_CERT_FILE ${certFile}`,
    );
  }
  return {
    problems,
    notBeforeMs: epochMs(certificate ? Date.parse(certificate.validFrom) : Number.NaN),
    notAfterMs: epochMs(certificate ? Date.parse(certificate.validTo) : Number.NaN),
  };
}

const PEM_BEGIN = "-----BEGIN CERTIFICATE-----";

/** In file order; undefined for each that cannot be read, such as the last one of a half-written file. */
const certificatesIn = (pem: Buffer): (X509Certificate | undefined)[] =>
  pem
    .toString("latin1")
    .split(PEM_BEGIN)
    .slice(1)
    .map((text) => parsed(() => new X509Certificate(PEM_BEGIN + text)));

/** OpenSSL's own message for a file that it cannot read would not help the operator. */
function parsed<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}

const belongTogether = (certificate: X509Certificate, privateKey: KeyObject): boolean =>
  parsed(() => certificate.checkPrivateKey(privateKey)) ?? false;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EACCES: "this user may not read it",
  EISDIR: "it is a directory",
};

function reasonOf(error: Error): string {
  const code = "code" in error ? String(error.code) : error.name;
  return REASONS[code] ?? code;
}

const readNow = ({ certFile, keyFile }: CertificateFiles): FileContents => ({
  cert: contentOf(certFile),
  key: contentOf(keyFile),
});

function contentOf(path: string): Buffer | Error {
  try {
    return readFileSync(path);
  } catch (error) {
    return asError(error);
  }
}

/** As `readNow`, without blocking. */
async function read({ certFile, keyFile }: CertificateFiles): Promise<FileContents> {
  const [cert, key] = await Promise.all([readFile(certFile).catch(asError), readFile(keyFile).catch(asError)]);
  return { cert, key };
}

const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

const isSame = (a: FileContents, b: FileContents): boolean => areEqual(a.cert, b.cert) && areEqual(a.key, b.key);

const areEqual = (a: Buffer | Error, b: Buffer | Error): boolean =>
  a instanceof Buffer && b instanceof Buffer && a.equals(b);
