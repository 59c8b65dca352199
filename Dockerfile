# Node 24 on Debian 13: the newest binaries of uWebSockets.js need its glibc, and no musl will do. `npm run proof -- image` runs
# these steps without Docker.
#
# A release names the exact base that it was tested on; without the digest the newest image of the tag is taken:
#   docker build --build-arg BASE_DIGEST=sha256:... -t trunkline .
ARG BASE_DIGEST
FROM node:24-trixie-slim${BASE_DIGEST:+@$BASE_DIGEST} AS base
WORKDIR /app

FROM base AS build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY scripts scripts
COPY web web
COPY src src
RUN npm run build

# No install script runs: the only one that the service could use compiles the native Opus codec, and libopus-wasm serves without a
# compiler. The codec is taken out, for an image must not depend on whether its binary could be fetched.
FROM base AS dependencies
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts && npm uninstall --no-save --omit=dev --ignore-scripts @discordjs/opus
COPY scripts/remove-unused.mjs scripts/
RUN node scripts/remove-unused.mjs

FROM base
ARG BASE_DIGEST
LABEL org.opencontainers.image.base.name="node:24-trixie-slim" org.opencontainers.image.base.digest="$BASE_DIGEST"
ENV NODE_ENV=production API_HOST=0.0.0.0 MEDIA_HOST=0.0.0.0 METRICS_HOST=0.0.0.0 DATA_DIR=/data
RUN apt-get update && apt-get install -y --no-install-recommends tini && rm -rf /var/lib/apt/lists/*
RUN mkdir /data && chown node:node /data
COPY package.json LICENSE NOTICE ./
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
USER node
VOLUME /data
EXPOSE 8080 8081 9464
# /healthz speaks for the process alone: live calls must not end because a provider is down.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.API_PORT || 8080}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# As process 1 an init reaps the speech programs of a worker that was killed.
ENTRYPOINT ["tini", "--"]
CMD ["node", "dist/main.js"]
