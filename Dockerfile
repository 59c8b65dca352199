# The reference runtime: Node 22 on Debian. uWebSockets.js brings glibc binaries, so no Alpine.
FROM node:22-bookworm-slim AS build
WORKDIR /app
# There is no binary of @discordjs/opus for this Debian: it is compiled here, and the image that runs needs no compiler.
RUN apt-get update && apt-get install -y --no-install-recommends g++ make python3 && rm -rf /var/lib/apt/lists/*
COPY package.json package-lock.json .npmrc ./
# What is optional npm leaves out without a word where it fails; an image without it is refused here.
RUN npm ci && node -e 'require("@discordjs/opus")'
COPY tsconfig.json tsconfig.build.json ./
COPY src src
RUN npm run build && npm prune --omit=dev

FROM node:22-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production API_HOST=0.0.0.0 MEDIA_HOST=0.0.0.0 METRICS_HOST=0.0.0.0 DATA_DIR=/data
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
RUN apt-get update && apt-get install -y --no-install-recommends tini && rm -rf /var/lib/apt/lists/*
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8080 8081 9464
# As process 1 an init reaps the voice programs of a worker that was killed.
ENTRYPOINT ["tini", "--"]
CMD ["node", "dist/main.js"]
