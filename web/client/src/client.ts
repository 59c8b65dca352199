import { errorOf, noAnswer, notJson } from "./error.ts";
import { type PathValues, type QueryValues, requestUrl } from "./request-url.ts";
import { delay, isIdempotent, retryAfterOf, retryDelayMs } from "./retry.ts";
import type {
  Answer,
  BodyOf,
  DownloadPath,
  ItemOf,
  JsonPath,
  ListPath,
  Method,
  OptionsArgument,
  PathOf,
} from "./types.ts";

const BASE_PATH = "/api/v1";
const RETRIES_MAX = 2;
const RETRY_DELAY_MS_MAX = 30_000;
const NOT_MODIFIED = 304;

export interface ClientOptions {
  /** The address of the service without `/api/v1`, for example `http://127.0.0.1:8080`. */
  baseUrl: string;
  /** Left out where `fetch` authenticates the requests: the dashboard has a cookie. */
  apiKey?: string | undefined;
  /** Aborts all requests that have no signal of their own. */
  signal?: AbortSignal | undefined;
  /** How often a request is sent again, at most; 2 by default. */
  maxRetries?: number;
  /** A request whose answer asks to wait for longer is not sent again; 30,000 by default. */
  maxRetryDelayMs?: number;
  /** In place of the global `fetch`. */
  fetch?: typeof globalThis.fetch;
}

/** The options of any request. */
interface AnyOptions {
  path?: PathValues | undefined;
  query?: QueryValues | undefined;
  headers?: Readonly<Record<string, string | undefined>> | undefined;
  body?: unknown;
  signal?: AbortSignal | undefined;
}

interface Page {
  data: readonly unknown[];
  nextCursor: string | null;
}

/**
 * The API of a Trunkline service. Paths, options and answers have the types of its OpenAPI document.
 *
 * Every method rejects with TrunklineApiError where the service refuses the request or does not answer, with the reason of the
 * signal after an abort, and with TypeError for a value that cannot be a part of a path. A request that is idempotent, by its
 * method or by its header Idempotency-Key, is sent again after 429 and 503 with Retry-After.
 */
export class TrunklineClient {
  readonly #baseUrl: string;
  readonly #apiKey: string | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #maxRetries: number;
  readonly #maxRetryDelayMs: number;
  readonly #fetch: typeof globalThis.fetch;

  constructor({ baseUrl, apiKey, signal, maxRetries, maxRetryDelayMs, fetch }: ClientOptions) {
    this.#baseUrl = baseUrl.replace(/\/+$/, "") + BASE_PATH;
    this.#apiKey = apiKey;
    this.#signal = signal;
    this.#maxRetries = maxRetries ?? RETRIES_MAX;
    this.#maxRetryDelayMs = maxRetryDelayMs ?? RETRY_DELAY_MS_MAX;
    // A browser's own must not be called as a method of this object.
    this.#fetch = fetch ?? ((url, init) => globalThis.fetch(url, init));
  }

  /** Resolves with the JSON of the answer. */
  async get<P extends JsonPath>(path: P, ...[options]: OptionsArgument<"get", P>): Promise<BodyOf<"get", P>> {
    return (await this.#answer("get", path, options)).body as BodyOf<"get", P>;
  }

  /** Resolves with the JSON of the answer; undefined where it has none. */
  async post<P extends PathOf<"post">>(path: P, ...[options]: OptionsArgument<"post", P>): Promise<BodyOf<"post", P>> {
    return (await this.#answer("post", path, options)).body as BodyOf<"post", P>;
  }

  /** Resolves with the JSON of the answer. */
  async patch<P extends PathOf<"patch">>(
    path: P,
    ...[options]: OptionsArgument<"patch", P>
  ): Promise<BodyOf<"patch", P>> {
    return (await this.#answer("patch", path, options)).body as BodyOf<"patch", P>;
  }

  async delete<P extends PathOf<"delete">>(
    path: P,
    ...[options]: OptionsArgument<"delete", P>
  ): Promise<BodyOf<"delete", P>> {
    return (await this.#answer("delete", path, options)).body as BodyOf<"delete", P>;
  }

  /** As the methods above, with the status and the headers of the answer: for the `ETag` of an agent, for example. */
  async request<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    ...[options]: OptionsArgument<M, P>
  ): Promise<Answer<M, P>> {
    return (await this.#answer(method, path, options)) as Answer<M, P>;
  }

  /**
   * All items of a list, page by page as they are taken; `limit` of the query is the size of a page. The next page is requested
   * when the items of the one before are taken.
   */
  async *list<P extends ListPath>(
    path: P,
    ...[options]: OptionsArgument<"get", P>
  ): AsyncGenerator<ItemOf<P>, void, undefined> {
    const given = options as AnyOptions | undefined;
    let query = given?.query ?? {};
    for (;;) {
      const { data, nextCursor } = (await this.#answer("get", path, { ...given, query })).body as Page;
      yield* data as ItemOf<P>[];
      if (nextCursor === null) return;
      query = { ...query, cursor: nextCursor };
    }
  }

  /**
   * A file, such as a recording. Resolves when its headers have arrived, with the Response of `fetch`: its `body` is the stream of
   * the bytes. With the header If-None-Match the status may be 304, without a body.
   */
  async download<P extends DownloadPath>(path: P, ...[options]: OptionsArgument<"get", P>): Promise<Response> {
    return await this.#send("get", path, options);
  }

  async #answer(
    method: Method,
    path: string,
    options: AnyOptions | undefined,
  ): Promise<{ status: number; headers: Headers; body: unknown }> {
    const response = await this.#send(method, path, options);
    const what = nameOf(method, path);
    const text = await this.#textOf(response, what, options);
    const { status, headers } = response;
    if (text === "") return { status, headers, body: undefined };
    try {
      return { status, headers, body: JSON.parse(text) };
    } catch {
      throw notJson(what, response);
    }
  }

  /** Resolves with a success whose body is not read yet; sends the request again where that is allowed. */
  async #send(method: Method, path: string, options: AnyOptions = {}): Promise<Response> {
    const url = requestUrl(this.#baseUrl, path, options.path ?? {}, options.query ?? {});
    const headers = this.#headersOf(options);
    const signal = options.signal ?? this.#signal;
    const init: RequestInit = {
      method: method.toUpperCase(),
      headers,
      // The API redirects nothing, and another host must not get the API key.
      redirect: "manual",
      ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
      ...(signal !== undefined && { signal }),
    };
    const what = nameOf(method, path);
    for (let retries = isIdempotent(method, headers) ? this.#maxRetries : 0; ; retries -= 1) {
      const response = await this.#fetch(url, init).catch((error: unknown) => {
        signal?.throwIfAborted();
        throw noAnswer(what, error);
      });
      if (response.ok || response.status === NOT_MODIFIED) return response;
      // The connection is free for another request only after it.
      const text = await this.#textOf(response, what, options);
      const delayMs = retries > 0 ? retryDelayMs(response) : undefined;
      if (delayMs === undefined || delayMs > this.#maxRetryDelayMs) {
        throw errorOf(what, response, text, retryAfterOf(response));
      }
      await delay(delayMs, signal);
    }
  }

  #headersOf({ body, headers = {} }: AnyOptions): Headers {
    const all = new Headers(this.#apiKey === undefined ? {} : { "X-API-Key": this.#apiKey });
    if (body !== undefined) all.set("Content-Type", "application/json");
    for (const [name, value] of Object.entries(headers)) if (value !== undefined) all.set(name, value);
    return all;
  }

  #textOf(response: Response, what: string, options: AnyOptions = {}): Promise<string> {
    return response.text().catch((error: unknown) => {
      (options.signal ?? this.#signal)?.throwIfAborted();
      throw noAnswer(what, error);
    });
  }
}

/** A request in messages: without its values, which may be personal. */
const nameOf = (method: string, path: string): string => `${method.toUpperCase()} ${path}`;
