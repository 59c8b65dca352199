import type { z } from "zod";
import { isoTime } from "../../core/clock.ts";
import type { SavedTool, ToolRun } from "../../store/tool-store.ts";
import type { ToolItem, ToolRunItem, ToolSummary } from "./saved-schemas.ts";

type Summary = z.output<typeof ToolSummary>;

/** The tag of a tool's version, for If-Match. */
export const etagOf = ({ version }: Pick<SavedTool, "version">): string => `"${version}"`;

/** A saved tool as lists show it. */
export function summaryOf(tool: SavedTool): Summary {
  const { id, definition, version, createdAtMs, updatedAtMs } = tool;
  const { type, name, description, timeoutMs, readOnly, idempotent, whileRunning } = definition;
  return {
    ...{ id, type, name },
    description: description === "" ? null : description,
    parameters: definition.type === "mcp" ? null : { ...definition.parameters },
    http: definition.type === "http" ? httpOf(definition.http) : null,
    mcp: mcpOf(tool),
    ...{ timeoutMs, readOnly, idempotent },
    whileRunning: whileRunning ?? null,
    version,
    createdAt: isoTime(createdAtMs),
    updatedAt: isoTime(updatedAtMs),
  };
}

/** A saved tool as the API shows it. */
export function itemOf(tool: SavedTool): z.output<typeof ToolItem> {
  const { mcp, ...summary } = summaryOf(tool);
  const tools = (tool.listing?.tools ?? []).map(({ parameters, ...described }) => ({
    ...described,
    parameters: { ...parameters },
  }));
  return { ...summary, mcp: mcp && { ...mcp, tools } };
}

const httpOf = ({
  method,
  url,
  headers,
}: {
  method: NonNullable<Summary["http"]>["method"];
  url: string;
  headers: object;
}) => ({
  method,
  url,
  headerNames: Object.keys(headers),
});

function mcpOf({ definition, listing, createdAtMs }: SavedTool): Summary["mcp"] {
  if (definition.type !== "mcp") return null;
  const { url, headers, allowedTools } = definition.mcp;
  return {
    url,
    headerNames: Object.keys(headers),
    allowedTools: allowedTools === undefined ? null : [...allowedTools],
    toolNames: (listing?.tools ?? []).map(({ name }) => name),
    omittedTools: (listing?.omitted ?? []).map((omitted) => ({ ...omitted })),
    listedAt: isoTime(listing?.listedAtMs ?? createdAtMs),
    listFailure: listing?.failure ?? null,
  };
}

/** A run as the API shows it. */
export const runItemOf = (run: ToolRun): z.output<typeof ToolRunItem> => ({
  id: run.id,
  source: run.source,
  callId: run.callId ?? null,
  toolName: run.name,
  startedAt: isoTime(run.startedAtMs),
  durationMs: run.durationMs,
  failed: run.failed,
  arguments: run.words?.arguments ?? null,
  result: run.words?.result ?? null,
});
