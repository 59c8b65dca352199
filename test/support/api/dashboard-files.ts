import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { temporaryDirectory } from "../temporary-directory.ts";

/** What a build of the dashboard has. */
export const DASHBOARD_SHELL = `<!doctype html><script type="module" src="/dashboard/files/0a1b.js"></script>`;
export const DASHBOARD_FILES = {
  "0a1b.js": ["start()", "text/javascript; charset=utf-8"],
  "2c3d.css": ["body {}", "text/css; charset=utf-8"],
} as const;

/** A folder like `dist/web/dashboard` with these files. */
export function builtDashboardFiles(): string {
  const folder = temporaryDirectory();
  const write = (name: string, text: string): void => {
    writeFileSync(join(folder, name), text);
    writeFileSync(join(folder, `${name}.gz`), gzipSync(text));
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(text));
  };
  write("index.html", DASHBOARD_SHELL);
  const files = Object.fromEntries(
    Object.entries(DASHBOARD_FILES).map(([name, [text, contentType]]) => {
      write(name, text);
      return [name, { contentType }];
    }),
  );
  writeFileSync(
    join(folder, "manifest.json"),
    JSON.stringify({ files, pages: { "calls/:id": Object.keys(DASHBOARD_FILES) } }),
  );
  return folder;
}
