import fastify from 'fastify'
import sourceOrigin, { type PlayEvent, type Track } from 'fastify-source-origin'
import { checkSource } from 'fastify-source-origin/check'
import { createSubsonicAdapter, createSubsonicClient } from 'fastify-source-origin/subsonic'
import t from 'tap'
import { albumExtrasOf, trackExtrasOf } from '../../lib/subsonic-client/server-extras.ts'
import { createReferenceAdapter } from '../reference-source.ts'
import { adapter } from '../subsonic-server/extras-fixture.ts'
import { ask, serve, token } from '../subsonic-server/helper.ts'
import { wholeLibrary } from '../subsonic-server/library.ts'

// The adapter over a server of our own: OpenSubsonic with all of its extensions.

const references = createReferenceAdapter(() => 'http://localhost')

for (const [title, options, write] of [
  ['a source with an account', { adapter: references }, true],
  ['a source that lists itself', { library: wholeLibrary(30) }, false]
] as const) {
  t.test(`${title}, served to Subsonic apps and read back, keeps the contract`, async t => {
    const rest = await serve(t, { ...options, media: 'redirect' })
    const url = await rest.listen({ port: 0, host: '127.0.0.1' })
    const client = createSubsonicClient({ url, username: 'ada', password: token })
    const app = fastify()
    t.teardown(async () => {
      await app.close()
      await client.close()
    })
    const media = (kind: string, { id }: Readonly<Record<string, string | undefined>>) =>
      `http://127.0.0.1/${kind}/${id}`
    await app.register(sourceOrigin, {
      resolveContext: ({ authorization, signal }) => authorization !== token
        ? null
        : {
            adapter: createSubsonicAdapter(client, { media, signal }),
            stateless: false,
            qualityMap: client.qualityMap,
            playlistSortOptions: client.playlistSortOptions
          }
    })
    const { findings } = await checkSource({ app, authorization: token, write })
    // The source has no pictures to show.
    t.strictSame(findings.filter(({ rule }) => !rule.startsWith('cover-')), [])
  })
}

/** Those members that another value has. */
const like = (told: any, wanted: any): any => Array.isArray(told)
  ? told.map((item, at) => like(item, wanted?.[at]))
  : told === Object(told) && wanted === Object(wanted)
    ? Object.fromEntries(Object.keys(wanted).map(name => [name, like(told[name], wanted[name])]))
    : told

t.test('a source that is served to Subsonic apps, read back and served again loses nothing', async t => {
  const first = await serve(t, { adapter, media: 'redirect' })
  const url = await first.listen({ port: 0, host: '127.0.0.1' })
  const client = createSubsonicClient({ url, username: 'ada', password: token, transcoding: false })
  t.teardown(() => client.close())
  const chained = createSubsonicAdapter(client, { media: () => 'http://127.0.0.1/' })
  const second = await serve(t, { adapter: chained, media: 'redirect' })
  const calls = [
    ['getAlbum', 'al-a'], ['getSong', 'tr-1'], ['getSong', 'tr-2'], ['getArtist', 'ar-ada'], ['getPlaylist', 'pl-p']
  ]
  for (const [method, id] of calls) {
    const name = method!.slice(3).toLowerCase()
    const { [name]: wanted } = await ask(first, method!, { id: id! })
    const { [name]: told } = await ask(second, method!, { id: `${id!.slice(0, 2)}-${id}` })
    // Ids of the second one are those of the first one with its own prefix.
    const asFirst = JSON.parse(JSON.stringify(told).replace(/"(?:al|ar|tr|pl)-(?=(?:al|ar|tr|pl)-)/g, '"'))
    t.strictSame(like(asFirst, wanted), wanted)
  }
})

t.test('what an app tells of a play goes through a chain of servers', async t => {
  const events: PlayEvent[] = []
  const first = await serve(t, { adapter: { ...references, onPlay: (event: PlayEvent) => { events.push(event) } } })
  const url = await first.listen({ port: 0, host: '127.0.0.1' })
  const client = createSubsonicClient({ url, username: 'ada', password: token })
  t.teardown(() => client.close())
  const chained = createSubsonicAdapter(client, { media: () => 'http://127.0.0.1/' })
  const second = await serve(t, { adapter: chained })
  const [{ id }] = await references.getDailyTracks() as [Track]
  const tell = (more: Record<string, string>) => ask(second, 'scrobble', { id: `tr-tr-${id}`, ...more })
  await tell({ submission: 'false' })
  await tell({ time: '1735689600000' })
  await tell({ time: '1735689600000' })
  while (events.length < 2) await new Promise(setImmediate)
  t.match(events.map(({ track, state, counted, startedAt }) => ({ track, state, heard: counted, startedAt })), [
    { track: id, state: 'playing', heard: false },
    { track: id, heard: true, startedAt: 1_735_689_600_000 }
  ])
  await second.close()
  t.equal(events.length, 2)
})

t.test('extras of servers that give them otherwise, or not at all', async t => {
  t.strictSame(trackExtrasOf({}), undefined)
  t.strictSame(trackExtrasOf({
    genre: 'Pop',
    track: '3',
    discNumber: 0,
    playCount: 0,
    explicitStatus: 'no',
    replayGain: { trackPeak: -1, other: 1 },
    contributors: { role: 'composer', artist: { name: 'Cy' } },
    movements: [{ name: 'Allegro', number: 2 }, {}]
  }), {
    genres: ['Pop'],
    playCount: 0,
    track: 3,
    contributors: [{ role: 'composer', artist: { name: 'Cy' } }],
    movements: [{ name: 'Allegro', number: 2 }]
  })
  t.strictSame(albumExtrasOf({ isCompilation: 'true', discTitles: [{ title: 'Bonus' }], explicitStatus: 'explicit' }), {
    explicitStatus: 'explicit', isCompilation: true, discTitles: [{ disc: 0, title: 'Bonus' }]
  })
})
