import { accountCommand } from './accounts/account-command.ts'
import { StartError } from './start/start-error.ts'

// The entry point of `npm run account`.

try {
  process.loadEnvFile()
} catch {
  // The file .env is optional.
}
try {
  console.log(await accountCommand(process.argv.slice(2), process.env, process.stdin))
} catch (error) {
  console.error(error instanceof StartError ? error.message : error)
  process.exitCode = 1
}
