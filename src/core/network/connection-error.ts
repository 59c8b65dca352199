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
  if (!(error instanceof Error)) return undefined;
  const code = "code" in error && error.code !== undefined ? String(error.code) : codeByName(error);
  return SYSTEM_CODES[code] ?? (SYSTEM_CODE.test(code) ? code : undefined);
}

/** undici (7.30.2) loses the parser's code of a response that is no HTTP. */
const codeByName = ({ name }: Error): string => (name === "HTTPParserError" ? "UND_ERR_HTTP_PARSER" : "");
