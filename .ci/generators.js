// Clients that hey-api and orval make of openapi.json: compiled strictly, and calling the built example.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { token, withExample } from './start-example.js'

const versions = ['@hey-api/openapi-ts@0.99', 'orval@8', 'typescript@6']
const input = resolve('openapi.json')
const work = mkdtempSync(join(tmpdir(), 'generators-'))
const run = (...command) => execFileSync(command[0], command.slice(1), { cwd: work, stdio: ['ignore', 2, 2] })
const write = (name, text) => writeFileSync(join(work, name), text)

/** What the types have to know of an answer, a redirect and an error. */
const callers = {
  hey: `import { client } from './hey/client.gen.js'
import { getRoamTracksRedirect, getTrackDetail, searchTracks } from './hey/sdk.gen.js'

export async function call (baseUrl: string, token: string): Promise<unknown> {
  client.setConfig({ baseUrl, auth: () => token })
  const { data } = await searchTracks({ query: { keyword: 'prelude' } })
  const title: string | undefined = data?.data.items[0]?.title
  const followed = await getRoamTracksRedirect()
  const roamed: number | undefined = followed.data?.data?.length
  const { error, response } = await getTrackDetail({ query: { id: 'nothing' } })
  const message: string | undefined = error?.message
  return { title, roams: roamed !== undefined && roamed > 0, status: response?.status, message }
}
`,
  orval: `import { getRoamTracksRedirect, getTrackDetail, searchTracks } from './orval/source.js'

export async function call (baseUrl: string, token: string): Promise<unknown> {
  const { fetch } = globalThis
  globalThis.fetch = (url, options) => fetch(new URL(String(url), baseUrl), options)
  const options = { headers: { authorization: token } }
  const found = await searchTracks({ keyword: 'prelude' }, options)
  const title: string | undefined = found.status === 200 ? found.data.data.items[0]?.title : undefined
  const followed = await getRoamTracksRedirect(options)
  const roams = followed.status === 200 && followed.data.data.length > 0
  const refused = await getTrackDetail({ id: 'nothing' }, options)
  const message: string | undefined = refused.status === 404 ? refused.data.message : undefined
  globalThis.fetch = fetch
  return { title, roams, status: refused.status, message }
}
`
}

try {
  write('package.json', '{ "private": true, "type": "module" }')
  run('npm', 'install', '--no-audit', '--no-fund', '--loglevel=error', ...versions)
  run('npx', 'openapi-ts', '-i', input, '-o', 'hey', '-c', '@hey-api/client-fetch')
  write('orval.config.js', `export default { source: ${JSON.stringify({
    input, output: { target: 'orval/source.ts', client: 'fetch', mode: 'single' }
  })} }`)
  run('npx', 'orval', '--config', 'orval.config.js')
  for (const [name, text] of Object.entries(callers)) write(`${name}.ts`, text)
  write('tsconfig.json', JSON.stringify({
    compilerOptions: {
      strict: true,
      noUncheckedIndexedAccess: true,
      noEmit: true,
      target: 'es2023',
      module: 'esnext',
      moduleResolution: 'bundler',
      lib: ['es2023', 'dom', 'dom.iterable'],
      types: []
    },
    include: ['*.ts']
  }))
  run('npx', 'tsc', '-p', '.')
  await withExample(async address => {
    for (const name of Object.keys(callers)) {
      const outfile = join(work, `${name}.bundle.js`)
      await build({ entryPoints: [join(work, `${name}.ts`)], outfile, bundle: true, format: 'esm', platform: 'node' })
      const { call } = await import(pathToFileURL(outfile).href)
      const { title, roams, status, message } = await call(address, token)
      assert.match(title, /prelude/i, name)
      assert.deepEqual([roams, status], [true, 404], name)
      assert.ok(message, name)
    }
  })
} finally {
  rmSync(work, { recursive: true })
}
console.log(`Clients of ${versions.slice(0, 2).join(' and ')} call the example`)
