# syntax=docker/dockerfile:1

# The build stage has every package, the compilers included, which are optional packages themselves. The embedded PostgreSQL
# is left out. npm ci would refuse a package.json without it; the other packages keep the versions of the lock file.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/client/package.json packages/client/
COPY packages/cli/package.json packages/cli/
COPY packages/console/package.json packages/console/
COPY packages/plain-questions/package.json packages/plain-questions/
RUN npm pkg delete optionalDependencies && npm install
COPY nest-cli.json .swcrc tsconfig.json vite.service.config.ts ./
COPY migrations ./migrations
COPY src ./src
COPY packages/client/src ./packages/client/src
COPY packages/plain-questions ./packages/plain-questions
COPY packages/console ./packages/console
RUN npx tsc -p packages/plain-questions/tsconfig.build.json && npx nest build && npx vite build --config vite.service.config.ts && npx vite build packages/console

# Only the packages that the service imports. The embedded PostgreSQL is an optional package and is left out.
FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/plain-questions/package.json packages/plain-questions/
RUN npm ci --omit=dev --omit=optional --ignore-scripts --workspace=packages/plain-questions --include-workspace-root

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
# The C library keeps freed memory in areas, of which each thread may get its own: up to eight times the processors. The
# service has one busy thread, so two areas are enough. A process once kept 2.6 GiB after many large bodies; whether areas were
# the cause is not known, and a short trial showed no difference.
ENV MALLOC_ARENA_MAX=2
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /app/packages/plain-questions ./packages/plain-questions
COPY --from=build /app/dist ./dist
COPY package.json LICENSE ./
COPY deploy/image/build-if-needed.mjs ./scripts/
COPY deploy/image/typed-collections /usr/local/bin/
# For a volume: a new one gets the owner of this directory.
RUN install --directory --owner=1000 --group=1000 --mode=0700 /backups

# A number, so that Kubernetes can tell that the user is not root. Besides /backups it owns no file: the file system may be
# read-only.
USER 1000:1000
EXPOSE 3000

HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]

# Without a shell and npm in between, signals reach the service.
CMD ["node", "--max-semi-space-size=32", "--no-allocation-site-pretenuring", "--expose-gc", "dist/service/main.js"]
