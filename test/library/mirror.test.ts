import { NotFoundError, UnsupportedFeatureError, type Album, type Artist, type Track } from 'fastify-source-origin'
import type { LibraryStore } from 'fastify-source-origin/library'
import t, { type Test } from 'tap'
import { MemoryStore } from '../../lib/library/library-store.ts'
import { Mirror, mostTracks } from '../../lib/library/mirror.ts'
import { pauses } from '../../lib/library/suspicion.ts'
import { replace } from '../replace.ts'

// A library that was read from elsewhere is the last complete read, or nothing.

pauses.look = 0

type Song = { id: string, title: string, album?: string }

const artists: Artist[] = [{ id: 'ann', name: 'Ann' }]

interface Server { songs: Song[], version?: string | undefined, error?: Error, fail?: boolean, changes?: boolean }

function readerOf (server: Server) {
  let reads = 0
  return {
    get reads () { return reads },
    async version () {
      if (server.error !== undefined) throw server.error
      return server.changes ? String(Math.random()) : 'version' in server ? server.version : String(server.songs.length)
    },
    async * read () {
      reads++
      yield { kind: 'artists' as const, records: artists as any[] }
      yield { kind: 'albums' as const, records: [{ id: 'b', name: 'B' }, { id: '', name: 'no id' }] }
      yield { kind: 'tracks' as const, records: server.songs.slice(0, 2) as any[] }
      if (server.fail) throw new NotFoundError()
      yield { kind: 'tracks' as const, records: server.songs.slice(2) as any[] }
    },
    item (kind: string, record: any): any {
      if (kind === 'artists') return record as Artist
      const album: Album = { id: record.album ?? record.id, name: record.name ?? 'B', coverUrl: '', trackCount: 1 }
      if (kind === 'albums') return album
      return { id: record.id, title: record.title, artists, album: { ...album, id: 'b' }, durationMs: 1 } as Track
    },
    place: () => undefined
  }
}

const songsOf = (count: number, title = 'Song', first = 0): Song[] =>
  Array.from({ length: count }, (_empty, at) => ({ id: `s${first + at}`, title: `${title} ${first + at}` }))

function mirrorOf (t: Test, server: Server, store: LibraryStore | null = new MemoryStore()) {
  const lines: string[] = []
  const reader = readerOf(server)
  const log = {
    warn: ({ reason }: any, event: string) => { lines.push([event, reason].filter(Boolean).join(': ')) }
  }
  const mirror = new Mirror(reader, { name: 'm', title: 'Nav', store: store ?? undefined, log })
  t.teardown(() => mirror.close())
  return { mirror, reader, lines }
}

const count = ({ index }: Mirror) => index?.count('tracks')

t.test('a restart has the library at once, and reads it only when it has changed', async t => {
  const store = new MemoryStore()
  const server = { songs: songsOf(3) }
  const first = mirrorOf(t, server, store)
  await first.mirror.refresh()
  const { revision } = first.mirror.head!
  const second = mirrorOf(t, server, store)
  await second.mirror.refresh()
  t.equal(second.reader.reads, 0)
  t.equal(second.mirror.head!.revision, revision)
  const [song, , third] = server.songs
  t.strictSame(await second.mirror.records('tracks', ['s2', 'gone', 's0']), [third, undefined, song])
  t.strictSame(await second.mirror.records('albums', ['b']), [{ id: 'b', name: 'B' }])
  t.strictSame(await second.mirror.records('artists', ['ann']), artists)
  server.songs = songsOf(4)
  await second.mirror.refresh()
  t.equal(count(second.mirror), 4)
  t.not(second.mirror.head!.revision, revision)
})

t.test('a stored library is read from the texts where no other login has it in memory', async t => {
  const memory = new MemoryStore()
  const server = { songs: songsOf(3) }
  await mirrorOf(t, server, memory).mirror.refresh()
  const other: LibraryStore = {
    read: async (name, positions) => memory.read(name, positions),
    replace: (name, texts) => memory.replace(name, texts),
    close () {}
  }
  const { mirror, reader } = mirrorOf(t, server, other)
  await mirror.refresh()
  t.equal(count(mirror), 3)
  t.equal(reader.reads, 0)
})

for (const [title, change] of Object.entries({
  'of another form': (texts: string[]) => [...texts.slice(0, -1), texts.at(-1)!.replace('"form":1', '"form":0')],
  'with a text twice': (texts: string[]) => texts.with(3, texts[2]!),
  'that lacks a text': (texts: string[]) => texts.with(3, undefined as never)
})) {
  t.test(`a stored library ${title} is read again`, async t => {
    const texts: string[] = []
    const server = { songs: songsOf(3) }
    const store = (kept: string[]): LibraryStore => ({
      read: (_name, positions) => positions.map(position => kept.at(position)),
      async replace (_name, some) { for await (const part of some) texts.push(...part) },
      close () {}
    })
    await mirrorOf(t, server, store([])).mirror.refresh()
    const { mirror, reader } = mirrorOf(t, server, store(change([...texts])))
    await mirror.refresh()
    t.equal(reader.reads, 1)
    t.equal(count(mirror), 3)
  })
}

t.test('a read that fails leaves the library as it was, and is logged once', async t => {
  const server: Server = { songs: songsOf(3) }
  const { mirror, lines } = mirrorOf(t, server)
  await mirror.refresh()
  Object.assign(server, { songs: songsOf(9), fail: true })
  await mirror.refresh()
  await mirror.refresh()
  t.equal(count(mirror), 3)
  t.strictSame(lines, ['library not read: Not found'])
  server.fail = false
  await mirror.refresh()
  t.equal(count(mirror), 9)
})

t.test('a library that changes while it is read, or while its server scans, is not read', async t => {
  for (const server of [{ songs: songsOf(3), changes: true }, { songs: songsOf(3), version: undefined }]) {
    const { mirror, lines } = mirrorOf(t, server)
    await mirror.refresh()
    t.equal(mirror.index, undefined)
    t.strictSame(lines, [])
  }
})

t.test('the same music in another order is the same library', async t => {
  const server = { songs: songsOf(3), version: 'a' }
  const { mirror } = mirrorOf(t, server)
  await mirror.refresh()
  const { head } = mirror
  Object.assign(server, { songs: server.songs.toReversed(), version: 'b' })
  await mirror.refresh()
  t.strictSame([mirror.head!.revision, mirror.head!.changedAt], [head!.revision, head!.changedAt])
})

for (const [title, songs, reason] of [
  ['with less than half of the tracks', songsOf(4), 'it has 4 tracks instead of 10'],
  ['whose ids have other titles', songsOf(10, 'Other'), '10 of its ids have other titles']
] as const) {
  t.test(`a read ${title} replaces nothing until one an hour later agrees`, async t => {
    const server = { songs: songsOf(10), version: 'a' }
    const { mirror, reader, lines } = mirrorOf(t, server)
    await mirror.refresh()
    Object.assign(server, { songs, version: 'b' })
    await mirror.refresh()
    await mirror.refresh()
    t.equal(reader.reads, 2)
    t.equal(count(mirror), 10)
    t.strictSame(lines, [`library not replaced: ${reason}`])
    pauses.confirm = 0
    t.teardown(() => { pauses.confirm = 3_600_000 })
    await mirror.refresh()
    t.equal(count(mirror), songs.length)
    t.match((await mirror.records('tracks', ['s0']))[0], songs[0]!)
  })
}

t.test('a second read that differs from the first one begins the hour again', async t => {
  const server = { songs: songsOf(100), version: 'a' }
  const { mirror, reader } = mirrorOf(t, server)
  await mirror.refresh()
  pauses.confirm = 0
  t.teardown(() => { pauses.confirm = 3_600_000 })
  for (const left of [10, 40]) {
    Object.assign(server, { songs: songsOf(left), version: String(left) })
    await mirror.refresh()
    t.equal(count(mirror), 100)
  }
  Object.assign(server, { songs: songsOf(99), version: 'c' })
  await mirror.refresh()
  t.equal(count(mirror), 99)
  t.equal(reader.reads, 4)
})

t.test('a library that is older than a day is read again, and at night one of twelve hours', async t => {
  const server = { songs: songsOf(3), version: 'a' }
  const { mirror, reader } = mirrorOf(t, server)
  const begun = new Date(2026, 0, 1, 14).getTime()
  let hours = 0
  replace(t, Date, 'now', () => begun + hours * 3_600_000)
  await mirror.refresh()
  for (const [after, reads] of [[11, 1], [13, 2], [27, 2], [38, 3]] as const) {
    hours = after
    await mirror.refresh()
    t.equal(reader.reads, reads, `after ${hours} hours`)
  }
})

t.test('in memory a library has 20,000 tracks at most, and a larger one is read again after a day', async t => {
  const most = mostTracks.inMemory
  t.teardown(() => { mostTracks.inMemory = most })
  mostTracks.inMemory = 2
  const { mirror, reader, lines } = mirrorOf(t, { songs: songsOf(3) }, null)
  t.equal(mirror.isRefused, false)
  await mirror.refresh()
  await mirror.refresh()
  t.equal(mirror.isRefused, true)
  t.equal(reader.reads, 1)
  t.strictSame(lines, ['library not read: It has more than 2 tracks'])
})

t.test('a server that cannot be read has no library, and one that is away may have one', async t => {
  for (const [error, isRefused] of [[new UnsupportedFeatureError('no'), true], [new NotFoundError(), false]] as const) {
    const { mirror } = mirrorOf(t, { songs: [], error })
    await mirror.refresh()
    t.equal(mirror.isRefused, isRefused)
  }
})

t.test('a mirror that is closed reads no more', async t => {
  const { mirror, reader, lines } = mirrorOf(t, { songs: songsOf(3) })
  const reading = mirror.refresh()
  t.equal(mirror.refresh(), reading)
  await mirror.close()
  await mirror.refresh()
  t.equal(reader.reads, 0)
  t.equal(mirror.index, undefined)
  t.strictSame(lines, [])
})

t.test('a mirror that is closed while it reads keeps nothing', async t => {
  const server: Server = { songs: songsOf(3) }
  const { mirror, reader, lines } = mirrorOf(t, server)
  const read = reader.read.bind(reader)
  let closed: Promise<void> | undefined
  reader.read = async function * () {
    for await (const part of read()) {
      closed ??= mirror.close()
      yield part
    }
  } as typeof read
  await mirror.refresh()
  await closed
  t.equal(mirror.index, undefined)
  t.strictSame(lines, [])
})

t.test('what the store has lost, or has of another library, is unknown', async t => {
  const store = new MemoryStore()
  const { mirror } = mirrorOf(t, { songs: songsOf(3) }, store)
  await mirror.refresh()
  for (const texts of [[], Array(6).fill('{"id":"other"}')]) {
    await store.replace('m', (async function * () { yield texts })())
    t.strictSame(await mirror.records('tracks', ['s0']), [undefined])
  }
})

t.test('a store that fails, or that has no JSON, is a store without the library', async t => {
  for (const read of [() => { throw new Error('no disk') }, async () => ['{']]) {
    const store: LibraryStore = { read, replace: (name, texts) => new MemoryStore().replace(name, texts), close () {} }
    const { mirror, lines } = mirrorOf(t, { songs: songsOf(3) }, store)
    await mirror.refresh()
    t.equal(count(mirror), 3)
    t.strictSame(lines, ['library not loaded'])
  }
})
