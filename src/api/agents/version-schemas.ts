import { z } from "zod";
import type { ApiKeyId } from "../../core/ids.ts";
import { DIFF_LINES_MAX } from "../../core/limits/agents/agents.ts";
import { time } from "../calls/schemas/response-schemas.ts";
import { flag } from "../http/requests/fields.ts";
import { pageFields } from "../http/responses/cursor.ts";
import { pageSchema } from "../http/responses/pages.ts";
import { agentId, definitionFields } from "./schemas.ts";
import { versionNumber, versionParameter } from "./version-number.ts";

const AGENT_ID = "agent_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10";
const KEY_ID = "key_019aa5c8-5e00-7b3e-9c41-3b8f6a2d7e10" as ApiKeyId;
const SUMMARY = {
  version: 3,
  state: "live" as const,
  createdAt: "2026-11-21T08:00:00.000Z",
  createdBy: KEY_ID,
  publishedAt: "2026-11-21T08:00:00.000Z",
};

const summaryFields = {
  version: z.int().meta({ description: "Counts from 1; a number is never used again." }),
  state: z.enum(["live", "draft", "earlier"]).meta({
    description:
      "`live`: calls have this version. `draft`: the newest change, which was not published. `earlier`: neither.",
  }),
  createdAt: time,
  createdBy: z.string().nullable().meta({
    description: "The id of the API key that made it; null in versions of before there were versions.",
  }),
  publishedAt: time.nullable().meta({ description: "When it last became the live version; null when it never was." }),
};

export const VersionSummary = z
  .object(summaryFields)
  .meta({ id: "AgentVersionSummary", description: "A version of an agent in a list.", examples: [SUMMARY] });

export const VersionList = pageSchema(VersionSummary, "A page of versions, newest first.");

export const VersionItem = z
  .object({ agentId, ...summaryFields, ...definitionFields })
  .meta({ id: "AgentVersion", description: "A version of an agent. Its fields never change." });

export const VersionFilters = z.strictObject(pageFields);

export const VersionParams = z.object({
  id: agentId,
  version: versionParameter.meta({ description: "The number of a version.", examples: [3] }),
});

export const DiffQuery = z.strictObject({
  against: versionParameter
    .optional()
    .meta({ description: "The version to compare with; the live version by default.", examples: [1] }),
});

const LINES = [
  { change: "same" as const, text: "The bakery is open from eight to six.\n" },
  { change: "removed" as const, text: "It is closed on Sunday.\n" },
  { change: "added" as const, text: "It is closed on Sunday and Monday.\n" },
];

const DiffChange = z
  .object({
    path: z
      .string()
      .meta({ description: "JSON pointer to the field in the agent.", examples: ["/callSettings/model"] }),
    before: z.unknown().optional().meta({ description: "In `against`; absent where the field is absent there." }),
    after: z.unknown().optional().meta({ description: "In `version`; absent where the field is absent there." }),
    lines: z
      .array(
        z.object({
          change: z.enum(["same", "removed", "added"]),
          text: z.string().meta({ description: "Whole lines with their ends." }),
        }),
      )
      .optional()
      .meta({
        description:
          "Of the layers of the prompt instead of `before` and `after`: all lines of both texts, in order. With more than " +
          `${DIFF_LINES_MAX} changed lines, all between the first and the last of them count as changed.`,
        examples: [LINES],
      }),
  })
  .meta({
    id: "AgentVersionChange",
    description: "One field that differs.",
    examples: [
      { path: "/callSettings/maxDuration", before: 300, after: 600 },
      { path: "/context", lines: LINES },
    ],
  });

export const VersionDiff = z
  .object({
    agentId,
    version: z.int(),
    against: z.int(),
    changes: z
      .array(DiffChange)
      .meta({ description: "The fields that differ, by path; lists are compared as a whole." }),
  })
  .meta({
    id: "AgentVersionDiff",
    description: "What changed from the version `against` to `version`.",
    examples: [
      {
        agentId: AGENT_ID as unknown as z.output<typeof agentId>,
        version: 3,
        against: 2,
        changes: [{ path: "/callSettings/maxDuration", before: 300, after: 600 }],
      },
    ],
  });

/** `POST /agents/{id}/versions/{version}/restore`. A missing body equals an empty one. */
export const RestoreBody = z
  .strictObject(
    {
      autoPublish: flag.default(true).meta({
        description: "Whether calls get it at once. Otherwise it is the draft, until it is published.",
      }),
    },
    { error: "must be a JSON object" },
  )
  .meta({ id: "AgentRestore", description: "How to restore a version.", examples: [{ autoPublish: false }] })
  .nullish();

/** `POST /agents/{id}/publish`. A missing body equals an empty one. */
export const PublishBody = z
  .strictObject(
    {
      version: versionNumber.optional().meta({
        description: "The version that calls are to have from now on; the draft by default.",
        examples: [1],
      }),
    },
    { error: "must be a JSON object" },
  )
  .meta({ id: "AgentPublication", description: "What to publish.", examples: [{ version: 1 }] })
  .nullish();
