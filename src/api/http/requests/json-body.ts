import type { IncomingHttpHeaders } from "node:http";
import { JSON_DEPTH_MAX } from "../../../core/limits/control-api/api.ts";
import { ApiError, unsupportedMediaType } from "../errors.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Throws ApiError `unsupported_media_type` for JSON in a charset other than UTF-8, or with a Content-Encoding. */
export function requirePlainUtf8({
  "content-type": type = "",
  "content-encoding": encoding,
}: IncomingHttpHeaders): void {
  const charsets = [...type.matchAll(/;\s*charset\s*=\s*"?([^";\s]*)/gi)].map(([, charset = ""]) =>
    charset.toLowerCase(),
  );
  const isPlain = encoding === undefined || encoding.toLowerCase() === "identity";
  if (!isPlain || charsets.some((charset) => charset !== "utf-8" && charset !== "utf8")) throw unsupportedMediaType();
}

/**
 * Parses a JSON body (RFC 8259). Undefined for an empty body: many clients send the content type without one. Throws ApiError
 * `invalid_request`, which quotes nothing of the body.
 */
export function readJson(body: Uint8Array): unknown {
  if (body.length === 0) return undefined;
  if (deeperThan(JSON_DEPTH_MAX, body)) {
    throw new ApiError("invalid_request", `the body must have at most ${JSON_DEPTH_MAX} levels`);
  }
  try {
    return JSON.parse(utf8.decode(body));
  } catch {
    throw new ApiError("invalid_request", "the body must be valid JSON in UTF-8");
  }
}

const [QUOTE, BACKSLASH, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\[]{}');

/** Counts brackets before parsing: JSON.parse accepts any depth, but the code that walks the result does not. */
function deeperThan(levelsMax: number, body: Uint8Array): boolean {
  let levels = 0;
  let inString = false;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    if (inString) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) {
      inString = true;
    } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      levels++;
      if (levels > levelsMax) return true;
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
      levels--;
    }
  }
  return false;
}
