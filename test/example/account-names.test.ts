import { createHash } from 'node:crypto'
import t from 'tap'
import { findAccount, nameOfNew } from '../../example/accounts/account-name.ts'
import { command, folder, startWith, tokenIn } from './helper.ts'

const unseen = /must not have invisible characters/
const alike = /^The name looks like the account (?:ann|Zoë|kid l|O'Neil|李)/
const there = ['ann', 'Zo\u00eb', 'kid l', 'O\'Neil', '李']

for (const [given, expected] of [
  // What is another way to type a name is that name.
  ['ann', 'ann'], ['ann ', 'ann'], ['\tann\n', 'ann'],
  ['Zo\u00eb', 'Zo\u00eb'], ['Zoe\u0308', 'Zo\u00eb'], ['\ufeffann', 'ann'],
  // Names.
  ['bob', 'bob'], ['Zoe', 'Zoe'], ['Anna', 'Anna'], ['an', 'an'], ['小明', '小明'], ['Ольга', 'Ольга'], ['علي', 'علي'],
  ['mum & dad', 'mum & dad'], ['a-b', 'a-b'], ['9', '9'],
  ['🎵', '🎵'], [' José ', 'José'], ['a@b.example', 'a@b.example'],
  ['d’Arc', 'd’Arc'], ['constructor', 'constructor'], ['', ''],
  // What looks like another one.
  ['Ann', alike], ['ANN', alike], ['аnn', alike], ['anп', alike], ['ａｎｎ', alike], ['zoë', alike], ['ZOË', alike],
  ['kid 1', alike], ['kid I', alike], ['Kid L', alike], ['kid  l', alike], ['O’Neil', alike],
  ['0\'Neil', alike],
  ['O‘Neil', alike], ['⽊', '⽊'.normalize('NFC')],
  // What nobody sees.
  ['an\u200bn', unseen], ['an\u00adn', unseen], ['ann\u200f', unseen], ['a\u202en', unseen],
  ['\u3164', unseen], ['\u2800', unseen],
  ['a\u0000', unseen], ['a\u00a0b', unseen], ['a\nb', unseen], ['a\ue000', unseen],
  ['a\ud800', unseen], ['a\u2028b', unseen],
  // What is no name.
  ['--help', /must not begin with a hyphen/], ['-h', /must not begin with a hyphen/]
] as [string, string | RegExp][]) {
  const title = given.replace(/[^ -~]/gu, letter => `(${letter.codePointAt(0)!.toString(16)})`)
  t.test(`a new account of the name “${title}”`, async t => {
    if (typeof expected === 'string') t.equal(nameOfNew(there, given), expected)
    else t.throws(() => nameOfNew(there, given), { message: expected })
  })
}

t.test('a login means the account with exactly its name, or the only one that fits', async t => {
  const means = (...names: string[]) => names.map(name => findAccount(there, name))
  t.strictSame(means('ann', 'Ann', ' ann ', 'a\u200bnn', 'zoe\u0308', 'ZOË', 'KID  L', 'аnn', 'zoe', 'x', ''),
    ['ann', 'ann', 'ann', 'ann', 'Zoë', 'Zoë', 'kid l', undefined, undefined, undefined, undefined])
  t.equal(findAccount(['ann', 'Ann'], 'ANN'), undefined, 'names of former versions')
  t.equal(findAccount(['ann', 'Ann'], 'Ann'), 'Ann')
})

t.test('apps log in by a name as people type it, commands take it, and no such try is a wrong one', async t => {
  const DATA_DIR = folder(t)
  const run = (...args: string[]) => command(DATA_DIR, args)
  const { app } = await startWith(t, {}, { DATA_DIR })
  t.ok(tokenIn(await run('add', ' Zoe\u0308 ')))
  const [, password = ''] = (await run('app-password', 'zoë', 'phone')).split('\n')
  const ping = async (u: string, login: Record<string, string>) => {
    const query = new URLSearchParams({ u, f: 'json', v: '1.16.1', c: 'test', ...login })
    const { code, message } = (await app.inject(`/rest/ping?${query}`)).json()['subsonic-response'].error ?? {}
    return message === 'Too many wrong tokens' ? message : code
  }
  const digest = { s: 'salt', t: createHash('md5').update(`${password}salt`).digest('hex') }
  for (const name of ['Zoë', 'Zoe\u0308', 'zoë ', ' ZOË', 'zoe\u0308\u200b', 'ＺＯË']) {
    for (const login of [digest, { p: password }]) t.equal(await ping(name, login), undefined, name)
  }
  for (let i = 0; i < 10; i++) t.equal(await ping('zoë', { p: `wrong ${i}` }), 40)
  t.equal(await ping('zoë', { p: 'wrong' }), 'Too many wrong tokens', 'the first ten were looked at')
  t.equal(await ping('nobody', digest), 'Too many wrong tokens')
  t.equal(await ping('zoë', digest), undefined)
  const byKey = await app.inject('/rest/ping?f=json&c=test&v=1.16.1&apiKey=a+wrong+key')
  t.equal(byKey.json()['subsonic-response'].error.code, 44)
  t.match(await run('list'), /^Zoë\n/m)
  await t.rejects(run('add', 'ZOË'), { message: 'The name looks like the account Zoë: choose another one' })
  await t.rejects(run('add', '--help'), { message: 'The name must not begin with a hyphen' })
  const before = await run('list')
  t.match(await run('rotate', 'zoë'), /^The token of Zoë/)
  t.match(await run('share', 'zoë', 'on'), 'Others see what Zoë plays now')
  t.not(await run('list'), before)
  t.match(await run('remove', 'zoë ', 'Zoë'), 'Zoë is removed with all that was kept for it')
})
