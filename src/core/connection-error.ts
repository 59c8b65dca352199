/** Error codes of the system, of TLS and of Node's HTTP parser: ECONNREFUSED, CERT_HAS_EXPIRED, HPE_INVALID_CONSTANT. */
const SYSTEM_CODE = /^[A-Z][A-Z0-9_]{2,47}$/;

/** undici's own codes for failures of a connection, with the codes that Node and the system have for them. */
const SYSTEM_CODES: Readonly<Record<string, string>> = {
  UND_ERR_SOCKET: "ECONNRESET",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "ECONNRESET",
  UND_ERR_HEADERS_OVERFLOW: "HPE_HEADER_OVERFLOW",
};

/** The code of a connection's failure, which is safe to log; undefined for an error without one. */
export function connectionErrorCode(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return SYSTEM_CODES[code] ?? (SYSTEM_CODE.test(code) ? code : undefined);
}
