import { TrunklineClient } from "#client";
import { SCOPES } from "../../../src/core/accounts/scopes.ts";
import { concatenated } from "../../../src/simulator/callers/utterance.ts";
import { utterance } from "../../callers/telephone.ts";
import { type Service, withStores } from "../services/service.ts";

const MICROPHONE = { codec: "pcm_s16le", rateHz: 48_000 } as const;

/** A tool that the page of a call carries out. */
export const BOOK = {
  type: "client" as const,
  name: "book_table",
  description: "Books a table in the restaurant.",
  parameters: {
    type: "object",
    properties: { people: { type: "integer", minimum: 1, maximum: 12, description: "How many people come" } },
    required: ["people"],
  },
};

/** A client with the scope `admin`, as the setup of a publishable key needs it. */
export async function adminClientOf(service: Service): Promise<TrunklineClient> {
  const { key } = await withStores(service.dataDir, ({ apiKeys }, accountId) =>
    apiKeys.create({ accountId, name: "admin", scopes: SCOPES }),
  );
  return new TrunklineClient({ baseUrl: service.apiUrl, apiKey: key });
}

/** What the microphone hears: silence, then this text. */
export async function spoken(text: string, afterMs: number): Promise<Int16Array> {
  const { frames } = await utterance(text, MICROPHONE);
  const samples = frames.map((bytes) => new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2));
  return concatenated([new Int16Array((afterMs * MICROPHONE.rateHz) / 1_000), ...samples, new Int16Array(48_000)]);
}
