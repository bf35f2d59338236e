/**
 * Scans one folder with the example and with supysonic, in turns, each time from nothing: `npm run build && node
 * test/bench/scan.ts FOLDER` (Node 22 or later, Linux, supysonic). `make-real-files.ts` makes such a folder.
 *
 * Prints the wall time of whole processes and the most memory that each had; exits with 1 if the example takes longer
 * in the median.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const folder = resolve(process.argv[2]!)
const rounds = Number(process.argv[3] ?? 5)

const scanExample = `
  const { MusicFolder } = await import(${JSON.stringify(join(import.meta.dirname, '../../dist/example/index/music-folder.js'))})
  const library = await MusicFolder.open(${JSON.stringify(folder)}, process.env.HOME, { info () {}, warn () {}, error: console.error })
  await library.scan()
  console.log(library.catalogue.tracks.size)
  await library.close()`

/** What ends when a new home has been scanned. */
const servers: Record<string, (home: string) => readonly (readonly string[])[]> = {
  example: () => [[process.execPath, '--input-type=module', '--eval', scanExample]],
  supysonic (home) {
    writeFileSync(
      join(home, '.supysonic'),
      `[base]\ndatabase_uri = sqlite:///${home}/supysonic.db\n[webapp]\ncache_dir = ${home}\n[daemon]\nsocket = ${home}/no.sock\n`
    )
    return [['supysonic-cli', 'folder', 'add', 'music', folder], [
      'supysonic-cli', 'folder', 'scan', 'music', '-f', '--foreground'
    ]]
  }
}

interface Run { readonly seconds: number, readonly megabytes: number, readonly output: string }

/** Runs a command to its end. Linux keeps the most memory that a process had. */
async function run (command: readonly string[], home: string): Promise<Run> {
  const began = performance.now()
  const child = spawn(command[0]!, command.slice(1), {
    env: { ...process.env, HOME: home, NODE_OPTIONS: '' }, stdio: ['ignore', 'pipe', 'inherit']
  })
  let output = ''
  child.stdout.on('data', data => { output += data })
  let megabytes = 0
  const look = setInterval(() => {
    try {
      const [, kilobytes] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? []
      megabytes = Math.max(megabytes, Number(kilobytes ?? 0) / 1024)
    } catch {
      // It has ended.
    }
  }, 20)
  const [code] = await once(child, 'close')
  clearInterval(look)
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}`)
  return { seconds: (performance.now() - began) / 1000, megabytes, output }
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

const seen = new Map<string, Run[]>(Object.keys(servers).map(name => [name, []]))
// The first round is for the disk.
for (let round = 0; round <= rounds; round++) {
  for (const [name, commandsOf] of Object.entries(servers)) {
    const home = mkdtempSync(join(tmpdir(), 'scan-'))
    let last: Run | undefined
    for (const command of commandsOf(home)) last = await run(command, home)
    rmSync(home, { recursive: true })
    if (round > 0) seen.get(name)!.push(last!)
  }
}
for (const [name, runs] of seen) {
  const seconds = median(runs.map(({ seconds }) => seconds)).toFixed(2)
  const megabytes = Math.max(...runs.map(({ megabytes }) => megabytes)).toFixed(0)
  process.stdout.write(
    `${name.padEnd(10)} ${seconds.padStart(7)} s, ${megabytes.padStart(4)} MB at most, ${/(\d+)( tracks)?$/m.exec(runs[0]!.output)?.[1]} tracks\n`
  )
}
const [example, other] = [...seen.values()].map(runs => median(runs.map(({ seconds }) => seconds)))
if (example! > other!) process.exitCode = 1
