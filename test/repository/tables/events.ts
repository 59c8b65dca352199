import { z } from "zod";
import { CallEventItem } from "../../../src/api/calls/schemas/event-schemas.ts";
import { END_REASONS } from "../../../src/core/calls/reasons.ts";
import {
  CLIENT_MESSAGES,
  SERVICE_MESSAGES,
  TRANSCRIPTION_CLIENT_MESSAGES,
  TRANSCRIPTION_SERVICE_MESSAGES,
} from "../../../src/wire/client-messages.ts";
import { CLIENT_SIGNALS, SERVICE_SIGNALS } from "../../../src/wire/webrtc/signalling.ts";
import { inCode, listed, markdownTable } from "./markdown.ts";

/** Sentences as a part of a line: without the last period, and with a small letter at the beginning unless it is a name. */
const asPhrase = (sentences: string): string =>
  sentences.replace(/\.$/, "").replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase());

/** One kind of event or command, as the schema describes it. */
interface Kind {
  kind: string;
  description: string;
  fields: { name: string; description: string }[];
}

/** Fields that every item has. */
const EVERYWHERE = ["atMs", "source", "kind"];
/** A field with the same description in this many kinds is described once for all. */
const COMMON_MIN = 3;

const [EVENTS, COMMANDS] = CallEventItem.options.map((union) => union.options.map(kindOf)) as [Kind[], Kind[]];

function kindOf(item: z.ZodObject): Kind {
  const { kind, ...shape } = item.shape;
  const [name] = kind instanceof z.ZodLiteral ? kind.values : [];
  if (typeof name !== "string") throw new Error("an event without a kind");
  return {
    kind: name,
    description: asPhrase(item.meta()?.description ?? ""),
    fields: Object.entries(shape)
      .filter(([field]) => !EVERYWHERE.includes(field))
      .map(([field, schema]) => ({ name: field, description: describe(schema as z.ZodType) })),
  };
}

/** The description of a field, and its values where the description does not name them. */
function describe(schema: z.ZodType): string {
  const description = asPhrase(schema.meta()?.description ?? "");
  const inner = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  const values = inner instanceof z.ZodEnum ? inner.options.map(String) : [];
  if (values.join() === END_REASONS.join()) return "an [end reason](errors.md#end-reasons)";
  const missing = values.filter((value) => !description.includes(inCode(value)));
  if (missing.length === 0) return description;
  return description === "" ? listed(missing) : `${description} (${listed(missing)})`;
}

/** The descriptions that at least COMMON_MIN kinds have for a field, by `name: description`. */
function commonFields(): Map<string, { name: string; description: string; count: number }> {
  const counted = new Map<string, { name: string; description: string; count: number }>();
  for (const { name, description } of [...EVENTS, ...COMMANDS].flatMap(({ fields }) => fields)) {
    const key = `${name}: ${description}`;
    counted.set(key, { name, description, count: (counted.get(key)?.count ?? 0) + 1 });
  }
  return new Map([...counted].filter(([, { description, count }]) => description !== "" && count >= COMMON_MIN));
}

function kindTable(kinds: readonly Kind[], head: string): string {
  const common = commonFields();
  const fieldText = ({ name, description }: Kind["fields"][number]): string =>
    description === "" || common.has(`${name}: ${description}`) ? inCode(name) : `${inCode(name)}: ${description}`;
  return markdownTable(
    [head, "meaning", "fields"],
    kinds.map(({ kind, description, fields }) => [inCode(kind), description, fields.map(fieldText).join("<br>")]),
  );
}

const messageTable = (head: string, messages: Readonly<Record<string, { fields: string; meaning: string }>>): string =>
  markdownTable(
    [head, "fields", "meaning"],
    Object.entries(messages).map(([type, { fields, meaning }]) => [inCode(type), fields, meaning]),
  );

/** The tables of a call's events and commands and of the messages of a WebSocket client, by name. */
export const eventTables = (): Record<string, string> => ({
  "call-events": kindTable(EVENTS, "event"),
  "call-commands": kindTable(COMMANDS, "command"),
  "common-fields": markdownTable(
    ["field", "meaning"],
    [...commonFields().values()].map(({ name, description }) => [inCode(name), description]),
  ),
  "service-messages": messageTable("from the service", SERVICE_MESSAGES),
  "client-messages": messageTable("from you", CLIENT_MESSAGES),
  "transcription-service-messages": messageTable("from the service", TRANSCRIPTION_SERVICE_MESSAGES),
  "transcription-client-messages": messageTable("from you", TRANSCRIPTION_CLIENT_MESSAGES),
  "webrtc-service-messages": messageTable("from the service", SERVICE_SIGNALS),
  "webrtc-client-messages": messageTable("from you", CLIENT_SIGNALS),
});
