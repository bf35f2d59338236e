import type { Test } from 'tap'
import { freePort, startService, temporaryFolder, type Service } from './service.ts'
import { locate } from './services.ts'

/** A real, empty Redis in a temporary folder. What it holds is saved when it is stopped. */
export async function startRedis (t: Test): Promise<Service> {
  const file = locate('Redis')
  const port = await freePort()
  return startService(t, {
    url: `redis://127.0.0.1:${port}`,
    file,
    args: ['--bind', '127.0.0.1', '--port', `${port}`, '--save', '3600 1', '--daemonize', 'no'],
    cwd: await temporaryFolder(t),
    ready: 'Ready to accept connections'
  })
}
