import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { callServer } from '../../example/accounts/control-socket.ts'
import { connectToOwner } from '../../example/database/lock-data-dir.ts'
import { mp3 } from '../example/make-audio.ts'
import { startPostgres } from '../postgres.ts'
import {
  AppModel, isSameCode, noState, randomSteps, type Call, type State, type Step, type World
} from './support/app-model.ts'
import { AppUser } from './support/app-user.ts'
import { BuiltExample } from './support/built-example.ts'
import type { Campaign } from './support/campaign.ts'
import { Random } from './support/random.ts'

export const count = 1000

/** Steps of a round, and those of them that the end may come in. */
const length = { round: 60, end: 20 }
/** Milliseconds in which a finding is made shorter. */
const shortenFor = 25_000

/**
 * The life of an account: random edits of lists, stars, ratings, queues and bookmarks, through `/rest`, `/v1` and what
 * the page uses, over what is known, unknown and gone, against plain arrays; on SQLite with even seeds, on PostgreSQL
 * with odd ones. Then `kill -9` in the middle: what was answered is there, what was refused changed nothing, and what
 * had no answer is done or not, but never half.
 */
export async function run ({ rounds, find }: Campaign): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'campaign-app-life-'))
  const teardowns: (() => unknown)[] = [() => rmSync(root, { recursive: true })]
  const teardown = (end: () => unknown) => { teardowns.unshift(end) }
  const places: (Place | undefined)[] = []
  try {
    for (const seed of rounds) {
      const store = seed % 2
      const url = store === 0 || places[store] !== undefined ? '' : (await startPostgres({ teardown })).url
      const place = places[store] ??= await Place.open(join(root, `${store}`), url, teardown)
      const problem = await live(place, seed)
      if (problem === undefined) continue
      find(problem)
      return
    }
    for (const place of places) if (place !== undefined) process.stdout.write(`app-life: ${place.tell()}\n`)
  } finally {
    for (const end of teardowns) await end()
  }
}

async function live (place: Place, seed: number): Promise<string | undefined> {
  const random = new Random(seed)
  const steps = [...randomSteps(random, place.world, length.round)]
  const last = steps.splice(-length.end)
  const life = await place.begin()
  const problem = await problemOf(life, steps)
  if (problem !== undefined) return place.shorten(steps, problem)
  const taken: Step[] = []
  try {
    const calls = last.flatMap(step => 'together' in step ? [step.together] : 'method' in step ? [[step]] : [])
    const killed = sleep(random.below(250)).then(() => place.kill())
    for (const some of calls) {
      taken.push(...some)
      if (!await life.runUntilEnd(some)) break
    }
    await killed
    await place.start()
    life.user.use(place.example)
    await life.look()
  } catch (error) {
    return `${messageOf(error)}\nafter ${tellAll(steps)}\nand then, until the end:\n${tellAll(taken)}`
  }
}

/** What is wrong after these steps. */
async function problemOf (life: Life, steps: readonly Step[]): Promise<string | undefined> {
  try {
    for (const step of steps) await life.take(step)
    await life.look()
  } catch (error) {
    return messageOf(error)
  }
}

const messageOf = (error: unknown) => error instanceof Error ? error.message : String(error)
const tellAll = (steps: readonly Step[]) => steps.map(step => `  ${JSON.stringify(step)}`).join('\n')

/** A folder and a store, and the example on them. */
class Place {
  readonly #env: Record<string, string>
  readonly #music: string
  readonly #files: readonly { path: string, content: Buffer }[]
  readonly #gone = new Set<number>()
  #world: World | undefined
  #example: BuiltExample | undefined
  #users = 0
  #done = 0
  #refused = 0
  #kills = 0

  private constructor (root: string, url: string) {
    this.#music = join(root, 'music')
    this.#env = { MUSIC_DIR: this.#music, DATA_DIR: join(root, 'data'), DATABASE_URL: url, PAGE: 'true' }
    this.#files = Array.from({ length: 12 }, (_empty, at) => {
      const [artist, album] = [`Artist ${at >> 2}`, `Album ${at >> 1}`]
      const tags = { title: `Song ${at}`, artist, album, track: `${at + 1}` }
      return { path: join(this.#music, album, `${at}.mp3`), content: mp3(tags, { seconds: 0.1 + at / 10 }) }
    })
  }

  /** @param url of a PostgreSQL; '' for SQLite */
  static async open (root: string, url: string, teardown: (end: () => unknown) => void): Promise<Place> {
    const place = new Place(root, url)
    for (const { path, content } of place.#files) {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, content)
    }
    writeFileSync(join(place.#music, 'Folder.m3u8'), 'Album 0/0.mp3\nAlbum 5/11.mp3\n')
    teardown(() => place.#example?.kill())
    await place.start()
    const { items } = await place.example.data('/v1/search/tracks?keyword=song&limit=50')
    const tracks = items.map(({ id, title, album, artists: [artist] }: any) =>
      ({ id, title, album: album.id, artist: artist.id }))
    tracks.sort((a: any, b: any) => a.title.localeCompare(b.title, 'en', { numeric: true }))
    assert.equal(tracks.length, place.#files.length)
    const [{ id: folderList }] = (await place.example.data('/v1/playlist/list')).items
    place.#world = { tracks, folderList, gone: place.#gone }
    return place
  }

  get example (): BuiltExample { return this.#example! }

  get world (): World { return this.#world! }

  tell (): string {
    return `${this.#done} edits were done and ${this.#refused} refused, ${this.#kills} kills`
  }

  count (code: number): void {
    if (code === 0) this.#done++
    else this.#refused++
  }

  /** Resolves when it has what the folder has. */
  async start (): Promise<void> {
    this.#example = await BuiltExample.start(this.#env)
    for (const number of this.#world?.tracks.keys() ?? []) await this.#until(number)
  }

  async kill (): Promise<void> {
    this.#kills++
    await this.example.kill()
  }

  async lose (number: number): Promise<void> {
    this.#gone.add(number)
    rmSync(this.#files[number]!.path)
    await this.#until(number)
  }

  async bring (number: number): Promise<void> {
    this.#gone.delete(number)
    const { path, content } = this.#files[number]!
    writeFileSync(path, content)
    await this.#until(number)
  }

  /** Waits until the source has seen whether the file of a track is there. */
  async #until (number: number): Promise<void> {
    const due = this.#gone.has(number) ? 404 : 200
    for (const began = performance.now(); performance.now() - began < 20_000; await sleep(20)) {
      if ((await this.example.call(`/v1/track?id=${this.world.tracks[number]!.id}`)).code === due) return
    }
    throw new Error(`the source does not see that the file ${number} is ${due === 404 ? 'gone' : 'back'}`)
  }

  /** A new account, with all files there. The one before is removed: others see lists that it has made public. */
  async begin (): Promise<Life> {
    for (const number of this.#gone) await this.bring(number)
    const run = async (...args: string[]) => callServer((await connectToOwner(this.#env.DATA_DIR!))!, args, '')
    const before = `user ${this.#users}`
    if (this.#users > 0) await run('remove', before, before)
    const name = `user ${++this.#users}`
    const [token] = /so_\S+/.exec(await run('add', name))!
    return new Life(this, new AppUser(this.example, name, token))
  }

  /** Leaves out what is not needed for it. */
  async shorten (steps: readonly Step[], problem: string): Promise<string> {
    const began = performance.now()
    let [shortest, found] = [steps, problem]
    for (let size = steps.length >> 1; size > 0; size >>= 1) {
      for (let from = 0; from < shortest.length && performance.now() - began < shortenFor;) {
        const fewer = shortest.filter((_step, at) => at < from || at >= from + size)
        const other = await problemOf(await this.begin(), fewer)
        if (other === undefined) from += size
        else [shortest, found] = [fewer, other]
      }
    }
    return `${found}\nafter ${shortest.length} steps:\n${tellAll(shortest)}`
  }
}

/** An account, and what it has to have. */
class Life {
  readonly user: AppUser
  readonly #place: Place
  readonly #ids = new Map<string, string>()
  /** One, or several of which the next look tells one. */
  #states: State[] = [noState()]

  constructor (place: Place, user: AppUser) {
    this.#place = place
    this.user = user
  }

  get #model (): AppModel { return new AppModel(this.#place.world, new Map(this.#ids)) }

  async take (step: Step): Promise<void> {
    if ('lose' in step) {
      if (!this.#place.world.gone.has(step.lose)) await this.#place.lose(step.lose)
    } else if ('find' in step) {
      if (this.#place.world.gone.has(step.find)) await this.#place.bring(step.find)
    } else if ('look' in step) await this.look()
    else if ('together' in step) {
      await this.#run(step.together, calls => Promise.all(calls))
      await this.look()
    } else await this.#run([step], calls => Promise.all(calls))
  }

  /** @returns whether all were answered */
  async runUntilEnd (calls: readonly Call[]): Promise<boolean> {
    const codes = await this.#run(calls, answers =>
      // What is wrong with an answer is another error than one of `fetch`.
      Promise.all(answers.map(answer => answer.catch(error => {
        if (error instanceof TypeError || error instanceof SyntaxError) return undefined
        throw error
      }))))
    return !codes.includes(undefined)
  }

  async #run (
    calls: readonly Call[],
    wait: (answers: Promise<{ code: number, made?: string }>[]) =>
    Promise<({ code: number, made?: string } | undefined)[]>
  ): Promise<(number | undefined)[]> {
    const model = this.#model
    const answers = await wait(calls.map(call => this.user.run(model, call)))
    const codes = answers.map(answer => answer?.code)
    for (const code of codes) if (code !== undefined) this.#place.count(code)
    const after = this.#states.flatMap(state => statesAfter(model, state, calls, codes))
    if (after.length === 0) {
      const expected = calls.length > 1 ? '' : `, not ${model.codeOf(structuredClone(this.#states[0]!), calls[0]!)}`
      throw new Error(`answered with ${codes}${expected}: ${JSON.stringify(calls)}`)
    }
    this.#states = after
    for (const [at, { makes }] of calls.entries()) {
      const made = answers[at]?.made
      if (makes !== undefined && made !== undefined) this.#ids.set(makes, made)
    }
    return codes
  }

  /** Everything that is shown is what it has to be. */
  async look (): Promise<void> {
    const { tracks, gone } = this.#place.world
    const there = tracks.filter((_track, number) => !gone.has(number))
    const seen = await this.user.look({
      tracks: there.map(({ id }) => `tr-${id}`),
      albums: [...new Set(there.map(({ album }) => `al-${album}`))],
      artists: [...new Set(there.map(({ artist }) => `ar-${artist}`))]
    })
    const model = this.#model
    const fitting = this.#states.find(state => {
      try {
        assert.deepEqual(seen, model.viewOf(state))
        return true
      } catch {
        return false
      }
    })
    if (fitting === undefined) assert.deepEqual(seen, model.viewOf(this.#states[0]!))
    this.#states = [fitting!]
    // Of one that was made without an answer.
    for (const { label, name } of fitting!.lists) {
      if (!this.#ids.has(label)) this.#ids.set(label, await this.user.listNamed(name))
    }
  }
}

/** The states after calls at the same time, in any order that fits to the answers; those without one may be undone. */
function statesAfter (
  model: AppModel, before: State, calls: readonly Call[], codes: readonly (number | undefined)[]
): State[] {
  if (calls.length === 0) return [before]
  const without = (at: number) => [calls.toSpliced(at, 1), codes.toSpliced(at, 1)] as const
  return calls.flatMap((call, at) => {
    const state = structuredClone(before)
    const code = model.codeOf(state, call)
    const isSo = codes[at] === undefined || isSameCode(codes[at], code)
    const done = isSo ? statesAfter(model, state, ...without(at)) : []
    return codes[at] === undefined ? [...done, ...statesAfter(model, before, ...without(at))] : done
  })
}
