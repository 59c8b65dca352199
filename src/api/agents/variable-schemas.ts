import { z } from "zod";
import {
  AGENT_VARIABLES_MAX,
  CALL_VARIABLES_BYTES_MAX,
  VARIABLE_DESCRIPTION_CHARS_MAX,
  VARIABLE_NAME_CHARS_MAX,
  VARIABLE_VALUE_CHARS_MAX,
} from "../../core/limits/agents/agents.ts";
import { VARIABLE_TYPES } from "../../store/agent-store.ts";
import { ALONGSIDE_FIELD_ERRORS, listOf, oneOf } from "../http/requests/fields.ts";

// Each `error` continues the field's name: see fields.ts.

const nameRule = {
  error: `must be a name of 1 to ${VARIABLE_NAME_CHARS_MAX} letters, digits and underscores that does not begin with a digit`,
};
const valueRule = {
  error: `must be a string of at most ${VARIABLE_VALUE_CHARS_MAX} characters, a number, or true or false`,
};
const descriptionRule = { error: `must be a string of at most ${VARIABLE_DESCRIPTION_CHARS_MAX} characters` };

const value = z.union(
  [z.string(valueRule).max(VARIABLE_VALUE_CHARS_MAX, valueRule), z.number(), z.boolean()],
  valueRule,
);

/** One declared variable of an agent. */
const AgentVariableBody = z
  .strictObject(
    {
      name: z
        .string(nameRule)
        .regex(new RegExp(`^[A-Za-z_][A-Za-z0-9_]{0,${VARIABLE_NAME_CHARS_MAX - 1}}$`), nameRule)
        .meta({ description: "Written `{{name}}` in the texts.", examples: ["customer"] }),
      type: oneOf(VARIABLE_TYPES).meta({ description: "The JSON type of its values." }),
      default: value.optional().meta({
        description: "The value in calls that give none, of the declared type. Without it every call must give one.",
      }),
      description: z
        .string(descriptionRule)
        .max(VARIABLE_DESCRIPTION_CHARS_MAX, descriptionRule)
        .optional()
        .meta({ description: "For people." }),
    },
    { error: "must be an object" },
  )
  .superRefine(({ type, default: usual }, context) => {
    if (usual === undefined || !VARIABLE_TYPES.includes(type) || typeof usual === type) return;
    context.addIssue({ code: "custom", path: ["default"], message: `must be of the type ${type}`, input: usual });
  }, ALONGSIDE_FIELD_ERRORS)
  .meta({ id: "AgentVariable", description: "A place in the texts of an agent that each call fills." });

/** `variables` of an agent. */
export const agentVariables = listOf(AgentVariableBody, AGENT_VARIABLES_MAX, "must be a list of objects")
  .superRefine((variables, context) => {
    const names = new Set<string>();
    for (const [index, { name }] of variables.entries()) {
      if (names.has(name)) {
        context.addIssue({ code: "custom", path: [index, "name"], message: "must be there once", input: name });
      }
      names.add(name);
    }
    const defaults = variables.flatMap(({ name, default: usual }) => (usual === undefined ? [] : [[name, usual]]));
    const bytes = Buffer.byteLength(JSON.stringify(Object.fromEntries(defaults)));
    if (bytes <= CALL_VARIABLES_BYTES_MAX) return;
    const message = `must have defaults of at most ${CALL_VARIABLES_BYTES_MAX} bytes as JSON, not ${bytes}`;
    context.addIssue({ code: "custom", message });
  })
  .meta({
    description:
      "What calls fill in: `{{name}}` in the three layers of the prompt and in the greeting stands for the value of the call. " +
      `At most ${AGENT_VARIABLES_MAX}. A text with a name that is not declared is 400.`,
    examples: [
      [
        { name: "customer", type: "string", description: "Who is called." },
        { name: "loaves", type: "number", default: 1 },
      ],
    ],
  });

/** Values of variables, as a call gives and shows them. */
export const VariableValuesBody = z.record(z.string(), value, { error: "must be an object" });
