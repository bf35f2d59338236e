import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { blocks } from '../doc-blocks.ts'
import { folder } from '../example/helper.ts'
import { locate, skipWithout } from '../services.ts'

const execute = promisify(execFile)

t.test('systemd', async t => {
  skipWithout('systemd', t)
  t.test('the unit of the docs has nothing that systemd does not know', async t => {
    const { code } = blocks.find(({ language }) => language === 'systemd')!
    const file = join(folder(t), 'music-source.service')
    writeFileSync(file, code.replace('/usr/bin/node', process.execPath))
    // It says what it does not know, and goes on.
    const { stdout, stderr } = await execute(locate('systemd'), ['verify', '--man=no', file])
    t.equal((stdout + stderr).split('\n').filter(line => line.includes('music-source')).join('\n'), '')
  })
})
