import type { McpTool } from "../../calls/spec.ts";
import type { AccountId } from "../../ids.ts";
import { cutText } from "../../text/graphemes.ts";
import { filledHeaders, maskedHeaders, withoutSecrets } from "../headers.ts";
import { failed, type OnToolRequest, type ShownRequest, type ToolOutcome } from "../outcome.ts";
import { type SecretsOfCall, type ToolSecrets, toolSecretFor, withSecretsOf } from "../secrets.ts";
import type { McpClients } from "./client.ts";
import type { ListOutcome, McpServer, ServerTools } from "./messages.ts";

export interface McpToolsOptions {
  clients: McpClients;
  secrets: ToolSecrets;
  /** Servers may be on this machine. */
  allowLoopback: boolean;
}

/** A server of an account, with headers that may name secrets. */
export interface McpServerOfAccount {
  accountId: AccountId;
  url: string;
  headers: Readonly<Record<string, string>>;
  allowedTools: readonly string[] | undefined;
}

/** Whose sessions with servers a tool call uses. */
export interface McpCaller {
  accountId: AccountId;
  owner: string;
}

/** Characters of what is said of a server's refusal, for the LLM and the account. */
const REFUSAL_CHARS_MAX = 300;

const REFUSED = failed("secret_refused", "the service cannot send its headers");

/** Carries out the tools of MCP servers: fills in the secrets of headers, and removes them from answers. */
export class McpTools {
  readonly #options: McpToolsOptions;

  constructor(options: McpToolsOptions) {
    this.#options = options;
  }

  /** The same with an account's own secrets, which go before those of the service. */
  withSecrets({ accountId, toolSecrets }: SecretsOfCall): McpTools {
    if (toolSecrets === undefined) return this;
    const secrets = withSecretsOf(accountId, toolSecrets, this.#options.secrets);
    return new McpTools({ ...this.#options, secrets });
  }

  prepare(): void {
    this.#options.clients.prepare();
  }

  end(owner: string): void {
    this.#options.clients.end(owner);
  }

  /** Rejects only on internal errors. */
  async carryOut(
    tool: McpTool,
    given: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    { accountId, owner }: McpCaller,
    onRequest?: OnToolRequest,
  ): Promise<ToolOutcome> {
    const { name, url, headers, timeoutMs } = tool;
    const server = this.#serverOf({ accountId, url, headers });
    if (server === undefined) return REFUSED;
    const call = { owner, server: server.server, tool: name, arguments: given, timeoutMs };
    onRequest?.(shownCall(tool, given));
    return withoutSecretsOf(server, await this.#options.clients.call(call, signal));
  }

  /** Never rejects. */
  async list({ accountId, url, headers, allowedTools }: McpServerOfAccount): Promise<ListOutcome> {
    const server = this.#serverOf({ accountId, url, headers });
    if (server === undefined) return { kind: "failed", failure: REFUSED };
    const outcome = await this.#options.clients.list(server.server, allowedTools);
    if (outcome.kind === "failed") return { kind: "failed", failure: withoutSecretsOf(server, outcome.failure) };
    return { kind: "listed", list: listWithoutSecrets(outcome.list, server.secrets) };
  }

  #serverOf({
    accountId,
    url,
    headers,
  }: Omit<McpServerOfAccount, "allowedTools">): { server: McpServer; secrets: readonly string[] } | undefined {
    const { secrets, allowLoopback } = this.#options;
    const use = { accountId, url: new URL(url), allowLoopback };
    const filled = filledHeaders(headers, (name) => toolSecretFor(secrets, name, use));
    return filled && { server: { url, headers: filled.headers }, secrets: filled.secrets };
  }
}

/** Cut after the secrets are gone: a part of one would not be found. */
function withoutSecretsOf({ secrets }: { secrets: readonly string[] }, outcome: ToolOutcome): ToolOutcome {
  const text = withoutSecrets(outcome.text, secrets);
  return { ...outcome, text: outcome.fault === "protocol" ? cutText(text, REFUSAL_CHARS_MAX) : text };
}

/**
 * A list without the secrets. A tool whose name has one is omitted: under another name it cannot be called. Of a schema only texts change:
 * with a secret like "type" in its keys it would mean something else.
 */
function listWithoutSecrets({ tools, omitted }: ServerTools, secrets: readonly string[]): ServerTools {
  const redacted = (text: string): string => withoutSecrets(text, secrets);
  const textsRedacted = (_key: string, value: unknown): unknown =>
    typeof value === "string" ? redacted(value) : value;
  const named = tools
    .filter(({ name }) => redacted(name) !== name)
    .map(({ name }) => ({ name, reason: "name" as const }));
  return {
    tools: tools
      .filter(({ name }) => redacted(name) === name)
      .map(({ name, description, parameters }) => ({
        name,
        description: redacted(description),
        parameters: JSON.parse(JSON.stringify(parameters), textsRedacted),
      })),
    omitted: [...omitted, ...named].map(({ name, reason }) => ({ name: redacted(name), reason })),
  };
}

const shownCall = ({ name, url, headers }: McpTool, given: Readonly<Record<string, unknown>>): ShownRequest => ({
  method: "POST",
  url,
  headers: maskedHeaders(headers),
  body: JSON.stringify({ jsonrpc: "2.0", method: "tools/call", params: { name, arguments: given } }),
});
