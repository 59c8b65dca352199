/** An example that is neither a command nor the output of one, and the test that reads it. */
export interface CheckedExample {
  page: string;
  heading: string;
  language: string;
  /** A file below `test/`. */
  test: string;
}

/** All of them; test/repository/blocks.test.ts compares the list with the pages. */
export const CHECKED_EXAMPLES: readonly CheckedExample[] = [
  { page: "docs/api.md", heading: "Errors", language: "json", test: "end-to-end/docs/pages.test.ts" },
  {
    page: "docs/node-versions.md",
    heading: "What runs where",
    language: "text",
    test: "end-to-end/docs/pages.test.ts",
  },
  {
    page: "docs/languages.md",
    heading: "Your own phrases: PHRASES_FILE",
    language: "json",
    test: "repository/blocks.test.ts",
  },
  { page: "docs/observability.md", heading: "One turn", language: "text", test: "cli/traces/waterfall.test.ts" },
  { page: "docs/tools.md", heading: "Secrets", language: "json", test: "repository/blocks.test.ts" },
  { page: "docs/testing.md", heading: "What must be installed", language: "text", test: "repository/blocks.test.ts" },
  {
    page: "deploy/README.md",
    heading: "Trunkline with nginx, Prometheus and Grafana",
    language: "nginx",
    test: "end-to-end/network/nginx.test.ts",
  },
  { page: "deploy/README.md", heading: "More addresses", language: "nginx", test: "end-to-end/network/nginx.test.ts" },
  {
    page: "docs/browser.md",
    heading: "Embed the widget",
    language: "html",
    test: "end-to-end/web/widget.test.ts",
  },
  {
    page: "docs/browser.md",
    heading: "Embed the widget",
    language: "css",
    test: "end-to-end/web/widget.test.ts",
  },
  {
    page: "docs/browser.md",
    heading: "Pin the widget",
    language: "html",
    test: "end-to-end/web/widget.test.ts",
  },
  {
    page: "docs/browser.md",
    heading: "The content security policy of your page",
    language: "text",
    test: "end-to-end/web/widget.test.ts",
  },
  {
    page: "docs/browser.md",
    heading: "Use the SDK",
    language: "js",
    test: "end-to-end/web/examples.test.ts",
  },
];
