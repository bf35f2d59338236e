import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Test } from 'tap'
import { freePort, startService, temporaryFolder, type Service } from './service.ts'
import { locate } from './services.ts'

/** A real Prometheus that scrapes one target each second, with a Bearer token, and evaluates rules. */
export async function startPrometheus (t: Test, target: string, token: string, rules: object = {}): Promise<Service> {
  const file = locate('Prometheus')
  const cwd = await temporaryFolder(t)
  const port = await freePort()
  await writeFile(join(cwd, 'rules.yml'), JSON.stringify(rules))
  await writeFile(join(cwd, 'prometheus.yml'), JSON.stringify({
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: ['rules.yml'],
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
