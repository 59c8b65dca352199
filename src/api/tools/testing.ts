import type { HttpTool, McpTool } from "../../core/calls/spec.ts";
import { elapsedMs } from "../../core/clocks.ts";
import type { AccountId } from "../../core/ids.ts";
import { TOOL_RUN_TEXT_CHARS_MAX, TOOL_TESTS_MAX, TOOL_TESTS_PER_ACCOUNT_MAX } from "../../core/limits/agents/tools.ts";
import type { SchemaChecks } from "../../core/schemas/checker.ts";
import { argumentProblem } from "../../core/tools/argument-check.ts";
import type { HttpTools } from "../../core/tools/http/client.ts";
import { secretsIn } from "../../core/tools/http-tool.ts";
import type { McpTools } from "../../core/tools/mcp/tools.ts";
import { failed, type ShownRequest, type ToolOutcome } from "../../core/tools/outcome.ts";
import type { AccountSecretStore } from "../../store/accounts/account-secret-store.ts";
import type { SavedTool, ToolRun, ToolStore } from "../../store/tool-store.ts";
import { ApiError, invalidRequest } from "../http/errors.ts";
import { problem } from "../http/requests/validation.ts";
import { AccountSlots } from "./account-slots.ts";
import { type SavedToolDeps, specsOfSaved } from "./saved.ts";

/** What tests of saved tools need. */
export interface ToolTestDeps extends Pick<SavedToolDeps, "clock"> {
  tools: Pick<ToolStore, "addTestRun">;
  accountSecrets: Pick<AccountSecretStore, "openToolSecrets">;
  httpTools: HttpTools;
  mcpTools: McpTools;
  schemas: Pick<SchemaChecks, "check">;
}

interface ToolTest {
  arguments: Readonly<Record<string, unknown>>;
  toolName: string | undefined;
}

/** What a test led to, and its stored run. */
export interface TestedTool {
  run: ToolRun;
  outcome: ToolOutcome;
  /** What was sent; undefined where nothing was. */
  sent: ShownRequest | undefined;
  durationMs: number;
}

/** A test that is running. */
interface RunningTest {
  spec: HttpTool | McpTool;
  accountId: AccountId;
  arguments: ToolTest["arguments"];
  signal: AbortSignal;
  onRequest: (request: ShownRequest) => void;
}

/** Runs saved tools outside of calls, a few at a time. */
export class ToolTests {
  readonly #deps: ToolTestDeps;
  readonly #slots = new AccountSlots({
    what: "tests of tools",
    perAccountMax: TOOL_TESTS_PER_ACCOUNT_MAX,
    max: TOOL_TESTS_MAX,
  });

  constructor(deps: ToolTestDeps) {
    this.#deps = deps;
  }

  /** Throws ApiError: 400 and 409 where the tool cannot be tested so, 429 and 503 where too many tests are running. */
  async run(tool: SavedTool, test: ToolTest): Promise<TestedTool> {
    const { accountId } = tool;
    const spec = testedSpec(tool, test);
    return await this.#slots.run(accountId, () => this.#run(spec, accountId, test.arguments));
  }

  async #run(spec: HttpTool | McpTool, accountId: AccountId, given: ToolTest["arguments"]): Promise<TestedTool> {
    const { clock, tools } = this.#deps;
    const startedAtMs = clock.epochMs();
    const begunMs = clock.nowMs();
    const abort = new AbortController();
    let cancel = (): void => {};
    const late = new Promise<ToolOutcome>((resolve) => {
      cancel = clock.after(spec.timeoutMs, () => {
        resolve(failed("timeout", `it took longer than ${spec.timeoutMs / 1_000} s`));
        abort.abort();
      });
    });
    let sent: ShownRequest | undefined;
    const onRequest = (request: ShownRequest): void => {
      if (!abort.signal.aborted) sent = request;
    };
    const test = { spec, accountId, arguments: given, signal: abort.signal, onRequest };
    const outcome = await Promise.race([this.#carryOut(test), late]);
    cancel();
    const durationMs = Math.round(elapsedMs(begunMs, clock.nowMs()));
    const run = await tools.addTestRun(accountId, {
      toolId: toolIdOf(spec),
      name: spec.name,
      startedAtMs,
      durationMs,
      failed: outcome.fault !== undefined,
      words: {
        arguments: JSON.stringify(given).slice(0, TOOL_RUN_TEXT_CHARS_MAX),
        result: outcome.text.slice(0, TOOL_RUN_TEXT_CHARS_MAX),
      },
    });
    return { run, outcome, sent, durationMs };
  }

  async #carryOut({ spec, accountId, arguments: given, signal, onRequest }: RunningTest): Promise<ToolOutcome> {
    const { schemas, accountSecrets, httpTools, mcpTools } = this.#deps;
    const checked = await schemas.check(accountId, JSON.stringify(spec.parameters), JSON.stringify(given), signal);
    const problem = argumentProblem(checked);
    if (problem !== undefined) return problem;
    const names = Object.values(spec.headers).flatMap(secretsIn);
    const toolSecrets = await accountSecrets.openToolSecrets(accountId, names);
    if (spec.kind === "http") {
      return await httpTools.forCall({ accountId, toolSecrets }).carryOut(spec, given, signal, accountId, onRequest);
    }
    const owner = `test ${spec.toolId}`;
    const outcome = await mcpTools
      .withSecrets({ accountId, toolSecrets })
      .carryOut(spec, given, signal, { accountId, owner }, onRequest);
    mcpTools.end(owner);
    return outcome;
  }
}

const toolIdOf = ({ toolId }: HttpTool | McpTool): NonNullable<HttpTool["toolId"]> => {
  if (toolId === undefined) throw new ApiError("internal", "internal error");
  return toolId;
};

/** The tool that is tested. Throws ApiError where there is none, or more than one. */
function testedSpec(tool: SavedTool, { toolName }: ToolTest): HttpTool | McpTool {
  const specs = specsOfSaved(tool, {});
  if (tool.definition.type !== "mcp") {
    if (toolName !== undefined)
      throw invalidRequest([problem(["toolName"], "must be absent: the tool is no MCP server", toolName)]);
    const [spec] = specs;
    if (spec?.kind === "http") return spec;
    throw new ApiError(
      "conflict",
      "a tool of the type client is carried out by the client of a call, and cannot be tested here",
    );
  }
  const spec = specs.find(({ name }) => name === toolName);
  if (spec?.kind === "mcp") return spec;
  const names = specs.map(({ name }) => name).join(", ");
  throw invalidRequest([problem(["toolName"], `must be a tool of the server: ${names}`, toolName)]);
}
