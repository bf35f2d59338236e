#!/usr/bin/env node

// The consumer of stdout may close it: `source-origin check ... | head`.
process.stdout.on('error', () => {})

const interruption = new AbortController()
// A second signal ends the process at once.
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => interruption.abort(new Error('interrupted')))
}

const args = process.argv.slice(2)
if (args[0] === 'new') {
  const { runNew } = await import('./create/run-new.ts')
  process.exitCode = await runNew(args.slice(1), process, interruption.signal)
} else {
  const { runCommand } = await import('./check/run-check.ts')
  const { readRunning } = await import('./serve/running-source.ts')
  process.exitCode = await runCommand(args, process, readRunning, interruption.signal)
}
