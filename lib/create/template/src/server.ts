import { randomBytes } from 'node:crypto'
import { buildApp } from './build-app.ts'

const { SOURCE_API_TOKEN, PUBLIC_URL, HOST = 'localhost', PORT = '3000', NODE_ENV } = process.env
if (!SOURCE_API_TOKEN && NODE_ENV === 'production') {
  console.error('SOURCE_API_TOKEN is not set. It is what callers send as their Authorization header')
  process.exit(1)
}

const token = SOURCE_API_TOKEN || randomBytes(16).toString('hex')
const app = await buildApp({ token, publicUrl: PUBLIC_URL || undefined }, { logger: true })
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => { app.close() })
const address = await app.listen({ host: HOST, port: Number(PORT) })
if (NODE_ENV !== 'production') console.log(`Listen: ${address}/#token=${encodeURIComponent(token)}`)
