import { fileURLToPath } from "node:url";
import { createLogger, defineConfig } from "vite";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const logger = createLogger("warn");
const { warnOnce } = logger;
// The pages give the SDK the address of its worklet: its default, which is a file of its package, is not used.
logger.warnOnce = (message, options) => {
  if (!message.includes('new URL("./worklet.js"')) warnOnce(message, options);
};

/** From so many on they are loaded with the first. */
const SHARED_BY_PAGES = 3;

/** The build of the dashboard: scripts/build-dashboard.mjs runs it. Every file has the hash of its content as its name. */
// biome-ignore lint/style/noDefaultExport: Vite reads its configuration from the default export.
export default defineConfig({
  root: here("."),
  base: "/dashboard/files/",
  publicDir: false,
  logLevel: "warn",
  customLogger: logger,
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  resolve: {
    alias: { react: "preact/compat", "react-dom": "preact/compat", "react/jsx-runtime": "preact/jsx-runtime" },
  },
  build: {
    target: "es2022",
    // The content policy allows no script and no image within a document.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      checks: { pluginTimings: false },
      // Each module of Headless UI begins with "use client", which means nothing here.
      onLog: (level, log, report) => {
        if (log.code !== "MODULE_LEVEL_DIRECTIVE") report(level, log);
      },
      output: {
        entryFileNames: "[hash:16].js",
        chunkFileNames: "[hash:16].js",
        assetFileNames: "[hash:16][extname]",
        hashCharacters: "hex",
        // What most pages share is one file: each of them would otherwise be dozens, and each file costs its request.
        codeSplitting: {
          groups: [
            {
              name: "shared",
              test: /web[\\/](?:dashboard[\\/](?:app|ui)|client)[\\/]/,
              minShareCount: SHARED_BY_PAGES,
            },
          ],
        },
      },
    },
  },
  worker: { format: "es", rolldownOptions: { output: { entryFileNames: "[hash:16].js", hashCharacters: "hex" } } },
});
