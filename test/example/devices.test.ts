import t from 'tap'
import { createHash } from 'node:crypto'
import { TokenUses } from '../../example/state/token-uses.ts'
import { as, command, folder, startWith, tokenIn, until, type Source } from './helper.ts'

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const android = 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36'

/** One source; each test has accounts of its own. */
const { source, run, open, devices, end } = await family()

async function family () {
  const DATA_DIR = folder(t)
  const source = await startWith(t, {}, { DATA_DIR, PAGE: 'true' })
  const run = (...args: string[]) => command(DATA_DIR, args)
  /** What a browser does that opens a link. */
  const open = async (token: string, userAgent: string) => (await source.app.inject({
    url: '/page/sign-in', method: 'POST', headers: { authorization: token, 'user-agent': userAgent }
  })).json()
  const devices = async (who: Pick<Source, 'data'>) => who.data('/page/app-passwords')
  const end = async ({ call }: Pick<Source, 'call'>, id: string) =>
    (await call('/page/app-passwords/revoke', { method: 'POST', payload: { id } })).json().code
  return { source, run, open, devices, end }
}

t.test('one link on two devices is two, each of which ends by itself', async t => {
  const link = tokenIn(await run('add', 'ann', 'for all'))
  const phone = as(source, (await open(link, android)).data.token)
  const laptop = as(source, (await open(link, firefox)).data.token)
  // Tokens of the same millisecond come in any order.
  const list = (await devices(laptop)).devices
    .sort((a: { name: string }, b: { name: string }) => a.name < b.name ? -1 : 1)
  t.match(list, [
    { name: 'Chrome on Android', isThis: false }, { name: 'Firefox on Linux', isThis: true },
    { name: 'for all', isThis: false }
  ])
  t.equal(await end(laptop, list[0].id), 200, 'the phone is lost')
  t.equal((await phone.call('/v1/status')).statusCode, 401)
  t.equal((await laptop.call('/v1/status')).statusCode, 200)
  const bob = as(source, tokenIn(await run('add', 'bob')))
  t.equal(await end(bob, list[1].id), 404, 'nobody ends that of others')
  t.equal(await end(laptop, 'nothing'), 404)
  t.equal((await open('wrong', firefox)).code, 401)
  t.equal((await open('', firefox)).code, 401)
  t.same(await devices(source), {}, 'the fixed token has none')
})

t.test('a link that works once signs in one device, within its time', async t => {
  await run('add', 'cat')
  const said = await run('link', 'Cat', 'the new phone')
  t.match(said, /^A link that signs in as cat once, within a day:\nhttp\S+#token=so_/)
  const once = tokenIn(said)
  t.match(await run('list'), /the new phone$/m)
  t.equal((await as(source, once).call('/v1/status')).statusCode, 401, 'it opens nothing by itself')
  const phone = as(source, (await open(once, android)).data.token)
  t.match(await phone.data('/v1/user/me'), { nickname: 'cat' })
  t.equal((await open(once, android)).code, 401)
  t.notMatch(await run('list'), /the new phone/)
  await t.rejects(run('link', 'nobody'), { message: 'Account not found: nobody' })
  t.match(await run('link', 'cat'), /#token=/)
  t.match(await run('list'), /a link that works once$/m)
})

t.test('without a page there is no link', async t => {
  const DATA_DIR = folder(t)
  await startWith(t, {}, { DATA_DIR })
  await t.rejects(command(DATA_DIR, ['link', 'owner']), { message: /^PAGE is not true, so no page can open a link/ })
})

t.test('each says when it was used last, and by what', async t => {
  const { data: { token } } = await open(tokenIn(await run('add', 'dan', 'paper')), firefox)
  const dan = as(source, token)
  const password = (await run('app-password', 'dan', 'phone')).split('\n')[1]!
  const ping = (c: string) => source.call(`/rest/ping?${new URLSearchParams({
    u: 'dan', s: 'salt', t: createHash('md5').update(`${password}salt`).digest('hex'), f: 'json', c
  })}`)
  await ping('Tempo\u0007')
  await dan.call('/v1/status', { headers: { authorization: token, 'user-agent': firefox } })
  await until(async () => (await devices(dan)).items[0].usedBy === 'Tempo')
  const day = new Date().toISOString().slice(0, 10)
  await until(async () => (await devices(dan)).devices[1].usedAt > Date.now() - 60_000)
  t.notOk((await devices(dan)).devices[0].usedAt, 'the link itself was not used')
  const list = await run('list')
  t.match(list, new RegExp(`app password {2}phone {2}last used ${day} by Tempo$`, 'm'))
  t.match(list, new RegExp(`Firefox on Linux \\(paper\\) {2}last used ${day} by (?:Mozilla|light)`, 'm'))
  const nameless = { 'user-agent': '' }
  const ping2 = `/rest/ping?${new URLSearchParams({ u: 'dan', p: password, f: 'json' })}`
  await source.call(ping2, { headers: nameless })
  await until(async () => /phone {2}last used \S+ by an app without a name$/m.test(await run('list')))
  const [{ id }] = (await devices(dan)).items
  t.equal(await run('revoke', id), `${id} is of no use any more`)
  t.notMatch(await run('list'), /phone/)
  const [link] = (await devices(dan)).devices
  await run('rotate', link.id)
  await run('remove', 'dan', 'dan')
})

t.test('a use that cannot be kept now is kept with the next one', async t => {
  let calls = 0
  const uses = new TokenUses({ read: async () => { calls++; throw new Error('away') } } as never)
  uses.note('ann', 'id', 'app')
  await until(async () => {
    uses.note('ann', 'id', 'app')
    return calls > 1
  })
  t.ok(calls > 1)
})
