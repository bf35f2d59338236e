import { startSource } from 'fastify-source-origin/serve'
import { buildApp } from './build-app.ts'
import { startMusicService } from './music-service.ts'

const serviceUrl = process.env.SERVICE_URL ?? (await startMusicService()).listeningOrigin
await startSource(settings => buildApp({ ...settings, serviceUrl }, { logger: true }))
