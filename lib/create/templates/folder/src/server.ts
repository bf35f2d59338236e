import { startSource } from 'fastify-source-origin/serve'
import { buildApp } from './build-app.ts'

await startSource(settings => buildApp(settings, { logger: true }))
