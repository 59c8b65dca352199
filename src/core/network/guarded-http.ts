import { Resolver } from "node:dns/promises";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { isAllowedToolUrl, isLocalhost, isLoopbackAddress, isPublicAddress } from "../tools/addresses.ts";

/** All addresses of a name; empty when the name does not exist. */
export type Resolve = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>;

export interface GuardedHttpOptions {
  /** This machine may also be called. */
  allowLoopback: boolean;
  /** DNS by default. */
  resolve?: Resolve | undefined;
}

export interface GuardedRequest {
  method: string;
  url: URL;
  /** With lower-case names. */
  headers: Readonly<Record<string, string>>;
  body: string | undefined;
  /** The connection is closed when it aborts. */
  signal: AbortSignal;
  /** An answer whose head is longer is refused. */
  answerHeadBytesMax: number;
}

const REFUSED = "ADDRESS_REFUSED";
/** How long one address of a name is tried before the next one is tried in parallel. */
const NEXT_ADDRESS_MS = 2_000;

/** Whether a request failed because its address is not of the public internet. */
export const isRefusedAddress = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === REFUSED;

/**
 * Sends HTTP requests to addresses that clients of this service have chosen. Each request has its own connection, to an
 * address that was checked when it was connected: all addresses of a name must be public, and there is no second lookup
 * in between. Redirects are not followed.
 */
export class GuardedHttp {
  readonly #allowLoopback: boolean;
  readonly #resolve: Resolve;

  constructor({ allowLoopback, resolve = resolveByDns() }: GuardedHttpOptions) {
    this.#allowLoopback = allowLoopback;
    this.#resolve = resolve;
  }

  /**
   * Resolves with the head of the answer, whose body the caller reads or destroys. Rejects with the system's errors, and
   * with one that `isRefusedAddress` tells.
   */
  async send(request: GuardedRequest): Promise<IncomingMessage> {
    const { method, url, headers, body, signal, answerHeadBytesMax } = request;
    if (!isAllowedToolUrl(url, this.#allowLoopback)) throw withCode(REFUSED);
    const options = {
      method,
      headers,
      // A separate connection: never one that was opened for another address, and never kept alive.
      agent: false,
      lookup: this.#lookup(signal),
      // An event loop that is busy for Node's default of 250 ms would make every address look unreachable.
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
      maxHeaderSize: answerHeadBytesMax,
      signal,
    } as const;
    return await new Promise((resolve, reject) => {
      const outgoing = url.protocol === "https:" ? httpsRequest(url, options) : httpRequest(url, options);
      let isOver = false;
      outgoing.on("response", (response) => {
        isOver = true;
        resolve(response);
      });
      outgoing.on("error", (error) => {
        isOver = true;
        reject(error);
      });
      // A server that switches protocols is disconnected, and emits neither of the two events.
      outgoing.on("close", () => {
        if (!isOver) reject(withCode("ECONNRESET"));
      });
      outgoing.end(body);
    });
  }

  /** Node calls this for a name's addresses when it connects, and connects to the result. */
  #lookup(signal: AbortSignal): LookupFunction {
    return (hostname, options, callback) => {
      this.#addressesOf(hostname, signal).then(
        (addresses) => {
          const found = addresses.map((address) => ({ address, family: isIP(address) }));
          const [first] = found;
          if (first === undefined) callback(withCode("ENOTFOUND"), "", 0);
          else if (options.all === true) callback(null, found);
          else callback(null, first.address, first.family);
        },
        (error: NodeJS.ErrnoException) => callback(error, "", 0),
      );
    };
  }

  async #addressesOf(hostname: string, signal: AbortSignal): Promise<readonly string[]> {
    const isLoopback = this.#allowLoopback && isLocalhost(hostname);
    const addresses = isLoopback ? ["127.0.0.1", "::1"] : await this.#resolve(hostname, signal);
    const isAllowed = (address: string) =>
      isPublicAddress(address) || (this.#allowLoopback && isLoopbackAddress(address));
    // One address that is not public makes all of them suspect: the owner of the name has configured it.
    if (!addresses.every(isAllowed)) throw withCode(REFUSED);
    return addresses;
  }
}

/**
 * Queries DNS directly: neither the hosts file nor a search list can turn a short name into an internal one, and no
 * thread of the pool waits, which the journals need. Uses the machine's own name servers by default.
 */
export const resolveByDns =
  (servers?: readonly string[]): Resolve =>
  async (hostname, signal) => {
    const resolver = new Resolver({ timeout: 2_000, tries: 2 });
    if (servers !== undefined) resolver.setServers(servers);
    const cancel = () => resolver.cancel();
    signal.addEventListener("abort", cancel, { once: true });
    try {
      const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
      return answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  };

const withCode = (code: string): NodeJS.ErrnoException => Object.assign(new Error(code), { code });
