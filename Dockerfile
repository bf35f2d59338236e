FROM node:22-alpine AS manifests
WORKDIR /app
COPY package.json package-lock.json ./
COPY example/package.json example/

FROM manifests AS build
RUN npm ci --no-audit --no-fund
COPY tsconfig.json ./
COPY lib lib
COPY schemas schemas
COPY example example
RUN npm run build

FROM manifests AS production
RUN npm ci --omit=dev --no-audit --no-fund

FROM node:22-alpine AS source
ENV NODE_ENV=production \
    PORT=3000 \
    FASTIFY_ADDRESS=0.0.0.0 \
    MUSIC_DIR=/app/example/music \
    DATA_DIR=/app/data
WORKDIR /app
COPY --from=production /app ./
COPY --from=build /app/dist dist
COPY --from=build /app/openapi.json ./
COPY example/music example/music
RUN mkdir -m 700 data && chown node:node data
USER node
EXPOSE 3000
VOLUME /app/data
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s CMD wget -q -O /dev/null "http://127.0.0.1:$PORT$FASTIFY_PREFIX/status" || exit 1
CMD ["node_modules/.bin/fastify", "start", "--log-level", "info", "--options", "--close-grace-delay", "630000", "dist/example/app.js"]

# docker build --target with-ffmpeg: transcodes.
FROM source AS with-ffmpeg
USER root
RUN apk add --no-cache ffmpeg
USER node

FROM source
