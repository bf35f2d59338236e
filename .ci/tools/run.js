// node .ci/tools/run.js NAME [argument ...]: runs a program of this folder's packages, or a script of this folder, and
// installs the packages first where they are missing or out of date; without a name it does only that. Who starts or
// tests the project needs none of them.

import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('.', import.meta.url))
const [name, ...args] = process.argv.slice(2)
// npm and the programs that it installs are scripts on Windows.
const shell = process.platform === 'win32'

function run (...command) {
  const { status, error } = spawnSync(command[0], command.slice(1), { stdio: 'inherit', shell })
  if (error !== undefined) throw error
  if (status !== 0) process.exit(status ?? 1)
}

const installed = join(folder, 'node_modules/.package-lock.json')
const changed = file => statSync(file).mtimeMs
if (!existsSync(installed) || changed(installed) < changed(join(folder, 'package-lock.json'))) {
  run('npm', 'ci', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', folder)
}
const script = join(folder, `${name}.js`)
if (existsSync(script)) run(process.execPath, script, ...args)
else if (name !== undefined) run(join(folder, 'node_modules/.bin', name), ...args)
