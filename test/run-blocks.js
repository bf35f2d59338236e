// Runs code blocks of the documents one after the other in this process, since most of their time is the start of a
// process that loads the package. For each file that is sent here it sends `listening` when the block listens on its
// port, and then waits for `close`; and `ended` when nothing of the block is left that keeps the process.

import { EventEmitter } from 'node:events'
import { Server } from 'node:net'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'

/** @type {Server[]} */
const listening = []
let isLoaded = false

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
  await import(pathToFileURL(file).href)
  isLoaded = true
})
process.on('beforeExit', () => {
  if (!isLoaded) throw new Error('A block awaits what never comes')
  end()
})
