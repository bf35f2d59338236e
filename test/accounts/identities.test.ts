import { createAccounts, memoryAccountStore, type AccountOf, type AccountStore } from 'fastify-source-origin/accounts'
import t from 'tap'

const issuer = 'https://id.example'
const ann = { issuer, subject: '1' }
const bob = { issuer, subject: '2' }
const lifetime = 60_000

const open = (store: AccountStore = memoryAccountStore()) => {
  const options = { store, secret: 'a secret of thirty-two characters', tokens: { owner: 'a token of the owner' } }
  const accounts = createAccounts(options)
  return { accounts, identities: accounts.identities!, replica: createAccounts(options) }
}

const byName: AccountOf = ({ claims, account, bind }) => account ?? bind(String(claims.name))
const admission = (identity = ann, name: unknown = 'ann', accountOf = byName) =>
  ({ identity, claims: { name }, accountOf, lifetime })
const rejected = (message: string | RegExp) => ({ name: 'SourceError', status: 403, message })

t.test('without a secret, or with a store without bindings, there are no identities', async t => {
  const { findBindings, saveBinding, ...store } = memoryAccountStore()
  const { accounts, identities } = open(store)
  t.equal(identities, undefined)
  t.match(await accounts.find(await accounts.issue('ann')), { id: 'ann' })
  t.equal(createAccounts({ store: memoryAccountStore() }).identities, undefined)
})

t.test('a new person is bound to a new account, and found by the subject whatever the name is later', async t => {
  const { accounts, identities } = open()
  t.equal(await identities.admit(admission()), 'ann')
  t.equal(await identities.admit(admission(ann, 'carol')), 'ann')
  t.match(await identities.list('ann'), [{ ...ann, account: 'ann' }])
  await accounts.issue('bob')
  for (const name of ['ann', 'bob', 'owner']) {
    await t.rejects(identities.admit(admission(bob, name)), rejected(/exists already/))
  }
  await t.rejects(identities.admit(admission(bob, 'x'.repeat(300))), rejected(/cannot be the name/))
  await t.rejects(identities.admit(admission(bob, '')), rejected(/cannot be the name/))
  t.equal(await identities.find(bob), undefined)
})

t.test('of two people who get the same new name at once, one has it', async t => {
  const { identities } = open()
  const results = await Promise.allSettled([ann, bob].map(identity => identities.admit(admission(identity, 'same'))))
  t.strictSame(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
})

t.test('an existing account is bound only if the author says that the name is not chosen by the person', async t => {
  const { identities } = open()
  const owner: AccountOf = ({ bind }) => bind('owner', { existing: true })
  t.equal(await identities.admit(admission(ann, '', owner)), 'owner')
  t.equal(await identities.admit(admission(ann, '', owner)), 'owner')
  t.equal(await identities.admit(admission(ann, 'owner', ({ claims, bind }) => bind(String(claims.name)))), 'owner')
})

t.test('a browser connects its account with an identity, and no second one with the same identity', async t => {
  const { accounts, identities } = open()
  await accounts.issue('ann')
  t.equal(await identities.admit({ ...admission(), connectTo: 'ann' }), 'ann')
  t.equal(await identities.admit({ ...admission(), connectTo: 'ann' }), 'ann')
  await t.rejects(identities.admit({ ...admission(), connectTo: 'bob' }), rejected(/another account/))
})

t.test('a rejection names the claim', async t => {
  const { identities } = open()
  const by = (accountOf: AccountOf) => identities.admit(admission(ann, 'ann', accountOf))
  await t.rejects(by(() => null), rejected(/has no account here/))
  await t.rejects(by(({ claims }) => claims.groups ? 'ann' : null), rejected(/needs the claim "groups"/))
  await t.rejects(by(({ claims }) => claims.name === 'bob' ? 'ann' : null), rejected(/The claim "name"/))
  await t.rejects(by(({ claims }) => { t.ok(Object.keys({ ...claims })); return 'another' }), TypeError)
})

t.test('tokens and app passwords of a rejected person stop, here at once, and work again after a sign-in', async t => {
  const { accounts, identities, replica } = open()
  await identities.admit(admission())
  const [token, password] = [await accounts.issue('ann'), await accounts.issueAppPassword('ann')]
  const login = { username: 'ann', secret: password, verify: (known: string) => known === password }
  const works = async () => [await accounts.find(token) !== null, await accounts.logIn(login) !== null]
  t.strictSame(await works(), [true, true])
  await t.rejects(identities.admit(admission(ann, 'ann', () => null)), rejected(/no account/))
  t.strictSame(await works(), [false, false])
  t.equal(await replica.find(token), null)
  await identities.admit(admission())
  t.strictSame(await works(), [true, true])
  await identities.admit({ ...admission(bob, 'ann', ({ bind }) => bind('ann', { existing: true })) })
  await identities.reject(ann)
  t.strictSame(await works(), [true, true], 'another identity of the account is valid')
  await identities.reject(bob)
  await identities.reject({ issuer, subject: 'unknown' })
  t.strictSame(await works(), [false, false])
  t.equal(await identities.unbind(bob), true)
  t.equal(await identities.unbind(bob), false)
  t.strictSame(await works(), [false, false])
  await identities.unbind(ann)
  t.strictSame(await works(), [true, true], 'without a binding it is an account like others')
})

t.test('an account that is not renewed ends with its lifetime', async t => {
  const { accounts, identities } = open()
  await identities.admit({ ...admission(), lifetime: -1 })
  t.equal(await accounts.find(await accounts.issue('ann')), null)
})

t.test('the checks of a token report the binding that is used', async t => {
  const { accounts, identities } = open()
  const used: string[] = []
  identities.onUse = ({ subject }) => used.push(subject)
  await identities.admit({ ...admission(), refreshToken: 'the refresh token' })
  await accounts.find(await accounts.issue('ann'))
  t.strictSame(used, ['1'])
  const binding = (await identities.find(ann))!
  t.equal(identities.refreshTokenOf(binding), 'the refresh token')
  t.notMatch(Buffer.from(binding.encrypted!).toString('latin1'), 'the refresh token')
  t.equal(identities.refreshTokenOf({ ...binding, subject: '2' }), undefined)
})

t.test('of two replicas that check a binding at once, one does', async t => {
  const { identities, replica } = open()
  await identities.admit(admission())
  const binding = (await identities.find(ann))!
  const claims = await Promise.all([identities, replica.identities!].map(each => each.claimCheck(binding, 7)))
  t.strictSame(claims.sort(), [false, true])
  t.match(await identities.find(ann), { ...binding, checkedAt: 7, version: binding.version + 1 })
})

t.test('an account that is removed during a sign-in is not bound again', async t => {
  const { accounts, identities } = open()
  await identities.admit(admission())
  const during: AccountOf = async ({ account }) => {
    await accounts.remove('ann')
    return account!
  }
  await t.rejects(identities.admit(admission(ann, 'ann', during)), rejected(/was removed/))
  t.equal(await identities.find(ann), undefined)
})

t.test('a rejection of a binding that is removed meanwhile changes nothing', async t => {
  const store = memoryAccountStore()
  let removes = false
  const { identities } = open({
    ...store,
    async saveBinding (identity, binding, version) {
      if (removes) {
        removes = false
        await store.removeAccount('ann')
      }
      return store.saveBinding!(identity, binding, version)
    }
  })
  await identities.admit(admission())
  removes = true
  await identities.reject(ann)
  t.equal(await identities.find(ann), undefined)
})

t.test('a binding that is changed again and again is a 503', async t => {
  const { identities } = open({ ...memoryAccountStore(), saveBinding: async () => false })
  await t.rejects(identities.admit(admission()), { status: 503, message: /try again/ })
})

t.test('a link works once, and ends with the session of the provider', async t => {
  const { accounts, identities } = open()
  await identities.admit(admission())
  const signIn = async (sid?: string) => (await accounts.signIn(await identities.issueLink('ann', issuer, sid)))!
  const isOpen = async (token: string) => await accounts.find(token) !== null
  const [first, second, other, bare] =
    [await signIn('s1'), await signIn('s1'), await signIn('s2'), await signIn()] as const
  const link = await identities.issueLink('ann', issuer, 's1')
  t.equal((await accounts.list('ann')).length, 5, 'sessions of the provider are not listed')
  await identities.endSession(issuer, { sid: 's1', sub: '1' })
  t.strictSame(await Promise.all([first, second, other, bare].map(isOpen)), [false, false, true, true])
  t.equal(await accounts.signIn(link), null)
  await identities.endSession(issuer, { sid: 'unknown' })
  await identities.endSession(issuer, { sub: 'unknown' })
  const password = await accounts.issueAppPassword('ann')
  const token = await accounts.issue('ann')
  await identities.endSession(issuer, { sub: '1' })
  t.strictSame(await Promise.all([other, bare, token].map(isOpen)), [false, false, true])
  t.not(await accounts.logIn({ username: 'ann', secret: password, verify: known => known === password }), null)
})

t.test('a session of the provider that belongs to another account now ends for the first one', async t => {
  const { accounts, identities } = open()
  const token = (await accounts.signIn(await identities.issueLink('ann', issuer, 's1')))!
  await identities.issueLink('bob', issuer, 's1')
  t.equal(await accounts.find(token), null)
})

t.test('an id is used once, over all replicas, and forgotten later', async t => {
  const { identities, replica } = open()
  const until = Date.now() + 60_000
  t.equal(await identities.useOnce(issuer, 'old', 1), true)
  t.equal(await identities.useOnce(issuer, 'a', until), true)
  t.equal(await replica.identities!.useOnce(issuer, 'a', until), false)
  t.equal(await identities.useOnce(issuer, 'old', until), true)
})
