import { TOOL_SCHEMA_CHARS_MAX } from "../../../src/core/limits/agents/tools.ts";
import { TEXTS_PER_SECOND_MAX } from "../../../src/core/limits/streams/messages.ts";
import type { RateLimit } from "../limit.ts";
import { rawStream, textFrame } from "./streams.ts";

// What a peer costs the loop by having arguments of tools checked: the check itself is not done there.

/** The tool that the worker's model_b calls, with arguments that do not fit, so that it gets an error and continues. */
export const CHECKED_TOOL = "check_order";
export const WRONG_ARGUMENTS = JSON.stringify({ order: 7, notes: "x".repeat(4_000) });

const { name, spec } = rawStream("pcm_s16le", 16_000);
/** A schema as large as one may be, honest in all else. */
const PARAMETERS = {
  type: "object",
  properties: { order: { type: "string", description: "x".repeat(TOOL_SCHEMA_CHARS_MAX - 200) } },
  required: ["order"],
};

export const schemaLimits: readonly RateLimit[] = [
  {
    name: "typed texts, each of which has arguments checked",
    bounds: "TEXTS_PER_SECOND_MAX, ARGUMENTS_CHECK_CPU_MS_MAX",
    stream: {
      name,
      spec: {
        ...spec,
        model: "model_b",
        tools: [
          {
            ...{ kind: "client", name: CHECKED_TOOL, description: "Checks an order.", fixedArguments: {} },
            ...{ parameters: PARAMETERS, timeoutMs: 5_000 },
          },
        ],
      },
      opening: [],
    },
    perSecond: TEXTS_PER_SECOND_MAX,
    unit: (index) => textFrame(JSON.stringify({ type: "text", text: `And order ${index}?` })),
  },
];
