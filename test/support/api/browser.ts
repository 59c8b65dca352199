import type { FastifyInstance } from "fastify";

export interface BrowserAnswer {
  status: number;
  headers: Readonly<Record<string, unknown>>;
  text: string;
  /** The parsed JSON; an empty object for anything else. */
  body: Record<string, unknown>;
}

export const SESSION = "/dashboard/session";
export const PASSWORD = "a long and secret sentence";

/** A browser with its cookies, at an address. It keeps the CSRF token of its session, as the dashboard does. */
export class Browser {
  readonly cookies = new Map<string, string>();
  readonly #app: FastifyInstance;
  readonly #address: string;
  csrfToken = "";

  constructor(app: FastifyInstance, address = "192.0.2.1") {
    this.#app = app;
    this.#address = address;
  }

  /** A request to a path; below `/dashboard/session` unless it begins with a slash. */
  async request(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<BrowserAnswer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await this.#app.inject({
      method: method as "GET",
      url: path.startsWith("/") ? path : `${SESSION}/${path}`,
      remoteAddress: this.#address,
      headers: {
        ...(cookie !== "" && { cookie }),
        ...(method !== "GET" && method !== "HEAD" && { "x-csrf-token": this.csrfToken }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { payload: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    for (const { name, value, maxAge } of answer.cookies) {
      if (maxAge === 0) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    const isJson = String(answer.headers["content-type"]).startsWith("application/json");
    const parsed = isJson && answer.body !== "" ? answer.json() : {};
    if (typeof parsed.csrfToken === "string") this.csrfToken = parsed.csrfToken;
    return { status: answer.statusCode, headers: answer.headers, text: answer.body, body: parsed };
  }

  signIn(email: string, password = PASSWORD, more: object = {}): Promise<BrowserAnswer> {
    return this.request("POST", "sign-in", { email, password, ...more });
  }

  accept(link: string, password = PASSWORD): Promise<BrowserAnswer> {
    return this.request("POST", "accept", { token: link.slice(link.indexOf("#") + 1), password });
  }
}
