import { join } from 'node:path'
import { freePort, runProgram, startService, temporaryFolder, type Service, type Teardown } from './service.ts'
import { locate } from './services.ts'

/** A real PostgreSQL with an empty database, in a temporary folder, as an ordinary user. */
export async function startPostgres (t: Teardown): Promise<Service> {
  const programs = locate('PostgreSQL')
  const cwd = await temporaryFolder(t)
  const data = join(cwd, 'data')
  const options = ['--no-sync', '--auth=trust', '--username=test', '--encoding=UTF8', '--no-locale']
  await runProgram(join(programs, 'initdb'), [...options, data], cwd)
  const port = await freePort()
  return startService(t, {
    url: `postgresql://test@127.0.0.1:${port}/postgres`,
    file: join(programs, 'postgres'),
    args: ['-D', data, '-h', '127.0.0.1', '-p', `${port}`, '-k', '', '-F'],
    cwd,
    ready: 'database system is ready to accept connections'
  })
}
