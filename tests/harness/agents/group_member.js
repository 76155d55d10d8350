// One member of a consumer group (kafkajs). Prints each record that it reads, one JSON object a line, until its
// standard input ends; then it leaves the group. Arguments: bootstrap, topic, group.
'use strict'
const { Kafka, logLevel } = require('kafkajs')

const [bootstrap, topic, groupId] = process.argv.slice(2)
const say = (event, fields) => process.stdout.write(JSON.stringify({ event, ...fields }) + '\n')

async function main() {
  const kafka = new Kafka({ brokers: bootstrap.split(','), clientId: 'kafkajs', logLevel: logLevel.ERROR })
  const consumer = kafka.consumer({ groupId, sessionTimeout: 6000, heartbeatInterval: 500 })
  consumer.on(consumer.events.GROUP_JOIN, (event) =>
    say('assigned', { partitions: (event.payload.memberAssignment[topic] || []).slice().sort() }))
  await consumer.connect()
  await consumer.subscribe({ topics: [topic], fromBeginning: true })
  await consumer.run({
    autoCommitThreshold: 1,
    eachMessage: async ({ partition, message }) =>
      say('read', { partition, offset: Number(message.offset), value: message.value.toString() }),
  })
  process.stdin.resume()
  process.stdin.on('end', async () => {
    await consumer.disconnect()
    say('left', {})
    process.exit(0)
  })
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`)
  process.exit(1)
})
