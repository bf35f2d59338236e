import { join } from 'node:path'
import pg from 'pg'
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

/**
 * Returns a function that makes an empty database and returns its URL. All of them are in one PostgreSQL, which starts
 * with the first of them: it is for tests that neither stop it nor change its settings.
 */
export function emptyDatabases (t: Teardown): () => Promise<string> {
  let service: Promise<Service> | undefined
  let count = 0
  return async () => {
    service ??= startPostgres(t)
    const { url } = await service
    const client = new pg.Client(url)
    await client.connect()
    const name = `empty_${++count}`
    await client.query(`create database ${name}`)
    await client.end()
    return url.replace(/postgres$/, name)
  }
}
