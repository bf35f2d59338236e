import { readdir, readFile } from 'node:fs/promises'
import t from 'tap'

// Stryker starts tests without the loader that tap needs to replace modules.
t.test('no test replaces a module by a loader', async t => {
  const found: string[] = []
  for (const name of (await readdir('test', { recursive: true })).filter(name => name.endsWith('.ts'))) {
    const file = `test/${name}`
    if (/\.mock(?:Import|Require|All)\b/.test(await readFile(file, 'utf8'))) found.push(file)
  }
  t.strictSame(found, [])
})
