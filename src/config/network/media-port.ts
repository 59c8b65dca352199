import { type CertificateFiles, certificateProblems } from "../../gateway/server/certificate.ts";
import type { LivenessOptions } from "../../gateway/transport/liveness.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the whole number of a variable, or its default. */
type ReadInteger = (name: string) => number;

/** Reads MEDIA_TLS_CERT_FILE and MEDIA_TLS_KEY_FILE; undefined without TLS. With `checksFiles` false the files are not read. */
export function readMediaTls(env: Environment, problems: string[], checksFiles: boolean): CertificateFiles | undefined {
  const certFile = env.MEDIA_TLS_CERT_FILE?.trim() ?? "";
  const keyFile = env.MEDIA_TLS_KEY_FILE?.trim() ?? "";
  if (certFile === "" && keyFile === "") return undefined;
  if (certFile === "" || keyFile === "") {
    problems.push("MEDIA_TLS_CERT_FILE and MEDIA_TLS_KEY_FILE must be set together, or neither of them");
    return undefined;
  }
  if (checksFiles) problems.push(...certificateProblems({ certFile, keyFile }));
  return { certFile, keyFile };
}

/** Reads PING_INTERVAL_S, PING_TIMEOUT_S and, with `hasMediaTimeout`, MEDIA_TIMEOUT_S. Problems are added to `problems`. */
export function readLiveness(integer: ReadInteger, hasMediaTimeout: boolean, problems: string[]): LivenessOptions {
  const pingIntervalS = integer("PING_INTERVAL_S");
  const pingTimeoutS = integer("PING_TIMEOUT_S");
  if (pingTimeoutS <= pingIntervalS) {
    problems.push(`PING_TIMEOUT_S must be more than PING_INTERVAL_S, ${pingIntervalS}, not ${pingTimeoutS}`);
  }
  const mediaTimeoutMs = hasMediaTimeout ? 1_000 * integer("MEDIA_TIMEOUT_S") : undefined;
  return { pingIntervalMs: 1_000 * pingIntervalS, pingTimeoutMs: 1_000 * pingTimeoutS, mediaTimeoutMs };
}
