import swaggerUi from "@fastify/swagger-ui";
import type { FastifyInstance } from "fastify";
import { notFound } from "../http/errors.ts";

/** Where the API reference stands. */
export const REFERENCE_PATH = "/docs";

/** Everything comes from this service, and nothing that runs or paints stands in the page itself. */
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

/** What the plugin registers beside files and is of use here: not its YAML, which takes long to make, nor its redirection. */
const ALLOWED_PATHS: readonly string[] = ["", "/", "/json", "/static/swagger-initializer.js"].map(
  (path) => `${REFERENCE_PATH}${path}`,
);

/** Serves the API reference. Whatever PUBLIC_API_URL says, requests from the page go to its own origin. */
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

/** The document as the page uses it: it takes it over, asks this very service, and fills in no parameter that may be left out. */
function documentForPage(document: Readonly<Record<string, unknown>>, basePath: string): Record<string, unknown> {
  const { paths } = document as { paths: Record<string, Record<string, ShownOperation>> };
  for (const operation of Object.values(paths).flatMap((item) => Object.values(item))) {
    if (operation.servers !== undefined) operation.servers = [{ url: "/" }];
    for (const parameter of operation.parameters ?? []) if (!parameter.required) delete parameter.example;
  }
  return { ...document, servers: [{ url: basePath }] };
}
