// npm run bench: all benchmarks, or those that are named, with their options: npm run bench -- transcode --rounds 2
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const files = ['run.js', 'cache.js', 'media.js', 'transcode.js', 'subsonic.js', 'combine.js', 'page.ts']
const given = process.argv.slice(2)
const options = given.slice(given.findIndex(text => text.startsWith('--')) >>> 0)
const asked = given.slice(0, given.length - options.length)
const unknown = asked.filter(name => !files.some(file => file.startsWith(`${name}.`)))
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(', ')}. There are ${files.map(file => file.split('.')[0]).join(', ')}`)
  process.exit(1)
}
const isAsked = file => asked.length === 0 || asked.some(name => file.startsWith(`${name}.`))
for (const file of files.filter(isAsked)) {
  const args = file.endsWith('.ts') ? ['--conditions=source-origin-dev', '--import=./test/strip-types.js'] : []
  const command = [...args, join(import.meta.dirname, file), ...options]
  const { status } = spawnSync(process.execPath, command, { stdio: 'inherit' })
  if (status !== 0) process.exit(1)
}
