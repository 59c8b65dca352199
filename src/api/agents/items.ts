import type { z } from "zod";
import { isoTime } from "../../core/clock.ts";
import type { Agent, AgentDefinition, AgentState, ListedVersion } from "../../store/agent-store.ts";
import { CallSettingsBody } from "../calls/schemas/request-schemas.ts";
import type { AgentItem, definitionFields } from "./schemas.ts";
import type { VersionSummary } from "./version-schemas.ts";

type DefinitionItem = z.output<z.ZodObject<typeof definitionFields>>;

/** A definition as the API shows it. */
export const definitionItemOf = (definition: AgentDefinition): DefinitionItem => ({
  name: definition.name,
  basePrompt: definition.basePrompt,
  context: definition.context,
  customInstructions: definition.customInstructions,
  languageId: definition.languageId,
  voiceId: definition.voiceId,
  callSettings: CallSettingsBody.parse(definition.callSettings),
  toolIds: [...definition.toolIds],
  corpusIds: [...definition.corpusIds],
  variables: [...definition.variables],
  allowedOverrides: [...definition.allowedOverrides] as DefinitionItem["allowedOverrides"],
});

/** An agent as the API shows it. */
export const itemOf = (agent: Agent): z.output<typeof AgentItem> => ({
  id: agent.id,
  ...definitionItemOf(agent),
  version: agent.version,
  draftVersion: agent.draftVersion ?? null,
  publishedAt: isoTime(agent.publishedAtMs),
  createdAt: isoTime(agent.createdAtMs),
  updatedAt: isoTime(agent.updatedAtMs),
});

/**
 * The ETag of an agent: the number of its live version, and that of its draft where there is one. Versions never change,
 * so both numbers together say what the agent is.
 */
export const etagOf = ({ version, draftVersion }: AgentState): string =>
  `"${draftVersion === undefined ? version : `${version}-${draftVersion}`}"`;

/** A version as lists show it. `agent` is absent when it was deleted. */
export const versionSummaryOf = (
  { version, createdAtMs, createdBy, publishedAtMs }: ListedVersion,
  agent: AgentState | undefined,
): z.output<typeof VersionSummary> => ({
  version,
  state: version === agent?.version ? "live" : version === agent?.draftVersion ? "draft" : "earlier",
  createdAt: isoTime(createdAtMs),
  createdBy: createdBy ?? null,
  publishedAt: publishedAtMs === undefined ? null : isoTime(publishedAtMs),
});
