import type { SchemaChecks, SchemaResult } from "../../../src/core/schemas/checker.ts";
import { CompiledSchemas } from "../../../src/core/schemas/compile.ts";
import { type SchemaTask, schemaAnswer } from "../../../src/core/schemas/messages.ts";
import { chooseTools } from "../../../src/speech/reference/tools/choose-tools.ts";
import { exchangesOf, hasChoice, NO_TOOLS, type ToolChooser } from "../../../src/speech/reference/tools/chooser.ts";

const schemas = new CompiledSchemas();
const answered = async (task: SchemaTask): Promise<SchemaResult> => ({
  ...{ outcome: "answered", answer: schemaAnswer(task, schemas), cpuMs: 0 },
});

/** Schema checks without the child process: for calls in virtual time, which cannot wait for a process. */
export const INLINE_SCHEMAS: SchemaChecks = {
  prepare: () => {},
  compile: (_accountId, schema) => answered({ schema }),
  check: (_accountId, schema, value) => answered({ schema, value }),
};

/** Tool choice of the reference LLM without its child process. */
export const INLINE_TOOL_CHOICE: ToolChooser = {
  prepare: () => {},
  choose: async ({ messages, tools, language }) =>
    hasChoice(tools) ? chooseTools(exchangesOf(messages), tools, language) : NO_TOOLS,
};
