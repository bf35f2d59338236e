import { readFile } from 'node:fs/promises'
import t from 'tap'
import { rules } from '../../lib/check/rules.ts'

t.test('docs/reference/check.md lists every rule by its level, in order', async t => {
  const text = await readFile(new URL('../../docs/reference/check.md', import.meta.url), 'utf8')
  const [, section = ''] = text.split('\n## Rules\n')
  for (const level of ['broken', 'warning']) {
    const [, paragraph = ''] = section.split(`**${level}**`)
    const listed = [...paragraph.split('\n\n')[0]!.matchAll(/`([\w-]+)`/g)].map(([, id]) => id)
    t.strictSame(listed, Object.entries(rules).filter(([, rule]) => rule.level === level).map(([id]) => id), level)
  }
})
