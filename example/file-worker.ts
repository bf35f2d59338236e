/** Runs in a thread of its own: reads files of the folder, and tells what it found. */
import { parentPort } from 'node:worker_threads'
import { answerJob, type FileAnswer, type FileJob } from './scan/answer-job.ts'

const tell = (answer: FileAnswer) => parentPort!.postMessage(answer)

parentPort!.on('message', (job: FileJob) => answerJob(job, tell))
tell({})
