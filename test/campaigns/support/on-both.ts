import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { callServer } from '../../../example/accounts/control-socket.ts'
import { connectToOwner } from '../../../example/database/lock-data-dir.ts'
import { AppModel, isSameCode, noState, randomSteps, type Call, type World } from './app-model.ts'
import { AppUser } from './app-user.ts'
import type { BuiltExample } from './built-example.ts'
import type { Random } from './random.ts'

/** Of a round. */
const changes = 12
const playsOfRound = 4
/** Milliseconds between two plays, which are not one then. */
const between = 10 * 60_000

/**
 * An account that is changed on either of two replicas, by `/rest`, `/v1` and the page: after each change both show the
 * same, which is what the model has.
 *
 * @param dataDir of the first one
 */
export async function liveOnBoth (
  replicas: readonly BuiltExample[], dataDir: string, world: World, random: Random, name: string
): Promise<void> {
  const account = async (...command: string[]) => callServer((await connectToOwner(dataDir))!, command, '')
  const [token] = /so_\S+/.exec(await account('add', name))!
  const users = replicas.map(replica => new AppUser(replica, name, token))
  await changeOnBoth(users, world, random)
  await playOnBoth(users, world, random)
  // A playlist that it shares with all would be among theirs.
  await account('remove', name, name)
}

async function changeOnBoth (users: readonly AppUser[], world: World, random: Random): Promise<void> {
  const ids = new Map<string, string>()
  const state = noState()
  const done: Call[] = []
  const prefixed = (prefix: string, list: readonly string[]) => [...new Set(list)].map(id => `${prefix}-${id}`)
  const shown = {
    tracks: prefixed('tr', world.tracks.map(({ id }) => id)),
    albums: prefixed('al', world.tracks.map(({ album }) => album)),
    artists: prefixed('ar', world.tracks.map(({ artist }) => artist))
  }
  for (const call of randomSteps(random, world, changes * 3)) {
    if (!('method' in call)) continue
    if (done.push(call) > changes) break
    const model = new AppModel(world, ids)
    const { code, made } = await random.pick(users).run(model, call)
    const what = () => `after ${done.map(call => JSON.stringify(call)).join('\n')}`
    const dueCode = model.codeOf(state, call)
    assert.ok(isSameCode(code, dueCode), `answered with ${code}, not ${dueCode}, ${what()}`)
    if (made !== undefined && call.makes !== undefined) ids.set(call.makes, made)
    const due = new AppModel(world, ids).viewOf(state)
    for (const user of users) assert.deepEqual(await user.look(shown), due, what())
  }
}

/** Plays that apps and the page tell, on either replica. */
async function playOnBoth (users: readonly AppUser[], world: World, random: Random): Promise<void> {
  const counts = new Map<string, number>()
  const now = Date.now()
  for (let play = 1; play <= playsOfRound; play++) {
    const { id } = random.pick(world.tracks)
    const user = random.pick(users)
    const startedAt = now - (playsOfRound + 1 - play) * between
    if (random.chance(0.5)) await user.rest('scrobble', { id: `tr-${id}`, time: String(startedAt), submission: 'true' })
    else await user.playOnPage({ track: id, startedAt })
    counts.set(id, (counts.get(id) ?? 0) + 1)
    for (const one of users) {
      const seen = new Map<string, number>()
      // A play is counted behind the answer that it was told.
      for (const began = performance.now(); performance.now() - began < 5000; await sleep(20)) {
        for (const track of counts.keys()) {
          const { song } = await one.rest('getSong', { id: `tr-${track}` })
          seen.set(track, song.playCount)
        }
        if (isDeepStrictEqual(seen, counts)) break
      }
      assert.deepEqual(seen, counts, 'plays of songs')
      assert.equal(await one.playsOnPage(), counts.size, 'songs that the page lists as played')
    }
  }
}
