// Clients of a source: a component of React, types of openapi-typescript with openapi-fetch, and Python.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { after, before, test } from 'node:test'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import fastify from 'fastify'
import { createElement } from 'react'
import { prerenderToNodeStream } from 'react-dom/static'
import { NotFoundError, tokenMatches } from 'fastify-source-origin'
import serveSource, { serverOptions } from 'fastify-source-origin/serve'

const cwd = fileURLToPath(new URL('.', import.meta.url))
const run = async (command, ...args) => promisify(execFile)(command, args, { cwd })
  .catch(error => { throw new Error(`${error.stdout}${error.stderr}`) })
const token = 'a token for the apps'
const tracks = ['Prelude in C', 'Prelude in D'].map((title, at) =>
  ({ id: `${at}`, title, artists: [], album: { id: '1', name: 'Preludes', coverUrl: '' }, durationMs: 1000 }))
const expected = { titles: tracks.map(({ title }) => title), message: 'Track not found' }
const app = fastify(serverOptions)

before(async () => {
  const adapter = {
    searchTracks: (keyword, offset, limit) => {
      const found = tracks.filter(({ title }) => title.toLowerCase().includes(keyword))
      return { items: found.slice(offset, offset + limit), offset, limit, hasMore: offset + limit < found.length }
    },
    getTrackDetail () { throw new NotFoundError('Track not found') }
  }
  await app.register(serveSource, {
    resolveContext: ({ authorization }) => tokenMatches(authorization, token) ? { adapter } : null
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
})
after(() => app.close())

test('openapi-fetch with types of openapi-typescript, compiled strictly', async () => {
  const document = createRequire(import.meta.url).resolve('fastify-source-origin/openapi.json')
  await run('npx', 'openapi-typescript', document, '--output', 'source.d.ts')
  await run('npx', 'tsc', '--project', 'tsconfig.json')
  await run('npx', 'esbuild', 'client.ts', '--outfile=out/client.mjs', '--format=esm')
  const { ask } = await import('./out/client.mjs')
  assert.deepEqual(await ask(app.listeningOrigin, token), expected)
})

test('a component of React, built by Vite', async () => {
  await run('npx', 'vite', 'build', '--ssr', 'tracks.tsx', '--outDir', 'out', '--logLevel', 'error')
  const { search, Tracks } = await import('./out/tracks.js')
  const { prelude } = await prerenderToNodeStream(createElement(Tracks, { tracks: search(app.listeningOrigin, token) }))
  const html = await text(prelude)
  for (const title of expected.titles) assert.ok(html.includes(`<li>${title}</li>`), html)
})

test('a program in Python', async () => {
  const { stdout } = await run('python3', 'client.py', app.listeningOrigin, token)
  assert.deepEqual(JSON.parse(stdout), expected)
})
