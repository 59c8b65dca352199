import type { ClientMessage, ToolCall } from "./messages.ts";
import type { ToolHandler } from "./types.ts";

/** What the service takes of a `toolResult`, less what is around it. */
const RESULT_BYTES_MAX = 60_000;

/** The tools that the page carries out. */
export class Tools {
  readonly #handlers = new Map<string, ToolHandler>();

  register(name: string, handler: ToolHandler): void {
    this.#handlers.set(name, handler);
  }

  /** Carries out a call; what it resolves with goes to the service. Never rejects: the agent gets the error. */
  async run({ id, name, arguments: args }: ToolCall): Promise<ClientMessage> {
    const handler = this.#handlers.get(name);
    if (handler === undefined) return { type: "toolResult", id, error: `this page has no tool ${name}` };
    try {
      const result = (await handler(args)) ?? null;
      const bytes = new TextEncoder().encode(JSON.stringify(result)).length;
      if (bytes > RESULT_BYTES_MAX)
        throw new RangeError(`the result has ${bytes} bytes, more than ${RESULT_BYTES_MAX}`);
      return { type: "toolResult", id, result };
    } catch (error) {
      return { type: "toolResult", id, error: error instanceof Error ? error.message : String(error) };
    }
  }
}
