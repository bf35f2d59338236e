import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import t from 'tap'
import { drawCover } from '../../../example/media/draw-cover.ts'
import { replace } from '../../replace.ts'
import { demo, fifo, folder, mp3, pathOf, start, startWith, token, wav, type Source } from '../helper.ts'

const png = drawCover('a picture')
const jpeg = readFileSync(join(demo, 'Nils Öhlin/Nachtorgel/cover.jpg'))
const songOf = (album: string) => (title: string, more = {}) => mp3({ title, artist: 'One', album, ...more })
const generated = /^.PNG/s
const picked: Record<string, (song: ReturnType<typeof songOf>) => Record<string, Uint8Array | string>> = {
  'cover.* before folder.*': song => ({ 'a.mp3': song('A'), 'folder.png': jpeg, 'Cover.JPG': png }),
  'folder.* before what is inside': song => ({ 'a.mp3': song('A', { picture: jpeg }), 'Folder.png': png }),
  'front.* before album.*': song => ({ 'a.mp3': song('A'), 'album.jpg': jpeg, 'front.png': png }),
  'album.* before what is inside': song => ({ 'a.mp3': song('A', { picture: jpeg }), 'Album.png': png }),
  'what is inside, of any file': song => ({ 'a.mp3': song('A'), 'b.mp3': song('B', { picture: png }) }),
  'the front inside, not the back': song => ({ 'a.mp3': song('A', { back: jpeg, picture: png }) }),
  'what a front inside is not': song => ({ 'a.mp3': song('A', { back: png, picture: Buffer.from('<html>') }) }),
  'above folders of discs': song => ({
    'cd1/a.mp3': song('A'), 'cd2/b.mp3': song('B', { picture: jpeg }), 'cover.png': png
  }),
  'above folders of discs, before covers of the discs': song => ({
    'CD1/a.mp3': song('A'), 'CD1/cover.jpg': jpeg, 'CD2/b.mp3': song('B'), 'CD2/cover.jpg': jpeg, 'cover.png': png
  }),
  'above the folder of the only disc': song => ({ 'Disc 1/a.mp3': song('A'), 'cover.png': png }),
  'beside a disc, where the album has none': song => ({
    'CD1/a.mp3': song('A'), 'CD1/cover.png': png, 'CD2/b.mp3': song('B', { picture: jpeg })
  }),
  'beside an album that has its name and the number of a disc': song => ({
    'An Album CD2/a.mp3': song('A'), 'An Album CD2/cover.png': png, 'folder.jpg': jpeg
  }),
  'what is inside, where that of the folder broke off': song => ({
    'a.mp3': song('A', { picture: png }), 'cover.jpg': jpeg.subarray(0, 600), 'folder.png': png.subarray(0, -20)
  }),
  'what broke off, where there is no other': song => ({ 'a.mp3': song('A'), 'cover.png': png.subarray(0, -8) }),
  'no picture that is none': song => ({
    'a.mp3': song('A', { picture: png }), 'cover.jpg': '<script>alert(1)</script>', 'cover/': '', 'folder.png': ''
  })
}
const whats = Object.keys(picked)
const albumOf = (index: number) => `Album ${10 + index}`
/** The files of each test in a folder of their own. */
const MUSIC_DIR = folder(t, Object.fromEntries([
  ...Object.values(picked).flatMap((files, index) =>
    Object.entries(files(songOf(albumOf(index)))).map(([path, content]) => [`${index}/${path}`, content])),
  ['plain/a.mp3', songOf('Plain')('A')],
  ['plain/b.mp3', songOf('Plain')('B', { picture: Buffer.from('<html>') })],
  ['linked/a.mp3', songOf('Linked')('A')],
  ['fifo/a.mp3', songOf('FIFO')('A')],
  ['denied/a.mp3', songOf('Denied')('A', { picture: png })],
  ['denied/cover.jpg', jpeg],
  ['removed/a.mp3', songOf('Removed')('A')],
  ['broken/b.wav', wav({ title: 'B', artist: 'One', album: 'Broken' })]
]))
symlinkSync(join(folder(t, { 'secret.jpg': jpeg }), 'secret.jpg'), join(MUSIC_DIR, 'linked/cover.jpg'))
fifo(MUSIC_DIR, 'fifo/cover.jpg')
const made = await start(t, { MUSIC_DIR })
/** The demo, which no test here changes. */
const source = await start(t)

/** The cover of the album that a search finds first. */
async function coverOf ({ call, data }: Source, keyword: string) {
  const { items: [album] } = await data(`/v1/search/albums?keyword=${keyword}`)
  return { url: pathOf(album.coverUrl), answer: await call(pathOf(album.coverUrl), { headers: {} }) }
}

t.test('the picture of the folder is the cover, for long', async t => {
  const { answer } = await coverOf(source, 'nachtorgel')
  t.equal(answer.statusCode, 200)
  t.ok(answer.rawPayload.equals(jpeg))
  t.match(answer.headers, {
    'content-type': 'image/jpeg', 'content-length': String(jpeg.length), 'cross-origin-resource-policy': 'cross-origin'
  })
  t.match(answer.headers['cache-control'], /max-age=\d{7,}/)
})

for (const [keyword, type] of [['plucked', 'image/jpeg'], ['everywhere', 'image/png']] as const) {
  t.test(`the picture inside of a file of ${keyword} is the cover`, async t => {
    const { answer } = await coverOf(source, keyword)
    t.equal(answer.headers['content-type'], type)
    t.ok(answer.rawPayload.length > 1000)
  })
}

for (const [index, what] of whats.entries()) {
  t.test(`the cover is ${what}`, async t => {
    const { answer } = await coverOf(made, albumOf(index))
    t.ok(answer.rawPayload.equals(what.startsWith('what broke off') ? png.subarray(0, -8) : png))
    t.equal(answer.headers['content-type'], 'image/png')
  })
}

t.test('an album without a picture has a plain one, the same every time', async t => {
  const { answer } = await coverOf(made, 'plain')
  t.equal(answer.headers['content-type'], 'image/png')
  t.match(answer.body, generated)
  t.ok((await coverOf(made, 'plain')).answer.rawPayload.equals(answer.rawPayload))
})

for (const [what, album] of [['a link that leaves the folder', 'linked'], ['a FIFO', 'fifo']] as const) {
  t.test(`${what} is no cover`, async t => {
    const { answer } = await coverOf(made, album)
    t.match(answer.body, generated)
  })
}

t.test('a picture that the system does not let us read is no cover', async t => {
  const { open } = promises
  t.teardown(syncBuiltinESMExports)
  replace(t, promises, 'open', async (path, ...more) => {
    if (String(path).endsWith('denied/cover.jpg')) throw Object.assign(new Error('EACCES'), { code: 'EACCES' })
    return open(path, ...more)
  })
  syncBuiltinESMExports()
  t.ok((await coverOf(made, 'denied')).answer.rawPayload.equals(png))
})

t.test('files that went away or broke meanwhile leave the plain picture', async t => {
  rmSync(join(MUSIC_DIR, 'removed'), { recursive: true })
  t.match((await coverOf(made, 'removed')).answer.body, generated)
  writeFileSync(join(MUSIC_DIR, 'broken/b.wav'), 'no audio')
  t.match((await coverOf(made, 'broken')).answer.body, generated)
})

t.test('a cover needs its signature, and HEAD tells its length', async t => {
  const { url, answer } = await coverOf(source, 'nachtorgel')
  t.equal((await source.call(url.replace(/.$/, last => last === 'A' ? 'B' : 'A'))).statusCode, 403)
  t.equal((await source.call(url.replace(/cover\/\w+/, 'cover/other'))).statusCode, 403)
  t.equal((await source.call(`${url}&signature=a`)).statusCode, 403)
  const head = await source.call(url, { method: 'HEAD' })
  t.equal(head.headers['content-length'], answer.headers['content-length'])
  t.equal(head.body, '')
})

t.test('the cover of an album that is gone is a 404', async t => {
  const DATA_DIR = folder(t)
  const first = await startWith(t, { 'a.mp3': songOf('Album')('A') }, { DATA_DIR })
  const { url } = await coverOf(first, 'album')
  await first.app.close()
  const other = await startWith(t, { 'other.mp3': mp3({ title: 'Other', artist: 'One' }) }, { DATA_DIR })
  t.equal((await other.call(url)).statusCode, 404)
})

t.test('artists and playlists have covers of their albums', async t => {
  const { call, data } = source
  for (const url of [(await data('/v1/artist/top'))[3].coverUrl, (await data('/v1/playlist/list')).items[0].coverUrl]) {
    t.equal((await call(pathOf(url), { headers: {} })).statusCode, 200)
  }
})

t.test('the plain picture is a PNG that a decoder takes', async t => {
  const inflated = inflateSync(png.subarray(png.indexOf('IDAT') + 4, png.indexOf('IEND') - 8))
  t.equal(inflated.length, 256 * (1 + 256 * 3))
  t.not(drawCover('another').toString('hex'), png.toString('hex'))
})

const name = 'sharp'
const { default: sharp } = await import(name).catch(() => ({ default: undefined }))
const skip = !sharp && process.env.CI === undefined && 'sharp is not installed'

t.test('a Subsonic app gets a cover in the size that it names, and others as it is', { skip }, async t => {
  const { app, data } = source
  const { items: [{ id, coverUrl }] } = await data('/v1/search/albums?keyword=nachtorgel')
  const cover = async (size?: string) => {
    const query = { f: 'json', u: 'a', p: token, id: `al-${id}`, ...size !== undefined && { size } }
    const { headers: { location } } = await app.inject(`/rest/getCoverArt?${new URLSearchParams(query)}`)
    return app.inject(pathOf(new URL(location!, 'http://source/rest/').href))
  }
  const { headers, rawPayload } = await cover('40')
  t.match(headers, { 'content-type': 'image/jpeg', 'content-length': String(rawPayload.length) })
  const { width, height } = await sharp(rawPayload).metadata()
  t.equal(Math.max(width, height), 40)
  t.ok((await cover()).rawPayload.equals(jpeg))
  t.ok((await cover('99999')).rawPayload.equals(jpeg), 'never up')
  for (const size of ['0', '-1', 'large', '100000']) {
    t.ok((await app.inject(`${pathOf(coverUrl)}&size=${size}`)).rawPayload.equals(jpeg), size)
  }
  t.equal((await app.inject(`${pathOf(coverUrl).replace(/.$/, last => last === 'A' ? 'B' : 'A')}&size=40`)).statusCode, 403)
})
