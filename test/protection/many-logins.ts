// Tries wrong tokens and logins from 90,000 addresses and prints as JSON how many bytes the heap has grown by, and
// what a right and a wrong token of a new address are answered then. A process of its own, without the asynchronous
// hooks of tap, which take most of the time. Needs --expose-gc.

import fastify from 'fastify'
import sourceOrigin from 'fastify-source-origin'
import { limitLogins } from '../../lib/protection/limit-logins.ts'
import { ask, from } from './attempts.ts'

const app = fastify()
const tries = await limitLogins(app)
const { signal } = new AbortController()
await app.register(sourceOrigin, {
  async resolveContext ({ authorization, request }) {
    return tries.check(request, authorization!, () => authorization === 'right' ? { adapter: {} } : null)
  }
})

async function used (first: number, to: number) {
  for (let i = first; i < to; i++) {
    const ip = `${i >> 16 & 255}.${i >> 8 & 255}.${i & 255}.1`
    await tries.slowDown(from(ip), `account ${i}`, signal)
    await tries.check(from(ip), `token ${i}`, () => null)
    tries.prove(from(ip), `token ${i}`)
  }
  gc!()
  return process.memoryUsage().heapUsed
}
const before = await used(0, 30_000)
const grown = await used(30_000, 90_000) - before
const [right, wrong] = await Promise.all(['right', 'wrong'].map(async authorization =>
  (await ask(app, authorization, '203.0.113.7')).statusCode))
console.log(JSON.stringify({ grown, right, wrong }))
await app.close()
