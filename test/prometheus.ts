import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Test } from 'tap'
import { freePort, startService, temporaryFolder, type Service } from './service.ts'
import { locate } from './services.ts'

/** A real Prometheus that scrapes one target each second, with a Bearer token. */
export async function startPrometheus (t: Test, target: string, token: string): Promise<Service> {
  const file = locate('Prometheus')
  const cwd = await temporaryFolder(t)
  const port = await freePort()
  await writeFile(join(cwd, 'prometheus.yml'), JSON.stringify({
    global: { scrape_interval: '1s' },
    scrape_configs: [{
      job_name: 'music', authorization: { credentials: token }, static_configs: [{ targets: [target] }]
    }]
  }))
  return startService(t, {
    url: `http://127.0.0.1:${port}`,
    file,
    args: [
      `--config.file=${join(cwd, 'prometheus.yml')}`, `--storage.tsdb.path=${join(cwd, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`
    ],
    cwd,
    ready: 'Server is ready to receive web requests'
  })
}
