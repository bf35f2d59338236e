import fastify from 'fastify'
import { createHash } from 'node:crypto'
import t from 'tap'
import { createAccounts, memoryAccountStore } from 'fastify-source-origin/accounts'
import serveSource from 'fastify-source-origin/serve'
import { bounds } from '../../lib/protection/shed-load.ts'
import { fakeTime } from '../fake-time.ts'

// A machine that is busy with other tests is no overload of the source.
bounds.maxEventLoopDelay = Infinity

const address = '10.0.0.1'

/** Numbers that are the same in each run. */
function numbers (seed: number) {
  return (below: number) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor(seed / 2 ** 32 * below)
  }
}

for (const seed of [1, 2, 3]) {
  t.test(`of 500 logins of an address no right one is refused, and ten guesses a minute are told (${seed})`, async t => {
    const time = fakeTime(t)
    const app = fastify()
    t.teardown(() => app.close())
    const accounts = createAccounts({
      store: memoryAccountStore(),
      secret: 's'.repeat(32),
      tokens: { owner: 'a token of the environment', guest: 'short' }
    })
    const names = ['ann', 'bob', 'cyd']
    const right: [name: string, secret: string][] = [['owner', 'a token of the environment']]
    const old: [name: string, secret: string][] = []
    for (const name of names) {
      right.push([name, await accounts.issue(name)], [name, await accounts.issueAppPassword(name)])
      old.push([name, await accounts.issueAppPassword(name)])
      await accounts.revoke((await accounts.list(name)).at(-1)!.id)
    }
    const appPasswords = right.filter(([, secret]) => secret.split('-').length === 4 && !secret.startsWith('so_'))
    await app.register(serveSource, { accounts, adapter: () => ({}), protection: {} })

    const next = numbers(seed)
    const one = <T>(list: readonly T[]) => list[next(list.length)]!
    const rest = async (query: Record<string, string>) => {
      const url = `/rest/ping?${new URLSearchParams({ f: 'json', v: '1.16.1', c: 'test', ...query })}`
      const answer = app.inject({ url, remoteAddress: address })
      await time.passUntil(answer)
      if (!('subsonic-response' in (await answer).json())) throw new Error((await answer).body)
      const { code, message } = (await answer).json()['subsonic-response'].error ?? {}
      // The code stays 40, so only the message shows whether the login was checked.
      return message === 'Too many wrong tokens' ? 0 : code as number | undefined
    }
    const digest = (u: string, secret: string, s: string) =>
      rest({ u, s, t: createHash('md5').update(secret + s).digest('hex') })
    const v1 = async (authorization: string) =>
      (await app.inject({ url: '/v1/status', remoteAddress: address, headers: { authorization } })).statusCode

    /** What was told to be wrong, and when. */
    const told = new Map<string, number>()
    let rightOnes = 0
    let minute = 0
    const note = (wrong: string, code: number | undefined) => {
      t.ok(code !== undefined && code !== 200, `${wrong} is not let in`)
      if ([401, 40].includes(code!) && !told.has(wrong)) told.set(wrong, minute)
    }
    const letIn = (code: number | undefined) => {
      rightOnes++
      t.ok(code === undefined || code === 200, `a right one is let in: ${code}`)
    }
    const steps = [
      async () => { const [, secret] = one(right); if (secret.startsWith('so_')) letIn(await v1(`Bearer ${secret}`)) },
      async () => { const [u, p] = one(right); letIn(await rest({ u, p })) },
      async () => { const [u, secret] = one(appPasswords); letIn(await digest(u, secret, `salt ${next(1e9)}`)) },
      async () => letIn(await digest('anybody', 'a token of the environment', `salt ${next(1e9)}`)),
      async () => { const [u, p] = one(old); note(p, await rest({ u, p })) },
      async () => { const [u, p] = one(old); const s = `${next(1e9)}`; note(`${p} ${s}`, await digest(u, p, s)) },
      async () => { const [u, p] = one(old); note(`${p} salt`, await digest(u, p, 'salt')) },
      async () => { const guess = `guess ${next(1e9)}`; note(guess, await v1(guess)) },
      async () => { const guess = `so_${`${next(1e9)}`.padEnd(56, '_')}`; note(guess, await v1(guess)) },
      async () => { const p = `guess ${next(1e9)}`; note(p, await rest({ u: one(names), p })) }
    ]
    for (let i = 0; i < 500; i++) {
      const before = time.now()
      await one(steps)()
      // Wrong logins wait: the minute is over when one says so.
      minute += time.now() - before
      if (next(40) === 0) { time.advance(61_000); minute += 61_000 }
    }
    t.ok(rightOnes > 100)
    const times = [...told.values()]
    // Two windows of a minute may touch.
    for (const from of times) t.ok(times.filter(at => at >= from && at < from + 60_000).length <= 20)
    for (let i = 0; i < 11; i++) await v1(`wrong ${i}`)
    t.equal(await v1('short'), 429, 'what can be guessed is not looked at')
    t.equal(await digest('guest', 'short', 'a salt'), 0)
  })
}
