import { readdirSync, readFileSync, statSync } from 'node:fs'
import promises from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { replaceExports } from '../replace.ts'
import { as, command, folder, mp3, startWith, tokenIn, write } from './helper.ts'

t.test('an account is removed by its name as it is stored, and what it had can be imported', async t => {
  const DATA_DIR = folder(t)
  const source = await startWith(t, { 'a.mp3': mp3({ title: 'A' }) }, { DATA_DIR })
  const run = (...args: string[]) => command(DATA_DIR, args)
  const ann = as(source, tokenIn(await run('add', 'Ann')))
  await write(ann, 'playlist/create', { name: 'Kept' })
  const [{ id }] = await source.data('/v1/track/new')
  await write(ann, 'track/favorite', { id, status: true })
  const asks = 'This removes the account Ann: its tokens, app passwords and plays, 1 playlists and 1 favourites. ' +
    'If that is meant, say its name as it is written here: npm run account -- remove '
  for (const said of [['ann'], ['ann', 'ann'], ['ann', ''], ['Ann'], ['Ann', 'ANN'], ['Ann', 'owner']]) {
    await t.rejects(run('remove', ...said), { message: `${asks}${said[0]} Ann` }, said.join(' '))
  }
  await t.rejects(run('remove', 'nobody', 'nobody'), { message: 'Account not found: nobody' })
  t.equal((await ann.call('/v1/status')).statusCode, 200)
  const said = await run('remove', 'ann', 'Ann')
  t.match(said, /^Ann is removed with all that was kept for it\. Its playlists, favourites and plays are in .+\.json$/)
  t.equal((await ann.call('/v1/status')).statusCode, 401)
  const file = / are in (.+)$/.exec(said)![1]!
  t.equal(statSync(file).mode & 0o777, 0o600)
  const again = as(source, tokenIn(await run('add', 'ann')))
  t.match(await command(DATA_DIR, ['import', 'ann'], readFileSync(file, 'utf8')), 'Playlists: 1, favourites: 1')
  t.match(await again.data('/v1/user/playlist/list'), [{ name: 'Kept' }])
})

t.test('names that are no names of files or of a shell are asked for, and left, too', async t => {
  const DATA_DIR = folder(t)
  await startWith(t, {}, { DATA_DIR })
  const name = "../It's mine"
  await command(DATA_DIR, ['add', name])
  await t.rejects(command(DATA_DIR, ['remove', name]), { message: String.raw`remove '../It'\''s mine' '../It'\''s mine'` })
  await command(DATA_DIR, ['remove', name, name])
  t.match(readdirSync(join(DATA_DIR, 'removed')), [/^_It's mine .+\.json$/])
})

t.test('an account stays that cannot be left as a file, and is removed when it can', async t => {
  const DATA_DIR = folder(t)
  const source = await startWith(t, {}, { DATA_DIR })
  const ann = as(source, tokenIn(await command(DATA_DIR, ['add', 'ann'])))
  await t.test('a full disk', async t => {
    replaceExports(t, promises, { rename: async () => { throw new Error('the disk is full') } })
    await t.rejects(command(DATA_DIR, ['remove', 'ann', 'ann']), { message: /could not do it/ })
  })
  t.equal((await ann.call('/v1/status')).statusCode, 200)
  t.match(readdirSync(join(DATA_DIR, 'removed')), [/\.json\.new$/], 'what is not whole has another name')
  const both = await Promise.allSettled([1, 2].map(() => command(DATA_DIR, ['remove', 'ann', 'ann'])))
  t.ok(both.some(({ status }) => status === 'fulfilled'), 'two at once')
  t.equal((await ann.call('/v1/status')).statusCode, 401)
})
