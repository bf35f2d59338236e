#!/usr/bin/env node
import { runCommand } from './run-command.ts'

// Whoever reads may stop reading: `source-origin check ... | head`.
process.stdout.on('error', () => {})
process.exitCode = await runCommand(process.argv.slice(2), process)
