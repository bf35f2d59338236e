import { readFile } from 'node:fs/promises'
import type { Test } from 'tap'
import { countNames, nameOf, type Found } from './find.ts'
import { fileOf, metricsToken, type Home } from './house.ts'
import { keepAll, keptBy, type Whole } from './kept.ts'
import { fetchUrl } from './listener.ts'
import { lists, longestList, readList, wholes } from './lists.ts'
import { mix } from './prepare.ts'
import { sourceNames, type SourceName } from './music.ts'
import type { Mode } from './switch.ts'
import { comesBackWithin, until } from './until.ts'

const q = encodeURIComponent

/** The sources that something happens to, and their ids in the combination. */
export const sources = { subsonic: 'subsonic', friend: 'source' } as const
export type Victim = keyof typeof sources

/** What goes wrong everywhere: a server is killed, hangs, and is slow. */
const everywhere = ['refuse', 'hang', 'slow'] as const satisfies readonly Mode[]

/** What a server answers to everything. After each a source is waited for: half of them are tried with each. */
const answered = {
  subsonic: ['500', 'login', 'garbage'], friend: ['401', 'portal', 'noise']
} as const satisfies Record<Victim, readonly Mode[]>

const faultsOf = (down: Victim): readonly Mode[] =>
  [...everywhere, ...process.env.TESTS === 'all' ? Object.values(answered).flat() : answered[down]]

/** For faults that differ in what the server sends, and not in what is read. */
const some = [
  '/v1/track/new',
  '/v1/search/tracks?keyword=tune&limit=100',
  '/v1/user/playlist/list',
  '/page/browse?kind=albums&limit=200',
  '/rest/getArtists',
  '/rest/search3?query=&songCount=500&albumCount=500&artistCount=500',
  '/rest/getPlaylists'
]

/** A choice by chance, of which only what it lacks can be said. */
const random = new Set(['/v1/track/roam'])

/** Lists of everything that need an answer of each source, or have only what can be played. */
const asksAll = /search2|getPlaylists|getRandomSongs|highest/

/** Lines of warnings and errors of one source that is down for a while. */
const mostLines = 6

/** Of which sources a list lacks something. */
function lacking (path: string, text: string, whole: Whole): SourceName[] {
  const now = countNames(text)
  return sourceNames.filter(source => random.has(path) ? now[source] === 0 : now[source] < whole.get(path)![source])
}

/** What is wrong with a list while a source is down: it is all of it, or says what it lacks, or fails if it may. */
async function wrongWith (house: Home, path: string, down: Victim, whole: Whole): Promise<string[]> {
  const { text, isAnswered, took, status, missing } = await readList(house.owner, path, true)
  const said = missing?.split(', ') ?? []
  const lacks = isAnswered ? lacking(path, text, whole) : []
  // The library of each source is stored.
  const isStored = wholes.includes(path) && !asksAll.test(path)
  const isSilent = lacks.some(source => isStored || source !== down || !said.includes(sources[down]))
  const isLost = !isAnswered && (isStored || lists.includes(path) || status === 401)
  return [
    ...took > longestList ? [`${path} took ${took} ms`] : [],
    ...isSilent ? [`${path} lacks ${lacks} and says ${missing}`] : [],
    ...isLost ? [`${path} failed: ${status} ${text.slice(0, 200)}`] : []
  ]
}

/** Warnings and errors in the log of the house, from a line on. */
const warnings = ({ home }: Home, from: number): any[] =>
  home.log().slice(from).filter(line => line.startsWith('{')).map(line => JSON.parse(line))
    .filter(({ level }) => level >= 40)

/** A source is down in each way, one after the other, and comes back. */
export function checkOutages (t: Test, house: Home, songs: readonly Found[], down: Victim): void {
  const { owner, switches, home } = house
  let whole: Whole
  let kept: Awaited<ReturnType<typeof keptBy>>
  t.test('everything is there before', async t => {
    ({ whole, kept } = await keepAll(house, songs))
    for (const [what, { length }] of Object.entries(kept)) t.ok(length >= songs.length, `${length} of ${what}`)
  })

  const victim = songs.find(({ source }) => source === down)!
  for (const fault of faultsOf(down)) {
    const isSlow = fault === 'hang' || fault === 'slow'
    const title = `${down}, ${fault}`
    let line = 0

    t.test(`${title}: no list is shorter without saying so, or takes longer than 4 s`, async t => {
      line = home.log().length
      await switches[down].set(fault)
      // What comes first waits for a source that hangs: a list of everything here, which apps read first.
      const paths = fault === 'hang' || fault === 'refuse' ? [...wholes, ...lists] : some
      const wrong: string[] = []
      for (const path of paths) wrong.push(...await wrongWith(house, path, down, whole))
      t.strictSame(wrong, [])
    })

    t.test(`${title}: songs of the other sources play`, async t => {
      const others = songs.filter(({ source }) => source === 'home' || source === 'attic')
      for (const { entry, source, song } of others) {
        const { body } = await owner.askRest('stream', { id: entry.id, format: 'raw' })
        t.ok(body.equals(await readFile(fileOf(house, source, song.title))), song.title)
      }
    })

    t.test(`${title}: a playlist keeps the places of its songs`, async t => {
      const { items } = await owner.data(`/v1/search/playlists?keyword=${q(mix)}&limit=100`)
      const { id } = items.find((list: any) => nameOf(list) === mix)
      const { tracks } = await owner.data(`/v1/playlist/detail?id=${q(id)}`)
      t.equal(tracks.length, kept.playlist.length)
    })

    // By an id its source is waited for, however long that takes.
    if (!isSlow) {
      t.test(`${title}: its songs are a 502 that listeners understand`, async t => {
        const answer = await owner.ask(`/v1/track/url?id=${q(victim.track.id)}`)
        const text = String(answer.body)
        t.ok([502, 503, 504].includes(answer.status), text)
        t.notMatch(text, /GET|POST|\/v1\/|\/rest\/|undefined|JSON|ECONN/)
      })
    }

    if (fault === 'refuse') {
      t.test(`${title}: /ready and the metrics name it, and the house stays ready`, async t => {
        // Checks are kept for a second.
        const check = async () => JSON.parse(String((await owner.ask('/ready')).body)).checks[sources[down]]
        await until(async () => await check() !== 'ok', 3000)
        t.equal((await owner.ask('/ready')).status, 200)
        t.equal(await check(), 'down')
        const { body } = await fetchUrl(`${home.url}/metrics`, { authorization: `Bearer ${metricsToken}` })
        t.match(String(body), new RegExp(`^source_origin_check\\{.*check="${sources[down]}".*\\} 0$`, 'm'))
      })
    }

    t.test(`${title}: it is logged in few lines`, async t => {
      const lines = warnings(house, line)
      t.ok(lines.length <= mostLines, `${lines.length} lines:\n${lines.map(({ msg }) => msg).join('\n')}`)
      const stacks = lines.filter(line => JSON.stringify(line).includes('\\n    at '))
      t.strictSame(stacks.map(line => JSON.stringify(line).slice(0, 2000)), [], 'no stack')
    })

    t.test(`${title}: everything comes back, and nothing is lost`, async t => {
      const answer = await owner.askRest('savePlayQueue', {
        id: songs.map(({ entry }) => entry.id), current: songs[1]!.entry.id
      })
      t.match(String(answer.body), /"status":"(ok|failed)"/)
      await switches[down].set('pass')
      const isWhole = async (path: string) => {
        const { text, isAnswered, missing } = await readList(owner, path, true)
        return isAnswered && missing === null && lacking(path, text, whole).length === 0
      }
      await until(async () => (await Promise.all(some.map(isWhole))).every(Boolean), comesBackWithin)
      for (const path of some) {
        const { text, isAnswered, missing } = await readList(owner, path)
        t.ok(isAnswered && missing === null, `${path}: ${missing} ${text.slice(0, 200)}`)
        t.strictSame(lacking(path, text, whole), [], path)
      }
      t.strictSame(await keptBy(house), kept)
    })
  }
}
