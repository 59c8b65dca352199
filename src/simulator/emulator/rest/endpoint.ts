// What the three REST APIs have in common.

export interface RestRequest {
  readonly method: string;
  readonly path: string;
  /** The parts of the path that its endpoint names. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** With lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Of a form or a JSON object; a member that occurs more than once in a form is a list. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface RestResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, or a text as it is. */
  readonly body?: unknown;
}

/** One operation of the carrier's API. */
export interface Endpoint {
  /** For example `calls.create`. */
  readonly id: string;
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** With names in braces: `/v2/calls/{call}/actions/hangup`. */
  readonly path: string;
  handle(request: RestRequest): RestResponse;
}

/** The endpoint of a path, and what the path says. A slash at the end does not matter. */
export function findEndpoint(
  endpoints: readonly Endpoint[],
  method: string,
  path: string,
): { endpoint: Endpoint; params: Record<string, string> } | undefined {
  for (const endpoint of endpoints) {
    const params = endpoint.method === method ? paramsOf(endpoint.path, path) : undefined;
    if (params !== undefined) return { endpoint, params };
  }
  return undefined;
}

function paramsOf(template: string, path: string): Record<string, string> | undefined {
  const [wanted, given] = [partsOf(template), partsOf(path)];
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [at, part] of wanted.entries()) {
    const text = decoded(given[at] ?? "");
    const [, before, name, after] = /^(.*)\{(\w+)\}(.*)$/.exec(part) ?? [];
    if (name === undefined || before === undefined || after === undefined) {
      if (part !== text) return undefined;
    } else {
      if (!text.startsWith(before) || !text.endsWith(after) || text.length <= before.length + after.length) {
        return undefined;
      }
      params[name] = text.slice(before.length, text.length - after.length);
    }
  }
  return params;
}

const partsOf = (path: string): string[] => path.split("/").filter((part) => part !== "");

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The member of a body as a text; undefined where it is absent or empty. */
export function textOf(body: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = body[name];
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** User and password of Basic authentication. */
export function basicCredentials(headers: RestRequest["headers"]): { user: string; password: string } | undefined {
  const [, encoded] = /^Basic +(\S+)$/i.exec(headers.authorization ?? "") ?? [];
  const [, user, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? "", "base64").toString()) ?? [];
  return user === undefined || password === undefined ? undefined : { user, password };
}
