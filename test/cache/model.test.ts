import fc from 'fast-check'
import t from 'tap'
import { errors } from 'fastify-source-origin'
import subsonic from 'fastify-source-origin/subsonic'
import { deferred } from '../helper.ts'
import { startRedis } from '../redis.ts'
import { skipWithout } from '../services.ts'
import { roomy } from '../subsonic-server/helper.ts'
import { replica, stopClock, track } from './helper.ts'

/** What the source has: a version of each item of each account, and whether it fails. */
interface Truth {
  versions: Map<string, number>
  isDown: boolean
  gate: Promise<void> | undefined
  onCall: (() => void) | undefined
}
/** What clients may rely on: the version that each account's own last change of an item made. */
interface Model { changed: Map<string, number> }

const isSkipped = skipWithout('Redis', t)
const advance = stopClock(t)
const truth: Truth = { versions: new Map(), isDown: false, gate: undefined, onCall: undefined }
const versionOf = (item: string) => truth.versions.get(item) ?? 0

const makeReplica = (url: string) => replica(t, url, {
  host: roomy,
  register: async app => app.register(subsonic, { resolveLogin: () => 'any' }),
  plugin: {
    resolveContext: ({ request }) => {
      const account = String(request.headers['x-account'])
      return {
        account,
        stateless: false,
        adapter: {
          async getTrackDetail (id: string) {
            const version = versionOf(`${account} ${id}`)
            truth.onCall?.()
            await truth.gate
            if (truth.isDown) throw new errors.UpstreamError()
            return { ...track, id, title: `${account} ${version}` }
          },
          async favoriteTrack (id: string) {
            truth.versions.set(`${account} ${id}`, versionOf(`${account} ${id}`) + 1)
            if (truth.isDown) throw new errors.UpstreamError()
            return { success: true, status: true }
          }
        }
      }
    }
  }
})

async function makeReplicas () {
  const { url } = await startRedis(t)
  return [await makeReplica(url), await makeReplica(url)] as const
}

const replicas = isSkipped ? undefined! : await makeReplicas()
type Replicas = Awaited<ReturnType<typeof makeReplicas>>

let run = 0
const nameOf = (account: string) => `${account}-${run}`

/** The title in an answer of `/v1` or `/rest`; `undefined` where the source has failed. */
function titleOf (response: Awaited<ReturnType<Replicas[0]['ask']>>): string | undefined {
  const { 'subsonic-response': rest, data } = response.json()
  if (truth.isDown && (response.statusCode === 502 || rest?.error?.code === 0)) return undefined
  if (response.statusCode !== 200 || rest?.status === 'failed') {
    throw new Error(`answered ${response.statusCode} ${response.body}`)
  }
  return rest === undefined ? data.title : rest.song.title
}

function checkAnswer (
  model: Model, account: string, id: string, response: Awaited<ReturnType<Replicas[0]['ask']>>
): void {
  const title = titleOf(response)
  if (title === undefined) return
  const [owner, version] = title.split(' ')
  if (owner !== nameOf(account)) throw new Error(`${nameOf(account)} got an answer of ${owner}`)
  const item = `${owner} ${id}`
  if (Number(version) < (model.changed.get(item) ?? 0) || Number(version) > versionOf(item)) {
    throw new Error(`${item} is ${version}, changed to ${model.changed.get(item)}`)
  }
}

const login = 'u=any&p=any&v=1.16.1&c=model&f=json'

async function change (model: Model, by: Replicas[0], other: Replicas[0], { account, id, door }: Where): Promise<void> {
  const told = new Promise<void>(resolve => other.events.on('message', function onMessage ({ invalidation }) {
    if (invalidation?.changes?.[0].account !== nameOf(account)) return
    other.events.off('message', onMessage)
    resolve()
  }))
  await (door === '/v1'
    ? by.ask('/v1/track/favorite', { account: nameOf(account), method: 'POST', payload: { id, status: true } })
    : by.ask(`/rest/star?${login}&id=tr-${id}`, { account: nameOf(account) }))
  await told
  model.changed.set(`${nameOf(account)} ${id}`, versionOf(`${nameOf(account)} ${id}`))
}

const where = {
  by: fc.integer({ min: 0, max: 1 }),
  door: fc.constantFrom('/v1', '/rest'),
  account: fc.constantFrom('ada', 'bob'),
  id: fc.constantFrom('1', '2')
}
type Where = { by: number, door: string, account: string, id: string }
const command = (name: string, run: (model: Model) => Promise<void> | void): fc.AsyncCommand<Model, Replicas> =>
  ({ check: () => true, run: async model => { await run(model) }, toString: () => name })
const read = (replica: Replicas[0], { account, id, door }: Where) =>
  replica.ask(door === '/v1' ? `/v1/track?id=${id}` : `/rest/getSong?${login}&id=tr-${id}`, {
    account: nameOf(account)
  })
const describe = (name: string, { by, door, account, id }: Where) => `${name} ${account} ${id} by ${door} on ${by}`

const commands = fc.commands([
  fc.record(where).map(at => command(describe('read', at), async model =>
    checkAnswer(model, at.account, at.id, await read(replicas[at.by]!, at)))),
  fc.record(where).map(at =>
    command(describe('change', at), model => change(model, replicas[at.by]!, replicas[1 - at.by]!, at))),
  // A read that began before the change: who reads after the change does not get what it answers.
  fc.record(where).map(at => command(describe('read around a change', at), async model => {
    const gate = deferred<void>()
    truth.gate = gate.promise
    const isAnswered = deferred<void>()
    truth.onCall = isAnswered.resolve
    const before = read(replicas[at.by]!, at).then(() => isAnswered.resolve())
    await isAnswered.promise
    truth.gate = undefined
    truth.onCall = undefined
    await change(model, replicas[1 - at.by]!, replicas[at.by]!, at)
    const after = read(replicas[at.by]!, { ...at, door: at.door === '/v1' ? '/rest' : '/v1' })
    gate.resolve()
    checkAnswer(model, at.account, at.id, await after)
    await before
    for (const one of replicas) checkAnswer(model, at.account, at.id, await read(one, at))
  })),
  fc.record(where).map(at => command(describe('change upstream of', at), () => {
    truth.versions.set(`${nameOf(at.account)} ${at.id}`, versionOf(`${nameOf(at.account)} ${at.id}`) + 1)
  })),
  fc.constantFrom(1, 4000, 100_000).map(seconds => command(`${seconds} s`, () => advance(seconds))),
  fc.boolean().map(isDown => command(isDown ? 'fail' : 'work', () => { truth.isDown = isDown }))
], { maxCommands: 25 })

t.test('never an answer of another account, and never one older than its own account\'s change', async t => {
  await fc.assert(fc.asyncProperty(commands, async commands => {
    run++
    truth.isDown = false
    await fc.asyncModelRun(() => ({ model: { changed: new Map() }, real: replicas }), commands)
  }), { numRuns: 40 })
  t.ok(replicas.every(({ cache }) => cache.stats().hits > 0))
})
