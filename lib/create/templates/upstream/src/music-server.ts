// `node dist/music-server.js` runs the demo service alone, as compose.yaml does.

import { startMusicService } from './music-service.ts'

const { HOST = '127.0.0.1', PORT = '4000' } = process.env
const app = await startMusicService({ host: HOST, port: Number(PORT) })
app.server.ref()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => { app.close() })
