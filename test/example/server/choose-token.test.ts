import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { chooseToken } from '../../../example/server/choose-token.ts'
import { readSettings } from '../../../example/start/settings.ts'
import { folder } from '../helper.ts'

t.test('a token that the source made is kept for its user alone, until the file is deleted', async t => {
  const DATA_DIR = join(folder(t), 'data')
  const settings = readSettings({ DATA_DIR })
  const { token, file } = await chooseToken(settings)
  t.match(token, /^[\da-f]{32}$/)
  t.equal(file, join(DATA_DIR, 'token'))
  t.equal(readFileSync(file!, 'utf8'), token)
  t.equal(statSync(file!).mode & 0o777, 0o600)
  t.equal((await chooseToken(settings)).token, token)
  rmSync(file!)
  t.not((await chooseToken(settings)).token, token)
})

for (const [env, token] of [[{ SOURCE_API_TOKEN: 'mine' }, 'mine'], [{ NODE_ENV: 'production' }, '']] as const) {
  t.test(`none is made with ${JSON.stringify(env)}`, async t => {
    t.strictSame(await chooseToken(readSettings({ DATA_DIR: folder(t), ...env })), { token, file: undefined })
  })
}
