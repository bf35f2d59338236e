import fastify from 'fastify'
import { createSigner } from 'fastify-source-origin/media'
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import t from 'tap'
import { downloadPath, downloadRoutes } from '../../../example/media/download-routes.ts'
import { fileNameOf } from '../../../example/media/file-name.ts'
import { sendArchive } from '../../../example/media/send-archive.ts'
import { as, command, folder, mp3, start, tokenIn, write } from '../helper.ts'

const song = (title: string, more: object = {}) => mp3({ title, artist: 'Кино', album: 'Группа: крови', ...more })
const files = {
  'a/1.mp3': song('Sun', { track: '1', disc: '1' }),
  'a/2.mp3': song('Moon / Stars?', { track: '2', disc: '1' }),
  'a/3.mp3': song('Sun*', { track: '1', disc: '2' }),
  'a/4.mp3': song('SUN?', { track: '1', disc: '2' }),
  'a/5.mp3': song('Hidden'),
  'b/1.mp3': mp3({ title: 'Guest', artist: 'Кино', albumArtist: 'Others', album: 'Hits', track: '7' }),
  'list.m3u8': 'b/1.mp3\na/1.mp3\na/1.mp3\n'
}
const MUSIC_DIR = folder(t, files)
const DATA_DIR = folder(t)
const source = await start(t, { MUSIC_DIR, DATA_DIR, PAGE: 'true' })
const { app } = source
const origin = await app.listen({ port: 0, host: '127.0.0.1' })
const [annsToken, bobsToken] =
  [tokenIn(await command(DATA_DIR, ['add', 'ann'])), tokenIn(await command(DATA_DIR, ['add', 'bob']))]
const [album] = (await source.data('/v1/search/albums?keyword=крови')).items
const [artist] = (await source.data('/v1/search/artists?keyword=кино')).items
const [list] = (await source.data('/v1/playlist/list')).items
const [track] = (await source.data('/v1/search/tracks?keyword=moon')).items

/** What `/rest` says of a download. */
const ask = (id: string, p = annsToken) =>
  app.inject(`/rest/download?${new URLSearchParams({ f: 'json', u: 'a', p, id })}`)

/** The URL that a download leads to. */
async function urlOf (id: string, p?: string): Promise<string> {
  const { statusCode, headers } = await ask(id, p)
  t.equal(statusCode, 302)
  return new URL(headers.location!, `${origin}/rest/download`).href
}

/** Content of the files of a ZIP without compression, by its table at the end. */
function unpack (zip: Buffer): [name: string, content: Buffer][] {
  const end = zip.lastIndexOf('PK\x05\x06')
  const found: [string, Buffer][] = []
  for (let at = zip.readUInt32LE(end + 16); at < end;) {
    const [size, nameLength, from] = [zip.readUInt32LE(at + 24), zip.readUInt16LE(at + 28), zip.readUInt32LE(at + 42)]
    const start = from + 30 + zip.readUInt16LE(from + 26) + zip.readUInt16LE(from + 28)
    found.push([zip.toString('utf8', at + 46, at + 46 + nameLength), zip.subarray(start, start + size)])
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32)
  }
  return found
}

/** An archive whose length was told before. */
async function archive (url: string) {
  const response = await fetch(url)
  const { headers } = response
  t.equal(headers.get('content-type'), 'application/zip')
  const zip = Buffer.from(await response.arrayBuffer())
  t.equal(headers.get('content-length'), String(zip.length))
  return { name: decodeURIComponent(headers.get('content-disposition')!.split("UTF-8''")[1] ?? ''), files: unpack(zip) }
}

t.test('a track is saved under its number and title, in parts too', async t => {
  const url = await urlOf(`tr-${track.id}`)
  const response = await fetch(url, { headers: { range: 'bytes=0-9' } })
  t.equal(response.status, 206)
  t.equal(response.headers.get('content-disposition'), 'attachment; filename="1-02 Moon _ Stars_.mp3"')
  t.equal(response.headers.get('content-type'), 'audio/mpeg')
  t.equal((await response.arrayBuffer()).byteLength, 10)
})

t.test('an album is an archive of its files in their order, each under a name of its own', async t => {
  const { name, files } = await archive(await urlOf(`al-${album.id}`))
  t.equal(name, 'Кино - Группа_ крови.zip')
  t.same(files.map(([name]) => name), [
    '1-01 Sun.mp3', '1-02 Moon _ Stars_.mp3', 'Hidden.mp3', '2-01 Sun_.mp3', '2-01 SUN_ (2).mp3'
  ])
  t.ok(files[1]![1].equals(readFileSync(join(MUSIC_DIR, 'a/2.mp3'))))
})

t.test('an artist is an archive with a folder for each album, those of others too', async t => {
  const { name, files } = await archive(await urlOf(`ar-${artist.id}`))
  t.equal(name, 'Кино.zip')
  const names = files.map(([name]) => name)
  t.ok(names.includes('Группа_ крови/1-01 Sun.mp3'))
  t.equal(names.at(-1), 'Hits/07 Guest.mp3')
})

t.test('a playlist of the folder is an archive in its order', async t => {
  const { files } = await archive(await urlOf(`pl-${list.id}`))
  t.same(files.map(([name]) => name), ['01 Guest.mp3', '02 Sun.mp3', '03 Sun.mp3'])
})

t.test('a playlist of an account is an archive for that account alone', async t => {
  const ann = as(source, annsToken)
  const { id } = await write(ann, 'playlist/create', { name: 'Mine' })
  await write(ann, 'playlist/addTrack', { playlistId: id, trackId: track.id })
  const { files } = await archive(await urlOf(`pl-${id}`, annsToken))
  t.same(files.map(([name]) => name), ['01 Moon _ Stars_.mp3'])
  t.match((await ask(`pl-${id}`, bobsToken)).json()['subsonic-response'].error, { code: 70 })
})

t.test('what is not there is told; a URL without its signature is refused', async t => {
  for (const kind of ['tr', 'al', 'ar', 'pl']) {
    t.match((await ask(`${kind}-${'0'.repeat(20)}`)).json()['subsonic-response'].error, { code: 70 })
  }
  const url = await urlOf(`al-${album.id}`)
  t.equal((await fetch(url.replace(album.id, artist.id))).status, 403)
  t.equal((await fetch(url.split('?')[0]!)).status, 403)
})

t.test('HEAD tells the length of an archive without reading a file', async t => {
  const url = await urlOf(`al-${album.id}`)
  const { headers } = await fetch(url, { method: 'HEAD' })
  t.equal(Number(headers.get('content-length')), (await (await fetch(url)).arrayBuffer()).byteLength)
})

t.test('a file that has changed or is gone ends the connection', async t => {
  const server = fastify()
  t.teardown(() => server.close())
  const whole = { name: '1.mp3', path: 'a/1.mp3', size: statSync(join(MUSIC_DIR, 'a/1.mp3')).size }
  for (const [url, file] of [['/changed', { ...whole, size: 5 }], ['/gone', { ...whole, path: 'gone.mp3' }]] as const) {
    server.get(url, (_request, reply) =>
      sendArchive(reply, MUSIC_DIR, [whole, file], new AbortController().signal, () => {}))
  }
  const origin = await server.listen({ port: 0, host: '127.0.0.1' })
  for (const path of ['/changed', '/gone']) {
    const [response] = await once(get(origin + path, { agent: false }), 'response') as [IncomingMessage]
    await t.rejects(buffer(response), { code: 'ECONNRESET' })
  }
})

t.test('what went after its URL was signed is no longer there', async t => {
  const signer = createSigner({ keys: [Buffer.alloc(32)], ttl: 60_000 })
  const track = { number: 1, title: 'Gone', album: {}, files: [{ path: 'gone.mp3', format: 'mp3' }] }
  const none = new Map()
  const rows = {
    tracks: new Map([['gone', track]]), albums: none, artists: none, playlists: none, albumPlaces: () => []
  }
  const catalogue = { within: () => rows }
  const server = fastify()
  t.teardown(() => server.close())
  await server.register(downloadRoutes, { signer, folder: { root: MUSIC_DIR, catalogue } } as never)
  const kinds = [['track', 'gone'], ['track', 'x'], ['album', 'x'], ['artist', 'x'], ['playlist', 'x']] as const
  for (const [kind, id] of kinds) {
    t.equal((await server.inject(signer.sign(downloadPath(kind, id)))).statusCode, 404)
  }
})

t.test('names of files fit every system', async t => {
  t.equal(fileNameOf('a/b\\c:d*e?f"g<h>i|j\u0000'), 'a_b_c_d_e_f_g_h_i_j_')
  t.equal(fileNameOf(' ..hidden. . '), 'hidden')
  t.equal(fileNameOf('...'), '_')
  t.equal(fileNameOf('😀'.repeat(500)), '😀'.repeat(60))
  t.equal(fileNameOf('é' + 'a'.repeat(300)), 'é' + 'a'.repeat(238))
  t.equal(fileNameOf('a' + '茉'.repeat(100)), 'a' + '茉'.repeat(79))
  t.same(['aux', 'COM1.x', 'Auxiliary'].map(fileNameOf), ['_aux', '_COM1.x', 'Auxiliary'])
})

t.test('the page is told where an account saves what is there for it', async t => {
  const ask = (kind: string, id: string, token = annsToken) =>
    app.inject({ url: `/page/download?${new URLSearchParams({ kind, id })}`, headers: { authorization: token } })
  const { data } = (await ask('album', album.id)).json()
  t.match(await app.inject(new URL(data.url).pathname + new URL(data.url).search), {
    statusCode: 200, headers: { 'content-disposition': /\.zip/ }
  })
  const { id } = await write(as(source, annsToken), 'playlist/create', { name: 'Of the page' })
  t.equal((await ask('playlist', id)).statusCode, 200)
  t.equal((await ask('playlist', id, bobsToken)).statusCode, 404)
  t.equal((await ask('track', 'gone')).statusCode, 404)
})
