import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { demo, folder, until } from '../example/helper.ts'
import { runExample } from '../example/run-example.ts'
import { startPostgres } from '../postgres.ts'
import { skipWithout } from '../services.ts'

const { services } = parse(readFileSync('compose.yaml', 'utf8'))

/** What stands for `${NAME}`, `${NAME:?}` and `${NAME:-default}` in a text. */
const filled = (text: string, values: Record<string, string>) =>
  text.replaceAll(/\$\{(\w+)(?::\?|:-([^}]*))?\}/g, (_, name: string, fallback?: string) => {
    const value = values[name] ?? fallback
    if (value === undefined) throw new Error(`${name} is not in the first lines of compose.yaml`)
    return value
  })

t.test('the environment of Compose serves both folders, with accounts in PostgreSQL', async t => {
  skipWithout('PostgreSQL', t)
  const postgres = await startPostgres(t)
  const given = {
    SOURCE_API_TOKEN: 'the token of the owner',
    SUBSONIC_PASSWORD: 'the password of the other',
    POSTGRES_PASSWORD: 'secret'
  }
  const start = async (name: 'music' | 'audiobooks', more: Record<string, string>) => {
    const environment = Object.fromEntries(Object.entries<string>(services[name].environment)
      .map(([name, value]) => [name, filled(value, given)]))
    const { said } = runExample(t, { ...environment, NODE_ENV: 'production', ...more }, { built: true })
    const [, origin = ''] = await said(/listening at (http:[^"]+)/)
    await said(/"scan finished"/)
    return origin
  }
  const copyOf = (name: string) => {
    const copy = folder(t)
    cpSync(join(demo, name), copy, { recursive: true })
    return copy
  }
  const other = await start('audiobooks', { MUSIC_DIR: copyOf('Ada Plume') })
  const origin = await start('music', {
    MUSIC_DIR: copyOf('Various Artists'), DATABASE_URL: postgres.url, SUBSONIC_URL: other
  })
  const data = async (path: string) => {
    const response = await fetch(`${origin}/v1/${path}`, { headers: { authorization: given.SOURCE_API_TOKEN } })
    return (await response.json() as any).data
  }
  let items: any[] = []
  await until(async () => {
    items = await data('track/new')
    return items.some(({ id }) => id.startsWith('subsonic:'))
  })
  for (const isOther of [true, false]) {
    const { id } = items.find(({ id }) => id.startsWith('subsonic:') === isOther)
    const { url } = await data(`track/url?id=${encodeURIComponent(id)}`)
    const { pathname, search } = new URL(url)
    t.equal((await fetch(origin + pathname + search)).status, 200)
  }
  t.match(await (await fetch(`${origin}/ready`)).json(), { status: 'ready', checks: { subsonic: 'ok' } })
})
