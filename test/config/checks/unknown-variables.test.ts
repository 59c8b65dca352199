import { describe, expect, test } from "vitest";
import { CARRIER_NAMES } from "../../../src/carriers/list.ts";
import { unknownVariables as unknownIn } from "../../../src/config/config.ts";

const unknown = (...names: string[]) => unknownIn(Object.fromEntries(names.map((name) => [name, "a secret value"])));

describe("unknown variables that look like those of the service", () => {
  test.each([
    ["OPENAI_APIKEY", "OPENAI_API_KEY"],
    ["OPENAI_KEY", "OPENAI_API_KEY"],
    ["DEEPGRAM_KEY", "DEEPGRAM_API_KEY"],
    ["DEEPGRAM_API_URL", "DEEPGRAM_URL"],
    ["ELEVENLABS_KEY", "ELEVENLABS_API_KEY"],
    ["ANTHROPIC_API_KEYS", "ANTHROPIC_API_KEY"],
    ["OPENAI_STT_API_KYE", "OPENAI_STT_API_KEY"],
    ["openai_api_key", "OPENAI_API_KEY"],
    ["DATADIR", "DATA_DIR"],
    ["LOG_LEVL", "LOG_LEVEL"],
    ["TOKEN_TTL", "TOKEN_TTL_S"],
    ["MEDIA_TLS_CERT", "MEDIA_TLS_CERT_FILE"],
    ["PUBLCI_MEDIA_URL", "PUBLIC_MEDIA_URL"],
    ["TRUNKLINE_API_PORT", "API_PORT"],
    ["TRUNKLINE_KEY", "TRUNKLINE_API_KEY"],
    ["CARRIER_A_TOKEN", "CARRIER_A_AUTH_TOKEN"],
    ["OPENAI_MODEL", "MODEL_B"],
    ["OPENAI_CHAT_MODEL", "MODEL_B"],
    ["OPENAI_TTS_DEFAULT_MODEL", "OPENAI_TTS_MODEL"],
    ["GEMINI_CLI_MODEL", "MODEL_B"],
    ["GEMINI_URL", "GEMINI_BASE_URL"],
    ["ASSEMBLYAI_STT_MODEL", "ASSEMBLYAI_MODEL"],
    ["DEEPGRAM_TOKEN", "DEEPGRAM_API_KEY"],
    ["OPENAI_TTS_TOKEN", "OPENAI_TTS_API_KEY"],
    ["STT_API_KEY", "OPENAI_STT_API_KEY"],
    ["TTS_MODEL", "OPENAI_TTS_MODEL"],
    ["TOOL_SECRETS_SHOP", "TOOL_SECRET_SHOP"],
    ["TOOLSECRET_X", "TOOL_SECRET_X"],
    ["TOOLS_ALLOW_LOCALHOST", undefined],
  ])("%s is reported as %s", (name, nearest) => {
    expect(unknown(name)).toEqual(nearest === undefined ? [] : [{ name, nearest }]);
  });

  test.each(CARRIER_NAMES)("a variable with the prefix of %s is reported", (carrier) => {
    expect(unknown(`${carrier.toUpperCase()}_PASSWORD`)).toHaveLength(1);
  });

  test("known variables and those of other programs are not reported", () => {
    const known = [
      "API_PORT",
      "OPENAI_API_KEY",
      "MODEL_B",
      "TOOL_SECRET_SHOP",
      "NODE_ENV",
      "TRUNKLINE_URL",
      "DATA_DIR",
    ];
    const ofOthers = [
      ...[
        "PATH",
        "HOME",
        "TERM",
        "TZ",
        "LANG",
        "STY",
        "TTY",
        "TMPDIR",
        "PORT",
        "HOST",
        "DEBUG",
        "LOG",
        "MODEL",
        "NODE_OPTIONS",
      ],
      ...[
        "APP_HOST",
        "APP_PORT",
        "API_PORT_8080_TCP_ADDR",
        "API_SERVICE_HOST",
        "DATABASE_URL",
        "XDG_DATA_DIRS",
        "LOG_FORMAT",
      ],
      ...["OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY", "OPENAI_LOG", "OPENAI_WEBHOOK_SECRET"],
      ...["ANTHROPIC_MODEL", "ANTHROPIC_SMALL_FAST_MODEL", "ANTHROPIC_AUTH_TOKEN", "GEMINI_MODEL", "GOOGLE_API_KEY"],
      ...["npm_config_cache", "npm_package_name", "CI", "KUBERNETES_PORT", "METRICS_ENABLED", "AWS_SECRET_ACCESS_KEY"],
    ];
    expect(unknown(...known, ...ofOthers)).toEqual([]);
  });

  test("their values are never shown", () => {
    expect(JSON.stringify(unknown("DEEPGRAM_KEY"))).not.toContain("secret value");
  });
});
