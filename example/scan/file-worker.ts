/** Runs in a separate process: reads files of the folder, and sends the results. */
import { answerJob, type FileAnswer, type FileJob } from './answer-job.ts'

const tell = (answer: FileAnswer) => process.send!(answer)

process.on('message', (job: FileJob) => answerJob(job, tell))
// It ends with its parent process, which receives signals of a terminal or service manager at the same time.
process.on('disconnect', () => process.exit())
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
tell({})
setInterval(() => tell({}), 1000)
