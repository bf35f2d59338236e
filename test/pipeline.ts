import { connect, type Socket } from 'node:net'

/** Sends requests on one connection without waiting for answers, which it throws away. */
export function pipeline (origin: string, urls: readonly string[], ...headers: string[]): Socket {
  const { hostname, port, host } = new URL(origin)
  const socket = connect(Number(port), hostname)
  const lines = [`host: ${host}`, ...headers].join('\r\n')
  // Whole requests in one write: Node.js reads on until answers wait to be sent.
  socket.write(urls.map(url => `GET ${url.replace(origin, '')} HTTP/1.1\r\n${lines}\r\n\r\n`).join(''))
  return socket.on('error', () => {}).resume()
}

/** A URL, twenty times. */
export const many = (url: string): string[] => Array(20).fill(url)
