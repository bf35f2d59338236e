import fs from 'node:fs'
import t from 'tap'
import { needFiles } from '../../../example/server/need-files.ts'
import { replace } from '../../replace.ts'

t.test('fewer open files than the example needs are told, where the system says how many there may be', async t => {
  replace(t, fs, 'existsSync', () => true)
  replace(t, fs, 'readFileSync', (() => 'Max open files  511  4096  files') as never)
  t.throws(needFiles, { message: 'The limit of open files must be 512 or more (ulimit -Hn): it is 511' })
  replace(t, fs, 'existsSync', () => false)
  needFiles()
})
