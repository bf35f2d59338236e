import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { freePort, runProgram, startService, temporaryFolder, type Service, type Teardown } from './service.ts'

/**
 * A real PostgreSQL with an empty database, in a temporary folder, as an ordinary user.
 *
 * @param debian where Debian keeps the programs: out of PATH, in a folder for each version
 */
export async function startPostgres (t: Teardown, debian = '/usr/lib/postgresql'): Promise<Service> {
  const programs = findPrograms(debian)
  const cwd = await temporaryFolder(t)
  const data = join(cwd, 'data')
  await runProgram(join(programs, 'initdb'), ['--no-sync', '--auth=trust', '--username=test', '--encoding=UTF8', '--no-locale', data], cwd)
  const port = await freePort()
  return startService(t, {
    url: `postgresql://test@127.0.0.1:${port}/postgres`,
    file: join(programs, 'postgres'),
    args: ['-D', data, '-h', '127.0.0.1', '-p', `${port}`, '-k', '', '-F'],
    cwd,
    ready: 'database system is ready to accept connections'
  })
}

function findPrograms (debian: string): string {
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  const folders = [...versions.map(version => join(debian, version, 'bin')), ...(process.env.PATH ?? '').split(delimiter)]
  const found = folders.find(folder => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')))
  if (found === undefined) {
    throw new Error('This test needs PostgreSQL: run .ci/services.sh, or install the package postgresql')
  }
  return found
}
