import { Resolver } from "node:dns/promises";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { HttpTool } from "../../core/calls/spec.ts";
import type { AccountId } from "../../core/ids.ts";
import { TOOL_ANSWER_BYTES_MAX, TOOL_ANSWER_HEAD_BYTES_MAX } from "../../core/limits/tools.ts";
import { isAllowedToolUrl, isLocalhost, isLoopbackAddress, isPublicAddress } from "../../core/tools/addresses.ts";
import { type ToolSecrets, toolSecretFor } from "../../core/tools/secrets.ts";
import { type ToolRequest, toolRequestOf } from "./http-request.ts";
import { failed, type ToolOutcome } from "./outcome.ts";

/** All addresses of a name; empty when the name does not exist. */
export type Resolve = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>;

export interface HttpToolsOptions {
  secrets: ToolSecrets;
  /** Tools may also call this machine. */
  allowLoopback: boolean;
  /** DNS by default. */
  resolve?: Resolve;
}

const REFUSED = "ADDRESS_REFUSED";
/** How long one address of a name is tried before the next one is tried in parallel. */
const NEXT_ADDRESS_MS = 2_000;
/** One text for every connection failure: it does not reveal what is at an address that tools may not call. */
const UNREACHABLE = "its server could not be reached";

/**
 * Carries out the HTTP tools of all calls of a process. Each request has its own connection, to an address that was
 * checked when it was connected: all addresses of a name must be public, and there is no second lookup in between.
 */
export class HttpTools {
  readonly #secrets: ToolSecrets;
  readonly #allowLoopback: boolean;
  readonly #resolve: Resolve;

  constructor({ secrets, allowLoopback, resolve = resolveByDns() }: HttpToolsOptions) {
    this.#secrets = secrets;
    this.#allowLoopback = allowLoopback;
    this.#resolve = resolve;
  }

  /**
   * `accountId` is the account that owns the tool. Rejects only on internal errors; when `signal` aborts, the
   * connection is closed. Redirects are not followed: a tool's request goes only to the server that its URL names.
   */
  async carryOut(
    tool: HttpTool,
    given: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    accountId: AccountId,
  ): Promise<ToolOutcome> {
    const secretFor = (name: string, url: URL): string | undefined =>
      toolSecretFor(this.#secrets, name, { accountId, url, allowLoopback: this.#allowLoopback });
    const request = toolRequestOf(tool, given, secretFor);
    if ("text" in request) return request;
    if (!isAllowedToolUrl(request.url, this.#allowLoopback)) return failed("address_refused", UNREACHABLE);
    try {
      const outcome = await read(await this.#send(request, signal));
      return { ...outcome, text: withoutSecrets(outcome.text, request.secrets) };
    } catch (error) {
      const cause = error instanceof Error && "code" in error ? String(error.code) : undefined;
      if (cause === REFUSED) return failed("address_refused", UNREACHABLE);
      return failed("unreachable", UNREACHABLE, cause === undefined ? {} : { cause });
    }
  }

  #send({ method, url, headers, body }: ToolRequest, signal: AbortSignal): Promise<IncomingMessage> {
    const defaults = {
      accept: "application/json, text/*;q=0.9",
      "user-agent": "trunkline",
      ...(body !== undefined && {
        "content-length": String(Buffer.byteLength(body)),
        "content-type": "application/json",
      }),
      "accept-encoding": "identity",
    };
    const options = {
      method,
      headers: { ...defaults, ...lowerCased(headers) },
      // A separate connection: never one that was opened for another address, and never kept alive.
      agent: false,
      lookup: this.#lookup(signal),
      // An event loop that is busy for Node's default of 250 ms would make every address look unreachable.
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
      maxHeaderSize: TOOL_ANSWER_HEAD_BYTES_MAX,
      signal,
    } as const;
    return new Promise((resolve, reject) => {
      const outgoing = url.protocol === "https:" ? httpsRequest(url, options) : httpRequest(url, options);
      outgoing.on("response", resolve);
      outgoing.on("error", reject);
      // A server that switches protocols is disconnected, and emits neither of the two events.
      outgoing.on("close", () => reject(withCode("ECONNRESET")));
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

async function read(answer: IncomingMessage): Promise<ToolOutcome> {
  const status = answer.statusCode ?? 0;
  const { "content-type": type = "", "content-encoding": encoding = "identity" } = answer.headers;
  const isText = type === "" || /^(?:text\/|application\/(?:[a-z0-9.+-]+\+)?json\b)/i.test(type.trim());
  if (!isText || encoding.toLowerCase() !== "identity") {
    answer.destroy();
    return failed("unreadable", "its server's answer is neither JSON nor text", { status });
  }
  const bytes = await readWhole(answer);
  if (bytes === undefined) {
    return failed("too_large", `its server's answer is over ${TOOL_ANSWER_BYTES_MAX / 1_024} KiB`, { status });
  }
  const text = new TextDecoder().decode(bytes).trim();
  if (status >= 200 && status < 300) return { text: text === "" ? `Done, with status ${status}.` : text, status };
  const { text: problem, ...rest } = failed("status", `its server answered with status ${status}`, { status });
  return { text: text === "" ? problem : `${problem} ${text}`, ...rest };
}

/** Undefined when the answer exceeds the limit; the connection is then closed. */
async function readWhole(answer: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    length += chunk.length;
    // Leaving the loop destroys the answer.
    if (length > TOOL_ANSWER_BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** A server may echo what it was sent: unchanged, within JSON, or in base64. One secret may be a prefix of another. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  const inBase64 = (sent: string): string[] => {
    const bytes = Buffer.from(sent);
    return [bytes.toString("base64").replace(/=+$/, ""), bytes.toString("base64url")];
  };
  const spellings = secrets.flatMap((secret) => [
    ...[secret, JSON.stringify(secret).slice(1, -1)],
    ...[secret, `Bearer ${secret}`].flatMap(inBase64),
  ]);
  spellings.sort((a, b) => b.length - a.length);
  return spellings.reduce((redacted, spelling) => redacted.replaceAll(spelling, "***"), text);
}

const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

const withCode = (code: string): NodeJS.ErrnoException => Object.assign(new Error(code), { code });
