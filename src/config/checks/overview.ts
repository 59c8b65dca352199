import { CARRIERS } from "../../carriers/list.ts";
import { MODEL_NAMES } from "../../core/calls/spec.ts";
import { deletesAnything } from "../../core/retention.ts";
import { llmsIn } from "../../speech/llm/registry.ts";
import { providerNotes } from "../../speech/provider-notes.ts";
import { namesIn } from "../../speech/provider-registry.ts";
import type { Config } from "../config.ts";

/** A part of the configuration in words. `missing`: calls with people need it, or it is unsafe without it. */
export interface ConfigurationPart {
  name: string;
  state: "ready" | "missing" | "optional";
  message: string;
  /** Those that decide it, the one to set first. */
  variables: readonly string[];
}

/** What of the configuration an overview shows. */
export type ShownConfig = Pick<
  Config,
  | "stt"
  | "tts"
  | "models"
  | "prices"
  | "carrierSecrets"
  | "publicApiUrls"
  | "publicMediaUrl"
  | "mediaTls"
  | "trustedProxies"
  | "secretsKey"
  | "encryptMedia"
  | "retention"
  | "metricsPort"
>;

/** What is configured and what is missing, a sentence each with the variable to set. Names, never values of secrets. */
export function configurationOverview(config: ShownConfig): readonly ConfigurationPart[] {
  return [...speechParts(config), ...networkParts(config), ...carrierParts(config), ...storageParts(config)];
}

/** The providers, the first of which serves and the others stand in for it. */
function speechParts(config: ShownConfig): ConfigurationPart[] {
  const notes = providerNotes(config);
  const part = (name: string, variable: string, providers: readonly string[]): ConfigurationPart => {
    const note = notes.find((one) => one.split(" name")[0]?.split(", ").includes(variable));
    const [first, ...fallbacks] = providers;
    const others = fallbacks.length === 0 ? "without a fallback" : `with the fallback ${fallbacks.join(", then ")}`;
    return {
      name,
      state: note === undefined ? "ready" : "missing",
      message: note ?? `${variable} is ${first}, ${others}`,
      variables: [variable],
    };
  };
  const models = MODEL_NAMES.map((name) => {
    const llms = llmsIn(config.models[name]).map(({ provider, model }) => (model ? `${provider}:${model}` : provider));
    return part(`language model ${name}`, name.toUpperCase(), llms);
  });
  return [
    part("speech recognition", "STT", namesIn(config.stt)),
    part("speech", "TTS", namesIn(config.tts)),
    ...models,
    config.prices === undefined
      ? optional("prices", ["PRICES"], "calls have no cost, and `maxCost` and limits of cost are refused: set PRICES")
      : ready(
          "prices",
          ["PRICES"],
          `costs are in ${config.prices.currency}, of the providers that have a price in PRICES`,
        ),
  ];
}

function networkParts({ publicApiUrls, publicMediaUrl, mediaTls, trustedProxies }: ShownConfig): ConfigurationPart[] {
  return [
    publicMediaUrl === undefined
      ? missing(
          "address of streams",
          ["PUBLIC_MEDIA_URL"],
          "only programs on this machine can connect: set PUBLIC_MEDIA_URL for carriers and browsers",
        )
      : ready("address of streams", ["PUBLIC_MEDIA_URL"], "carriers and browsers connect to PUBLIC_MEDIA_URL"),
    mediaTls !== undefined || publicMediaUrl?.startsWith("wss:")
      ? ready(
          "encrypted streams",
          [mediaTls ? "MEDIA_TLS_CERT_FILE" : "PUBLIC_MEDIA_URL"],
          mediaTls ? "the service has a certificate of its own" : "PUBLIC_MEDIA_URL is a wss address",
        )
      : missing(
          "encrypted streams",
          ["MEDIA_TLS_CERT_FILE", "MEDIA_TLS_KEY_FILE", "PUBLIC_MEDIA_URL"],
          "streams are not encrypted: set MEDIA_TLS_CERT_FILE, or put a proxy with TLS in front",
        ),
    publicApiUrls.length > 0
      ? ready("address of the API", ["PUBLIC_API_URL"], "links in events and the OpenAPI document name PUBLIC_API_URL")
      : optional("address of the API", ["PUBLIC_API_URL"], "links in events are relative: set PUBLIC_API_URL"),
    trustedProxies.length > 0
      ? ready("trusted proxies", ["TRUSTED_PROXIES"], "TRUSTED_PROXIES name the client of a request")
      : optional(
          "trusted proxies",
          ["TRUSTED_PROXIES"],
          "limits per address count the connection: behind a proxy set TRUSTED_PROXIES",
        ),
  ];
}

const carrierParts = ({ carrierSecrets }: ShownConfig): ConfigurationPart[] =>
  CARRIERS.map(({ connectionType, secret: { variable } }) =>
    (carrierSecrets[connectionType] ?? []).length > 0
      ? ready(connectionType, [variable], `its streams must be signed (${variable})`)
      : optional(
          connectionType,
          [variable],
          `its streams are not signed, and their stream token alone protects them: set ${variable}`,
        ),
  );

function storageParts({ secretsKey, encryptMedia, retention, metricsPort }: ShownConfig): ConfigurationPart[] {
  return [
    secretsKey === undefined
      ? missing(
          "key of secrets",
          ["SECRETS_KEY"],
          "the key that seals secrets is beside the database in DATA_DIR: set SECRETS_KEY",
        )
      : ready("key of secrets", ["SECRETS_KEY"], "SECRETS_KEY seals secrets, and is not stored"),
    encryptMedia
      ? ready("encrypted media", ["ENCRYPT_MEDIA"], "journals and recordings of new calls are encrypted")
      : optional(
          "encrypted media",
          ["ENCRYPT_MEDIA"],
          "journals and recordings are stored plain: set ENCRYPT_MEDIA=true",
        ),
    deletesAnything(retention)
      ? ready("retention", ["RETENTION"], "RETENTION deletes parts of ended calls")
      : optional("retention", ["RETENTION"], "recordings, transcripts and records are never deleted: set RETENTION"),
    metricsPort === undefined
      ? optional("metrics", ["METRICS_PORT"], "METRICS_PORT is off: nothing can be monitored")
      : ready("metrics", ["METRICS_PORT"], "Prometheus can read them at METRICS_PORT"),
  ];
}

const partIn =
  (state: ConfigurationPart["state"]) =>
  (name: string, variables: readonly string[], message: string): ConfigurationPart => ({
    name,
    state,
    message,
    variables,
  });
const ready = partIn("ready");
const missing = partIn("missing");
const optional = partIn("optional");
