import { readFile } from 'node:fs/promises'
import t from 'tap'
import { rules } from '../../lib/check/rules.ts'

t.test('docs/guide/check.md lists every rule with its level and hint, in order', async t => {
  const text = await readFile(new URL('../../docs/guide/check.md', import.meta.url), 'utf8')
  const rows = Object.entries(rules).map(([id, { level, hint }]) =>
    `| \`${id}\` | ${level} | ${hint.replaceAll('<', '\\<')} |`)
  const listed = text.slice(text.indexOf('\n## Rules\n')).split('\n').filter(line => line.startsWith('| `'))
  t.strictSame(listed, rows)
})
