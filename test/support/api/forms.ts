import type { Answer, ApiUnderTest } from "./harness.ts";

const BOUNDARY = "----boundary-of-the-test";

/** A part of a form: a field, or a file with a name. */
export type FormPart = readonly [name: string, value: string | Buffer, fileName?: string];

/** The bytes of a form (RFC 7578). */
export function formOf(parts: readonly FormPart[]): { body: Buffer; headers: Record<string, string> } {
  const chunks = parts.flatMap(([name, value, fileName]) => {
    const file = fileName === undefined ? "" : `; filename="${fileName}"\r\nContent-Type: application/octet-stream`;
    const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`;
    return [Buffer.from(head), Buffer.from(value), Buffer.from("\r\n")];
  });
  const body = Buffer.concat([...chunks, Buffer.from(`--${BOUNDARY}--\r\n`)]);
  return { body, headers: { "content-type": `multipart/form-data; boundary=${BOUNDARY}` } };
}

/** Posts a form. */
export async function postForm(
  { app, key }: Pick<ApiUnderTest, "app" | "key">,
  parts: readonly FormPart[],
  given: Record<string, string> = {},
  url = "/api/v1/transcriptions",
): Promise<Answer> {
  const { body, headers } = formOf(parts);
  const answer = await app.inject({
    method: "POST",
    url,
    headers: { "x-api-key": key, ...headers, ...given },
    payload: body,
  });
  const isJson = String(answer.headers["content-type"]).startsWith("application/json");
  return {
    status: answer.statusCode,
    headers: answer.headers,
    text: answer.body,
    body: isJson ? answer.json() : undefined,
  };
}
