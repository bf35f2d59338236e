/** Runs in a process of its own: reads files of the folder, and tells what it found. */
import { answerJob, type FileAnswer, type FileJob } from './answer-job.ts'

const tell = (answer: FileAnswer) => process.send!(answer)

process.on('message', (job: FileJob) => answerJob(job, tell))
// It ends with the process that started it, which a terminal and a service manager tell to end at the same time.
process.on('disconnect', () => process.exit())
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
tell({})
setInterval(() => tell({}), 1000)
