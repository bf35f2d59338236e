import { readdir, readFile } from 'node:fs/promises'
import t from 'tap'

const folder = new URL('../../schemas/', import.meta.url)

t.test('a reference has the type of its schema', async t => {
  for (const file of await readdir(folder)) {
    if (file === 'common.ts') continue
    const text = await readFile(new URL(file, folder), 'utf8')
    const references = [...text.matchAll(/\b(?:ref|page)(?:<(\w+)>)?\((\w+)\)/g)]
    for (const [reference, type, schema] of references) t.equal(schema, `${type}Schema`, `${file}: ${reference}`)
  }
})
