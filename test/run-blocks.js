// Runs code blocks of the documents sequentially in this process: loading the package takes most of their time. The
// parent sends `{ file, port }`. This process sends `listening` when the block listens on the port, and closes its
// servers at the next message. It sends `ended` when the block has ended.

import { EventEmitter } from 'node:events'
import { Server } from 'node:net'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'

/** @type {Server[]} */
const listening = []
let isLoaded = false
/** @type {Promise<unknown> | undefined} */
let loading

Server.prototype.emit = function (name, ...args) {
  if (name === 'listening' && this.address().port === Number(process.env.PORT)) {
    listening.push(this)
    process.send('listening')
  }
  return EventEmitter.prototype.emit.call(this, name, ...args)
}

/** Waits for the next file. */
function end () {
  process.channel.ref()
  process.send('ended')
}

process.on('message', async ({ file, port }) => {
  if (file === undefined) {
    // Fastify cannot be closed before it listens to all addresses of localhost.
    await loading
    for (const server of listening.splice(0)) {
      server.close()
      server.closeAllConnections()
    }
    return end()
  }
  process.channel.unref()
  process.chdir(dirname(file))
  process.env.PORT = String(port)
  isLoaded = false
  loading = import(pathToFileURL(file).href)
  await loading
  isLoaded = true
})
process.on('beforeExit', () => {
  if (!isLoaded) throw new Error('The block awaits a promise that never settles')
  end()
})
