// A source in an application of NestJS.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import 'reflect-metadata'
import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter } from '@nestjs/platform-fastify'
import serveSource, { serverOptions } from 'fastify-source-origin/serve'

test('a source in an application of NestJS', async () => {
  class Application {}
  Module({})(Application)
  const nest = await NestFactory.create(Application, new FastifyAdapter(serverOptions), { logger: ['error'] })
  await nest.getHttpAdapter().getInstance().register(serveSource, {
    prefix: '/music', resolveContext: () => ({ adapter: { getTopArtists: () => [{ id: 'ada', name: 'Ada' }] } })
  })
  await nest.listen(0, '127.0.0.1')
  try {
    const origin = await nest.getUrl()
    const { data } = await (await fetch(`${origin}/music/v1/artist/top`)).json()
    assert.equal(data[0].name, 'Ada')
    assert.equal((await fetch(`${origin}/music/`)).status, 200)
  } finally {
    await nest.close()
  }
})
