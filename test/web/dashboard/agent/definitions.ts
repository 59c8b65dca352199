import { type Definition, EMPTY_DEFINITION } from "../../../../web/dashboard/pages/agent/model/definition.ts";

/** A definition with some fields of its own. */
export const definition = (fields: Partial<Definition> = {}): Definition => ({
  ...EMPTY_DEFINITION,
  name: "Front desk",
  basePrompt: "You answer the telephone of a bakery.",
  languageId: "en-US",
  voiceId: "espeak/gmw/en-US",
  ...fields,
});
