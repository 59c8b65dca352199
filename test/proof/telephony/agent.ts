import type { Api } from "../asked-service.ts";

/** An agent that greets; its id. */
export async function createAgent(service: Api, greeting = "Hello, this is the bakery."): Promise<string> {
  const { id } = await service.ask<{ id: string }>("POST", "/agents", {
    name: "Bakery",
    basePrompt: "The bakery is closed on Monday.",
    languageId: "en-US",
    voiceId: "reference/gmw/en-US",
    callSettings: { greeting },
    toolIds: [],
  });
  return id;
}
