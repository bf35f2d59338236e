// Loaded before a code block of the documents, in its process: it tells the process above which ports the block listens
// on.

import { EventEmitter } from 'node:events'
import { Server } from 'node:net'

Server.prototype.emit = function (name, ...args) {
  if (name === 'listening' && process.connected) process.send(this.address().port)
  return EventEmitter.prototype.emit.call(this, name, ...args)
}
