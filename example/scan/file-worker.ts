/** Runs in a separate process: reads files of the folder, and sends the results. */
import { answerJob, type FileAnswer, type FileJob } from './answer-job.ts'

const send = (answer: FileAnswer) => process.send!(answer)

process.on('message', (job: FileJob) => answerJob(job, send))
// Signals of a terminal or service manager reach the parent and this process. The worker ignores them and ends with its
// parent.
process.on('disconnect', () => process.exit())
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
send({})
setInterval(() => send({}), 1000)
