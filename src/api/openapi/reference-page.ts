import swaggerUi from "@fastify/swagger-ui";
import type { FastifyInstance } from "fastify";
import { notFound } from "../http/errors.ts";

/** The path of the API reference. */
export const REFERENCE_PATH = "/docs";

/** All content comes from this service, without inline scripts or styles. */
const CONTENT_POLICY = {
  "default-src": "'none'",
  "script-src": "'self'",
  "style-src": "'self'",
  "img-src": "'self' data:",
  "connect-src": "'self'",
  "base-uri": "'none'",
  "form-action": "'none'",
  "frame-ancestors": "'none'",
};

/** The plugin's useful paths in addition to its files: neither its YAML, which is slow to generate, nor its redirect. */
const ALLOWED_PATHS: readonly string[] = ["", "/", "/json", "/static/swagger-initializer.js"].map(
  (path) => `${REFERENCE_PATH}${path}`,
);

/** Serves the API reference. Regardless of PUBLIC_API_URL, requests from the page go to its own origin. */
export function referencePage(app: FastifyInstance, { basePath }: { basePath: string }): void {
  void app.register(swaggerUi, {
    routePrefix: REFERENCE_PATH,
    staticCSP: CONTENT_POLICY,
    theme: { title: "Trunkline API reference" },
    uiConfig: {
      layout: "BaseLayout",
      deepLinking: true,
      docExpansion: "list",
      defaultModelsExpandDepth: 0,
      displayRequestDuration: true,
      validatorUrl: null,
    },
    transformSpecification: (document) => documentForPage(document, basePath),
    uiHooks: {
      onRequest: async (request) => {
        if (!ALLOWED_PATHS.includes(request.routeOptions.url ?? "")) throw notFound("resource");
      },
    },
  });
}

interface ShownOperation {
  servers?: unknown;
  parameters?: { required?: boolean; example?: unknown }[];
}

/** The document for the page. It is modified: requests go to this service, and optional parameters are not filled in. */
function documentForPage(document: Readonly<Record<string, unknown>>, basePath: string): Record<string, unknown> {
  const { paths } = document as { paths: Record<string, Record<string, ShownOperation>> };
  for (const operation of Object.values(paths).flatMap((item) => Object.values(item))) {
    if (operation.servers !== undefined) operation.servers = [{ url: "/" }];
    for (const parameter of operation.parameters ?? []) if (!parameter.required) delete parameter.example;
  }
  return { ...document, servers: [{ url: basePath }] };
}
