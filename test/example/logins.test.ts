import t, { type Test } from 'tap'
import { listen } from '../client/helper.ts'
import { as, command, folder, hear, mp3, pathOf, startWith, tokenIn, until, write, type Source } from './helper.ts'

const sourceOf = ({ id }: { id: string }) => id.replace(/:.*/, '')

/** A folder of ours, and that of a friend, which we have as a source and as a Subsonic server. */
async function open (t: Test) {
  const [DATA_DIR, there] = [folder(t), folder(t)]
  const far = { '1.mp3': mp3({ title: 'Far', artist: 'Bo', album: 'Away' }) }
  const friend = await startWith(t, far, { DATA_DIR: there })
  const url = await listen(t, friend.app)
  const tokenOf = async (name: string) => tokenIn(await command(there, ['add', name]))
  const token = await tokenOf('me')
  const home = await startWith(t, { '1.mp3': mp3({ title: 'Near', artist: 'Ada', album: 'Home' }) }, {
    DATA_DIR, SOURCE_URL: url, SOURCE_TOKEN: token, SUBSONIC_URL: url, SUBSONIC_USER: 'x', SUBSONIC_PASSWORD: token
  })
  return { home, friend, me: as(friend, token), token, tokenOf, DATA_DIR, there }
}
const house = await open(t)

/** The two, with an account of Ann at each that has nothing yet. */
async function both ({ home, friend, tokenOf, DATA_DIR, there, ...rest } = house) {
  for (const [dataDir, name] of [[DATA_DIR, 'ann'], [there, 'ann-there']] as const) {
    if ((await command(dataDir, ['list'])).includes(name)) await command(dataDir, ['remove', name, name])
  }
  const ann = tokenIn(await command(DATA_DIR, ['add', 'ann']))
  const ofAnn = await tokenOf('ann-there')
  const connect = (service: string, input: string, name = 'ann') => command(DATA_DIR, ['connect', name, service], input)
  const accounts = { ann: as(home, ann), annToken: ann, annThere: as(friend, ofAnn), ofAnn }
  return { home, friend, ...accounts, connect, DATA_DIR, ...rest }
}

const favourites = async ({ data }: Pick<Source, 'data'>) =>
  (await data('/v1/user/favorite/tracks')).map(({ title }: { title: string }) => title)
const found = async ({ data }: Pick<Source, 'data'>, source: string) =>
  (await data('/v1/search/tracks?keyword=far')).items.find((item: { id: string }) => sourceOf(item) === source)

t.test('an account has favourites of its own at another source when it has a login there', async t => {
  const { home, ann, annThere, ofAnn, me, connect, DATA_DIR } = await both()
  for (const [service, login] of [['source', ofAnn], ['subsonic', `ann-there\n${ofAnn}\n`]] as const) {
    const { id } = await found(ann, service)
    const before = await ann.call('/v1/track/favorite', { method: 'POST', payload: { id, status: true } })
    t.not(before.statusCode, 200)
    t.match(await connect(service, login), /^ann is .* at 127\.0\.0\.1$/)
    await write(ann, 'track/favorite', { id, status: true })
    t.ok((await favourites(ann)).includes('Far'))
    t.strictSame(await favourites(annThere), ['Far'])
    t.strictSame([await favourites(me), await favourites(home)], [[], []])
    await write(ann, 'track/favorite', { id, status: false })
    t.match(await command(DATA_DIR, ['list']), new RegExp(`  ${service} as `))
    await command(DATA_DIR, ['disconnect', 'ann', service])
    t.strictSame(await favourites(ann), [])
  }
})

t.test('plays go to the login of the account, and not to that of the owner', async t => {
  const { home, ann, annToken, annThere, ofAnn, me, connect, DATA_DIR } = await both()
  const heard = async ({ data }: Pick<Source, 'data'>) =>
    JSON.stringify(await data('/v1/toplist/list')).includes('"id":"recent"')
  const { id } = await found(ann, 'subsonic')
  const bob = tokenIn(await command(DATA_DIR, ['add', 'bob']))
  await connect('subsonic', `ann-there\n${ofAnn}`)
  for (const token of [bob, annToken]) await hear(home, token, id)
  await until(() => heard(annThere))
  t.equal(await heard(me), false)
})

t.test('an account that sees a part of the music has the others for which it has a login', async t => {
  const { ann, ofAnn, connect, DATA_DIR } = await both()
  await command(DATA_DIR, ['allow', 'ann', 'explicit', 'off'])
  t.equal(await found(ann, 'source'), undefined)
  await connect('source', ofAnn)
  t.equal((await found(ann, 'source')).title, 'Far')
  t.equal(await found(ann, 'subsonic'), undefined)
})

t.test('a login that is none changes nothing, and says why', async t => {
  const { connect, friend, token, DATA_DIR } = await both(await open(t))
  const refusals = [
    ['source', 'wrong', '127.0.0.1 refuses this login: nothing is changed'],
    ['source', 'two words', 'This is not a token'],
    ['subsonic', 'ann-there\nwrong', '127.0.0.1 refuses this login: nothing is changed'],
    ['subsonic', 'ann-there', 'This is not a name and a password, a line each'],
    ['subsonic_2', 'x', 'SERVICE must be one of listenbrainz, lastfm, subsonic, source']
  ] as const
  for (const [service, input, message] of refusals) await t.rejects(connect(service, input), { message })
  await t.rejects(connect('source', token, 'owner'), { message: 'The login of owner at 127.0.0.1 is in the settings' })
  await friend.app.close()
  for (const [service, input] of [['source', token], ['subsonic', `x\n${token}`]] as const) {
    await t.rejects(connect(service, input), { message: '127.0.0.1 cannot be reached: nothing is changed' })
  }
  t.notMatch(await command(DATA_DIR, ['list']), / as /)
})

t.test('audio of a Subsonic server comes by the login of the account, as long as it has one', async t => {
  const { home, ann, ofAnn, connect, DATA_DIR } = await both()
  await connect('subsonic', `ann-there\n${ofAnn}`)
  const track = await found(ann, 'subsonic')
  const path = pathOf((await ann.data(`/v1/track/url?id=${encodeURIComponent(track.id)}`)).url)
  const play = async (path: string) => (await ann.app.inject(path)).statusCode
  t.equal(await play(path), 200)
  t.equal(await play(pathOf(track.album.coverUrl)), 200)
  await command(DATA_DIR, ['disconnect', 'ann', 'subsonic'])
  t.equal(await play(path), 404)
  const { id } = await found(home, 'subsonic')
  const ofOwner = pathOf((await home.data(`/v1/track/url?id=${encodeURIComponent(id)}`)).url)
  t.equal(await play(ofOwner), 200, 'that of the settings')
})

t.test('an account that may delete no playlist deletes none at another source', async t => {
  const { ann, annThere, ofAnn, connect, DATA_DIR } = await both()
  await connect('source', ofAnn)
  const { id } = await write(annThere, 'playlist/create', { name: 'Mine there' })
  const remove = () => ann.call('/v1/playlist/delete', { method: 'POST', payload: { id: `source:${id}` } })
  await command(DATA_DIR, ['allow', 'ann', 'delete', 'off'])
  t.equal((await remove()).statusCode, 403)
  await command(DATA_DIR, ['allow', 'ann', 'delete', 'on'])
  t.equal((await remove()).statusCode, 200)
})
