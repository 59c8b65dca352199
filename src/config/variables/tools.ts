import type { Variables } from "../../core/configuration/variable.ts";

/** Secrets of tools, and where tools may send requests. */
export const TOOL_VARIABLES = {
  "TOOL_SECRET_<NAME>": {
    format: "printable ASCII; the name in A-Z, 0-9 and `_`",
    meaning:
      "a secret that headers of HTTP tools may hold as `{{NAME}}`. It is sent only where `TOOL_SECRET_BINDINGS` says so",
  },
  TOOL_SECRET_BINDINGS: {
    format:
      'JSON: `{"SHOP_TOKEN": {"hosts": ["api.example.com", "api.example.com:8443"], "accounts": ["account_..."]}}`',
    meaning:
      "which accounts may send a secret to which servers. Hosts are compared exactly, without wildcards; " +
      "`npm run api-keys -- list` shows the ids of accounts. A secret without a binding is sent nowhere and is named at start; see " +
      "[tools](tools.md#secrets)",
  },
  TOOLS_ALLOW_LOOPBACK: {
    default: "false",
    oneOf: ["true", "false"],
    meaning: "`true`: tools may call this machine, for trials; refused when `NODE_ENV=production`",
  },
} as const satisfies Variables;
