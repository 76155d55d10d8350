// kafkajs for the tests: one JSON command a line in, one JSON answer a line out (see harness/agents.py).
//
// kafkajs has consumers in groups only. What reads here is its own connection, fetch request and decoder, one layer
// below its consumer, so that the tests need no group.
'use strict'
const readline = require('readline')
const { Kafka, CompressionTypes, CompressionCodecs, logLevel } = require('kafkajs')
const Cluster = require('kafkajs/src/cluster')
const { createLogger } = require('kafkajs/src/loggers')
const snappy = require('snappyjs')
const lz4 = require('lz4js')
const { ZstdCodec } = require('zstd-codec')

const CODECS = {
  none: CompressionTypes.None, gzip: CompressionTypes.GZIP, snappy: CompressionTypes.Snappy,
  lz4: CompressionTypes.LZ4, zstd: CompressionTypes.ZSTD,
}
const XERIAL = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00])

// Java wraps snappy blocks into a framing of its own.
function snappyDecode(buffer) {
  if (!buffer.subarray(0, 8).equals(XERIAL)) return Buffer.from(snappy.uncompress(buffer))
  const parts = []
  for (let at = 16; at < buffer.length; ) {
    const size = buffer.readUInt32BE(at)
    parts.push(Buffer.from(snappy.uncompress(buffer.subarray(at + 4, at + 4 + size))))
    at += 4 + size
  }
  return Buffer.concat(parts)
}

CompressionCodecs[CompressionTypes.Snappy] = () => ({
  compress: async encoder => Buffer.from(snappy.compress(encoder.buffer)),
  decompress: async buffer => snappyDecode(buffer),
})
CompressionCodecs[CompressionTypes.LZ4] = () => ({
  compress: async () => { throw new Error('lz4 is only read here') },
  decompress: async buffer => Buffer.from(lz4.decompress(buffer)),
})
const zstd = new Promise(resolve => ZstdCodec.run(found => resolve(new found.Streaming())))
CompressionCodecs[CompressionTypes.ZSTD] = () => ({
  compress: async encoder => Buffer.from((await zstd).compress(encoder.buffer)),
  decompress: async buffer => Buffer.from((await zstd).decompress(buffer)),
})

const toText = data => (data === null || data === undefined ? null : Buffer.from(data).toString('base64'))
const fromText = text => (text === null ? null : Buffer.from(text, 'base64'))
const logCreator = () => entry => process.stderr.write(JSON.stringify(entry.log) + '\n')

const client = command =>
  new Kafka({ brokers: command.bootstrap.split(','), clientId: 'kafkajs', logLevel: logLevel.WARN, logCreator })

async function produce(command) {
  const producer = client(command).producer({
    idempotent: command.idempotent || false, allowAutoTopicCreation: true, ...(command.config || {}),
  })
  await producer.connect()
  try {
    const results = command.records.map(() => null)
    const size = command.batch_records || 100
    const byPartition = new Map()
    command.records.forEach((record, index) => {
      if (!byPartition.has(record.partition)) byPartition.set(record.partition, [])
      byPartition.get(record.partition).push({ record, index })
    })
    for (const [partition, all] of byPartition) {
      for (let at = 0; at < all.length; at += size) {
        const part = all.slice(at, at + size)
        const [answer] = await producer.send({
          topic: command.topic, acks: -1, compression: CODECS[command.codec],
          messages: part.map(({ record }) => ({
            partition, key: fromText(record.key), value: fromText(record.value),
            timestamp: record.timestamp === null ? undefined : String(record.timestamp),
            headers: Object.fromEntries(record.headers.map(([name, data]) => [name, fromText(data)])),
          })),
        })
        part.forEach(({ index }, i) => { results[index] = { offset: Number(answer.baseOffset) + i } })
      }
    }
    return { results }
  } finally {
    await producer.disconnect()
  }
}

async function consume(command) {
  const cluster = new Cluster({
    logger: createLogger({ level: logLevel.WARN, logCreator }), brokers: command.bootstrap.split(','),
    socketFactory: require('kafkajs/src/network/socketFactory')(), clientId: 'kafkajs', connectionTimeout: 5000,
    enforceRequestTimeout: true, metadataMaxAge: 300000, allowAutoTopicCreation: false, isolationLevel: 1,
    maxInFlightRequests: null, instrumentationEmitter: null, retry: {},
  })
  await cluster.connect()
  try {
    await cluster.addTargetTopic(command.topic)
    const next = new Map(Object.entries(command.start).map(([p, offset]) => [Number(p), offset]))
    const ends = new Map(Object.entries(command.until).map(([p, end]) => [Number(p), end]))
    const records = []
    for (const partition of [...next.keys()]) if (next.get(partition) >= ends.get(partition)) next.delete(partition)
    while (next.size > 0) {
      const leaders = cluster.findLeaderForPartitions(command.topic, [...next.keys()])
      for (const [nodeId, partitions] of Object.entries(leaders)) {
        await fetchFrom(await cluster.findBroker({ nodeId }), command.topic, partitions, next, ends, records)
      }
    }
    return { records }
  } finally {
    await cluster.disconnect()
  }
}

async function fetchFrom(broker, topic, partitions, next, ends, records) {
  const answer = await broker.fetch({
    isolationLevel: 1, maxWaitTime: 500, minBytes: 1, maxBytes: 10485760,
    topics: [{ topic, partitions: partitions.map(p => ({
      partition: p, currentLeaderEpoch: -1, fetchOffset: String(next.get(p)), maxBytes: 1048576 })) }],
  })
  for (const { partitions: found } of answer.responses) {
    for (const { partition, messages } of found) {
      for (const message of messages) {
        const offset = Number(message.offset)
        // A batch comes whole: what lies before the wanted offset is the reader's to leave out.
        if (offset < next.get(partition) || offset >= ends.get(partition)) continue
        const headers = Object.entries(message.headers || {}).map(([name, data]) => [name, toText(data)])
        records.push({ partition, offset, key: toText(message.key), value: toText(message.value), headers,
                       timestamp: Number(message.timestamp) })
        next.set(partition, offset + 1)
      }
      if (next.get(partition) >= ends.get(partition)) next.delete(partition)
    }
  }
}

async function withAdmin(command, work) {
  const admin = client(command).admin()
  await admin.connect()
  try {
    return await work(admin)
  } finally {
    await admin.disconnect()
  }
}

const createTopic = command => withAdmin(command, async admin => ({
  created: await admin.createTopics({ topics: [{ topic: command.topic, numPartitions: command.partitions }] }),
}))
const offsets = command => withAdmin(command, async admin => ({
  offsets: await admin.fetchTopicOffsets(command.topic),
  forTime: await admin.fetchTopicOffsetsByTimestamp(command.topic, command.timestamp || 0),
}))

const OPERATIONS = { produce, consume, create_topic: createTopic, offsets }

async function main() {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    let answer
    try {
      const command = JSON.parse(line)
      answer = await OPERATIONS[command.op](command)
    } catch (error) {
      answer = { error: error.type || (error.cause && error.cause.type) || error.name, message: error.message }
    }
    process.stdout.write(JSON.stringify(answer) + '\n')
  }
}

main().then(() => process.exit(0))
