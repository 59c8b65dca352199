import { unavailable } from "../../core/errors.ts";

/** The operations of the control API that the demo uses. Every method rejects with `unavailable` on a response other than 2xx. */
export class ApiClient {
  readonly #baseUrl: string;
  readonly #apiKey: string;
  readonly #signal: AbortSignal;

  /** `apiUrl` as `http://127.0.0.1:8080`; an abort of `signal` rejects all pending requests. */
  constructor(apiUrl: string, apiKey: string, signal: AbortSignal) {
    this.#baseUrl = `${apiUrl}/api/v1`;
    this.#apiKey = apiKey;
    this.#signal = signal;
  }

  async get<T>(path: string): Promise<T> {
    return (await (await this.#request("GET", path)).json()) as T;
  }

  async getBytes(path: string): Promise<Uint8Array> {
    return new Uint8Array(await (await this.#request("GET", path)).arrayBuffer());
  }

  async post<T>(path: string, body: object): Promise<T> {
    return (await (await this.#request("POST", path, body)).json()) as T;
  }

  async delete(path: string): Promise<void> {
    await this.#request("DELETE", path);
  }

  /** The same API with another signal: for what is to be done after the first one has aborted. */
  withSignal(signal: AbortSignal): ApiClient {
    return new ApiClient(this.#baseUrl.slice(0, -"/api/v1".length), this.#apiKey, signal);
  }

  async #request(method: string, path: string, body?: object): Promise<Response> {
    const response = await fetch(`${this.#baseUrl}${path}`, {
      method,
      signal: this.#signal,
      headers: { "X-API-Key": this.#apiKey, ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      this.#signal.throwIfAborted();
      throw unavailable(`${method} ${path}: no answer`, error);
    });
    if (!response.ok) throw unavailable(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response;
  }
}
